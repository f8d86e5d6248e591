"""Failure modes: the matrix of context relevance, groundedness and answer relevance."""

import streamlit as st

from core.diagnosis.findings import failure_finding
from core.diagnosis.modes import Outcome
from dashboard import access, state
from dashboard import theme as numbers
from dashboard.components import (
    export,
    head,
    judging,
    matrix,
    mode_table,
    slices,
    states,
    thresholds,
    words,
)

address = state.current()
found = access.load_matrix(str(address.run), address.view(), address.baseline)
run = found.settings.run
not_comparable = matrix.not_comparable(found)
finding = failure_finding(
    found.summary,
    numbers,
    baseline=found.baseline,
    is_clear=matrix.is_clear(found),
    not_comparable=not_comparable,
    has_contexts=run.has_contexts,
    has_answers=run.has_answers,
    without_cut=[words.axis(axis) for axis in found.without_cut],
)
head.question(
    "Which part failed, retriever or generator?",
    finding,
    aside=lambda: export.offer(address, run.name, found.summary.n),
)
if found.summary.n == 0:
    states.no_match(address, found.n_run)
    states.end_page()
judging.panel(found)
thresholds.box(found)
matrix.tiles(found)
st.caption(matrix.coverage_line(found))
head.section("Rule and first fix", "The same figures as above; choose a row to open its samples.")
mode_table.draw(found)
slices.panel(found)
if found.summary.of(Outcome.OPEN):
    st.caption("Undetermined and unverified samples are in no rate; they are shown, never guessed.")
