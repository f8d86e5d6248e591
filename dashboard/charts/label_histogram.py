"""Scores by human label: the good side above the line, the other below, the cut through both."""

from collections.abc import Sequence

import altair as alt

from dashboard.charts.base import finish, frame, note, raw
from dashboard.theme import Theme, count

_LIFT = 0.28  # of the tallest bar
_NAME_SHARE = 0.35  # of the width, at the most
_COLUMNS = "left right samples end colour group scores".split()
_NAMES = "x y text ink".split()
HEIGHT = 196


def label_histogram(
    up: Sequence[int],
    down: Sequence[int],
    *,
    names: tuple[str, str],
    sides: tuple[str, str],
    cut: float | None,
    lo: float,
    hi: float,
    title: str,
    theme: Theme,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """Bars of equal steps from lo to hi, blue above and red below, each group named with its n.

    Args:
        up: samples of the good side per step.
        down: samples of the other side per step.
        names: both sides in words.
        sides: what stands left and right of the cut, such as ("low", "high").
        cut: the cut in the score's own units, None for none.
        lo: left end of the first step.
        hi: right end of the last step.
        title: the score in words.
        theme: colours.
        height: px of the whole figure.
    """
    n_bins = max(len(up), len(down), 1)
    step = (hi - lo) / n_bins
    rows = [
        {
            "left": lo + i * step,
            "right": lo + (i + 1) * step,
            "samples": n,
            "end": sign * n,
            "colour": colour,
            "group": name,
            "scores": f"{lo + i * step:.3g} to {lo + (i + 1) * step:.3g}",
        }
        for counts, sign, colour, name in (
            (up, 1, theme.passed, names[0]),
            (down, -1, theme.failed, names[1]),
        )
        for i, n in enumerate(counts)
        if n
    ]
    top = max([*up, *down, 1])
    x_scale = alt.Scale(domain=[lo, hi], nice=False)
    x_axis = alt.Axis(title=title, tickCount=6, grid=False)
    x = alt.X("left:Q", scale=x_scale, axis=x_axis)
    above, below = (_LIFT if _is_crowded(counts, top) else 0.0 for counts in (up, down))
    y_scale = alt.Scale(domain=[-top * (1.15 + below), top * (1.35 + above)], nice=False)
    y_axis = alt.Axis(
        title=None, labelExpr="abs(datum.value)", tickCount=5, domain=False, ticks=False, format="d"
    )
    y = alt.Y("end:Q", scale=y_scale, axis=y_axis)
    tooltip = [
        alt.Tooltip("group:N", title="Label"),
        alt.Tooltip("scores:N", title="Score"),
        alt.Tooltip("samples:Q", title="Samples", format=","),
    ]
    # A name stands over the emptier half, where it hides no bar.
    texts = [
        _name(names[0], up, theme.passed, lo, hi, top * (1.02 + above)),
        _name(names[1], down, theme.failed, lo, hi, -top * (1.0 + below)),
    ]
    data = alt.Chart(frame(rows, _COLUMNS))
    layers = [
        data.mark_bar(stroke=theme.ground, strokeWidth=1).encode(
            x=x, x2="right:Q", y=y, y2=alt.datum(0), color=raw("colour"), tooltip=tooltip
        ),
        alt.Chart(frame([{"x": cut}] if cut is not None else [], ["x"]))
        .mark_rule(color=theme.ink, strokeWidth=1.6)
        .encode(x=alt.X("x:Q", scale=x_scale, axis=x_axis)),
        *_sides(sides, cut, lo, hi, top * (1.26 + above), x_scale, x_axis, y_scale, y_axis, theme),
    ]
    for text in texts if rows else []:
        is_left = text["x"] == lo
        layers.append(
            alt.Chart(frame([text], _NAMES))
            .mark_text(
                align="left" if is_left else "right",
                dx=4 if is_left else -4,
                fontSize=12.5,
                fontWeight=600,
            )
            .encode(
                x=alt.X("x:Q", scale=x_scale, axis=x_axis),
                y=alt.Y("y:Q", scale=y_scale, axis=y_axis),
                text="text:N",
                color=raw("ink"),
            )
        )
    layers.append(note("" if rows else "no scores", theme))
    return finish(layers, theme, height=height)


def _name(
    name: str, counts: Sequence[int], ink: str, lo: float, hi: float, y: float
) -> dict[str, object]:
    x = lo if _is_left(counts) else hi
    return {"x": x, "y": y, "text": f"{name}, {count(sum(counts))}", "ink": ink}


def _is_left(counts: Sequence[int]) -> bool:
    """True where the left half is the emptier one."""
    half = len(counts) // 2
    return sum(counts[:half]) <= sum(counts[half:])


def _is_crowded(counts: Sequence[int], top: int) -> bool:
    """True where bars would reach into the name that stands over the emptier half."""
    width = max(1, round(len(counts) * _NAME_SHARE))
    under = counts[:width] if _is_left(counts) else counts[-width:]
    return max(under, default=0) > 0.8 * top


def _sides(
    sides: tuple[str, str],
    cut: float | None,
    lo: float,
    hi: float,
    y: float,
    x_scale: alt.Scale,
    x_axis: alt.Axis,
    y_scale: alt.Scale,
    y_axis: alt.Axis,
    theme: Theme,
) -> list[alt.Chart]:
    """The words left and right of the cut, at the top; none where the cut leaves no room."""
    layers = []
    for text, align, dx in ((sides[0], "right", -6), (sides[1], "left", 6)):
        has_room = cut is not None and lo < cut < hi
        data = frame([{"x": cut, "y": y, "text": text}] if has_room else [], ["x", "y", "text"])
        layers.append(
            alt.Chart(data)
            .mark_text(align=align, dx=dx, fontSize=12, color=theme.muted)  # type: ignore[arg-type]
            .encode(
                x=alt.X("x:Q", scale=x_scale, axis=x_axis),
                y=alt.Y("y:Q", scale=y_scale, axis=y_axis),
                text="text:N",
            )
        )
    return layers
