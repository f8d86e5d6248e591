"""Latency and cost of the system's answers, where the file records them."""

import math

import streamlit as st

from core.ranges import range_from
from core.workflows.overview import Overview
from dashboard import navigation, state
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
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"{latency} · {spent}.", width="content")
        if timing.p95 is not None and st.button(
            "Slowest 5\u202f%", icon=":material/arrow_forward:", icon_position="right",
            type="tertiary", key="open_slowest",
        ):  # fmt: skip
            # To the millisecond, so that the address and the filter's name can be read.
            at_least = math.floor(timing.p95 * 1000) / 1000
            navigation.open_samples(state.current(), f"latency={range_from(at_least)}")
