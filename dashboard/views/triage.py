"""Triage: one sample at a time, from the samples that pass the filter."""

import streamlit as st

from core.errors import NotFoundError
from dashboard import access, state
from dashboard.components import (
    labels,
    queue_line,
    rejudge,
    sample_claims,
    sample_text,
    scores,
    states,
)

address = state.current()
run_id = str(address.run)
try:
    found = access.load_sample(run_id, address.view(), address.sample)
except NotFoundError:
    states.unknown("sample", str(address.sample))
    states.end_page()
if found is None:
    states.no_match(address, access.load_settings(run_id, address.view()).run.n_samples)
    states.end_page()
sample_id = str(found.detail.sample["sample_id"])
if address.sample != sample_id:
    state.change(sample=sample_id)
queue_line.draw(found)
claims = sample_text.unsupported_of(found)
left, middle, right = st.columns([1.02, 1.05, 0.93], gap="medium")
with left.container(gap="xsmall"):
    sample_text.left_column(found, claims)
with middle:
    sample_text.contexts(found)
with right.container(gap="xsmall"):
    scores.diagnosis_card(found)
    rejudge.before_and_after(found)
    scores.scores_card(found)
    labels.card(found)
sample_claims.draw(found)
