"""Retrieval: what the retriever found, rank by rank."""

import streamlit as st

from core.diagnosis.retrieval_finding import retrieval_finding
from dashboard import access, state
from dashboard import theme as numbers
from dashboard.components import (
    deriving,
    export,
    head,
    hit_controls,
    retrieval_depth,
    retrieval_marks,
    retrieval_panels,
    states,
    tag_slices,
)

address = state.current()
run_id = str(address.run)
# A baseline without hits is no baseline: everything would have changed.
n_unready = access.load_n_underived(address.baseline) if address.baseline else 0
baseline = None if n_unready else address.baseline
found = access.load_retrieval(run_id, address.view(), baseline)
run = found.settings.run
finding = retrieval_finding(found.figures, numbers, has_contexts=run.has_contexts)
head.question(
    "Did the retriever find the evidence?",
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
if found.figures.n:
    retrieval_panels.curves(found)
    retrieval_depth.by_depth(found)
    left, right = st.columns([2.2, 1], gap="small")
    with left:
        retrieval_panels.table(found)
    with right:
        retrieval_depth.hit_counts(found)
retrieval_panels.pairs(found)
retrieval_marks.usefulness(found)
retrieval_marks.erag(found)
if found.figures.n:
    tag_slices.retrieval(run_id, baseline)
    retrieval_panels.lists(found)
