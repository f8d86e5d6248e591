"""ROC and precision-recall curves with a band, points to work at, and other scores beside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from core.metrics.resampling import Band
from dashboard.charts.base import finish, frame, note
from dashboard.theme import NARROW, Theme, number, percent

_LINE = "name fpr tpr precision order threshold rates".split()
_KEY = "x x2 y name".split()
_MARK = "x y text".split()
_PERCENT = f"round(datum.value * 100) + '{NARROW}%'"
_DASHES = ([6, 3], [2, 2], [9, 3, 2, 3], [1, 3])
"""Other scores differ by their dashes, since hue says which side to repair and nothing else."""

HEIGHT = 508
_CLOSE = 0.12


@dataclass(frozen=True, slots=True)
class RocPoint:
    """One cut: rates of the event; ``threshold`` is None where nothing counts as high."""

    fpr: float
    tpr: float
    precision: float | None
    threshold: float | None


@dataclass(frozen=True, slots=True)
class RocLine:
    """A curve with its name, which stands beside it."""

    name: str
    points: Sequence[RocPoint]


@dataclass(frozen=True, slots=True)
class Mark:
    """A point on the main curve: filled for the cut in use, hollow for a suggestion."""

    fpr: float
    tpr: float
    precision: float | None
    text: str
    is_filled: bool


def roc_figure(
    main: RocLine,
    *,
    others: Sequence[RocLine] = (),
    band: Band | None = None,
    marks: Sequence[Mark] = (),
    x_title: str,
    y_title: str,
    facts: Sequence[str] = (),
    theme: Theme,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """True against false positive rate, both 0–100 %; ``facts`` stand in the lower right corner.

    Args:
        main: the curve in question; without points only the frame and a note are drawn.
        others: further curves, dashed.
        band: pointwise interval of the main curve.
        marks: points to work at.
        x_title: what a false alarm is, in words.
        y_title: what a hit is, in words.
        facts: lines such as the area with its interval, the most important one first.
        theme: colours.
        height: px of the whole figure.
    """
    x, y = _axis("fpr", x_title), _axis("tpr", y_title, is_y=True)
    layers = [
        _band(band, x, y, theme),
        _line(frame([{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}], ["x", "y"]), x, y).mark_line(
            color=theme.muted, strokeDash=[3, 3], strokeWidth=1
        ),
        *_curves(main, others, x, y, theme),
        *_marks([(m.fpr, m.tpr, m) for m in marks], x, y, theme),
        *_facts(facts, x, y, theme, at=(1.0, 0.05)),
        note("" if main.points else "no curve", theme),
    ]
    return finish(layers, theme, height=height)


def pr_figure(
    main: RocLine,
    *,
    others: Sequence[RocLine] = (),
    marks: Sequence[Mark] = (),
    base_rate: float | None,
    x_title: str,
    y_title: str,
    facts: Sequence[str] = (),
    theme: Theme,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """Precision against recall; the dashed line is the share of the event: what guessing gives."""
    x, y = _axis("tpr", x_title), _axis("precision", y_title, is_y=True)
    ends = [{"x": 0.0, "y": base_rate}, {"x": 1.0, "y": base_rate}] if base_rate is not None else []
    layers = [
        _line(frame(ends, ["x", "y"]), x, y).mark_line(
            color=theme.muted, strokeDash=[3, 3], strokeWidth=1
        ),
        *_curves(main, others, x, y, theme),
        *_marks([(m.tpr, m.precision, m) for m in marks if m.precision is not None], x, y, theme),
        *_facts(facts, x, y, theme, at=(1.0, 0.05)),
        note("" if main.points else "no curve", theme),
    ]
    return finish(layers, theme, height=height)


def _axis(field: str, title: str, *, is_y: bool = False) -> "alt.X | alt.Y":
    axis = alt.Axis(
        title=title,
        values=[0, 0.25, 0.5, 0.75, 1],
        labelExpr=_PERCENT,
        grid=True,
        domain=False,
        ticks=False,
        titlePadding=8,
    )
    scale = alt.Scale(domain=[0, 1], nice=False)
    channel = alt.Y if is_y else alt.X
    return channel(f"{field}:Q", scale=scale, axis=axis)


def _with(channel: "alt.X | alt.Y", field: str) -> "alt.X | alt.Y":
    """The same scale and axis over another field: layers share one axis object."""
    changed = channel.copy()
    changed.shorthand = f"{field}:Q"
    return changed


def _line(data: object, x: "alt.X | alt.Y", y: "alt.X | alt.Y") -> alt.Chart:
    chart: alt.Chart = alt.Chart(data).encode(x=_with(x, "x"), y=_with(y, "y"))  # type: ignore[arg-type]
    return chart


def _curves(
    main: RocLine,
    others: Sequence[RocLine],
    x: "alt.X | alt.Y",
    y: "alt.X | alt.Y",
    theme: Theme,
) -> list[alt.Chart]:
    tooltip = [
        alt.Tooltip("name:N", title="Score"),
        alt.Tooltip("threshold:N", title="Cut"),
        alt.Tooltip("rates:N", title="Rates"),
    ]
    order = alt.Order("order:Q")
    layers = []
    for i, line in enumerate(others[: len(_DASHES)]):
        dashed = alt.Chart(frame(_rows(line), _LINE)).mark_line(
            color=theme.muted, strokeDash=_DASHES[i], strokeWidth=1.6
        )
        layers.append(dashed.encode(x=x, y=y, order=order, tooltip=tooltip))
        layers += _key(i, line.name, x, y, theme)
    base = alt.Chart(frame(_rows(main), _LINE))
    layers.append(base.mark_line(color=theme.ink, strokeWidth=2).encode(x=x, y=y, order=order))
    # Wide and unseen: the line itself is too thin to be pointed at.
    layers.append(
        base.mark_point(size=120, opacity=0, color=theme.ink).encode(x=x, y=y, tooltip=tooltip)
    )
    return layers


def _key(
    i: int, name: str, x: "alt.X | alt.Y", y: "alt.X | alt.Y", theme: Theme
) -> list[alt.Chart]:
    """Dashes and name of a curve beside the main one, at the right where curves hardly ever are.

    Names at the curves themselves would hide each other: good scores lie close together.
    """
    at = frame([{"x": 0.93, "x2": 0.985, "y": 0.38 - 0.05 * i, "name": name}], _KEY)
    dashes = alt.Chart(at).mark_rule(color=theme.muted, strokeDash=_DASHES[i], strokeWidth=1.6)
    return [
        dashes.encode(x=_with(x, "x"), x2="x2:Q", y=_with(y, "y")),
        *(
            text.encode(text="name:N")
            for text in _over_lines(
                _line(at, x, y), theme, align="right", dx=-6, fontSize=12, color=theme.muted
            )
        ),
    ]


def _over_lines(base: alt.Chart, theme: Theme, **style: Any) -> list[alt.Chart]:
    """A text with an edge of the ground's colour, so that lines behind it do not cross it."""
    edge = {**style, "color": theme.ground, "stroke": theme.ground, "strokeWidth": 4}
    return [base.mark_text(**edge), base.mark_text(**style)]


