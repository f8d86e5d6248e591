"""Context use: does the answer rest on the evidence?"""

import streamlit as st

from core.diagnosis.cue_finding import cue_finding
from dashboard import access, state
from dashboard import theme as numbers
from dashboard.components import (
    cue_panels,
    deriving,
    export,
    head,
    hit_controls,
    states,
    tag_slices,
)

address = state.current()
run_id = str(address.run)
# A baseline without hits is no baseline: everything would have changed.
n_unready = access.load_n_underived(address.baseline) if address.baseline else 0
baseline = None if n_unready else address.baseline
found = access.load_context_use(run_id, address.view(), baseline)
run = found.settings.run
finding = cue_finding(found.summary, numbers, has_contexts=run.has_contexts)
head.question(
    "Does the answer rest on the evidence?",
    finding,
    aside=lambda: export.offer(address, run.name, found.n),
)
if found.n == 0:
    states.no_match(address, run.n_samples)
    states.end_page()
if not deriving.ensure(run_id, found.n_underived):
    states.end_page()
if n_unready:
    deriving.ensure(str(address.baseline), n_unready, " of the baseline")
hit_controls.draw(run_id, run.n_samples)
cue_panels.accuracy(found)
left, right = st.columns([1.5, 1], gap="small")
with left:
    cue_panels.quadrants(found)
with right:
    cue_panels.disagreements(found)
    cue_panels.adherence(found)
tag_slices.context_use(run_id, baseline)
if found.is_proxy:
    st.caption("Nobody has judged adherence: groundedness stands in for it.")
