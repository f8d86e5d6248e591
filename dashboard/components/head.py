"""The head of a page: its question, and the finding."""

import streamlit as st

from core.diagnosis.findings import Finding
from dashboard.theme import Theme, escape, theme


def current_theme() -> Theme:
    """Colour tokens of the appearance that the browser shows."""
    return theme(st.context.theme.type)


def question(text: str, finding: Finding | None = None) -> None:
    """Title and finding; the finding's words are ours but may quote a run's name."""
    st.title(text, anchor=False)
    if finding is not None:
        rest = f" {escape(finding.rest)}" if finding.rest else ""
        st.markdown(f"**{escape(finding.bold)}**{rest}")


def section(text: str, note: str | None = None) -> None:
    """A heading inside a page."""
    st.markdown(f"#### {text}", anchors=False, help=note)
