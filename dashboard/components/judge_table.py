"""Every judge of the run against the label: accuracy and F1, spread over repeats, errors."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.metrics.intervals import Rate
from core.metrics.statistic_words import explain
from core.model import JudgeKind
from core.workflows.judge_table import JudgeRow
from dashboard import access
from dashboard.components import words
from dashboard.components.calibration_controls import Asked
from dashboard.components.calibration_panels import pair_view
from dashboard.components.head import section
from dashboard.theme import count, escape_line, interval, number, percent

_KINDS = {JudgeKind.IMPORTED: "file", JudgeKind.OFFLINE: "offline", JudgeKind.LLM: "model"}

_ROW, _HEADER, _MOST_ROWS = 30, 32, 25

MOST_AT_ONCE = 200_000
"""In a larger run the scores of all judges are only read when somebody asks for it."""


def draw(asked: Asked, n_samples: int) -> None:
    """The table; judges whose scores have no cut are there with their area only."""
    if n_samples > MOST_AT_ONCE and not st.toggle(
        "Compare all judges of this run", key="compare_judges", persist_state="session"
    ):
        return
    target, rows = access.load_judge_table(asked.run_ids[0], asked.question, pair_view())
    if not rows:
        return
    section(
        "Every judge against this label",
        "At the cut that each judge has in this run. ± is the standard deviation over repeats.\n\n"
        + explain("accuracy", "f1", "kappa", "auc"),
    )
    shown = _chosen(rows, asked.question.score)
    st.dataframe(
        pd.DataFrame([_row(row) for row in shown]),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * min(len(shown), _MOST_ROWS),
        column_config={
            name: st.column_config.TextColumn(alignment="right")
            for name in ("Cut", "n", "Accuracy", "F1", "κ", "AUC", "Errors")
        },
    )
    st.caption(
        escape_line(
            f"F1 is of {target.event_name}. A judge with one repeat has no spread. Errors are "
            "samples that the judge gave no score; they are in none of the rates."
        )
    )


def _chosen(rows: Sequence[JudgeRow], asked: str) -> Sequence[JudgeRow]:
    """The judges of the axes and the score in question; all other scores on request."""
    main = [
        row
        for row in rows
        if row.score.axis is not None
        or asked in (row.score.name, row.score.metric, f"{row.score.metric}@{row.score.model}")
    ]
    n_more = len(rows) - len(main)
    if not main or not n_more:
        return rows
    with_all = st.toggle(
        f"Also the {count(n_more)} scores that feed no axis",
        key="judges_of_no_axis",
        persist_state="session",
    )
    return rows if with_all else main


def _row(row: JudgeRow) -> dict[str, str]:
    repeated = row.repeated
    return {
        "Metric": row.score.metric.replace("_", " "),
        "Judge": _judge(row),
        "Axis": words.axis(row.score.axis) if row.score.axis is not None else "none",
        "Cut": "—" if row.cut.value is None else f"{row.cut.value:.3g}",
        "n": count(row.n),
        "Accuracy": _rate(row.accuracy, repeated.accuracy_sd if repeated else None),
        "F1": _ratio(row.f1, repeated.f1_sd if repeated else None),
        "κ": number(row.kappa),
        "AUC": number(row.auc.value),
        "Errors": count(row.n_error),
    }


def _judge(row: JudgeRow) -> str:
    kind = _KINDS[row.score.kind]
    return kind if row.score.model == kind else f"{row.score.model} ({kind})"


def _rate(rate: Rate | None, sd: float | None) -> str:
    if rate is None or rate.value is None:
        return "—"
    spread = f" ± {percent(sd)}" if sd is not None else ""
    return f"{percent(rate.value)}{spread} ({interval(rate.low, rate.high)})"


def _ratio(rate: Rate | None, sd: float | None) -> str:
    if rate is None or rate.value is None:
        return "—"
    spread = f" ± {number(sd)}" if sd is not None else ""
    return f"{number(rate.value)}{spread}"
