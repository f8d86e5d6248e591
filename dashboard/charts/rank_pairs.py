"""A square of rank pairs: how often two ranks carry the same, readable as numbers."""

from collections.abc import Mapping
from typing import Literal

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import BASELINE, Weight, click, finish, frame, note, raw
from dashboard.theme import Theme, count, interval, mix, number, percent

_CELL = 46  # px
# At most so much of the neutral colour in a tile: in both modes its figure keeps 5 to 1.
_FAINTEST, _FULLEST = 0.1, 0.6
_COLUMNS = "id ranks a b ground is_baseline label text".split()


def rank_pair_figure(
    pairs: Mapping[tuple[int, int], Rate],
    theme: Theme,
    *,
    what: str,
    is_share: bool = True,
    baseline: Mapping[tuple[int, int], Rate] | None = None,
    more: Mapping[tuple[int, int], str] | None = None,
    baseline_more: Mapping[tuple[int, int], str] | None = None,
) -> alt.LayerChart:
    """One tile per pair of ranks below the diagonal; selection "pair" of id "a,b".

    A baseline's tiles stand above the diagonal, mirrored: the pair (1, 2) at row 1, column 2; their
    ids are "vs:a,b".

    Args:
        pairs: value by (lower rank, higher rank); a Rate of a share, or of a mean on 0..1.
        theme: colours.
        what: the quantity, for the tooltip.
        is_share: whether values are written as per cent or as a number.
        baseline: the same of another run.
        more: what else the tooltip says, by pair.
        baseline_more: the same of the other run.
    """

    def row(one: tuple[int, int], rate: Rate, *, is_baseline: bool) -> dict[str, object]:
        value = rate.value
        of = "baseline: " if is_baseline else ""
        also = ((baseline_more if is_baseline else more) or {}).get(one)
        x, y = reversed(one) if is_baseline else one
        shown = percent(value) if is_share else number(value)
        return {
            "id": f"{BASELINE if is_baseline else ''}{one[0]},{one[1]}",
            "ranks": f"{one[0]} and {one[1]}",
            "a": x,
            "b": y,
            "ground": mix(
                theme.ground, theme.neutral, _FAINTEST + (_FULLEST - _FAINTEST) * (value or 0.0)
            )
            if value is not None
            else theme.panel,
            "is_baseline": is_baseline,
            "label": shown,
            "text": (
                f"{of}{shown} ({interval(rate.low, rate.high)}): {count(int(rate.k))} of "
                f"{count(rate.n)}"
                if is_share
                else f"{of}{shown} over {count(rate.n)} samples"
            )
            + (f"; {also}" if also else ""),
        }

    rows = [row(one, rate, is_baseline=False) for one, rate in sorted(pairs.items())]
    if baseline is not None:
        rows += [row(one, rate, is_baseline=True) for one, rate in sorted(baseline.items())]
    ranks = sorted({rank for pair in (*pairs, *(baseline or ())) for rank in pair})
    columns, lines = (ranks, ranks) if baseline is not None else (ranks[:-1], ranks[1:])
    x = alt.X(
        "a:O",
        scale=alt.Scale(domain=columns, paddingInner=0.04, paddingOuter=0),
        axis=_axis("top", theme),
    )
    y = alt.Y(
        "b:O",
        scale=alt.Scale(domain=lines, paddingInner=0.04, paddingOuter=0),
        axis=_axis("left", theme),
    )
    base = alt.Chart(frame(rows, _COLUMNS))

    def figures(source: alt.Chart, weight: Weight) -> alt.Chart:
        mark = source.mark_text(fontSize=13, fontWeight=weight, cursor="pointer", color=theme.ink)
        chart: alt.Chart = mark.encode(x=x, y=y, text="label:N")
        return chart

    layers = [
        base.mark_rect(cornerRadius=4, cursor="pointer")
        .encode(
            x=x,
            y=y,
            color=raw("ground"),
            tooltip=[alt.Tooltip("ranks:N", title="Ranks"), alt.Tooltip("text:N", title=what)],
        )
        .add_params(click("pair")),
        figures(base.transform_filter("!datum.is_baseline"), 600),
        figures(base.transform_filter("datum.is_baseline"), 400),
        note("" if rows else "fewer than two contexts per sample", theme),
    ]
    return finish(layers, theme, height=34 + _CELL * max(1, len(lines)))


def _axis(orient: Literal["top", "left"], theme: Theme) -> alt.Axis:
    return alt.Axis(
        orient=orient,
        title=None,
        domain=False,
        ticks=False,
        grid=False,
        labelAngle=0,
        labelColor=theme.ink,
        labelFontSize=12.5,
        labelExpr="'rank ' + datum.label",
    )
