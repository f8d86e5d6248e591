"""Answers: right or wrong, who says so, and how they compare with what was expected."""

import streamlit as st

from core.diagnosis.answer_finding import answer_finding
from core.workflows.review import View
from dashboard import access, state
from dashboard import theme as numbers
from dashboard.access import answers
from dashboard.components import (
    answer_details,
    answer_panels,
    claim_panels,
    deriving,
    export,
    head,
    refusal_panel,
    states,
)

address = state.current()
run_id, view = str(address.run), address.view()
found = answers.load_answers(run_id, view)
run = found.settings.run
finding = answer_finding(found.outcomes, found.by_source, numbers, has_answers=run.has_answers)
head.question(
    "Are the answers right?",
    finding,
    aside=lambda: export.offer(address, run.name, found.n),
)
if found.n == 0:
    states.no_match(address, run.n_samples)
    states.end_page()
if not deriving.compared(run_id, found.n_uncompared):
    states.end_page()
baseline = None
if address.baseline:
    baseline = answers.load_answers(address.baseline, View(wanted=view.wanted))
    if not deriving.compared(address.baseline, baseline.n_uncompared, " of the baseline"):
        baseline = None
answer_panels.outcomes(found, baseline)
left, right = st.columns([1.35, 1], gap="small")
with left:
    answer_panels.comparisons(found)
with right:
    answer_panels.sources(found)
answer_panels.table(found, baseline)
answer_details.draw(run_id, found)
refusal_panel.draw(found)
claim_panels.draw(access.load_claims(run_id, view, address.baseline))
