"""Which repair first: how many failing samples each one addresses."""

import streamlit as st

from core.diagnosis.fixes import RULE, Repair
from core.diagnosis.modes import MODES
from core.workflows.overview import Overview
from dashboard import navigation, state
from dashboard.components.head import current_theme, section
from dashboard.theme import count

_SHOWN = 4
_BUTTON = 106  # px; all equally wide


def draw(found: Overview) -> None:
    """The repairs, the largest first; a button opens exactly the samples of its count."""
    section("Fix first", RULE)
    if not found.repairs:
        if found.matrix.summary.scored:
            st.caption("No decided sample fails, so there is nothing to repair.")
        elif found.matrix.without_cut:
            st.caption("What to repair shows once the scores have cuts.")
        else:
            st.caption("What to repair shows once the samples are scored.")
        return
    for repair in found.repairs[:_SHOWN]:
        _item(repair)
    rest = found.repairs[_SHOWN:]
    if rest:
        named = ", ".join(f"{repair.fix.name.lower()} ({count(repair.n)})" for repair in rest)
        st.caption(f"Then: {named}.")


def _item(repair: Repair) -> None:
    ink = current_theme().family_fill(repair.fix.side.value)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        with st.container(gap=None, width="stretch"):
            st.markdown(f':color[■]{{foreground="{ink}"}} **{repair.fix.name}**')
            st.caption(repair.fix.step)
        noun = "sample" if repair.n == 1 else "samples"
        if st.button(
            f"{count(repair.n)} {noun}",
            key=f"fix_{repair.fix.id}",
            icon=":material/arrow_forward:",
            icon_position="right",
            width=_BUTTON,
            help=", ".join(f"{MODES[mode].name} {count(n)}" for mode, n in repair.modes),
        ):
            navigation.open_samples(
                state.current(), *(f"mode={mode.value}" for mode, _ in repair.modes)
            )
