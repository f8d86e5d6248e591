"""What every figure shares: frames with fixed columns, raw colours, selection, finishing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import altair as alt
import pandas as pd

from dashboard.theme import Theme

Weight = Literal[400, 600, 700]
BASELINE = "vs:"
"""Stands before the id of a mark of the baseline that can be clicked."""
FONT = '"Source Sans", "Source Sans 3", system-ui, sans-serif'


def frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    """Rows as a frame that has all ``columns`` even when there is no row."""
    return pd.DataFrame(list(rows), columns=list(columns))


def raw(field: str) -> alt.Color:
    """The colour that stands in ``field``, not one of a scale."""
    return alt.Color(f"{field}:N", scale=None, legend=None)


def raw_stroke(field: str) -> alt.Stroke:
    """As ``raw``, for outlines."""
    return alt.Stroke(f"{field}:N", scale=None, legend=None)


def px(expression: str) -> alt.ExprRef:
    """A length or a choice that follows the width of the figure.

    Only for expressions written here: data enters a figure by its frame alone.
    """
    return alt.ExprRef(expression)


def click(name: str) -> alt.Parameter:
    """Selection of one mark by its id, read as ``event["selection"][name]``."""
    return alt.selection_point(name=name, fields=["id"], on="click", clear="dblclick")


def note(text: str, theme: Theme) -> alt.Chart:
    """A few muted words in the middle of a figure that has nothing to draw; "" for none."""
    chart: alt.Chart = (
        alt.Chart(frame([{"text": text}] if text else [], ["text"]))
        .mark_text(fontSize=12.5, color=theme.muted)
        .encode(x=alt.value(px("width / 2")), y=alt.value(px("height / 2")), text="text:N")
    )
    return chart


def finish(
    layers: Sequence[alt.Chart],
    theme: Theme,
    *,
    height: int,
    title: alt.TitleParams | None = None,
) -> alt.LayerChart:
    """The layers as a figure for ``st.altair_chart(…, theme=None)``; ``height`` in px is total."""
    figure: alt.LayerChart = (
        alt.LayerChart(layer=list(layers))
        .properties(
            height=height,
            # Without a bottom in the top-level padding Streamlit adds 20 px below the figure.
            padding={"left": 1, "right": 1, "top": 2, "bottom": 1},
        )
        .configure(background="transparent", font=FONT)
        .configure_view(stroke=None)
        .configure_text(font=FONT)
        .configure_title(font=FONT)
        .configure_axis(
            labelColor=theme.muted,
            titleColor=theme.muted,
            labelFont=FONT,
            titleFont=FONT,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            gridColor=theme.grid,
            domainColor=theme.border,
            tickColor=theme.border,
        )
    )
    return figure if title is None else figure.properties(title=title)
