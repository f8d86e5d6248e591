"""The 2×2 matrix of a score against a label as four tiles that can be clicked."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from dashboard.charts.base import click, finish, frame, px, raw
from dashboard.theme import Theme, count

_COLUMNS = "id row column name count share ground".split()
_PAD = 14
HEIGHT = 188


@dataclass(frozen=True, slots=True)
class ConfusionTile:
    """One cell; ``share`` is ready-made text, ``is_error`` tints the ground."""

    id: str
    row: str
    column: str
    name: str
    count: int
    share: str
    is_error: bool


def confusion_figure(
    tiles: Sequence[ConfusionTile],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """Four tiles with row and column labels; the errors stand on a tint. Selection "cell" of id.

    "|" in a label breaks the line.
    """
    data = [
        {
            "id": tile.id,
            "row": tile.row,
            "column": tile.column,
            "name": tile.name,
            "count": count(tile.count),
            "share": tile.share,
            "ground": theme.mark if tile.is_error and tile.count else theme.panel,
        }
        for tile in tiles
    ]
    axis = {
        "title": None,
        "domain": False,
        "ticks": False,
        "grid": False,
        "labelFontSize": 12.5,
        "labelColor": theme.ink,
        "labelPadding": 8,
        "labelLineHeight": 16,
        "labelLimit": 220,
        "labelAngle": 0,
        "labelExpr": "split(datum.label, '|')",
    }
    x_axis = alt.Axis(orient="top", **axis)  # type: ignore[arg-type]
    y_axis = alt.Axis(orient="left", labelAlign="right", minExtent=96, maxExtent=96, **axis)  # type: ignore[arg-type]
    x_scale = alt.Scale(domain=list(columns), paddingInner=0.014, paddingOuter=0)
    y_scale = alt.Scale(domain=list(rows), paddingInner=0.03, paddingOuter=0)
    base = alt.Chart(frame(data, _COLUMNS))
    selection = click("cell")
    chosen = alt.when(selection, empty=False)
    layers = [
        base.mark_rect(cornerRadius=6, cursor="pointer")
        .encode(
            x=alt.X("column:N", scale=x_scale, axis=x_axis),
            y=alt.Y("row:N", scale=y_scale, axis=y_axis),
            color=raw("ground"),
            stroke=chosen.then(alt.value(theme.ink)).otherwise(alt.value(theme.border)),
            strokeWidth=chosen.then(alt.value(2.5)).otherwise(alt.value(1)),
            tooltip=[
                alt.Tooltip("name:N", title="Cell"),
                alt.Tooltip("count:N", title="Samples"),
            ],
        )
        .add_params(selection)
    ]
    for field, dy, size, weight, ink in (
        ("name", 20, 12.5, 600, theme.ink),
        ("count", 44, 21, 600, theme.ink),
        ("share", 61, 12, 400, theme.muted),
    ):
        layers.append(
            base.mark_text(
                align="left",
                baseline="alphabetic",
                dx=_PAD,
                dy=dy,
                fontSize=size,
                fontWeight=weight,  # type: ignore[arg-type]
                color=ink,
                limit=px(f"width / 2 - {2 * _PAD}"),
            ).encode(
                x=alt.X("column:N", scale=x_scale, axis=x_axis, bandPosition=0),
                y=alt.Y("row:N", scale=y_scale, axis=y_axis, bandPosition=0),
                text=f"{field}:N",
            )
        )
    return finish(layers, theme, height=height)
