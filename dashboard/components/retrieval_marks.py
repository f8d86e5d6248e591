"""What judges and people said about single contexts, by rank; and eRAG where a file brings it."""

import pandas as pd
import streamlit as st

from core.metrics.context_gains import GainFigures
from core.metrics.registry import METRICS
from core.workflows.context_usefulness import Usefulness
from core.workflows.retrieving import Retrieval
from dashboard import access
from dashboard.charts.curves import CurvePoint, rate_curve
from dashboard.components.head import current_theme, section
from dashboard.components.retrieval_depth import RANKS_SHOWN
from dashboard.components.words import mean_cell
from dashboard.theme import count, escape_line, number

_KINDS = {
    "axis": "scores of context relevance, of the judge that counts",
    "verdict": "verdicts on single contexts",
    "label": "labels of people on single contexts",
}


def usefulness(found: Retrieval) -> None:
    """Share of the contexts at each rank that a judge or a person called useful."""
    sources = [one for one in found.contexts.usefulness if one.by_rank]
    unknown = [one for one in found.contexts.usefulness if not one.by_rank]
    if not sources and not unknown:
        return
    with st.container(border=True):
        section(
            "Useful contexts by rank",
            "What was said about the contexts one by one, not about gold evidence. A falling line "
            "means that the ranking works; a flat one that the order says nothing.",
        )
        if sources:
            names = {_name(one): one for one in sources}
            chosen = next(iter(names))
            if len(names) > 1:
                chosen = st.selectbox("Said by", list(names), key="useful_by", width=360)
            _curve(names[str(chosen)])
        for one in unknown:
            st.caption(
                f"{escape_line(_name(one))}: its scale is not known, so no value counts as useful. "
                "Declare the scale in the file (run_info.metrics)."
            )


def _curve(one: Usefulness) -> None:
    shown = {rank: rate for rank, rate in one.by_rank.items() if rank <= RANKS_SHOWN}
    points = [CurvePoint(rank, rate) for rank, rate in shown.items()]
    figure = access.figure(rate_curve, points, current_theme(), title="rank")
    st.altair_chart(figure, theme=None, key="usefulness_by_rank")
    counts = ", ".join(count(rate.n) for rate in shown.values())
    st.caption(
        f"{_KINDS[one.kind].capitalize()}; contexts per rank: {counts}. "
        f"Useful from {number(one.cut)} on. Band: 95\u202f% interval."
    )


def _name(one: Usefulness) -> str:
    spec = METRICS.get(one.name)
    name = spec.name if spec is not None else one.name.replace("_", " ")
    return f"{name} · {one.judge}" if one.judge else name


def erag(found: Retrieval) -> None:
    """Rank metrics whose grades are the answers that the generator gave from one context alone."""
    for name, figures in (found.contexts.erag or {}).items():
        with st.container(border=True):
            section(
                "What each context is worth to the generator",
                "eRAG: the generator answered from each context alone, outside of this product; "
                "the quality of that answer is the gain of the context.",
            )
            st.dataframe(
                pd.DataFrame(erag_rows(figures)),
                hide_index=True,
                row_height=30,
                key=f"erag_{name}",
                column_config={
                    "k": st.column_config.NumberColumn(width=40),
                    **{
                        column: st.column_config.TextColumn(alignment="right", width=140)
                        for column in ("Mean gain here", "Hit@k", "Precision@k", "nDCG@k")
                    },
                },
            )
            st.caption(
                f"{escape_line(name)}: {count(figures.n)} samples with a gain for each context"
                + (f", {count(figures.n_incomplete)} with some missing, which are left out"
                   if figures.n_incomplete else "")
                + f". MRR {mean_cell(figures.mrr)}, MAP {mean_cell(figures.map_retrieved)}."
            )  # fmt: skip


def erag_rows(figures: GainFigures) -> list[dict[str, object]]:
    """One row per rank."""
    return [
        {
            "k": k,
            "Mean gain here": mean_cell(rate),
            "Hit@k": mean_cell(figures.hit_at_k[k]),
            "Precision@k": mean_cell(figures.precision[k]),
            "nDCG@k": mean_cell(figures.ndcg[k]),
        }
        for k, rate in figures.gain_by_rank.items()
        if k <= RANKS_SHOWN
    ]
