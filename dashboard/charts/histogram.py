"""The histogram of one score that stands over the slider of its cut."""

from collections.abc import Sequence
from itertools import pairwise

import altair as alt

from core.model import Direction
from dashboard.charts.base import finish, frame, note, px, raw
from dashboard.theme import Theme, compact, number

_COLUMNS = "left right samples label scores colour".split()
# px from the figure's edge. A bin meets the slider at its thumb; a step's bar keeps its full width
# and its label, so the outermost ones stand a little inside the slider's ends.
_BIN_EDGE, _STEP_EDGE = 4, 10
_HEIGHT = 72


def score_histogram(
    counts: Sequence[int],
    *,
    cut: float | None,
    lo: float,
    hi: float,
    direction: Direction,
    theme: Theme,
) -> alt.LayerChart:
    """Bars over a slider from ``lo`` to ``hi``; the side that counts as high is the darker one.

    Args:
        counts: samples per integer step if there are ``hi - lo + 1`` of them (rubrics, 0/1),
            else per bin of equal width.
        cut: a score at or beyond it is high; None (no cut is known) leaves all bars alike.
        lo: lowest score of the scale.
        hi: highest score of the scale.
        direction: whether high means large or small scores.
        theme: colours.
    """
    stepped = len(counts) == hi - lo + 1
    bars = _steps(counts, cut, lo, direction) if stepped else _bins(counts, cut, lo, hi, direction)
    for bar in bars:
        bar["colour"] = theme.neutral if bar.pop("high") else theme.border
    base = alt.Chart(frame(bars, _COLUMNS))
    top = max(counts, default=0)
    edge = _STEP_EDGE if stepped else _BIN_EDGE
    x_scale = alt.Scale(domain=[lo, hi], nice=False, range=[edge, px(f"width - {edge}")])
    y = alt.Y("samples:Q", scale=alt.Scale(domain=[0, max(1, top) * 1.3], nice=False), axis=None)
    tooltip = [
        alt.Tooltip("scores:N", title="Score"),
        alt.Tooltip("samples:Q", title="Samples", format=","),
    ]
    x = alt.X("left:Q", scale=x_scale, axis=None)
    if stepped:
        width = px(f"min(18, 0.62 * (width - {2 * edge}) / {max(1, len(counts) - 1)})")
        drawn = base.mark_bar(size=width)
    else:
        drawn = base.mark_bar(binSpacing=1)
    shape = drawn.encode(x=x, y=y, color=raw("colour"), tooltip=tooltip)
    if not stepped:
        shape = shape.encode(x2="right:Q", y2=alt.datum(0))
    labels = base.mark_text(dy=-7, fontSize=11.5, color=theme.muted).encode(
        x=x, y=y, text="label:N"
    )
    empty = note("" if top else "no scores", theme)
    layers = [shape, labels, empty] if stepped and len(counts) <= 7 else [shape, empty]
    return finish(layers, theme, height=_HEIGHT)


def _is_high(score: float, cut: float | None, direction: Direction) -> bool:
    if cut is None:
        return True
    return score >= cut if direction is Direction.HIGHER else score <= cut


def _steps(
    counts: Sequence[int], cut: float | None, lo: float, direction: Direction
) -> list[dict[str, object]]:
    return [
        {
            "left": lo + i,
            "right": lo + i,
            "samples": n,
            "label": compact(n) if any(counts) else "",
            "scores": f"{lo + i:g}",
            "high": _is_high(lo + i, cut, direction),
        }
        for i, n in enumerate(counts)
    ]


def _bins(
    counts: Sequence[int], cut: float | None, lo: float, hi: float, direction: Direction
) -> list[dict[str, object]]:
    """Bins; the one with the cut inside is drawn in two parts, so that the colours meet there."""
    # Multiplied before divided: 14 * 0.05 would lie a hair beyond a cut of 0.7.
    stops = [lo + (hi - lo) * i / len(counts) for i in range(len(counts))] + [hi]
    bars: list[dict[str, object]] = []
    for i, n in enumerate(counts):
        left, right = stops[i], stops[i + 1]
        inside = cut is not None and left < cut < right
        edges = [left, cut, right] if inside and cut is not None else [left, right]
        bars += [
            {
                "left": start,
                "right": end,
                "samples": n,
                "label": "",
                "scores": f"{number(left)}–{number(right)}",
                "high": _is_high((start + end) / 2, cut, direction),
            }
            for start, end in pairwise(edges)
        ]
    return bars
