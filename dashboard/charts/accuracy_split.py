"""Accuracy split into the part that rests on evidence and the part that does not."""

import altair as alt

from dashboard.charts.base import finish, frame, raw, raw_stroke
from dashboard.theme import Theme, count, signed, text_on

_ROWS = ("Correct", "Evidence found", "Evidence found and used")
_BAR = 28  # px
_ROOM = 0.75  # of the axis: a label that begins further right would be cut off
_SLIVER = 0.03  # of all samples: too narrow for a figure


def accuracy_split_figure(
    *, n: int, correct: int, grounded: int, hits: int, effective: int, theme: Theme
) -> alt.LayerChart:
    """Three bars on one axis of samples, and the two gaps as dashed outlines.

    Args:
        n: samples whose correctness, hit and adherence are all known.
        correct: correct samples among them.
        grounded: correct samples with hit and adherence.
        hits: samples with a hit.
        effective: samples with hit and adherence.
        theme: colours.
    """
    works = theme.family_fill("works")
    bars = [
        _bar(_ROWS[0], 0, grounded, works, works, f"{count(grounded)} on verified evidence"),
        _bar(
            _ROWS[0],
            grounded,
            correct,
            theme.tints["works"],
            theme.family_inks["works"],
            _without(correct - grounded, n),
            ink=theme.family_inks["works"],
            is_outside=correct - grounded < _SLIVER * n and correct <= _ROOM * n,
        ),
        _bar(_ROWS[1], 0, hits, theme.neutral, theme.neutral, count(hits)),
        _bar(_ROWS[2], 0, effective, theme.neutral, theme.neutral, count(effective)),
    ]
    gaps = [
        {
            "row": row,
            "start": min(part, correct),
            "end": max(part, correct),
            "label": f"{name} {signed(correct - part)}",
            # At the right end of the axis there is no room for a label beside the bar.
            "is_inside": max(part, correct) > _ROOM * max(1, n),
        }
        for row, part, name in (
            (_ROWS[1], hits, "gap to hits"),
            (_ROWS[2], effective, "gap to effective use"),
        )
    ]
    x_scale = alt.Scale(domain=[0, max(1, n)], nice=False)
    axis = alt.Axis(title=f"samples (n = {count(n)})", tickCount=5, grid=False, format=",d")
    x = alt.X("start:Q", scale=x_scale, axis=axis)
    y = alt.Y(
        "row:N",
        sort=list(_ROWS),
        scale=alt.Scale(domain=list(_ROWS), paddingInner=0.35),
        axis=alt.Axis(
            title=None, ticks=False, domain=False, labelPadding=10, labelColor=theme.ink,
            labelFontSize=13, labelLimit=220,
        ),
    )  # fmt: skip
    drawn = [bar for bar in bars if bar["end"] != bar["start"]]
    base = alt.Chart(
        frame(drawn, ["row", "start", "end", "fill", "line", "ink", "label", "is_outside"])
    )
    gap_base = alt.Chart(frame(gaps, ["row", "start", "end", "label", "is_inside"]))
    mark = alt.Chart(frame([{"start": correct}], ["start"]))
    layers = [
        base.mark_bar(height=_BAR, strokeWidth=1.2).encode(
            x=x, x2="end:Q", y=y, color=raw("fill"), stroke=raw_stroke("line")
        ),
        mark.mark_rule(color=theme.ink, strokeDash=[3, 3], opacity=0.6).encode(x=x),
        gap_base.mark_bar(
            height=_BAR, fillOpacity=0, stroke=theme.ink, strokeDash=[3, 3], strokeWidth=1.2
        ).encode(x=x, x2="end:Q", y=y),
        base.transform_filter("!datum.is_outside")
        .mark_text(align="left", dx=8, fontSize=13, fontWeight=600)
        .encode(x=x, y=y, text="label:N", color=raw("ink")),
        base.transform_filter("datum.is_outside")
        .mark_text(align="left", dx=8, fontSize=13, fontWeight=600)
        .encode(x=alt.X("end:Q", scale=x_scale, axis=axis), y=y, text="label:N", color=raw("ink")),
        gap_base.transform_filter("!datum.is_inside")
        .mark_text(align="left", dx=8, fontSize=12.5, color=theme.ink)
        .encode(x=alt.X("end:Q", scale=x_scale, axis=axis), y=y, text="label:N"),
        gap_base.transform_filter("datum.is_inside")
        .mark_text(align="right", dx=-8, fontSize=12.5, color=text_on(theme.neutral))
        .encode(x=x, y=y, text="label:N"),
    ]
    return finish(layers, theme, height=168)


def _without(n_without: int, n: int) -> str:
    """The whole label only where it fits into its part of the bar."""
    is_narrow = n_without < 0.12 * n
    return count(n_without) if is_narrow else f"{count(n_without)} without"


def _bar(
    row: str,
    start: int,
    end: int,
    fill: str,
    line: str,
    label: str,
    ink: str | None = None,
    *,
    is_outside: bool = False,
) -> dict[str, object]:
    return {
        "row": row,
        "start": start,
        "end": end,
        "fill": fill,
        "line": line,
        "ink": ink or text_on(fill),
        "label": label,
        "is_outside": is_outside,
    }
