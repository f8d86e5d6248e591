"""Judge: who scores this run, with which words, at what cost."""

import streamlit as st

from core.diagnosis.findings import Finding
from core.model import TRIAD
from dashboard import access, state
from dashboard.components import (
    export,
    head,
    judge_form,
    judge_jobs,
    judging,
    prompt_list,
    repeats,
)
from dashboard.theme import count

address = state.current()
run_id = str(address.run)
found = access.load_matrix(run_id, address.view(), None)
scored = min((row.n_value for row in found.coverage), default=0)
models = dict.fromkeys(
    found.settings.models.get(found.settings.choices[axis].judge_id, "unknown")
    for axis in TRIAD
    if axis in found.settings.choices
)
head.question(
    "Who judges, and how?",
    Finding(
        f"{count(scored)} of {count(found.summary.n)} samples have all triad scores"
        + (f" by {', '.join(models)}." if models else "; nobody has scored this run."),
        "A model is an addition, not a condition: the offline judge needs neither key nor network.",
    ),
    aside=export.offer_view,
)
left, right = st.columns([1.5, 1], gap="medium")
with left:
    chosen = st.session_state["named_model"] = judge_form.settings()
    judge_form.connection(chosen)
    judge_form.what(chosen)
with right:
    if not judge_jobs.is_active(run_id):
        judging.offer(found)
    judge_jobs.panel(run_id)
repeats.table(run_id, address.view())
judge_jobs.call_log(run_id)
prompt_list.draw()
