"""Retrieval: what the retriever found, rank by rank."""

import streamlit as st

from core.diagnosis.retrieval_finding import retrieval_finding
from dashboard import access, state
from dashboard import theme as numbers
from dashboard.components import deriving, head, retrieval_panels, states

address = state.current()
run_id = str(address.run)
found = access.load_retrieval(run_id, address.view(), address.baseline)
run = found.settings.run
finding = retrieval_finding(found.figures, numbers, has_contexts=run.has_contexts)
head.question("Did the retriever find the evidence?", finding)
if found.n == 0:
    states.no_match(address, run.n_samples)
    st.stop()
if not deriving.ensure(run_id, found.n_underived):
    st.stop()
if found.figures.n:
    retrieval_panels.curves(found)
    retrieval_panels.table(found)
retrieval_panels.pairs(found)
if found.figures.n:
    retrieval_panels.lists(found)
