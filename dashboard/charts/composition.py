"""All samples of a run as one thin bar by family, and its key in words."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from dashboard.charts.base import finish, frame, raw
from dashboard.theme import Theme, count, escape_line

_COLUMNS = "id name samples start end fill".split()
_HEIGHT = 18


@dataclass(frozen=True, slots=True)
class Segment:
    """One family of modes and how many samples it holds."""

    family: str
    name: str
    count: int


def composition_bar(segments: Sequence[Segment], theme: Theme) -> alt.LayerChart:
    """Stacked bar in the given order; selection-free, the rows below it are clicked."""
    rows: list[dict[str, object]] = []
    at = 0
    for part in segments:
        rows.append(
            {
                "id": part.family,
                "name": part.name,
                "samples": part.count,
                "start": at,
                "end": at + part.count,
                "fill": theme.family_fill(part.family),
            }
        )
        at += part.count
    bar = (
        alt.Chart(frame(rows, _COLUMNS))
        .mark_bar(height=14, stroke=theme.ground, strokeWidth=1.5)
        .encode(
            x=alt.X("start:Q", scale=alt.Scale(domain=[0, max(1, at)], nice=False), axis=None),
            x2="end:Q",
            y=alt.value(_HEIGHT / 2),
            color=raw("fill"),
            tooltip=[
                alt.Tooltip("name:N", title="Side"),
                alt.Tooltip("samples:Q", title="Samples", format=","),
            ],
        )
    )
    return finish([bar], theme, height=_HEIGHT)


def composition_key(segments: Sequence[Segment], theme: Theme) -> str:
    """The bar's key as markdown, in bar order; an item never breaks over two lines."""
    items = []
    for part in segments:
        square = f':color[■]{{foreground="{theme.family_fill(part.family)}"}}'
        words = escape_line(part.name).replace(" ", "\u00a0")
        items.append(f"{square}\u00a0{words}\u00a0**{count(part.count)}**")
    return " &emsp; ".join(items)
