"""Overview: is this run good enough, and what should be repaired first?"""

import streamlit as st

from dashboard import access, state
from dashboard.components import (
    deriving,
    export,
    fix_first,
    head,
    judging,
    mode_bars,
    rate_cards,
    states,
    timing_line,
    trust_box,
    worst_slices,
)

address = state.current()
found = access.load_overview(str(address.run), address.view(), address.baseline)
n = found.matrix.summary.n
name = found.matrix.settings.run.name
deriving.quietly(str(address.run), found.n_underived)
head.question(
    "Is this run good enough to ship?",
    found.finding(),
    aside=lambda: export.offer(address, name, n, with_report=True),
)
if n == 0:
    states.no_match(address, found.matrix.n_run)
    states.end_page()
judging.panel(found.matrix)
rate_cards.draw(found)
left, right = st.columns([1.85, 1], gap="small")
with left, st.container(border=True, height="stretch"):
    mode_bars.draw(found.matrix)
with right:
    with st.container(border=True):
        fix_first.draw(found)
    with st.container(border=True, height="stretch", gap=None):
        trust_box.draw(found)
worst_slices.draw(found)
timing_line.draw(found)
