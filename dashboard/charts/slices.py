"""Slices of a run side by side: how many of each fail, with the interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from core.metrics.intervals import Rate
from dashboard.charts.base import click, finish, frame, note, px
from dashboard.theme import LEAST_N, Theme, count, percent, share

_ROW = 26  # px
_FIGURES = 190  # px at the right
_COLUMNS = "id y name value low high figures reason n".split()


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One slice: ``rate.k`` of ``rate.n`` scored samples fail. ``name`` is untrusted text."""

    id: str
    name: str
    rate: Rate


def _record(y: int, row: SliceRow) -> dict[str, object]:
    rate = row.rate
    drawn = rate.value is not None and rate.n >= LEAST_N
    return {
        "id": row.id,
        "y": y,
        "name": row.name,
        "n": count(rate.n),
        "value": rate.value if drawn else None,
        "low": rate.low if drawn else None,
        "high": rate.high if drawn else None,
        "figures": share(int(rate.k), rate.n),
        "reason": "" if drawn else "too few for a rate" if rate.n else "nothing scored",
    }


def slice_rows(
    rows: Sequence[SliceRow], theme: Theme, *, overall: float | None = None
) -> alt.LayerChart:
    """A row per slice in the given order on one axis 0–100 %; selection "slice" of id.

    ``overall`` (0..1) is the failing share of the whole run, drawn as a labelled line.
    """
    data = frame([_record(i, row) for i, row in enumerate(rows)], _COLUMNS)
    base = alt.Chart(data)
    foot = 0.75 if overall is not None else 0.0
    n_rows = max(1, len(rows))
    y_scale = alt.Scale(domain=[-0.5, n_rows - 0.5 + foot], nice=False, reverse=True)
    y = alt.Y("y:Q", scale=y_scale, axis=None)
    axis = alt.Axis(
        orient="top",
        title=None,
        values=[0, 0.25, 0.5, 0.75, 1],
        labelExpr="datum.value * 100 + '\u202f%'",
        domain=False,
        ticks=False,
        labelFlush=False,
        grid=True,
    )
    names = "max(120, width * 0.26)"
    x_scale = alt.Scale(
        domain=[0, 1], nice=False, range=[px(names), px(f"max({names} + 80, width - {_FIGURES})")]
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x_scale, axis=axis)

    selection = click("slice")
    target = (
        base.mark_rect(height=_ROW - 1, cursor="pointer", cornerRadius=4)
        .encode(
            x=alt.value(0),
            x2=alt.value(px("width")),
            y=y,
            color=alt.value(theme.panel),
            opacity=alt.when(selection, empty=False).then(alt.value(1)).otherwise(alt.value(0.001)),
            tooltip=[
                alt.Tooltip("name:N", title="Slice"),
                alt.Tooltip("figures:N", title="Failing"),
            ],
        )
        .add_params(selection)
    )
    name = base.mark_text(
        align="left", fontSize=13, color=theme.ink, limit=px(f"{names} - 14")
    ).encode(x=alt.value(2), y=y, text="name:N")
    span = base.mark_rule(size=6, color=theme.neutral, opacity=0.38)
    dot = base.mark_point(filled=True, size=62, color=theme.ink, opacity=1)
    reason = base.mark_text(align="left", dx=6, fontSize=12, color=theme.muted).encode(
        x=alt.value(px(names)), y=y, text="reason:N"
    )
    figures = base.mark_text(align="right", fontSize=13, color=theme.ink).encode(
        x=alt.value(px("width - 2")), y=y, text="figures:N"
    )
    run = alt.Chart(
        frame(
            []
            if overall is None
            else [{"value": overall, "text": f"whole run {percent(overall)}"}],
            ["value", "text"],
        )
    )
    line = run.mark_rule(strokeDash=[3, 3], color=theme.muted).encode(x=x("value"))
    label = run.mark_text(
        align="left", dx=5, baseline="bottom", fontSize=12, color=theme.muted
    ).encode(x=x("value"), y=alt.value(px("height")), text="text:N")
    layers = [
        target,
        line,
        span.encode(x=x("low"), x2="high:Q", y=y),
        dot.encode(x=x("value"), y=y),
        reason,
        name,
        figures,
        label,
        note("" if rows else "no slices", theme),
    ]
    height = int((n_rows + foot) * _ROW) + 20
    return finish(layers, theme, height=height)
