"""What a person says about a sample: pass, fail or defer and a note, saved at once."""

import streamlit as st

from core.errors import RagTriageError
from core.store import writes
from core.workflows.sample_views import SampleView
from dashboard import access
from dashboard.theme import date, escape, escape_line

CRITERION = "triage"
_VALUES = {"pass": 1.0, "fail": 0.0, "defer": None, "noted": None}
_WORDS = {"pass": "Passed", "fail": "Failed", "defer": "Deferred", "noted": "Noted"}


def card(found: SampleView) -> None:
    """The label card: the latest label of this rater, three buttons and the note."""
    sample_id = str(found.detail.sample["sample_id"])
    run_id = found.settings.run.run_id
    rater = str(st.session_state.get("rater_name") or "reviewer")
    mine = [
        label
        for label in found.detail.labels
        if label["criterion"] == CRITERION and label["rater"] == rater
    ]
    latest = mine[-1] if mine else None
    note_key = f"note_{rater}_{run_id}_{sample_id}"
    if note_key not in st.session_state:
        st.session_state[note_key] = (latest or {}).get("note") or ""

    def save(category: str) -> None:
        note = str(st.session_state.get(note_key) or "").strip() or None
        try:
            with access.ready_store().writing() as connection:
                writes.append_label(
                    connection,
                    run_id,
                    sample_id,
                    int(found.detail.sample["position"]),
                    criterion=CRITERION,
                    rater=rater,
                    value=_VALUES[category],
                    category=category,
                    note=note,
                )
        except RagTriageError as error:
            st.session_state["label_trouble"] = str(error)

    def note_changed() -> None:
        # The browser may report a field that it has drawn anew, with the text that was there.
        if str(st.session_state.get(note_key) or "").strip() != ((latest or {}).get("note") or ""):
            save(str(latest["category"]) if latest is not None else "noted")

    with st.container(border=True, gap="xsmall"):
        state = "none yet"
        if latest is not None:
            word = _WORDS.get(latest["category"], "Labelled").lower()
            state = f"{word} by {rater}, {date(latest['labelled_at'], time=True)}"
        st.markdown(f"**Your label** :gray[· {escape_line(state)}]")
        with st.container(horizontal=True, gap="xsmall"):
            for name, icon in (("pass", "check"), ("fail", "close"), ("defer", "schedule")):
                is_chosen = latest is not None and latest["category"] == name
                st.button(
                    name.capitalize(),
                    icon=":material/radio_button_checked:" if is_chosen else f":material/{icon}:",
                    # A click that comes late belongs to the sample it was made on.
                    key=f"label_{name}_{run_id}_{sample_id}",
                    on_click=save,
                    args=(name,),
                    width="stretch",
                )
        st.text_area(
            "Note",
            key=note_key,
            on_change=note_changed,
            placeholder="Why? Saved when you leave the field",
            label_visibility="collapsed",
            height=72,
        )
        trouble = st.session_state.pop("label_trouble", None)
        if trouble:
            st.error(f"Not saved; your note is still in the field. {escape(trouble)}")
        others = {
            label["rater"]: _WORDS.get(label["category"], label["category"])
            for label in found.detail.labels
            if label["criterion"] == CRITERION and label["rater"] != rater
        }
        if others:
            named = ", ".join(f"{word} by {name}" for name, word in others.items())
            st.caption(escape_line(f"Also: {named}"))
        st.text_input(
            "Labelled as",
            key="rater_name",
            placeholder="reviewer",
            persist_state="session",
            help="A name or pseudonym. Labels of several people are kept side by side.",
        )
