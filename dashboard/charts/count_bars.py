"""How many samples have how many of something: a bar per number, the baseline as a diamond."""

from collections.abc import Mapping

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import BASELINE, click, finish, frame, note, px
from dashboard.theme import Theme, count, interval, percent

_COLUMNS = "id m value low high label text".split()


def count_bars(
    rates: Mapping[int, Rate],
    theme: Theme,
    *,
    title: str,
    baseline: Mapping[int, Rate] | None = None,
    height: int = 220,
) -> alt.LayerChart:
    """Share of samples with exactly m of something, m from 0, with a whisker for the interval.

    Selection "count" of id "m", of the baseline's diamonds "vs:m".
    """
    data = alt.Chart(frame([_row(m, rate) for m, rate in rates.items()], _COLUMNS))
    others = [_row(m, rate, BASELINE) for m, rate in (baseline or {}).items()]
    other = alt.Chart(frame(others, _COLUMNS))
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
    selection = click("count")
    # Invisible until chosen, yet a target: low bars can be clicked too.
    target = (
        data.mark_rect(cursor="pointer", cornerRadius=4, color=theme.panel)
        .encode(
            x=x,
            y=alt.value(0),
            y2=alt.value(px("height")),
            opacity=alt.when(selection, empty=False).then(alt.value(1)).otherwise(alt.value(0.001)),
            tooltip=tooltip,
        )
        .add_params(selection)
    )
    layers = [
        target,
        data.mark_bar(color=theme.neutral, cornerRadiusEnd=3, cursor="pointer").encode(
            x=x, y=y, tooltip=tooltip
        ),
        data.mark_rule(color=theme.ink, strokeWidth=1.2).encode(
            x=x, y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q"
        ),
        data.mark_text(dy=-7, fontSize=12.5, fontWeight=600, color=theme.ink).encode(
            x=x, y=alt.Y("high:Q", scale=scale, axis=axis), text="label:N"
        ),
        other.mark_point(
            shape="diamond",
            filled=True,
            fill=theme.ground,
            stroke=theme.muted,
            size=60,
            opacity=1,
            cursor="pointer",
        ).encode(x=x, y=y, tooltip=tooltip),
        note("" if rates else "nothing to draw", theme),
    ]
    return finish(layers, theme, height=height)


def _row(m: int, rate: Rate, mark: str = "") -> dict[str, object]:
    return {
        "id": f"{mark}{m}",
        "m": m,
        "value": rate.value,
        "low": rate.low,
        "high": rate.high,
        "label": percent(rate.value),
        "text": f"{count(int(rate.k))} of {count(rate.n)} ({interval(rate.low, rate.high)})",
    }
