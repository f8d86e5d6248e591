"""Pairs of ranks with a baseline beside, and samples by the number of contexts with evidence."""

from collections.abc import Callable
from typing import Any

from core.metrics.intervals import Rate, wilson
from dashboard.charts.count_bars import count_bars
from dashboard.charts.curves import CurvePoint, rate_curve
from dashboard.charts.rank_pairs import rank_pair_figure
from dashboard.theme import Theme, contrast

PAIRS = {(1, 2): wilson(3, 10), (1, 3): wilson(0, 10), (2, 3): wilson(1, 10)}


def tiles(drawn: Any) -> set[tuple[int, int, str]]:
    return {(row["a"], row["b"], row["label"]) for row in drawn.rows if row.get("a")}


def test_a_tile_per_pair_below_the_diagonal(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(rank_pair_figure(PAIRS, theme, what="both hit"))
    assert tiles(drawn) == {
        (1, 2, "30\u202f%"), (1, 3, "0\u202f%"), (2, 3, "10\u202f%"),
    }  # fmt: skip


def test_the_baseline_stands_mirrored_above_it(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(rank_pair_figure(PAIRS, theme, what="both hit", baseline={(1, 2): wilson(5, 10)}))
    assert (2, 1, "50\u202f%") in tiles(drawn)
    assert len(tiles(drawn)) == 4


def test_tiles_say_which_pair_and_which_run_they_are(
    draw: Callable[..., Any], theme: Theme
) -> None:
    figure = rank_pair_figure(
        {(1, 2): wilson(3, 10)}, theme, what="both hit", baseline={(1, 2): wilson(5, 10)},
        more={(1, 2): "near-duplicates: 4"},
    )  # fmt: skip
    drawn = draw(figure)
    tile, mirrored = ({row["id"]: row for row in drawn.rows if row.get("a")}[name]
                      for name in ("1,2", "vs:1,2"))  # fmt: skip
    assert (tile["a"], tile["b"], tile["ranks"]) == (1, 2, "1 and 2")
    assert tile["text"] == "30\u202f% (11–60): 3 of 10; near-duplicates: 4"
    assert (mirrored["a"], mirrored["b"]) == (2, 1)
    assert mirrored["text"] == "baseline: 50\u202f% (24–76): 5 of 10"
    assert any(one["name"] == "pair" for one in figure.to_dict()["params"])


def test_figures_are_readable_on_the_fullest_tile(draw: Callable[..., Any], theme: Theme) -> None:
    pairs = {(1, 2): wilson(10, 10)}
    drawn = draw(rank_pair_figure(pairs, theme, what="both hit", baseline=pairs))
    grounds = {row["ground"] for row in drawn.rows if row.get("a")}
    assert len(grounds) == 1
    assert contrast(theme.ink, grounds.pop()) >= 4.5


def test_one_context_each_has_no_pair(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(rank_pair_figure({}, theme, what="both hit"))
    assert "fewer than two contexts per sample" in drawn.values("text")


def test_bars_by_number_with_the_baseline(draw: Callable[..., Any], theme: Theme) -> None:
    rates = {0: wilson(2, 10), 1: wilson(8, 10)}
    drawn = draw(count_bars(rates, theme, title="contexts", baseline={0: wilson(4, 10)}))
    shown = [(row["m"], row["value"]) for row in drawn.rows if row.get("m") is not None]
    assert set(shown) == {(0, 0.2), (1, 0.8), (0, 0.4)}
    assert "2 of 10 (6–51)" in drawn.values("text")


def test_every_bar_has_a_target_over_its_whole_height(
    draw: Callable[..., Any], theme: Theme
) -> None:
    figure = count_bars(
        {0: wilson(0, 10), 1: wilson(10, 10)}, theme, title="contexts", baseline={0: wilson(4, 10)}
    )
    drawn = draw(figure)
    assert {row["id"] for row in drawn.rows if row.get("m") is not None} == {"0", "1", "vs:0"}
    document = figure.to_dict()
    target = document["layer"][0]
    assert (target["mark"]["type"], target["mark"]["cursor"]) == ("rect", "pointer")
    assert (target["encoding"]["y"]["value"], target["encoding"]["y2"]["value"]["expr"]) == (
        0,
        "height",
    )
    assert any(one["name"] == "count" for one in document["params"])


def test_an_undefined_mean_is_a_dash(draw: Callable[..., Any], theme: Theme) -> None:
    nothing = Rate(None, None, None, 0, 0, "no pair")
    drawn = draw(rank_pair_figure({(1, 2): nothing}, theme, what="words", is_share=False))
    assert tiles(drawn) == {(1, 2, "—")}


def test_curve_names_every_rank_as_a_whole_number(theme: Theme) -> None:
    points = [CurvePoint(k, wilson(k, 4)) for k in (1, 2, 3)]
    axis = rate_curve(points, theme, title="k").to_dict()["layer"][0]["encoding"]["x"]["axis"]
    assert axis["values"] == [1, 2, 3]
    # The format of whole numbers brings a least step of 1, for which 2 is dropped from 1, 2, 3.
    assert "format" not in axis
    assert axis["labelExpr"] == "datum.value"
