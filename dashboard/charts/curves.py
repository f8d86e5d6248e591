"""Rates by rank or depth: a line with its interval, and the baseline's beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import BASELINE, click, finish, frame, note
from dashboard.theme import Theme, count, interval, percent

_COLUMNS = "id k value low high text".split()
_TARGET = 500


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A rate at depth or rank ``k``."""

    k: int
    rate: Rate


def rate_curve(
    points: Sequence[CurvePoint],
    theme: Theme,
    *,
    title: str,
    baseline: Sequence[CurvePoint] = (),
    height: int = 220,
    is_clickable: bool = False,
) -> alt.LayerChart:
    """A line over k on a 0–100 % axis with a band for the interval; the baseline is dashed.

    If clickable: selection "point" of id "k", of the baseline's diamonds "vs:k".
    """
    data = alt.Chart(frame([_record(point) for point in points], _COLUMNS))
    other = alt.Chart(frame([_record(point, BASELINE) for point in baseline], _COLUMNS))
    cursor: alt.Cursor | alt.UndefinedType = "pointer" if is_clickable else alt.Undefined
    ks = sorted({point.k for point in (*points, *baseline)})
    x = alt.X(
        "k:Q",
        scale=alt.Scale(domain=[min(ks, default=1), max(ks, default=2)], nice=False, padding=14),
        # The format "d" would bring a least step, which drops the 2 of 1, 2, 3 on a wide page.
        axis=alt.Axis(title=title, values=ks, labelExpr="datum.value", grid=False),
    )
    y_scale = alt.Scale(domain=[0, 1], nice=False)
    y_axis = alt.Axis(
        title=None,
        values=[0, 0.25, 0.5, 0.75, 1],
        domain=False,
        ticks=False,
        labelExpr="datum.value * 100 + '\u202f%'",
    )
    y = alt.Y("value:Q", scale=y_scale, axis=y_axis)
    band_y = alt.Y("low:Q", scale=y_scale, axis=y_axis)
    tooltip = [alt.Tooltip("k:Q", title="k"), alt.Tooltip("text:N", title="Rate")]
    labels = data.mark_text(dy=-12, fontSize=12.5, fontWeight=600, color=theme.ink)
    # A steep line runs through the figure of its next point.
    behind = data.mark_text(
        dy=-12, fontSize=12.5, fontWeight=600, color=theme.ground, stroke=theme.ground,
        strokeWidth=4, strokeJoin="round",
    )  # fmt: skip
    percents = "round(datum.value * 100) + '\u202f%'"
    # Around a point as large as a fingertip; it lies lowest, so that a diamond keeps its own click.
    target = (
        data.mark_point(filled=True, size=_TARGET, color=theme.ink, opacity=0.001, cursor=cursor)
        .encode(x=x, y=y, tooltip=tooltip)
        .add_params(click("point"))
    )
    layers = [
        *([target] if is_clickable else []),
        data.mark_area(color=theme.neutral, opacity=0.25).encode(x=x, y=band_y, y2="high:Q"),
        other.mark_line(color=theme.muted, strokeDash=[4, 4], strokeWidth=1.6).encode(x=x, y=y),
        other.mark_point(
            shape="diamond",
            filled=True,
            fill=theme.ground,
            stroke=theme.muted,
            size=44,
            opacity=1,
            cursor=cursor,
        ).encode(x=x, y=y, tooltip=tooltip),
        data.mark_line(color=theme.ink, strokeWidth=2).encode(x=x, y=y),
        data.mark_point(filled=True, size=56, color=theme.ink, opacity=1, cursor=cursor).encode(
            x=x, y=y, tooltip=tooltip
        ),
        behind.encode(x=x, y=y, text="label:N").transform_calculate(label=percents),
        labels.encode(x=x, y=y, text="label:N").transform_calculate(label=percents),
        note("" if points else "nothing to draw", theme),
    ]
    return finish(layers, theme, height=height)


def _record(point: CurvePoint, mark: str = "") -> dict[str, object]:
    rate = point.rate
    return {
        "id": f"{mark}{point.k}",
        "k": point.k,
        "value": rate.value,
        "low": rate.low,
        "high": rate.high,
        "text": f"{percent(rate.value)} ({interval(rate.low, rate.high)}) of {count(rate.n)}",
    }
