"""Latency and cost of the system's answers, where the file records them."""

import streamlit as st

from core.workflows.overview import Overview
from dashboard.theme import cost, count, duration


def draw(found: Overview) -> None:
    """One line; what is not recorded is said to be unknown, never 0."""
    timing, total = found.timing, found.matrix.summary.n
    latency = "Latency not recorded"
    if timing.n_latency:
        latency = (
            f"Latency: half of the answers within **{duration(timing.p50)}**, "
            f"95\u202f% within **{duration(timing.p95)}** "
            f"({count(timing.n_latency)} of {count(total)} samples)"
        )
    spent = "cost unknown"
    if timing.n_cost:
        # A dollar sign begins a formula in markdown.
        amount = cost(timing.cost).replace("$", "\\$")
        spent = f"cost **{amount}** ({count(timing.n_cost)} of {count(total)} samples)"
    st.caption(f"{latency} · {spent}.")
