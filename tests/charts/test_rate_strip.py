from collections.abc import Callable
from typing import Any

import pytest

from core.metrics.intervals import undefined_rate, wilson
from dashboard.charts.strip import rate_strip
from dashboard.theme import Theme


def test_a_rate_has_dot_interval_and_baseline(draw: Callable[..., Any], theme: Theme) -> None:
    rate = wilson(99, 144)
    drawn = draw(rate_strip(rate, theme=theme, baseline=0.6))
    assert drawn.values("value") == [pytest.approx(99 / 144)]
    assert drawn.values("low") == [pytest.approx(rate.low)]
    assert drawn.values("high") == [pytest.approx(rate.high)]
    assert drawn.values("baseline") == [0.6]
    assert {theme.fill("success"), theme.ink} <= drawn.colours


def test_no_baseline_draws_no_tick(draw: Callable[..., Any], theme: Theme) -> None:
    assert draw(rate_strip(wilson(3, 9), theme=theme)).values("baseline") == []


@pytest.mark.parametrize("rate", [undefined_rate("no reference"), wilson(1, 1), wilson(0, 4)])
def test_what_is_no_rate_draws_only_the_rail(
    draw: Callable[..., Any], theme: Theme, rate: Any
) -> None:
    drawn = draw(rate_strip(rate, theme=theme))
    assert drawn.values("value") == []
    assert drawn.values("zero") == [0]


def test_the_axis_always_runs_from_none_to_all(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(rate_strip(wilson(40, 40), theme=theme, fill=theme.fill("hallucination")))
    domains = [layer["encoding"]["x"]["scale"]["domain"] for layer in drawn.spec["layer"]]
    assert domains == [[0, 1]] * 4
    assert theme.fill("hallucination") in drawn.colours