def _rows(line: RocLine) -> list[dict[str, object]]:
    return [
        {
            "name": line.name,
            "fpr": point.fpr,
            "tpr": point.tpr,
            "precision": point.precision,
            "order": order,
            "threshold": "beyond all" if point.threshold is None else f"{point.threshold:.4g}",
            "rates": f"TPR {percent(point.tpr)}, FPR {percent(point.fpr)}",
        }
        for order, point in enumerate(line.points)
    ]


def _band(band: Band | None, x: "alt.X | alt.Y", y: "alt.X | alt.Y", theme: Theme) -> alt.Chart:
    rows = (
        [
            {"fpr": at, "tpr": low, "high": high}
            for at, low, high in zip(band.fpr, band.low, band.high, strict=True)
        ]
        if band is not None
        else []
    )
    chart: alt.Chart = (
        alt.Chart(frame(rows, ["fpr", "tpr", "high"]))
        .mark_area(color=theme.neutral, opacity=0.25)
        .encode(x=x, y=y, y2="high:Q")
    )
    return chart


def _marks(
    marks: Sequence[tuple[float, float | None, Mark]],
    x: "alt.X | alt.Y",
    y: "alt.X | alt.Y",
    theme: Theme,
) -> list[alt.Chart]:
    layers = []
    # The names of two points that lie close together would hide each other.
    is_close = len(marks) > 1 and max(
        abs(marks[0][0] - marks[1][0]), abs((marks[0][1] or 0) - (marks[1][1] or 0))
    ) < _CLOSE  # fmt: skip
    for at_x, at_y, mark in marks:
        base = _line(frame([{"x": at_x, "y": at_y, "text": mark.text}], _MARK), x, y)
        layers.append(
            base.mark_point(
                filled=True,
                fill=theme.failed if mark.is_filled else theme.ground,
                stroke=theme.ground if mark.is_filled else theme.ink,
                strokeWidth=1.6,
                size=130,
                opacity=1,
            )
        )
        is_right = at_x > 0.55
        is_above = at_y is None or at_y <= 0.2
        names_y = at_y
        if is_close:
            # Measured from one height, or the difference of the points could undo the distance.
            both = [y_of for _, y_of, _ in marks if y_of is not None]
            is_above = min(both) <= 0.2
            names_y = max(both) if is_above else min(both)
        named = _line(frame([{"x": at_x, "y": names_y, "text": mark.text}], _MARK), x, y)
        layers += _over_lines(
            named.encode(text="text:N"),
            theme,
            align="right" if is_right else "left",
            dx=-12 if is_right else 12,
            dy=(32 if is_close and not mark.is_filled else 14) * (-1 if is_above else 1),
            fontSize=12.5,
            fontWeight=600 if mark.is_filled else 400,
            color=theme.ink if mark.is_filled else theme.muted,
        )
    return layers


def _facts(
    facts: Sequence[str],
    x: "alt.X | alt.Y",
    y: "alt.X | alt.Y",
    theme: Theme,
    *,
    at: tuple[float, float],
) -> list[alt.Chart]:
    layers = []
    for i, text in enumerate(reversed(facts)):
        is_first = i == len(facts) - 1
        data = frame([{"x": at[0], "y": at[1] + 0.055 * i, "text": text}], _MARK)
        layers.append(
            _line(data, x, y)
            .mark_text(
                align="right",
                dx=-12,
                fontSize=14 if is_first else 12.5,
                fontWeight=600 if is_first else 400,
                color=theme.ink if is_first else theme.muted,
            )
            .encode(text="text:N")
        )
    return layers


def auc_words(value: float | None, low: float | None, high: float | None) -> str:
    """``AUC 0.89 (0.83–0.94)``."""
    ends = f" ({number(low)}–{number(high)})" if low is not None else ""
    return f"AUC {number(value, cut=1.0)}{ends}"
