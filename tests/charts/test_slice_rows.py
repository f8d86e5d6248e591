from collections.abc import Callable
from typing import Any

import pytest

from core.metrics.intervals import undefined_rate, wilson
from dashboard.charts.slices import SliceRow, slice_rows
from dashboard.theme import Theme

CHARGING = SliceRow("topic=charging", "topic: charging", wilson(14, 31))


def test_a_slice_shows_its_share_with_interval(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(slice_rows([CHARGING, SliceRow("b", "language: de", wilson(7, 24))], theme))
    assert drawn.values("value") == pytest.approx([14 / 31, 7 / 24])
    # Wilson for 14 of 31: (14 + 1.9207 ± 1.96 sqrt(14 * 17 / 31 + 0.9604)) / 34.8415
    assert drawn.values("figures")[0] == "14 of 31 (45\u202f%, 29–62)"
    assert drawn.values("y") == [0, 1]
    assert drawn.values("text") == []


def test_a_click_selects_the_slice(draw: Callable[..., Any], theme: Theme) -> None:
    assert draw(slice_rows([CHARGING], theme)).selections == {"slice": ["id"]}


def test_too_few_samples_have_counts_but_no_dot(draw: Callable[..., Any], theme: Theme) -> None:
    rows = [SliceRow("a", "a", wilson(1, 1)), SliceRow("b", "b", undefined_rate("none scored"))]
    drawn = draw(slice_rows(rows, theme))
    assert drawn.values("value") == []
    assert drawn.values("figures") == ["1 of 1", "0 of 0"]
    assert drawn.values("reason") == ["too few for a rate", "nothing scored"]


def test_the_whole_run_is_a_labelled_line(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(slice_rows([CHARGING], theme, overall=0.24))
    assert drawn.values("text") == ["whole run 24\u202f%"]


def test_no_slice_says_so(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(slice_rows([], theme))
    assert drawn.values("text") == ["no slices"]
    assert drawn.values("id") == []


def test_a_tag_value_stays_data(draw: Callable[..., Any], theme: Theme) -> None:
    evil = "<img src=x onerror=alert(1)> ' + datum.id + ' https://evil.example"
    drawn = draw(slice_rows([SliceRow(evil, evil, wilson(3, 9))], theme))
    assert drawn.values("name") == [evil]
    assert evil not in str(drawn.spec["layer"])
    assert "href" not in str(drawn.spec)
