"""Does a score of 0.8 mean that 80 % bear the label? Observed share over mean score."""

from collections.abc import Sequence

import altair as alt

from core.metrics.operating import Bin
from dashboard.charts.base import finish, frame, note
from dashboard.theme import NARROW, Theme, count, interval, number, percent

_COLUMNS = "score share low high n text".split()


def reliability_figure(
    bins: Sequence[Bin], *, x_title: str, y_title: str, theme: Theme, height: int = 260
) -> alt.LayerChart:
    """A dot per step with its interval, larger with more samples; the diagonal is a match."""
    rows = [
        {
            "score": one.mean_score,
            "share": one.share.value,
            "low": one.share.low,
            "high": one.share.high,
            "n": one.share.n,
            "text": f"{percent(one.share.value)} ({interval(one.share.low, one.share.high)}) of "
            f"{count(one.share.n)}, mean score {number(one.mean_score)}",
        }
        for one in bins
        if one.mean_score is not None
    ]
    scale = alt.Scale(domain=[0, 1], nice=False)
    ticks = [0, 0.25, 0.5, 0.75, 1]
    x_axis = alt.Axis(
        title=x_title, values=ticks, format=".2f", grid=False, domain=False, ticks=False
    )
    y_axis = alt.Axis(
        title=y_title,
        values=ticks,
        labelExpr=f"round(datum.value * 100) + '{NARROW}%'",
        domain=False,
        ticks=False,
    )
    x = alt.X("score:Q", scale=scale, axis=x_axis)
    y = alt.Y("share:Q", scale=scale, axis=y_axis)
    data = alt.Chart(frame(rows, _COLUMNS))
    tooltip = [alt.Tooltip("text:N", title="Observed")]
    diagonal = frame([{"score": 0, "share": 0}, {"score": 1, "share": 1}], ["score", "share"])
    layers = [
        alt.Chart(diagonal)
        .mark_line(color=theme.muted, strokeDash=[3, 3], strokeWidth=1)
        .encode(x=x, y=y),
        data.mark_rule(color=theme.neutral, strokeWidth=2).encode(
            x=x, y=alt.Y("low:Q", scale=scale, axis=y_axis), y2="high:Q", tooltip=tooltip
        ),
        data.mark_point(filled=True, color=theme.ink, opacity=1).encode(
            x=x,
            y=y,
            size=alt.Size("n:Q", scale=alt.Scale(range=[30, 220]), legend=None),
            tooltip=tooltip,
        ),
        note("" if rows else "no scores", theme),
    ]
    return finish(layers, theme, height=height)
