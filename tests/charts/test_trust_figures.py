"""Figures of Calibration and Agreement: what is drawn, its colours, and what stands for nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from core.metrics.intervals import Rate, wilson
from core.metrics.operating import Bin
from core.metrics.resampling import Band
from dashboard.charts.confusion import ConfusionTile, confusion_figure
from dashboard.charts.interval_rows import IntervalRow, interval_rows
from dashboard.charts.label_histogram import label_histogram
from dashboard.charts.reliability import reliability_figure
from dashboard.charts.roc import Mark, RocLine, RocPoint, auc_words, pr_figure, roc_figure
from dashboard.theme import Theme

Draw = Callable[..., Any]
LINE = RocLine(
    "groundedness",
    [
        RocPoint(0, 0, None, None),
        RocPoint(0, 0.5, 1.0, 0.9),
        RocPoint(0.5, 1, 0.667, 0.4),
        RocPoint(1, 1, 0.5, 0.1),
    ],
)
EMPTY = RocLine("groundedness", [])
BAND = Band((0.0, 0.5, 1.0), (0.1, 0.6, 1.0), (0.9, 1.0, 1.0))
CUT = Mark(0.5, 1.0, 0.667, "cut 0.4", is_filled=True)
BEST = Mark(0.0, 0.5, 1.0, "best J at 0.9, in sample", is_filled=False)
NAMES = {"x_title": "false alarms", "y_title": "found"}


def test_roc_draws_curve_band_and_marks(draw: Draw, theme: Theme) -> None:
    facts = ["AUC 0.88 (0.70–0.99)", "4 fail, 6 pass"]
    drawn = draw(roc_figure(LINE, band=BAND, marks=[BEST, CUT], facts=facts, theme=theme, **NAMES))

    assert [row["fpr"] for row in drawn.rows if row.get("name")][:4] == [0, 0, 0.5, 1]
    assert drawn.values("high") == [0.9, 1.0, 1.0]
    assert {"beyond all", "0.9", "0.4", "0.1"} <= set(drawn.values("threshold"))
    assert {*facts, "cut 0.4", "best J at 0.9, in sample"} <= set(drawn.values("text"))
    # The cut in use is filled in the colour of a person's fail, the suggestion is hollow.
    assert theme.failed in drawn.colours
    assert drawn.spec["height"] == 508


def test_names_of_two_close_points_stand_under_each_other(draw: Draw, theme: Theme) -> None:
    # The points lie 0.04 apart, some 18 px: measured from its own point, the name of the upper
    # one would stand on the name of the lower one.
    marks = [
        Mark(0.15, 0.93, 0.9, "best J at 0.62, in sample", is_filled=False),
        Mark(0.15, 0.89, 0.9, "cut 0.63", is_filled=True),
    ]
    drawn = draw(roc_figure(LINE, marks=marks, theme=theme, **NAMES))
    heights = {
        text: [row["y"] for row in drawn.rows if row.get("text") == text]
        for text in ("best J at 0.62, in sample", "cut 0.63")
    }
    assert heights["best J at 0.62, in sample"] == [0.93, 0.89]  # the point, its name
    assert set(heights["cut 0.63"]) == {0.89}
    offsets = {layer["mark"].get("dy") for layer in drawn.spec["layer"]} - {None}
    assert {14, 32} <= offsets


def test_roc_sets_other_scores_beside_by_dashes_not_by_hue(draw: Draw, theme: Theme) -> None:
    others = [RocLine(f"score {i} 0.{i}", LINE.points) for i in range(6)]
    alone = draw(roc_figure(LINE, theme=theme, **NAMES))
    beside = draw(roc_figure(LINE, others=others, theme=theme, **NAMES))

    # No hue of its own: only the ground's colour around the names is new.
    assert beside.colours <= {*alone.colours, theme.ground}
    dashes = {
        tuple(layer["mark"]["strokeDash"])
        for layer in beside.spec["layer"]
        if layer["mark"].get("type") == "line" and "strokeDash" in layer["mark"]
    }
    assert len(dashes) == 5  # four scores and the diagonal
    assert "score 3 0.3" in beside.values("name")
    assert "score 4 0.4" not in beside.values("name")


@pytest.mark.parametrize("figure", [roc_figure, pr_figure])
def test_no_curve_says_so(figure: Callable[..., Any], draw: Draw, theme: Theme) -> None:
    more = {"base_rate": None} if figure is pr_figure else {}
    drawn = draw(figure(EMPTY, theme=theme, **NAMES, **more))
    assert "no curve" in drawn.values("text")
    assert drawn.values("threshold") == []


def test_precision_and_recall_leave_out_where_nothing_is_flagged(draw: Draw, theme: Theme) -> None:
    nowhere = Mark(0, 0, None, "cut 2", is_filled=True)
    drawn = draw(pr_figure(LINE, marks=[CUT, nowhere], base_rate=0.4, theme=theme, **NAMES))
    assert drawn.values("precision") == [1.0, 0.667, 0.5]
    assert [row["y"] for row in drawn.rows if row.get("y") == 0.4] == [0.4, 0.4]
    assert "cut 2" not in drawn.values("text")


def test_area_in_words() -> None:
    assert auc_words(0.894, 0.83, 0.943) == "AUC 0.89 (0.83–0.94)"
    assert auc_words(1.0, None, None) == "AUC 1.00"
    assert auc_words(0.9982, 0.99, 1.0) == "AUC 0.998 (0.99–1.00)"
    assert auc_words(None, None, None) == "AUC —"


def histogram(up: list[int], down: list[int], cut: float | None, theme: Theme) -> Any:
    return label_histogram(
        up, down, names=("ok = 1", "ok = 0"), sides=("low", "high"), cut=cut, lo=0, hi=1,
        title="score", theme=theme,
    )  # fmt: skip


def test_histogram_mirrors_the_sides_and_names_them_with_n(draw: Draw, theme: Theme) -> None:
    drawn = draw(histogram([0, 0, 3, 5], [4, 1, 0, 1], 0.6, theme))
    assert drawn.values("end") == [3, 5, -4, -1, -1]
    assert set(drawn.values("colour")) == {theme.passed, theme.failed}
    assert {"ok = 1, 8", "ok = 0, 6", "low", "high"} <= set(drawn.values("text"))
    # Each name stands over the emptier half.
    ends = {
        row["text"]: row["x"] for row in drawn.rows if str(row.get("text", "")).startswith("ok")
    }
    assert ends == {"ok = 1, 8": 0, "ok = 0, 6": 1}


@pytest.mark.parametrize("cut", [None, 0.0, 1.0, 2.0])
def test_histogram_names_no_sides_where_the_cut_leaves_no_room(
    cut: float | None, draw: Draw, theme: Theme
) -> None:
    drawn = draw(histogram([1, 2], [2, 1], cut, theme))
    assert not {"low", "high"} & set(drawn.values("text"))


def test_histogram_without_scores_says_so(draw: Draw, theme: Theme) -> None:
    assert "no scores" in draw(histogram([], [], 0.5, theme)).values("text")


def test_errors_stand_on_a_tint_and_every_tile_can_be_clicked(draw: Draw, theme: Theme) -> None:
    tiles = [
        ConfusionTile("tn", "fail", "low", "Caught", 35, "73 % of 48", is_error=False),
        ConfusionTile("fp", "fail", "high", "Missed", 13, "27 % of 48", is_error=True),
        ConfusionTile("fn", "pass", "low", "False alarm", 0, "0 % of 92", is_error=True),
        ConfusionTile("tp", "pass", "high", "Rightly passed", 92, "100 % of 92", is_error=False),
    ]
    drawn = draw(
        confusion_figure(tiles, rows=["fail", "pass"], columns=["low", "high"], theme=theme)
    )
    grounds = {row["id"]: row["ground"] for row in drawn.rows}
    assert grounds == {"tn": theme.panel, "fp": theme.mark, "fn": theme.panel, "tp": theme.panel}
    assert drawn.selections == {"cell": ["id"]}
    assert drawn.spec["height"] == 188


def test_reliability_draws_a_dot_per_step_that_has_scores(draw: Draw, theme: Theme) -> None:
    bins = [
        Bin(0, 0.5, 0.2, wilson(1, 10)),
        Bin(0.5, 1, None, wilson(0, 0, "no score in this step")),
    ]
    drawn = draw(reliability_figure(bins, x_title="score", y_title="ok = 1", theme=theme))
    (row,) = [row for row in drawn.rows if row.get("n")]
    assert (row["score"], row["share"], row["n"]) == (0.2, 0.1, 10)
    assert row["text"] == "10\u202f% (2–40) of 10, mean score 0.20"
    assert "no scores" in draw(
        reliability_figure([], x_title="score", y_title="ok", theme=theme)
    ).values("text")


def test_share_of_few_is_a_count_and_an_axis_of_shares_is_in_per_cent(
    draw: Draw, theme: Theme
) -> None:
    rows = [
        IntervalRow("one", Rate(1.0, 0.21, 1.0, 1, 1.0), is_share=True),
        IntervalRow("ten", Rate(0.5, 0.24, 0.76, 10, 5.0), is_share=True),
    ]
    figure = interval_rows(rows, lo=0.0, hi=1.0, title="mean", theme=theme)
    assert draw(figure).values("text")[:2] == ["1 of 1", "50\u202f% (24–76)"]
    assert "datum.value * 100" in figure.to_json()
    rows.append(IntervalRow("mean", Rate(0.5, 0.2, 0.8, 10, 5.0)))
    mixed = interval_rows(rows, lo=0.0, hi=1.0, title="mean", theme=theme)
    assert "datum.value * 100" not in mixed.to_json()


def test_mean_rows_keep_their_order_and_show_n(draw: Draw, theme: Theme) -> None:
    rows = [
        IntervalRow("storage", Rate(2.69, 2.13, 3.25, 16, 43.0)),
        IntervalRow("dosing", Rate(3.5, None, None, 1, 3.5)),
    ]
    drawn = draw(interval_rows(rows, lo=1, hi=5, title="mean", theme=theme))
    assert drawn.values("name") == ["storage", "dosing"]
    assert drawn.values("text")[:2] == ["2.69 (2.13–3.25)", "3.50"]
    assert [row["n"] for row in drawn.rows if row.get("n")] == ["n 16", "n 1"]
    assert "nothing rated" in draw(interval_rows([], lo=1, hi=5, title="", theme=theme)).values(
        "text"
    )
