"""The split of a label into train, dev and test: dealing it, choosing a part, opening the test."""

import streamlit as st

from core.errors import RagTriageError
from core.filters import PARTS
from core.store import parts
from core.workflows.trust_choices import TrustChoices
from dashboard import access, state
from dashboard.components.calibration_controls import Asked
from dashboard.theme import count, escape

_NAMES = {"all": "All", "train": "Train", "dev": "Dev", "test": "Test"}


def draw(choices: TrustChoices, asked: Asked) -> None:
    """Which labels are looked at; without a split the offer to make one."""
    if len(asked.run_ids) > 1:
        st.caption("A split belongs to one run; all labels of the pooled runs are in view.")
        return
    sizes = choices.parts.get(asked.label.name)
    if sizes is None:
        _offer(choices, asked)
        return
    is_open = asked.label.name in choices.opened
    options = ["all", *PARTS] if is_open else list(PARTS)
    key = state.visit_key("trust_part")
    st.session_state[key] = asked.question.part or "all"

    def picked() -> None:
        wanted = st.session_state[key]
        if wanted == "test" and not is_open:
            st.session_state["ask_for_test"] = asked.label.name
            return
        st.session_state.pop("ask_for_test", None)
        state.change_options(part=wanted)

    st.segmented_control(
        "Labels",
        options,
        format_func=lambda part: (
            _NAMES[part] + (f" {count(sizes.get(part, 0))}" if part in sizes else "")
        ),
        key=key,
        on_change=picked,
        required=True,
        label_visibility="collapsed",
        help="Train: examples for a prompt. Dev: choose prompt and cut. Test: look once, at the "
        "end; opening it is logged.",
    )
    if st.session_state.get("ask_for_test") == asked.label.name and not is_open:
        _closed(choices, asked)


def _closed(choices: TrustChoices, asked: Asked) -> None:
    st.markdown(
        "**The test numbers are hidden.** Once seen they can no longer tell how a choice holds on "
        "new samples. Opening is logged.",
        width="content",
    )
    if st.button("Open the test part", key="open_test"):
        try:
            with access.ready_store().writing() as connection:
                parts.open_test(connection, choices.run.run_id, asked.label.name)
        except RagTriageError as error:
            st.error(escape(str(error)))
            return
        st.session_state.pop("ask_for_test", None)
        state.change_options(part="test")
        st.rerun()
    if st.button("Leave it closed", key="leave_test", type="tertiary"):
        st.session_state.pop("ask_for_test", None)
        st.rerun()


def _offer(choices: TrustChoices, asked: Asked) -> None:
    with st.popover("Split labels", icon=":material/call_split:", type="tertiary"):
        st.markdown(
            "Keeps part of the labels hidden, so that what chose the cut does not also measure "
            "it: 15\u202f% train, 42.5\u202f% dev, 42.5\u202f% test, each class alike. A label "
            "keeps its part for good."
        )
        seed = st.number_input("Seed", 0, value=0, step=1, key="split_seed")
        if st.button("Split these labels", key="split_labels"):
            try:
                with access.ready_store().writing() as connection:
                    parts.deal(connection, choices.run.run_id, asked.label.name, int(seed))
            except RagTriageError as error:
                st.error(escape(str(error)))
                return
            st.rerun()
