"""How many labels are needed for a share that is known within a margin."""

import streamlit as st

from core.metrics.planning import cochran
from dashboard.components.head import section
from dashboard.theme import count


def draw(population: int, n_event: int, n_other: int) -> None:
    """Cochran's size with the finite correction, and what the rates of this page need."""
    with st.container(border=True):
        section("How many labels are enough?", "Cochran's formula, 95\u202f% interval.")
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            margin = st.number_input(
                "Within ± points", 1, 30, value=5, key="size_margin", persist_state="session",
                width=120,
            )  # fmt: skip
            expected = st.number_input(
                "Expected share (%)", 1, 99, value=50, key="size_share", persist_state="session",
                width=140, help="50 needs most; a rate near 90 needs fewer.",
            )  # fmt: skip
        free = cochran(margin / 100, expected / 100)
        of_run = cochran(margin / 100, expected / 100, population) if population > 0 else free
        st.markdown(
            f"**{count(of_run)} labels** for a share of these {count(population)} samples; "
            f"{count(free)} where the samples stand for endlessly many."
        )
        st.caption(
            f"A true positive rate needs {count(free)} samples of the positive side (here are "
            f"{count(n_event)}), a true negative rate as many of the other side (here are "
            f"{count(n_other)})."
        )
