"""A judge against itself: the repeats of one score, and the table of a run's judges."""

import pandas as pd
import streamlit as st

from core.diagnosis.thresholds import Cut
from core.metrics.agreement import Agreement
from core.metrics.stability import Spread
from core.metrics.statistic_words import explain
from core.model import Axis, Direction, Scale
from core.workflows.review import View
from core.workflows.sample_views import SampleView
from core.workflows.steadiness import SteadyRow, spread_of
from dashboard import access, navigation, state
from dashboard.components import words
from dashboard.components.head import section
from dashboard.components.words import fingerprint
from dashboard.theme import count, escape_line, interval, number, percent

_FLIPS = "Change sides"


def of_score(found: SampleView, axis: Axis) -> None:
    """Spread and sides of the repeats behind a score; nothing where it was judged once."""
    choice = found.settings.choices.get(axis)
    if choice is None:
        return
    cut = found.settings.cut(axis)
    one = spread_of(found.detail.verdicts, choice.metric, choice.judge_id, cut)
    if one is not None:
        st.caption(escape_line(line(one, found.settings.scales.get(axis), cut)))


def line(one: Spread, scale: Scale | None, cut: Cut) -> str:
    """The repeats of one sample in words."""
    n = len(one.values) + one.n_failed
    shown = ", ".join(_bare(value, scale) for value in one.values)
    parts = [f"{count(n)} repeats" + (f": {shown}" if shown else "")]
    if one.n_failed:
        parts.append(f"{count(one.n_failed)} without a score")
    if one.width is not None:
        parts.append(f"spread {_bare(one.width, scale)}" if one.width else "all alike")
    if one.is_flipped is not None and cut.value is not None:
        sign = -1 if cut.direction is Direction.LOWER else 1
        n_high = sum(value * sign >= cut.value * sign for value in one.values)
        n_low = len(one.values) - n_high
        parts.append(
            f"changes sides: {count(n_high)} high, {count(n_low)} low"
            if one.is_flipped
            else f"all {'high' if n_high else 'low'}"
        )
    return " · ".join(parts)


def _bare(value: float, scale: Scale | None) -> str:
    return number(value, scale).partition(" ")[0]


def table(run_id: str, view: View) -> None:
    """Every judge that judged samples of the run more than once; its counts open the samples."""
    section(
        "How steady the judges are",
        "Over the samples in view with at least two repeats that gave a score.\n\n"
        + explain("flip_rate", "vote_share", "spread", "gwet"),
    )
    rows = access.load_steadiness(run_id, view)
    if not rows:
        st.caption(
            "No judge has judged a sample of this view more than once. Set Repeats above to 3 to "
            "see whether a model agrees with itself."
        )
        return
    names = [row.score.name for row in rows]
    event = st.dataframe(
        pd.DataFrame([_row(row) for row in rows]),
        hide_index=True,
        row_height=32,
        key=state.visit_key(f"steady_{fingerprint(names)}"),
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "Repeated": st.column_config.NumberColumn(width=84, format="localized"),
            _FLIPS: st.column_config.NumberColumn(width=100, format="localized"),
            **{
                name: st.column_config.TextColumn(alignment="right")
                for name in ("Flip rate", "Vote share", "Spread", "AC1", "No score")
            },
        },
    )
    picked = event["selection"]["cells"]
    if picked and picked[0][0] < len(rows):
        row, column = rows[picked[0][0]], picked[0][1]
        term = row.flip_term if column in (_FLIPS, "Flip rate") else row.repeated_term
        if term is not None:
            navigation.open_samples(state.current(), term)
    st.caption(
        f"Click a number to open its samples: those that change sides in the columns {_FLIPS} and "
        "Flip rate, all that were repeated in the others. ● marks the scores that count."
    )


def _row(row: SteadyRow) -> dict[str, object]:
    found = row.found
    flips = found.flips
    return {
        "Axis": (words.axis(row.axis) if row.axis else "none") + (" ●" if row.is_selected else ""),
        "Metric": row.score.metric.replace("_", " "),
        "Judge": row.score.model,
        "Repeats": row.score.n_repeats,
        "Repeated": found.n,
        _FLIPS: int(flips.k) if flips.value is not None else None,
        "Flip rate": "no cut"
        if flips.value is None
        else f"{percent(flips.value)} ({interval(flips.low, flips.high)})",
        "Vote share": percent(found.vote_share.value),
        "Spread": number(found.width.value),
        "AC1": _coefficient(found.ac1),
        "No score": count(found.n_failed),
    }


def _coefficient(found: Agreement) -> str:
    if found.low is None:
        return number(found.value)
    return f"{number(found.value)} ({number(found.low)} to {number(found.high)})"
