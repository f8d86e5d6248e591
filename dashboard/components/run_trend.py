"""How the pass rate moved over the runs of the chosen run's dataset."""

from collections.abc import Sequence

import streamlit as st

from core.workflows.listing import ListedRun
from dashboard import access
from dashboard.charts.trend import TrendPoint, trend
from dashboard.components.head import current_theme, section
from dashboard.theme import count, date, escape_line


def same_dataset(runs: Sequence[ListedRun], chosen: ListedRun) -> list[ListedRun]:
    """Runs of the chosen run's dataset in the order of their dates; a run without one is alone."""
    if not chosen.run.dataset:
        return []
    found = [row for row in runs if row.run.dataset == chosen.run.dataset]
    return sorted(found, key=lambda row: (row.run.created_at or row.run.imported_at, row.run.name))


def draw(runs: Sequence[ListedRun], chosen: ListedRun) -> None:
    """Pass rates of the dataset's runs, and what makes them hard to compare."""
    found = same_dataset(runs, chosen)
    scored = [row for row in found if row.summary.pass_rate.value is not None]
    if len(scored) < 2:
        return
    section(
        f"Runs of {escape_line(str(chosen.run.dataset))}",
        "Pass rate of each run at its own cuts, with its 95 % interval, by the date of the run or "
        "else of its import. Only runs of the same dataset stand here.",
    )
    points = [
        TrendPoint(
            row.run.name, date(row.run.created_at or row.run.imported_at), row.summary.pass_rate
        )
        for row in scored
    ]
    st.altair_chart(access.figure(trend, points, current_theme()), theme=None, key="run_trend")
    remarks = []
    if len({row.run.judges for row in scored}) > 1:
        remarks.append("They were not all judged by the same judge: compare with care.")
    if len(found) > len(scored):
        remarks.append(f"{count(len(found) - len(scored))} without a verdict not shown.")
    if remarks:
        st.caption(" ".join(remarks))
