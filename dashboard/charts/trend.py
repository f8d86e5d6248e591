"""Pass rates of the runs of one dataset in the order of their dates."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import finish, frame, note
from dashboard.theme import NARROW, Theme, count, interval, percent

_COLUMNS = "place name date value low high text".split()
_NAME_SHOWN = 180  # px below a dot


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run with its date in words and its pass rate."""

    name: str
    date: str
    rate: Rate


def trend(points: Sequence[TrendPoint], theme: Theme, height: int = 220) -> alt.LayerChart:
    """A dot per run with its 95 % interval from 0 to 100 %, the oldest at the left.

    Runs without a verdict have no dot: no line bridges them, and none stands at 0.
    """
    rows = [
        {
            # Two runs may bear one name: the number tells them apart.
            "place": f"{at} · {point.name}",
            "name": point.name,
            "date": point.date,
            "value": point.rate.value,
            "low": point.rate.low,
            "high": point.rate.high,
            "text": f"{percent(point.rate.value)} ({interval(point.rate.low, point.rate.high)}) "
            f"of {count(point.rate.n)}",
        }
        for at, point in enumerate(points, 1)
    ]
    base = alt.Chart(frame(rows, _COLUMNS))
    x = alt.X(
        "place:O",
        sort=None,
        axis=alt.Axis(title=None, labelAngle=0, labelLimit=_NAME_SHOWN, domain=False, ticks=False),
    )
    axis = alt.Axis(
        title="Pass rate", values=[0, 0.25, 0.5, 0.75, 1], domain=False, ticks=False,
        labelExpr=f"round(datum.value * 100) + '{NARROW}%'",
    )  # fmt: skip
    scale = alt.Scale(domain=[0, 1], nice=False)
    tooltip = [
        alt.Tooltip("name:N", title="Run"),
        alt.Tooltip("date:N", title="Date"),
        alt.Tooltip("text:N", title="Pass rate"),
    ]
    layers = [
        base.mark_line(color=theme.neutral, strokeWidth=1).encode(
            x=x, y=alt.Y("value:Q", scale=scale, axis=axis)
        ),
        base.mark_rule(color=theme.neutral, strokeWidth=3, opacity=0.55).encode(
            x=x, y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q", tooltip=tooltip
        ),
        base.mark_point(filled=True, color=theme.ink, size=64, opacity=1).encode(
            x=x, y=alt.Y("value:Q", scale=scale, axis=axis), tooltip=tooltip
        ),
        note("" if rows else "no run has a verdict", theme),
    ]
    return finish(layers, theme, height=height)
