"""Scores of two groups, one above and one below the line, with the cut through both."""

from collections.abc import Sequence

import altair as alt

from dashboard.charts.base import finish, frame, note, raw
from dashboard.theme import Theme, count

_COLUMNS = "left right samples end colour group".split()


def mirrored_histogram(
    up: Sequence[int],
    down: Sequence[int],
    *,
    up_name: str,
    down_name: str,
    cut: float | None,
    lo: float,
    hi: float,
    title: str,
    theme: Theme,
    down_family: str = "retrieval",
    height: int = 168,
) -> alt.LayerChart:
    """Bars of equal steps from lo to hi: ``up`` above, ``down`` below, each named with its n."""
    n_bins = max(len(up), len(down), 1)
    step = (hi - lo) / n_bins
    colours = {1: theme.neutral, -1: theme.family_fill(down_family)}
    rows = [
        {
            "left": lo + i * step,
            "right": lo + (i + 1) * step,
            "samples": n,
            "end": sign * n,
            "colour": colours[sign],
            "group": name,
        }
        for counts, sign, name in ((up, 1, up_name), (down, -1, down_name))
        for i, n in enumerate(counts)
        if n
    ]
    top = max([*up, *down, 1])
    x_scale = alt.Scale(domain=[lo, hi], nice=False)
    x = alt.X("left:Q", scale=x_scale, axis=alt.Axis(title=title, tickCount=6, grid=False))
    y = alt.Y(
        "end:Q",
        scale=alt.Scale(domain=[-top * 1.1, top * 1.1], nice=False),
        axis=alt.Axis(
            title=None, labelExpr="abs(datum.value)", tickCount=5, domain=False, ticks=False,
            format="d",
        ),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("group:N", title="Group"),
        alt.Tooltip("samples:Q", title="Samples", format=","),
    ]
    names = [
        {"x": lo, "y": top * 0.95, "text": f"{up_name}, {count(sum(up))}", "ink": theme.muted},
        {
            "x": lo,
            "y": -top * 0.95,
            "text": f"{down_name}, {count(sum(down))}",
            "ink": theme.family_inks[down_family],
        },
    ]
    base = alt.Chart(frame(rows, _COLUMNS))
    layers = [
        base.mark_bar(stroke=theme.ground, strokeWidth=1).encode(
            x=x, x2="right:Q", y=y, y2=alt.datum(0), color=raw("colour"), tooltip=tooltip
        ),
        alt.Chart(frame([{"x": cut}] if cut is not None else [], ["x"]))
        .mark_rule(color=theme.ink, strokeWidth=1.5)
        .encode(x=alt.X("x:Q", scale=x_scale)),
        alt.Chart(frame(names if rows else [], ["x", "y", "text", "ink"]))
        .mark_text(align="left", dx=4, fontSize=12.5, fontWeight=600)
        .encode(x=alt.X("x:Q", scale=x_scale), y=alt.Y("y:Q"), text="text:N", color=raw("ink")),
        note("" if rows else "no scores", theme),
    ]
    return finish(layers, theme, height=height)
