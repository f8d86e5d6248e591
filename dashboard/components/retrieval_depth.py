"""Figures of the page Retrieval by depth and rank, and how many contexts hold evidence."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.metrics.intervals import Rate
from core.metrics.retrieval_figures import RetrievalFigures
from core.workflows.retrieving import Retrieval
from dashboard import access, state
from dashboard.charts.count_bars import count_bars
from dashboard.components import retrieval_samples
from dashboard.components.head import current_theme, section
from dashboard.components.words import mean_cell, share_cell
from dashboard.theme import count

RANKS_SHOWN = 10
_THIS, _BASELINE = "This run", "Baseline"
_WIDTH = 102
_HELP = {
    "k": "Depth, or the rank itself in the columns at the right.",
    "Hit@k": "Samples with enough of their evidence among the first k contexts.",
    "All of it": "Samples whose first k contexts hold all their evidence, of those with several "
    "pieces of it.",
    "Recall@k": "Mean share of the evidence among the first k contexts.",
    "Precision@k": "Mean share of the first k ranks that hold evidence.",
    "nDCG@k": "Early ranks count more; 1 is the best possible order.",
    "Hit here": "Samples whose context at this very rank holds evidence.",
    "Only here": "Samples for which no other rank holds evidence: the exclusive hit rate.",
    "Useful, if there": "Hits at this rank, of the samples that have a context there.",
}


def by_depth(found: Retrieval) -> None:
    """One row per k: everything that depends on it, each with its interval."""
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        section(
            "By depth and rank",
            "The figure and its 95\u202f% interval. A figure opens the samples that it counts, a "
            "mean those that it is over; the mark of a row those that are missing from Hit@k.",
        )
        chosen = _THIS
        if found.baseline is not None:
            chosen = st.segmented_control(
                "Run", [_THIS, _BASELINE], default=_THIS, required=True,
                label_visibility="collapsed", key="depth_of", width="content",
            )  # fmt: skip
    is_baseline = chosen == _BASELINE and found.baseline is not None
    figures = found.baseline if is_baseline and found.baseline is not None else found.figures
    rows = depth_rows(figures)
    event = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=30,
        key=state.visit_key(f"depth_table_{'baseline' if is_baseline else 'run'}"),
        on_select="rerun",
        selection_mode=["single-row", "single-cell"],
        column_config={
            name: st.column_config.NumberColumn(name, width=34, help=text)
            if name == "k"
            else st.column_config.TextColumn(name, alignment="right", width=_WIDTH, help=text)
            for name, text in _HELP.items()
        },
    )
    _open(event["selection"], len(rows), is_baseline=is_baseline)
    several = figures.n_several
    st.caption(
        f"Over {count(figures.n)} samples with gold evidence"
        + (f"; “All of it” over the {count(several)} with several pieces" if several else "")
        + (f". The first {RANKS_SHOWN} of {count(figures.depth)} ranks" if figures.depth
           > RANKS_SHOWN else "")
        + ". Click a figure to open its samples, a row's mark to open those without a hit within "
        "the first k."
    )  # fmt: skip


def _open(selection: Mapping[str, Any], n_rows: int, *, is_baseline: bool) -> None:
    terms: retrieval_samples.Terms = ()
    if selection["cells"] and selection["cells"][0][0] < n_rows:
        row, column = selection["cells"][0]
        terms = retrieval_samples.of_cell(str(column), row + 1)
    elif selection["rows"] and selection["rows"][0] < n_rows:
        terms = retrieval_samples.missed_at(selection["rows"][0] + 1)
    if terms:
        retrieval_samples.open_terms(terms, is_baseline=is_baseline)


def depth_rows(figures: RetrievalFigures) -> list[dict[str, object]]:
    """The rows of the table; without a sample with several pieces no column for all of them."""
    rows = []
    for k in range(1, min(figures.depth, RANKS_SHOWN) + 1):
        row: dict[str, object] = {"k": k, "Hit@k": share_cell(figures.hit_at_k[k])}
        if figures.n_several:
            row["All of it"] = share_cell(figures.hit_all_at_k[k])
        row |= {
            "Recall@k": mean_cell(figures.recall[k]),
            "Precision@k": mean_cell(figures.precision[k]),
            "nDCG@k": mean_cell(figures.ndcg[k]),
            "Hit here": share_cell(figures.context_hit_rate[k]),
            "Only here": share_cell(figures.exclusive_hit_rate[k]),
            "Useful, if there": share_cell(figures.useful_by_rank[k]),
        }
        rows.append(row)
    return rows


def hit_counts(found: Retrieval) -> None:
    """How many of a sample's contexts hold evidence: none, one, or several that repeat it."""
    with st.container(border=True):
        section(
            "Contexts with evidence per sample",
            "None means that nothing was found; one that the answer hangs on a single context; "
            "several are a reserve or a repetition.",
        )
        base = found.baseline.hit_count_dist if found.baseline is not None else None
        figure = access.figure(
            count_bars,
            _shown(found.figures.hit_count_dist),
            current_theme(),
            title="contexts with evidence",
            baseline=_shown(base) if base is not None else None,
        )
        event = st.altair_chart(
            figure, theme=None, key=state.visit_key("hit_counts"), on_select="rerun"
        )
        diamonds = ", a ◇ to open the baseline's" if base is not None else ""
        st.caption(f"Click a bar to open its samples{diamonds}.")
    picked = event["selection"].get("count") or []
    retrieval_samples.open_picked(picked, retrieval_samples.with_count)


def _shown(rates: object) -> dict[int, Rate]:
    """Up to the largest number that occurs, at most as many as ranks are shown."""
    found: dict[int, Rate] = dict(rates)  # type: ignore[call-overload]
    last = max((m for m, rate in found.items() if rate.k), default=0)
    return {m: rate for m, rate in found.items() if m <= min(max(1, last), RANKS_SHOWN)}
