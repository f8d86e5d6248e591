"""The head of a page: its question, and the finding."""

from collections.abc import Callable

import streamlit as st

from core.diagnosis.findings import Finding
from dashboard.theme import Theme, escape, theme


def current_theme() -> Theme:
    """Colour tokens of the appearance that the browser shows."""
    return theme(st.context.theme.type)


def question(
    text: str, finding: Finding | None = None, *, aside: Callable[[], None] | None = None
) -> None:
    """Title and finding; the finding's words are ours but may quote a run's name.

    ``aside`` draws what stands at the right end of the title's line.
    """
    if aside is None:
        st.title(text, anchor=False)
    else:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.title(text, anchor=False, width="stretch")
            aside()
    if finding is not None:
        rest = f" {escape(finding.rest)}" if finding.rest else ""
        st.markdown(f"**{escape(finding.bold)}**{rest}")


def section(text: str, note: str | None = None) -> None:
    """A heading inside a page."""
    st.markdown(f"#### {text}", anchors=False, help=note)
