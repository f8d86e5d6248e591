"""Definitions: every metric, mode, flag, state and cause, from the registry the program uses."""

import streamlit as st

from core.diagnosis.findings import Finding
from core.workflows.definitions import Kind, entries, search
from dashboard import state
from dashboard.components import definition_list, head
from dashboard.theme import count, escape_line

everything = entries()
n_of = {kind: sum(1 for entry in everything if entry.kind is kind) for kind in Kind}
head.question(
    "What does each number mean?",
    Finding(
        f"{count(n_of[Kind.METRIC])} metrics, {count(n_of[Kind.MODE])} failure modes, and why a "
        "score can be missing.",
        "Generated from the registry that the program computes with.",
    ),
)


key = state.visit_key("term")


def searched() -> None:
    """Keep the search in the address, so that a link shows the same."""
    state.change(term=st.session_state[key].strip() or None)


wanted = state.current().term or ""
st.session_state[key] = wanted
st.text_input(
    "Search",
    key=key,
    on_change=searched,
    label_visibility="collapsed",
    icon=":material/search:",
    placeholder="A metric, its name in another tool, a mode, a cause",
    width=420,
)
found = search(everything, wanted)
if found:
    definition_list.draw(found, is_search=bool(wanted))
else:
    st.markdown(
        f"**Nothing here is called {escape_line(wanted)}.** "
        ":gray[Try one word of it; names of other tools are known too.]"
    )
    if st.button("Show everything"):
        state.change(term=None)
        st.rerun()
