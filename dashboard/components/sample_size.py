"""How many labels are needed for a share that is known within a margin."""

from math import ceil

import streamlit as st

from core.metrics.planning import cochran
from core.metrics.statistic_words import explain
from dashboard.components.head import section
from dashboard.theme import count, counted


def draw(population: int, n_event: int, n_other: int) -> None:
    """Cochran's size with the finite correction, and what the rates of this page need."""
    with st.container(border=True):
        section(
            "How many labels are enough?",
            explain("sample_size")
            + "\n\nLabels are counted as if taken at random: at the base rate of this page, one "
            "side of the label is met that often.",
        )
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            margin = st.number_input(
                "Within ± points", 1, 30, value=5, key="size_margin", persist_state="session",
                width=120,
            )  # fmt: skip
            expected = st.number_input(
                "Expected rate (%)", 1, 99, value=50, key="size_share", persist_state="session",
                width=140, help="50 needs most labels; a rate near 90 needs fewer.",
            )  # fmt: skip
        free = cochran(margin / 100, expected / 100)
        of_run = cochran(margin / 100, expected / 100, population) if population > 0 else free
        n = n_event + n_other
        st.markdown(
            "  \n".join([
                _side("true positive rate", "positive side", free, n_event, n),
                _side("true negative rate", "other side", free, n_other, n),
                f"Share of these {counted(population, 'sample')}: **{counted(of_run, 'label')}**.",
            ])
        )  # fmt: skip


def _side(rate: str, side: str, needed: int, have: int, n: int) -> str:
    """What a rate of one side needs: labels of that side, and of both where they are drawn."""
    verb = "is" if have == 1 else "are"
    text = f"A {rate}: **{counted(needed, 'label')}** of the {side}; here {verb} {count(have)}"
    if have >= needed:
        return f"{text}, enough."
    if have == 0:
        return f"{text}."
    return f"{text}, so label some {count(ceil((needed - have) * n / have))} more samples."
