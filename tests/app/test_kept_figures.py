"""Figures are drawn once for equal values, and anew for any other."""

import pytest

from core.model import Direction
from dashboard import access
from dashboard.charts.histogram import score_histogram
from dashboard.theme import DARK, LIGHT

VALUES = {"cut": 0.5, "lo": 0.0, "hi": 1.0, "direction": Direction.HIGHER, "theme": LIGHT}


@pytest.mark.parametrize(
    "other",
    [{"cut": 0.6}, {"cut": None}, {"direction": Direction.LOWER}, {"theme": DARK}, {"hi": 2.0}],
)
def test_figure_is_kept_for_equal_values_only(other: dict[str, object]) -> None:
    first = access.figure(score_histogram, (3, 1, 4, 1), **VALUES)
    same = access.figure(score_histogram, (3, 1, 4, 1), **VALUES)
    changed = access.figure(score_histogram, (3, 1, 4, 1), **{**VALUES, **other})
    assert same is first
    assert first.to_dict() == score_histogram((3, 1, 4, 1), **VALUES).to_dict()
    assert changed.to_dict() == score_histogram((3, 1, 4, 1), **{**VALUES, **other}).to_dict()
