"""Means with their intervals, one row each, on a common scale."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import finish, frame, note, px
from dashboard.theme import Theme, count, number, rate_of

_COLUMNS = "y name value low high text n".split()
_NAMES, _FIGURES = 150, 130  # px beside the bars, unless the caller knows the names to be short
_ROW, _AXIS = 28, 40


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A mean with its interval and its n; a share is written as per cent."""

    name: str
    mean: Rate
    is_share: bool = False


def interval_rows(
    rows: Sequence[IntervalRow],
    *,
    lo: float,
    hi: float,
    title: str,
    theme: Theme,
    names: int = _NAMES,
) -> alt.LayerChart:
    """Name, dot with interval on lo..hi, and the figures in words; the order is kept.

    ``names`` are the pixels kept for the names.
    """
    data = [
        {
            "y": i,
            "name": row.name,
            "value": row.mean.value,
            "low": row.mean.low,
            "high": row.mean.high,
            "text": _figures(row),
            "n": f"n {count(row.mean.n)}",
        }
        for i, row in enumerate(rows)
    ]
    base = alt.Chart(frame(data, _COLUMNS))
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[-0.5, max(1, len(rows)) - 0.5], reverse=True, nice=False),
        axis=None,
    )
    x_scale = alt.Scale(domain=[lo, hi], nice=False, range=[names, px(f"width - {_FIGURES + 60}")])
    # Where only every other tick has room for its label, 0, 1 and what is between them keep theirs.
    ticks = {"values": [0, 0.25, 0.5, 0.75, 1]} if (lo, hi) == (0, 1) else {"tickCount": 5}
    is_share = bool(rows) and all(row.is_share for row in rows)
    x_axis = alt.Axis(
        title=title, grid=True, domain=False, ticks=False, labelOverlap="parity",
        labelSeparation=6,
        labelExpr="datum.value * 100 + '\u202f%'" if is_share else "datum.value",
        **ticks,
    )  # fmt: skip
    x = alt.X("value:Q", scale=x_scale, axis=x_axis)
    tooltip = [
        alt.Tooltip("name:N", title="Group"),
        alt.Tooltip("text:N", title="Mean"),
        alt.Tooltip("n:N", title="Ratings"),
    ]
    layers = [
        base.mark_rule(color=theme.neutral, strokeWidth=3, opacity=0.55).encode(
            x=alt.X("low:Q", scale=x_scale, axis=x_axis), x2="high:Q", y=y, tooltip=tooltip
        ),
        base.mark_point(filled=True, color=theme.ink, size=64, opacity=1).encode(
            x=x, y=y, tooltip=tooltip
        ),
        base.mark_text(align="left", fontSize=12.5, color=theme.ink, limit=names - 12).encode(
            x=alt.value(0), y=y, text="name:N"
        ),
        base.mark_text(align="right", fontSize=12.5, color=theme.ink).encode(
            x=alt.value(px("width - 62")), y=y, text="text:N"
        ),
        base.mark_text(align="right", fontSize=12.5, color=theme.muted).encode(
            x=alt.value(px("width - 2")), y=y, text="n:N"
        ),
        note("" if rows else "nothing rated", theme),
    ]
    return finish(layers, theme, height=_ROW * max(1, len(rows)) + _AXIS)


def _figures(row: IntervalRow) -> str:
    mean = row.mean
    if row.is_share:
        return rate_of(mean)
    if mean.low is None or mean.high is None:
        return number(mean.value)
    return f"{number(mean.value)} ({number(mean.low)}–{number(mean.high)})"
