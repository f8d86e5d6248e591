"""Modes as rows under their side: bar, interval, baseline, figures and change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import altair as alt

from dashboard.charts.base import Weight, click, finish, frame, note, px, raw, raw_stroke
from dashboard.theme import Theme, count

_ROW = 24.5  # px
_GAP = 0.3  # rows between two sides
# Below this width the share column is left out, so that the bars keep their room.
_NARROW = 560
_COLUMNS = (
    "id y head name code count share_text change_text change_ink ink fill value low high "
    "baseline zero tooltip baseline_count"
).split()


@dataclass(frozen=True, slots=True)
class ModeRow:
    """One mode; shares are 0..1 of all samples, None where there is nothing to draw."""

    id: str
    name: str
    code: str
    count: int
    share: float | None
    low: float | None
    high: float | None
    share_text: str
    tooltip: str
    baseline_count: int | None = None
    baseline_share: float | None = None
    change_text: str = ""
    change_ink: Literal["better", "worse", "muted", ""] = ""


@dataclass(frozen=True, slots=True)
class ModeGroup:
    """One side with its own figures, and its modes in the order in which they are drawn."""

    family: str
    name: str
    count: int
    share_text: str
    rows: Sequence[ModeRow]
    change_text: str = ""
    change_ink: Literal["better", "worse", "muted", ""] = ""


def _records(groups: Sequence[ModeGroup], theme: Theme) -> tuple[list[dict[str, object]], float]:
    records: list[dict[str, object]] = []
    y = 0.0
    for group in groups:
        shared: dict[str, object] = {"ink": theme.family_inks[group.family], "zero": 0.0}
        records.append(
            shared
            | {
                "id": group.family,
                "y": y,
                "head": True,
                "name": group.name,
                "count": count(group.count),
                "share_text": group.share_text,
                "change_text": group.change_text,
                "change_ink": theme.change_ink(group.change_ink),
                "tooltip": f"{count(group.count)} samples",
            }
        )
        for i, row in enumerate(group.rows, 1):
            records.append(
                shared
                | {
                    "id": row.id,
                    "y": y + i,
                    "head": False,
                    "name": row.name,
                    "code": row.code,
                    "count": count(row.count),
                    "share_text": row.share_text,
                    "change_text": row.change_text,
                    "change_ink": theme.change_ink(row.change_ink),
                    "fill": theme.fill(row.id),
                    "value": row.share,
                    "low": row.low,
                    "high": row.high,
                    "baseline": row.baseline_share,
                    "tooltip": row.tooltip,
                    "baseline_count": count(row.baseline_count),
                }
            )
        y += 1 + len(group.rows) + _GAP
    return records, y - _GAP


def mode_rows_figure(groups: Sequence[ModeGroup], theme: Theme) -> alt.LayerChart:
    """Rows of all sides on one axis of shares; selection "mode" of id (a header: its family)."""
    records, rows = _records(groups, theme)
    rows = max(1.0, rows)
    data = frame(records, _COLUMNS)
    everything = alt.Chart(data)
    heads = everything.transform_filter("datum.head")
    modes = everything.transform_filter("!datum.head")
    ends = [v for group in groups for r in group.rows for v in (r.high, r.share, r.baseline_share)]
    top = max((v for v in ends if v is not None), default=0) * 1.02 or 1.0

    y_scale = alt.Scale(domain=[-0.5, rows - 0.5], nice=False, reverse=True)
    y = alt.Y("y:Q", scale=y_scale, axis=None)
    x_scale = alt.Scale(
        domain=[0, top],
        nice=False,
        range=[232, px(f"width < {_NARROW} ? width - 100 : width - 190")],
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x_scale, axis=None)

    def left(
        source: alt.Chart, field: str, at: int, size: float, weight: Weight = 400
    ) -> alt.Chart:
        mark = source.mark_text(align="left", fontSize=size, fontWeight=weight)
        chart: alt.Chart = mark.encode(x=alt.value(at), y=y, text=f"{field}:N")
        return chart

    def figures(source: alt.Chart, field: str, at: str, weight: Weight) -> alt.Chart:
        mark = source.mark_text(align="right", fontSize=13, fontWeight=weight)
        chart: alt.Chart = mark.encode(x=alt.value(px(at)), y=y, text=f"{field}:N")
        return chart

    selection = click("mode")
    target = (
        everything.mark_rect(height=_ROW - 0.5, cursor="pointer", cornerRadius=4)
        .encode(
            x=alt.value(0),
            x2=alt.value(px("width")),
            y=y,
            color=alt.value(theme.panel),
            # Invisible until chosen, yet a target: the whole row can be clicked.
            opacity=alt.when(selection, empty=False).then(alt.value(1)).otherwise(alt.value(0.001)),
            tooltip=[
                alt.Tooltip("name:N", title="Mode"),
                alt.Tooltip("tooltip:N", title="Samples"),
                alt.Tooltip("baseline_count:N", title="Baseline"),
            ],
        )
        .add_params(selection)
    )
    bars = modes.mark_bar(height=14, strokeWidth=1).encode(
        x=x("zero"), x2="value:Q", y=y, color=raw("fill"), stroke=raw_stroke("ink")
    )
    # A line in the ground colour below the line in ink keeps it readable inside a dark bar.
    halo = modes.mark_rule(strokeWidth=3.4, color=theme.ground, opacity=0.85)
    span = modes.mark_rule(strokeWidth=1.5, color=theme.ink)
    diamond = modes.mark_point(
        shape="diamond",
        size=42,
        filled=True,
        fill=theme.ground,
        stroke=theme.ink,
        strokeWidth=1.2,
        opacity=1,
    )
    count_at = f"width < {_NARROW} ? width - 50 : width - 142"
    share_at = "width - 48"
    wide = f"width >= {_NARROW} ? 1 : 0"
    return finish(
        [
            target,
            heads.transform_calculate(line="datum.y + 0.5")
            .mark_rule(strokeWidth=1, color=theme.border)
            .encode(
                x=alt.value(0),
                x2=alt.value(px("width")),
                y=alt.Y("line:Q", scale=y_scale, axis=None),
            ),
            left(heads, "name", 0, 13, 600).encode(color=raw("ink")),
            left(modes, "code", 2, 11).encode(color=raw("ink")),
            left(modes, "name", 50, 13).encode(color=alt.value(theme.ink)),
            bars,
            halo.encode(x=x("low"), x2="high:Q", y=y),
            span.encode(x=x("low"), x2="high:Q", y=y),
            diamond.encode(x=x("baseline"), y=y),
            figures(heads, "count", count_at, 700).encode(color=raw("ink")),
            figures(modes, "count", count_at, 600).encode(color=alt.value(theme.ink)),
            figures(everything, "share_text", share_at, 400).encode(
                color=alt.value(theme.muted), opacity=alt.value(px(wide))
            ),
            figures(everything, "change_text", "width - 2", 600).encode(color=raw("change_ink")),
            note("" if groups else "no samples", theme),
        ],
        theme,
        height=int(rows * _ROW),
    )
