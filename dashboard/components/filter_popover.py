"""The filter: what can be chosen, what is on, and filters that were given a name."""

import math

import streamlit as st

from core.diagnosis.modes import FLAGS, MODES
from core.errors import RagTriageError
from core.model import TRIAD, Axis, Flag, Mode
from core.store.saved_filters import forget_filter, save_filter
from core.workflows.review import FilterChoices
from dashboard import access, state
from dashboard.components import words
from dashboard.theme import count, escape, escape_line

_TAGS_SHOWN = 8
_NO_AXIS = "any score"


def draw(choices: FilterChoices) -> None:
    """The popover with everything that samples can be filtered by."""
    address = state.current()
    with st.popover("Filter", icon=":material/filter_list:", key="filter_popover"):
        _terms_select(
            "Failure mode", "mode", {f"mode={mode.value}": MODES[mode].name for mode in Mode}
        )
        names = dict.fromkeys(name for name, _, _ in choices.tags)
        for name in list(names)[:_TAGS_SHOWN]:
            options = {
                f"tag.{name}={value}": f"{value} ({count(n)})"
                for tag, value, n in choices.tags
                if tag == name
            }
            _terms_select(name, f"tag.{name}", options)
        labels = {
            f"label.{criterion}={value}": f"{criterion}: {value} ({count(n)})"
            for criterion, value, n in choices.labels
        }
        if labels:
            _terms_select("Label", "label", labels)
        if choices.causes:
            causes = {
                f"cause={cause}": f"{words.cause(cause)} ({count(n)})"
                for cause, n in choices.causes
            }
            _terms_select("Score missing because", "cause", causes)
        _terms_select("Remark", "flag", {f"flag={flag.value}": FLAGS[flag].name for flag in Flag})
        _score_range()
        text = next((t.removeprefix("text=") for t in address.terms if t.startswith("text=")), "")
        st.session_state["filter_text"] = text
        st.text_input("Text in question, answer or id", key="filter_text", on_change=_text_changed)
        _saved()


def _text_changed() -> None:
    text = st.session_state["filter_text"].strip()
    kept = tuple(term for term in state.current().terms if not term.startswith("text="))
    state.change(terms=(*kept, f"text={text}") if text else kept, sample=None)


def _terms_select(label: str, prefix: str, options: dict[str, str]) -> None:
    key = f"filter_{prefix}"
    terms = state.current().terms
    # A term of the address that the run does not have stays visible, so that it can be removed.
    options = {**options, **{t: t for t in terms if _has_prefix(t, prefix) and t not in options}}
    st.session_state[key] = [term for term in terms if term in options]

    def changed() -> None:
        kept = tuple(term for term in state.current().terms if term not in options)
        state.change(terms=(*kept, *st.session_state[key]), sample=None)

    st.multiselect(
        escape_line(label),
        list(options),
        format_func=lambda term: options[term],
        key=key,
        on_change=changed,
        placeholder="any",
    )


def _has_prefix(term: str, prefix: str) -> bool:
    return term.startswith((f"{prefix}=", f"{prefix}."))


def _score_range() -> None:
    """At most one range of a triad score, in the score's own scale."""
    terms = [term for term in state.current().terms if term.startswith("score.")]
    options = [_NO_AXIS, *(axis.value for axis in TRIAD)]
    chosen, low, high = _NO_AXIS, None, None
    if terms:
        (axis, low, high), *_ = state.current().wanted().scores
        chosen = axis.value
    st.session_state["filter_score_axis"] = chosen

    def changed() -> None:
        kept = tuple(term for term in state.current().terms if not term.startswith("score."))
        axis = st.session_state["filter_score_axis"]
        new: tuple[str, ...] = ()
        if axis != _NO_AXIS:
            ends = [st.session_state.get(key) for key in ("filter_low", "filter_high")]
            low_text, high_text = ("" if end is None else repr(float(end)) for end in ends)
            new = (f"score.{axis}={low_text}..{high_text}",)
        state.change(terms=(*kept, *new), sample=None)

    st.selectbox(
        "Score from … to",
        options,
        format_func=lambda name: name if name == _NO_AXIS else words.axis(Axis(name)),
        key="filter_score_axis",
        on_change=changed,
    )
    if chosen != _NO_AXIS:
        st.session_state["filter_low"] = low if low is not None and math.isfinite(low) else None
        st.session_state["filter_high"] = high if high is not None and math.isfinite(high) else None
        with st.container(horizontal=True, gap="xsmall"):
            st.number_input("From", value=None, key="filter_low", on_change=changed, step=0.1)
            st.number_input("To", value=None, key="filter_high", on_change=changed, step=0.1)


def _saved() -> None:
    saved = access.load_saved_filters()
    wanted = state.current().wanted()
    name_now = next((name for name, found in saved.items() if found == wanted), None)
    st.session_state["saved_filter"] = name_now

    def picked() -> None:
        name = st.session_state["saved_filter"]
        state.change(terms=tuple(saved[name].terms()) if name else (), sample=None)

    if saved:
        st.selectbox(
            "Saved filters",
            list(saved),
            key="saved_filter",
            on_change=picked,
            placeholder="none of them",
        )
    if name_now is not None:
        st.button("Forget this filter", key="forget_filter", on_click=_forget, args=(name_now,))
    elif not wanted.is_empty:
        st.text_input("Save this filter as", key="filter_name", on_change=_save)
    trouble = st.session_state.pop("filter_trouble", None)
    if trouble:
        st.error(escape(trouble))


def _save() -> None:
    try:
        with access.ready_store().writing() as connection:
            save_filter(connection, st.session_state["filter_name"], state.current().wanted())
        st.session_state["filter_name"] = ""
    except RagTriageError as error:
        st.session_state["filter_trouble"] = str(error)


def _forget(name: str) -> None:
    try:
        with access.ready_store().writing() as connection:
            forget_filter(connection, name)
    except RagTriageError as error:
        st.session_state["filter_trouble"] = str(error)


def pills() -> None:
    """The filters that are on; taking one away removes it."""
    terms = state.current().terms
    if not terms:
        return
    shown = {term: f"{words.term(term)} ✕" for term in terms}
    if len(terms) > 2:
        shown = {"": f"{len(terms)} filters ✕"}
    st.session_state["filter_pills"] = list(shown)

    def changed() -> None:
        kept = set(st.session_state["filter_pills"])
        gone = [term for term in shown if term not in kept]
        remaining = () if "" in gone else tuple(term for term in terms if term not in gone)
        state.change(terms=remaining, sample=None)

    st.pills(
        "Active filters",
        list(shown),
        selection_mode="multi",
        format_func=lambda term: escape_line(shown[term]),
        key="filter_pills",
        on_change=changed,
        label_visibility="collapsed",
        width="content",
    )
