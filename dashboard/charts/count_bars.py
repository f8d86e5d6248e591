"""How many samples have how many of something: one bar per number, the baseline as a diamond."""

from collections.abc import Mapping

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import finish, frame, note
from dashboard.theme import Theme, count, interval, percent

_COLUMNS = "m value low high label text".split()


def count_bars(
    rates: Mapping[int, Rate],
    theme: Theme,
    *,
    title: str,
    baseline: Mapping[int, Rate] | None = None,
    height: int = 220,
) -> alt.LayerChart:
    """Share of samples with exactly m of something, m from 0, with a whisker for the interval."""
    data = alt.Chart(frame([_row(m, rate) for m, rate in rates.items()], _COLUMNS))
    other = alt.Chart(frame([_row(m, rate) for m, rate in (baseline or {}).items()], _COLUMNS))
    domain = sorted({*rates, *(baseline or ())})
    x = alt.X(
        "m:O",
        scale=alt.Scale(domain=domain, paddingInner=0.3, paddingOuter=0.2),
        axis=alt.Axis(title=title, labelAngle=0, domain=False, ticks=False, grid=False),
    )
    # Room above the highest bar for its figure.
    top = max([rate.high or 0.0 for rate in (*rates.values(), *(baseline or {}).values())] or [1.0])
    scale = alt.Scale(domain=[0, max(0.1, top * 1.15)], nice=False)
    axis = alt.Axis(
        title=None,
        tickCount=4,
        domain=False,
        ticks=False,
        labelExpr="round(datum.value * 100) + '\u202f%'",
    )
    y = alt.Y("value:Q", scale=scale, axis=axis)
    tooltip = [alt.Tooltip("m:O", title=title), alt.Tooltip("text:N", title="Samples")]
    layers = [
        data.mark_bar(color=theme.neutral, cornerRadiusEnd=3).encode(x=x, y=y, tooltip=tooltip),
        data.mark_rule(color=theme.ink, strokeWidth=1.2).encode(
            x=x, y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q"
        ),
        data.mark_text(dy=-7, fontSize=12.5, fontWeight=600, color=theme.ink).encode(
            x=x, y=alt.Y("high:Q", scale=scale, axis=axis), text="label:N"
        ),
        other.mark_point(
            shape="diamond", filled=True, fill=theme.ground, stroke=theme.muted, size=60, opacity=1
        ).encode(x=x, y=y, tooltip=tooltip),
        note("" if rates else "nothing to draw", theme),
    ]
    return finish(layers, theme, height=height)


def _row(m: int, rate: Rate) -> dict[str, object]:
    return {
        "m": m,
        "value": rate.value,
        "low": rate.low,
        "high": rate.high,
        "label": percent(rate.value),
        "text": f"{count(int(rate.k))} of {count(rate.n)} ({interval(rate.low, rate.high)})",
    }
