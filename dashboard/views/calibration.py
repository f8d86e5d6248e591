"""Calibration: can the judge stand in for a person?"""

import streamlit as st

from core.workflows.calibrating import warnings
from core.workflows.trust_findings import calibration_finding
from dashboard import access, state
from dashboard.components import (
    calibration_controls,
    calibration_cut,
    calibration_matrix,
    calibration_more,
    calibration_panels,
    decision_log,
    export,
    head,
    judge_table,
    label_parts,
    predictor,
    sample_size,
    states,
    trust_states,
)

_QUESTION = "Can the judge stand in for a person?"

address = state.current()
choices = access.load_trust_choices(str(address.run), address.view())
if trust_states.nothing_to_calibrate(choices, _QUESTION):
    states.end_page()
above = st.container()
asked = calibration_controls.draw(choices)
if asked is None:
    with above:
        head.question(_QUESTION)
    states.end_page()
view = calibration_panels.pair_view()
paired = access.load_pairs(asked.run_ids, asked.question, view)
ranking, band = access.load_ranking(asked.run_ids, asked.question, view)
cut = calibration_cut.in_use(paired, asked)
with asked.place_of_cut:
    calibration_cut.slider(paired, asked, cut)
with above:
    finding = calibration_finding(paired, ranking.auc, cut.value, asked.score_name)
    head.question(_QUESTION, finding, aside=export.offer_view)
if paired.n_samples == 0 and address.terms:
    states.no_match(address, choices.run.n_samples)
    states.end_page()
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="label_line"):
    label_parts.draw(choices, asked)
    calibration_controls.more(choices, asked)
    st.caption(calibration_panels.left_out_line(paired))
calibration_more.warning_lines(list(warnings(paired)))
left, right = st.columns([1.05, 1], gap="small")
with left, st.container(border=True):
    calibration_panels.curve(asked, paired, ranking, band, cut)
    calibration_cut.store_line(paired, asked, cut)
with right:
    calibration_panels.histogram(asked, paired, cut)
    calibration_matrix.matrix(paired, cut)
# The helper ends the column that is shorter.
has_reliability = calibration_more.has_reliability(paired, cut)
left, right = st.columns([1.05, 1], gap="small")
with left:
    calibration_more.suggestions(paired, ranking, asked, cut)
    if has_reliability:
        sample_size.draw(choices.run.n_samples, paired.n_event, paired.n - paired.n_event)
with right:
    here = calibration_cut.at_this_cut(paired, cut)
    calibration_more.corrected(here.corrected if here is not None else None, paired)
    calibration_more.reliability_panel(paired, asked, cut)
    if not has_reliability:
        sample_size.draw(choices.run.n_samples, paired.n_event, paired.n - paired.n_event)
calibration_more.correlations(ranking, asked, paired)
judge_table.draw(asked, choices.run.n_samples)
predictor.draw(choices, asked.label)
decision_log.draw(choices.run.run_id)
