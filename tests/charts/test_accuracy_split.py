from collections.abc import Callable
from typing import Any

import altair as alt

from dashboard.charts.accuracy_split import accuracy_split_figure
from dashboard.theme import Theme

Draw = Callable[[alt.LayerChart], Any]


def outside(draw: Draw, theme: Theme, *, correct: int, grounded: int) -> dict[str, bool]:
    """For each label in the bar of correct answers whether it stands beside the bar."""
    figure = accuracy_split_figure(
        n=150, correct=correct, grounded=grounded, hits=100, effective=90, theme=theme
    )
    return {row["label"]: row["is_outside"] for row in draw(figure).rows if "is_outside" in row}


def test_figure_stands_beside_a_part_that_is_too_narrow_for_it(draw: Draw, theme: Theme) -> None:
    # 3 of 150 are 2 % of the axis, 30 are 20 %; beyond three quarters of it there is no room.
    assert outside(draw, theme, correct=33, grounded=30)["3"] is True
    assert outside(draw, theme, correct=60, grounded=30)["30 without"] is False
    assert outside(draw, theme, correct=140, grounded=137)["3"] is False
