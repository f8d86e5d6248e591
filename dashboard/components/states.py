"""What a page says instead of figures: nothing there, nothing matches, something is wrong."""

from dataclasses import replace
from typing import NoReturn

import streamlit as st

from core.errors import RagTriageError
from dashboard import access, navigation, state
from dashboard.components import words
from dashboard.state import Address
from dashboard.theme import count, escape, escape_line


class PageEnd(Exception):  # noqa: N818, no error
    """A page has shown all that it can."""


def end_page() -> NoReturn:
    """End a page before its end.

    ``st.stop`` would end the whole script, so that the address bar kept the address of before.
    """
    raise PageEnd


def empty_box(title: str, text: str) -> "st.delta_generator.DeltaGenerator":
    box = st.container(border=True, horizontal_alignment="center", gap="small")
    box.space("small")
    box.markdown(f"#### {escape_line(title)}", anchors=False, text_alignment="center")
    box.markdown(text, text_alignment="center", width=420)
    return box


def no_runs() -> None:
    """The store is empty."""
    box = empty_box(
        "No runs yet",
        ":gray[Drop in the file your evaluation tool wrote, or look around with the demo. "
        "Nothing leaves this machine.]",
    )
    if box.button("Import a file or load the demo", icon=":material/arrow_forward:"):
        navigation.open_page(navigation.RUNS, state.current())


def unknown(kind: str, wanted: str) -> None:
    """The address names a run, baseline, sample or judge that is not in the store."""
    lacks = "has no verdicts in this run" if kind == "judge" else "is not in this store"
    box = empty_box(
        f"There is no such {kind} here",
        f":gray[The address names the {kind} {escape_line(wanted)}, which {lacks}. It may have "
        "been deleted, or the link comes from another machine.]",
    )
    if kind == "sample" and box.button("First sample of the filter"):
        state.change(sample=None)
        st.rerun()
    if kind == "baseline" and box.button("Go on without a baseline"):
        state.change(baseline=None)
        st.rerun()
    if kind == "judge" and box.button("Go on with the run's judges"):
        state.change(selection=())
        st.rerun()
    if kind == "run" and box.button("See all runs", icon=":material/arrow_forward:"):
        navigation.open_page(navigation.RUNS, Address())


def own_baseline() -> None:
    """The address names one run on both sides."""
    box = empty_box(
        "A run is not its own baseline",
        ":gray[The address names the same run on both sides, so there is nothing to compare.]",
    )
    if box.button("Go on without a baseline"):
        state.change(baseline=None)
        st.rerun()


def no_match(address: Address, n_run: int) -> None:
    """No sample passes the filter."""
    named = ", ".join(words.term(term) for term in address.terms)
    rest = ""
    if len(address.terms) > 1:
        wider = replace(address, terms=address.terms[:-1])
        n_wider = access.load_matrix(str(address.run), wider.view(), None).summary.n
        rest = f" Without the last one: {count(n_wider)}."
    box = empty_box(
        "No sample matches these filters",
        f":gray[0 of {count(n_run)} samples pass: {escape_line(named)}.{rest}]",
    )
    with box.container(horizontal=True, horizontal_alignment="center"):
        if address.terms and st.button(
            f"Remove {escape_line(words.short_term(address.terms[-1]))}"
        ):
            state.change(terms=address.terms[:-1])
            st.rerun()
        if st.button("Clear all filters", type="tertiary"):
            state.change(terms=())
            st.rerun()


def trouble(error: RagTriageError) -> None:
    """An error that carries a message for people, with a way on."""
    st.error(escape(str(error)), icon=":material/error:")
    with st.container(horizontal=True):
        if st.button("Try again", key="trouble_again"):
            st.rerun()
        if st.button("Clear filters and cuts", key="trouble_reset", type="tertiary"):
            st.session_state["address"] = replace(
                Address(), run=state.current().run, baseline=state.current().baseline
            )
            st.rerun()
