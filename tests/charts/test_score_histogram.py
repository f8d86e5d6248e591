from collections.abc import Callable
from typing import Any

import pytest

from core.model import Direction
from dashboard.charts.histogram import score_histogram
from dashboard.theme import Theme

HIGHER, LOWER = Direction.HIGHER, Direction.LOWER


def rubric(counts: list[int], cut: float | None, theme: Theme, way: Direction = HIGHER) -> Any:
    return score_histogram(counts, cut=cut, lo=1, hi=5, direction=way, theme=theme)


def test_a_bar_per_step_dark_from_the_cut_on(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(rubric([9, 8, 8, 34, 85], 4, theme))
    assert drawn.values("left") == [1, 2, 3, 4, 5]
    assert drawn.values("label") == ["9", "8", "8", "34", "85"]
    assert drawn.values("colour") == [theme.border] * 3 + [theme.neutral] * 2


def test_lower_is_better_mirrors_the_sides(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(rubric([9, 8, 8, 34, 85], 2, theme, LOWER))
    assert drawn.values("colour") == [theme.neutral] * 2 + [theme.border] * 3


def test_without_a_cut_all_bars_are_alike(draw: Callable[..., Any], theme: Theme) -> None:
    assert set(draw(rubric([1, 2, 3, 4, 5], None, theme)).values("colour")) == {theme.neutral}


def test_zero_and_one_are_two_steps_not_bins(draw: Callable[..., Any], theme: Theme) -> None:
    figure = score_histogram([3, 7], cut=1, lo=0, hi=1, direction=HIGHER, theme=theme)
    assert draw(figure).values("left") == [0, 1]


def test_twenty_bins_over_a_ratio(draw: Callable[..., Any], theme: Theme) -> None:
    figure = score_histogram([2] * 20, cut=0.7, lo=0, hi=1, direction=HIGHER, theme=theme)
    drawn = draw(figure)
    assert len(drawn.values("left")) == 20
    assert drawn.values("right")[0] == pytest.approx(0.05)
    # 14 bins of 0.05 end at the cut of 0.70
    assert drawn.values("colour") == [theme.border] * 14 + [theme.neutral] * 6
    assert drawn.values("scores")[0] == "0.00–0.05"


@pytest.mark.parametrize(("way", "first"), [(HIGHER, "border"), (LOWER, "neutral")])
def test_the_bin_with_the_cut_inside_changes_colour_there(
    draw: Callable[..., Any], theme: Theme, way: Direction, first: str
) -> None:
    drawn = draw(score_histogram([4, 6], cut=0.3, lo=0, hi=1.5, direction=way, theme=theme))
    # two bins of 0.75: the first one is cut at 0.3
    assert drawn.values("left") == [0, 0.3, 0.75]
    assert drawn.values("samples") == [4, 4, 6]
    assert drawn.values("colour")[0] == getattr(theme, first)
    assert drawn.values("colour")[1] == drawn.values("colour")[2] != drawn.values("colour")[0]


@pytest.mark.parametrize("counts", [[], [0, 0, 0, 0, 0], [0] * 20])
def test_nothing_scored_is_said_and_draws_no_number(
    draw: Callable[..., Any], theme: Theme, counts: list[int]
) -> None:
    drawn = draw(rubric(counts, 4, theme))
    assert drawn.values("text") == ["no scores"]
    assert not any(drawn.values("label"))
    assert not any(drawn.values("samples"))


def test_one_sample_is_enough(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(rubric([0, 0, 0, 1, 0], 4, theme))
    assert drawn.values("label") == ["0", "0", "0", "1", "0"]
    assert drawn.values("text") == []


def test_the_axis_is_the_slider_s(draw: Callable[..., Any], theme: Theme) -> None:
    scale = draw(rubric([1, 1, 1, 1, 1], 4, theme)).spec["layer"][0]["encoding"]["x"]["scale"]
    assert scale["domain"] == [1, 5]
    assert scale["nice"] is False
