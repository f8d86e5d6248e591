"""Whether the numbers of a page can be trusted."""

import streamlit as st

from core.workflows.overview import Overview
from core.workflows.trust import TrustLine, trust_lines
from dashboard import navigation, state
from dashboard.components.head import section
from dashboard.theme import escape, escape_line

_ROW = 36  # px; as high as a button, so that lines without one keep the rhythm


def draw(found: Overview) -> None:
    """One line per check; a figure that counts samples opens them."""
    lines = trust_lines(found)
    # One help for all: a mark on every line would push the figures onto a second one.
    explained = (f"**{escape_line(line.label)}:** {escape(line.why)}" for line in lines)
    section("Can you trust these numbers?", "\n\n".join(explained))
    for i, line in enumerate(lines):
        _line(line, i)


def _line(line: TrustLine, place: int) -> None:
    mark = ":green[:material/check_circle:]" if line.is_fine else ":gray[:material/error:]"
    label = escape_line(line.label) if line.is_fine else f"**{escape_line(line.label)}**"
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        gap="small",
        wrap=False,
        height=_ROW,
        border=False,
        key=f"trust_{place}",
    ):
        st.markdown(f"{mark} {label}", width="stretch")
        if not line.terms:
            st.caption(escape_line(line.figure), width="content")
        elif st.button(
            escape_line(line.figure),
            key=f"trust_open_{place}",
            type="tertiary",
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            navigation.open_samples(state.current(), *line.terms)
