"""Tiles that can be clicked: the 2×2 grids of the triad and the strip of what is outside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import altair as alt

from dashboard.charts.base import Weight, click, finish, frame, px, raw, raw_stroke
from dashboard.theme import Theme, count, tile_ground

ROW_LABELS = 116  # px; the grid with row labels and the strip below it share this edge
_PAD = 12  # px between a tile's edge and its text
_COLUMNS = (
    "id row column name name_lines name_width code code_lines code_width count share "
    "change change_short change_ink ink ground tooltip rule"
).split()

Change = Literal["better", "worse", "muted", ""]


@dataclass(frozen=True, slots=True)
class Cell:
    """One tile; texts come ready-made, ``share`` (0..1) only deepens the ground.

    ``row`` and ``column`` are labels of the grid; the strip does not read them. ``change_text`` is
    like "−6 vs baseline": a narrow tile shows what stands before " vs ".
    """

    id: str
    row: str
    column: str
    name: str
    code: str
    count: int
    share_text: str
    change_text: str
    change_ink: Change
    family: str
    share: float
    tooltip: str
    rule: str


def _halves(text: str) -> str:
    """The text on two lines of about equal length, broken after a comma if there is one."""
    words = text.split()
    breaks = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words))]
    breaks = [pair for pair in breaks if pair[0].endswith(",")] or breaks
    return "\n".join(min(breaks, key=lambda pair: max(map(len, pair)))) if breaks else text


def _row(cell: Cell, theme: Theme, row: str, column: str) -> dict[str, object]:
    # Widths are estimates in px for the font sizes below, a little generous: the browser measures
    # no text before it draws.
    return {
        "id": cell.id,
        "row": row,
        "column": column,
        "name": cell.name,
        "name_lines": _halves(cell.name),
        "name_width": 6.5 * len(cell.name),
        "code": cell.code,
        "code_lines": _halves(cell.code),
        "code_width": 5.5 * len(cell.code),
        "count": count(cell.count),
        "share": cell.share_text,
        "change": cell.change_text,
        "change_short": cell.change_text.split(" vs ")[0],
        "change_ink": theme.change_ink(cell.change_ink),
        "ink": theme.family_inks[cell.family],
        "ground": tile_ground(theme, cell.family, cell.share if cell.count else 0),
        "tooltip": cell.tooltip,
        "rule": cell.rule,
    }


def _axis(orient: Literal["top", "left"], theme: Theme) -> alt.Axis:
    extent = ROW_LABELS if orient == "left" else alt.Undefined
    return alt.Axis(
        orient=orient,
        title=None,
        domain=False,
        ticks=False,
        grid=False,
        labelAngle=0,
        labelFontSize=12.5,
        labelColor=theme.ink,
        labelPadding=8,
        labelLimit=240,
        labelLineHeight=16,
        labelExpr="split(datum.label, '|')",
        labelAlign="right" if orient == "left" else "center",
        minExtent=extent,
        maxExtent=extent,
    )


def _tiles(
    rows: Sequence[dict[str, object]],
    *,
    row_domain: Sequence[str],
    column_domain: Sequence[str],
    theme: Theme,
    row_labels: bool,
    column_labels: bool,
    code_beside: bool,
) -> list[alt.Chart]:
    # One Axis object for all layers: an axis that is None in one layer is gone in all.
    x_axis = _axis("top", theme) if column_labels else None
    y_axis = _axis("left", theme) if row_labels else None
    x_scale = alt.Scale(domain=list(column_domain), paddingInner=0.014, paddingOuter=0)
    y_scale = alt.Scale(domain=list(row_domain), paddingInner=0.03, paddingOuter=0)
    base = alt.Chart(frame(rows, _COLUMNS))
    inner = f"(width / {max(1, len(column_domain))} - {2 * _PAD + 2})"
    name_room = f"({inner} - datum.code_width - 8)" if code_beside else inner
    name_wraps = "false" if code_beside else f"(datum.name_width > {name_room})"
    code_wraps = "false" if code_beside else f"(datum.code_width > {inner})"

    def text(
        content: str,
        *,
        corner: tuple[float, float],
        dy: float | alt.ExprRef,
        size: float | alt.ExprRef,
        color: alt.Color | alt.ColorValue,
        weight: Weight = 400,
        limit: str = inner,
    ) -> alt.Chart:
        right, bottom = corner
        chart: alt.Chart = base.mark_text(
            align="right" if right else "left",
            baseline="alphabetic",
            dx=-_PAD if right else _PAD,
            dy=dy,
            fontSize=size,
            fontWeight=weight,
            limit=px(limit),
            lineBreak="\n",
            lineHeight=16,
            text=px(content),
        ).encode(
            x=alt.X("column:N", scale=x_scale, axis=x_axis, bandPosition=right),
            y=alt.Y("row:N", scale=y_scale, axis=y_axis, bandPosition=bottom),
            color=color,
        )
        return chart

    selection = click("cell")
    chosen = alt.when(selection, empty=False)
    tiles = (
        base.mark_rect(cornerRadius=6, cursor="pointer")
        .encode(
            x=alt.X("column:N", scale=x_scale, axis=x_axis),
            y=alt.Y("row:N", scale=y_scale, axis=y_axis),
            color=raw("ground"),
            stroke=chosen.then(raw_stroke("ink")).otherwise(alt.value(theme.border)),
            strokeWidth=chosen.then(alt.value(2.5)).otherwise(alt.value(1)),
            tooltip=[
                alt.Tooltip("name:N", title="Mode"),
                alt.Tooltip("tooltip:N", title="Samples"),
                alt.Tooltip("rule:N", title="Rule"),
            ],
        )
        .add_params(selection)
    )
    # One answer for all tiles of a figure: two sizes of name, or "−2 vs baseline" beside a bare
    # "−731", would read oddly.
    head = max((6.5 * len(str(r["name"])) + 5.5 * len(str(r["code"])) for r in rows), default=0)
    foot = max((5.6 * len(str(r["share"])) + 5.8 * len(str(r["change"])) for r in rows), default=0)
    fits = f"{foot + 8:.0f} <= {inner}"
    code_dy = 23 if code_beside else px(f"{name_wraps} ? 58 : 42")
    return [
        tiles,
        text(
            f"{name_wraps} ? datum.name_lines : datum.name",
            corner=(0, 0),
            dy=23,
            size=px(f"{head + 8:.0f} > {inner} ? 12.5 : 13.5") if code_beside else 13.5,
            weight=600,
            color=raw("ink"),
            limit=name_room,
        ),
        text(
            f"{code_wraps} ? datum.code_lines : datum.code",
            corner=(1, 0) if code_beside else (0, 0),
            dy=code_dy,
            size=12,
            color=raw("ink"),
        ),
        text(
            "datum.count",
            corner=(0, 1),
            dy=-28,
            size=21 if code_beside else 26,
            weight=600,
            color=alt.ColorValue(theme.ink),
        ),
        text("datum.share", corner=(0, 1), dy=-11, size=12.5, color=alt.ColorValue(theme.muted)),
        text(
            f"{fits} ? datum.change : datum.change_short",
            corner=(1, 1),
            dy=-11,
            size=12.5,
            weight=600,
            color=raw("change_ink"),
        ),
    ]


def matrix_figure(
    cells: Sequence[Cell],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    theme: Theme,
    row_labels: bool,
    height: int = 286,
) -> alt.LayerChart:
    """Grid of tiles with labels at the top and, on request, at the left; selection "cell" of id.

    ``rows`` and ``columns`` give the order; "|" in a label breaks the line. ``height`` in px is the
    whole figure's.
    """
    tiles = _tiles(
        [_row(cell, theme, cell.row, cell.column) for cell in cells],
        row_domain=rows,
        column_domain=columns,
        theme=theme,
        row_labels=row_labels,
        column_labels=True,
        code_beside=False,
    )
    heading = alt.TitleParams(
        title,
        anchor="middle",
        frame="group",
        fontSize=14,
        fontWeight=600,
        color=theme.ink,
        offset=6,
    )
    return finish(tiles, theme, height=height, title=heading)


def strip_figure(
    cells: Sequence[Cell],
    *,
    theme: Theme,
    label: str = "Outside the|matrix",
    height: int = 92,
) -> alt.LayerChart:
    """One row of tiles in the given order for what has no place in the grid; selection "cell"."""
    tiles = _tiles(
        [_row(cell, theme, label, cell.id) for cell in cells],
        row_domain=[label],
        column_domain=[cell.id for cell in cells],
        theme=theme,
        row_labels=True,
        column_labels=False,
        code_beside=True,
    )
    return finish(tiles, theme, height=height)
