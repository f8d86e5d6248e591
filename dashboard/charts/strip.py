"""A rate as a dot with its interval on a fixed axis from 0 to 100 %."""

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import finish, frame, px
from dashboard.theme import LEAST_N, Theme

_COLUMNS = "value low high baseline zero one".split()
_HEIGHT, _EDGE = 18, 5  # px


def rate_strip(
    rate: Rate, *, theme: Theme, baseline: float | None = None, fill: str | None = None
) -> alt.LayerChart:
    """Rail, interval, dot and, as a tick, the baseline's share; only the rail where undefined.

    A rate of fewer than five is no rate and draws no dot. ``fill`` defaults to that of success.
    """
    colour = fill or theme.fill("success")
    shown = rate.value is not None and rate.n >= LEAST_N
    row = {"value": rate.value, "low": rate.low, "high": rate.high}
    data = frame([row] if shown else [], _COLUMNS)
    marks = alt.Chart(data).encode(y=alt.value(_HEIGHT / 2))

    # The edge keeps the dot of 0 % and of 100 % whole.
    scale = alt.Scale(domain=[0, 1], nice=False, range=[_EDGE, px(f"width - {_EDGE}")])

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=None)

    rail = (
        alt.Chart(frame([{"zero": 0.0, "one": 1.0}], _COLUMNS))
        .mark_rule(size=2, color=theme.grid)
        .encode(x=x("zero"), x2="one:Q", y=alt.value(_HEIGHT / 2))
    )
    tick = (
        alt.Chart(frame([] if baseline is None else [{"baseline": baseline}], _COLUMNS))
        .mark_tick(thickness=2, size=16, color=theme.ink, opacity=0.75)
        .encode(x=x("baseline"), y=alt.value(_HEIGHT / 2))
    )
    span = marks.mark_rule(size=6, color=colour, opacity=0.32).encode(x=x("low"), x2="high:Q")
    dot = marks.mark_point(filled=True, size=62, color=colour, opacity=1).encode(x=x("value"))
    return finish([rail, span, tick, dot], theme, height=_HEIGHT)
