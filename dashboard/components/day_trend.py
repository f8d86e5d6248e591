"""How a run that grows went day by day; a click on a day opens its samples."""

import pandas as pd
import streamlit as st

from core.metrics.intervals import Rate
from core.workflows.daily import Daily, Day
from core.workflows.listing import ListedRun
from core.workflows.review import View
from dashboard import access, navigation, state
from dashboard.charts.days import DayPoint, day_trend
from dashboard.components.head import current_theme, section
from dashboard.components.words import fingerprint
from dashboard.state import Address
from dashboard.theme import LEAST_N, count, day_text, escape_line, interval, per_cent, percent

_ROW, _HEADER, _SHOWN = 32, 34, 8


def draw(chosen: ListedRun) -> None:
    """Pass rate of every day of the chosen run, if its samples are of more than one."""
    run_id = chosen.run.run_id
    found = access.load_daily(run_id, View())
    if len(found.days) < 2:
        return
    section(
        f"{escape_line(chosen.run.name)} by day",
        "For a run that grows by --append: pass rate of each day's samples at the run's own cuts "
        "with its 95 % interval, of those that have a verdict. Where only a share is judged "
        "(--sample-rate), Scored says how much of the day that was.",
    )
    points = [_point(one) for one in found.days]
    event = st.altair_chart(
        access.figure(day_trend, points, current_theme()),
        theme=None,
        key=state.visit_key(f"day_trend_{run_id}"),
        on_select="rerun",
    )
    picked = event["selection"].get("day") or []
    if picked:
        navigation.open_samples(Address(run=run_id), str(picked[0]["id"]))
    _table(run_id, found)
    st.caption(_note(found))


def _point(one: Day) -> DayPoint:
    assert one.day is not None
    return DayPoint(one.term, one.day, one.summary.pass_rate, one.scored)


def _table(run_id: str, found: Daily) -> None:
    rows = [*reversed(found.days), *([found.undated] if found.undated else [])]
    event = st.dataframe(
        pd.DataFrame([_row(one) for one in rows]),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * min(len(rows), _SHOWN),
        key=state.visit_key(f"days_{run_id}_{fingerprint([one.term for one in rows])}"),
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Day": st.column_config.TextColumn(width="small"),
            "Samples": st.column_config.NumberColumn(width=84, format="localized"),
            "With a verdict": st.column_config.NumberColumn(width=100, format="localized"),
            "Scored": st.column_config.ProgressColumn(
                width=150, format="%d\u202f%%", min_value=0, max_value=100, color="#71829B",
                help="Share of the day's samples that have a verdict.",
            ),
            "Pass": st.column_config.TextColumn(alignment="right", width=70),
            "95\u202f% interval": st.column_config.TextColumn(alignment="right", width=96),
        },
    )  # fmt: skip
    picked = event["selection"]["rows"]
    if picked and picked[0] < len(rows):
        navigation.open_samples(Address(run=run_id), rows[picked[0]].term)


def _row(one: Day) -> dict[str, object]:
    rate: Rate = one.summary.pass_rate
    return {
        "Day": day_text(one.day) if one.day is not None else "no day",
        "Samples": one.summary.n,
        "With a verdict": one.summary.scored,
        "Scored": per_cent(one.scored.value or 0),
        "Pass": percent(rate.value),
        "95\u202f% interval": interval(rate.low, rate.high),
    }


def _note(found: Daily) -> str:
    if found.key is None:
        parts = ["A sample's day is that of its first verdict (UTC): the file dates no sample."]
    else:
        parts = [f"A sample's day is that of its column {escape_line(found.key)}, as written."]
    n_empty = len(found.empty_days)
    if n_empty:
        verb = "day between has" if n_empty == 1 else "days between have"
        parts.append(f"{count(n_empty)} {verb} no samples (shaded).")
    if any(0 < one.summary.scored < LEAST_N for one in found.days):
        parts.append(f"Hollow dots rest on fewer than {LEAST_N} verdicts.")
    if found.undated is not None:
        n = found.undated.summary.n
        parts.append(f"{count(n)} {'sample has' if n == 1 else 'samples have'} no day.")
    parts.append("Click a day to open its samples.")
    return " ".join(parts)
