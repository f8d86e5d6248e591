"""Choosing the tag by whose values figures are compared; one choice for all pages."""

from typing import Literal

import streamlit as st

from dashboard import access, state


def choose(
    run_id: str,
    label: str = "Compare by",
    visibility: Literal["visible", "collapsed"] = "visible",
) -> str | None:
    """A select box of the run's tags; None, and nothing drawn, where it has none."""
    choices = access.load_filter_choices(run_id)
    names = choices.tag_names()
    if not names:
        return None
    wanted = state.current().slice_by
    key = state.visit_key("slice_by")
    st.session_state[key] = wanted if wanted in names else choices.telling_tag()

    def picked() -> None:
        state.change(slice_by=st.session_state[key])

    chosen = st.selectbox(
        label, names, key=key, on_change=picked, width=240, label_visibility=visibility
    )
    return str(chosen)
