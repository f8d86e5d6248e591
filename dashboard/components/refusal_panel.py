"""Did the system decline exactly where it should have?"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.diagnosis.outcomes import REFUSAL_NAMES, RefusalCell
from core.metrics.intervals import Rate
from core.workflows.answers import Answers
from dashboard import navigation, state
from dashboard.components.head import section
from dashboard.theme import LEAST_N, UNDEFINED, count, counted, interval, percent, rate_of

_ROW, _HEADER = 30, 32
_CELLS = (
    (RefusalCell.ANSWERED_ANSWERABLE, RefusalCell.REFUSED_ANSWERABLE),
    (RefusalCell.ANSWERED_UNANSWERABLE, RefusalCell.REFUSED_UNANSWERABLE),
)
_ROWS = ("Should answer", "Should refuse")


def draw(found: Answers) -> None:
    """The four cells as buttons, and the rates that follow from them."""
    table = found.refusals
    with st.container(border=True):
        section(
            "Refusals",
            "Whether a question should be refused is said by the label answerable, else by low "
            "context relevance.",
        )
        if not table.counts.n:
            st.caption(
                f"{counted(found.n, 'sample')}, and for none is it known both whether the system "
                "declined and whether it should have: that needs the label answerable or scores "
                "of context relevance."
            )
            return
        left, right = st.columns([1, 1.5], gap="medium")
        with left:
            for name, cells in zip(_ROWS, _CELLS, strict=True):
                _cells(found, name, cells)
        with right:
            _rates(found)
        known = []
        if table.by_label:
            known.append(f"by label for {count(table.by_label)}")
        if table.by_relevance:
            known.append(f"by context relevance for {count(table.by_relevance)}")
        st.caption(
            f"What should have been is known {' and '.join(known)} of {counted(found.n, 'sample')}"
            + (f", not decided for {count(table.unknown)}." if table.unknown else ".")
        )


def _cells(found: Answers, name: str, cells: Sequence[RefusalCell]) -> None:
    st.markdown(f":gray[{name}]")
    with st.container(horizontal=True, gap="small"):
        for cell in cells:
            n = found.refusals.of(cell)
            if st.button(
                f"{REFUSAL_NAMES[cell]}: {count(n)}", key=f"refusal_{cell.value}", disabled=not n
            ):
                navigation.open_samples(state.current(), f"refusal={cell.value}")


def _rates(found: Answers) -> None:
    counts = found.refusals.counts
    rows = [
        _row("Refusal accuracy", counts.accuracy, "right decisions of all"),
        _row("Precision", counts.precision, "refusals that were right"),
        _row("Recall", counts.recall, "of those to be refused, refused"),
        _row("Over-refusal", counts.over_refusal_rate, "answerable, yet refused"),
        _row("Missed refusal", counts.missed_refusal_rate, "to be refused, yet answered"),
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * len(rows),
        column_config={
            "Value": st.column_config.TextColumn(alignment="right", width=70),
            "95\u202f% interval": st.column_config.TextColumn(alignment="right", width=100),
            "n": st.column_config.NumberColumn(width=70, format="localized"),
        },
    )


def _row(name: str, rate: Rate, reads_as: str) -> dict[str, object]:
    is_rate = rate.n >= LEAST_N
    return {
        "Rate": name,
        "Value": percent(rate.value) if is_rate else rate_of(rate),
        "95\u202f% interval": interval(rate.low, rate.high) if is_rate else UNDEFINED,
        "n": rate.n,
        "Reads as": reads_as if rate.value is not None else f"{rate.reason}",
    }
