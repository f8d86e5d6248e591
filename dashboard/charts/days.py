"""Pass rate of a run by day; days without samples are gaps, not points."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import click, finish, frame, note
from dashboard.theme import LEAST_N, NARROW, Theme, count, day_text, interval, percent, share

_COLUMNS = "id day name value low high piece text scored samples is_few".split()
_GAP_COLUMNS = ["start", "end", "name"]


@dataclass(frozen=True, slots=True)
class DayPoint:
    """A day with its samples; ``rate`` is of those ``scored.k`` that have a verdict."""

    id: str
    day: date
    rate: Rate
    scored: Rate


def day_trend(points: Sequence[DayPoint], theme: Theme, height: int = 200) -> alt.LayerChart:
    """A dot per day with its 95 % interval from 0 to 100 %; selection "day" of id.

    The line breaks where a day has no verdict, and shaded days have no samples at all. Dots of few
    samples are hollow.
    """
    base = alt.Chart(frame(_records(points), _COLUMNS))
    x_axis = alt.Axis(
        title=None, format="%-d %b", labelOverlap=True, domain=False, ticks=False, grid=False,
        tickMinStep=24 * 3600 * 1000,
    )  # fmt: skip
    x = alt.X("day:T", scale=alt.Scale(type="utc", padding=22), axis=x_axis)
    y_axis = alt.Axis(
        title="Pass rate", values=[0, 0.25, 0.5, 0.75, 1], domain=False, ticks=False,
        labelExpr=f"round(datum.value * 100) + '{NARROW}%'",
    )  # fmt: skip
    scale = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Y("value:Q", scale=scale, axis=y_axis)
    tooltip = [
        alt.Tooltip("name:N", title="Day"),
        alt.Tooltip("text:N", title="Pass rate"),
        alt.Tooltip("scored:N", title="Scored"),
    ]
    selection = click("day")
    gaps = alt.Chart(frame(_gaps(points), _GAP_COLUMNS))
    layers = [
        gaps.mark_rect(color=theme.grid, opacity=0.7, tooltip=True).encode(
            x=alt.X("start:T", scale=alt.Scale(type="utc", padding=22), axis=x_axis),
            x2="end:T",
            tooltip=[alt.Tooltip("name:N", title="No samples")],
        ),
        base.mark_line(color=theme.neutral, strokeWidth=1).encode(x=x, y=y, detail="piece:N"),
        base.mark_rule(color=theme.neutral, strokeWidth=3, opacity=0.55).encode(
            x=x, y=alt.Y("low:Q", scale=scale, axis=y_axis), y2="high:Q", tooltip=tooltip
        ),
        base.mark_point(size=64, opacity=1, color=theme.ink, strokeWidth=1.5, cursor="pointer")
        .encode(
            x=x,
            y=y,
            fill=alt.when("datum.is_few").then(alt.value(theme.panel)).otherwise(
                alt.value(theme.ink)
            ),
            tooltip=tooltip,
        )
        .add_params(selection),
        note("" if any(one.rate.n for one in points) else "no day has a verdict", theme),
    ]  # fmt: skip
    return finish(layers, theme, height=height)


def _records(points: Sequence[DayPoint]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    piece, before = 0, None
    for one in points:
        is_next = before is not None and one.day - before == timedelta(days=1)
        if not is_next or one.rate.value is None:
            piece += 1
        before = one.day if one.rate.value is not None else None
        rate = one.rate
        rows.append(
            {
                "id": one.id,
                "day": one.day.isoformat(),
                "name": day_text(one.day),
                "value": rate.value,
                "low": rate.low,
                "high": rate.high,
                "piece": piece,
                "text": f"{percent(rate.value)} ({interval(rate.low, rate.high)}) of "
                f"{count(rate.n)}"
                if rate.value is not None
                else "no verdict",
                "scored": share(int(one.scored.k), one.scored.n),
                "samples": one.scored.n,
                "is_few": rate.n < LEAST_N,
            }
        )
    return rows


def _gaps(points: Sequence[DayPoint]) -> list[dict[str, object]]:
    """Stretches of days between two days with samples, from noon before to noon after."""
    found: list[dict[str, object]] = []
    for before, after in pairwise(points):
        first, last = before.day + timedelta(days=1), after.day - timedelta(days=1)
        if first > last:
            continue
        name = day_text(first) if first == last else f"{day_text(first)} to {day_text(last)}"
        found.append(
            {
                "start": f"{(first - timedelta(days=1)).isoformat()}T12:00:00Z",
                "end": f"{last.isoformat()}T12:00:00Z",
                "name": name,
            }
        )
    return found
