"""Pass rate by day: gaps are gaps, few verdicts are hollow, a day without a verdict has no dot."""

from collections.abc import Callable
from datetime import date
from typing import Any

from core.metrics.intervals import Rate, undefined_rate, wilson
from dashboard.charts.days import DayPoint, day_trend
from dashboard.theme import Theme

Draw = Callable[..., Any]


def point(day: int, rate: Rate, n: int = 20) -> DayPoint:
    return DayPoint(f"day=2026-11-{day:02}", date(2026, 11, day), rate, wilson(rate.n, n))


def dots(drawn: Any) -> list[dict[str, Any]]:
    return [row for row in drawn.rows if "piece" in row]


def test_day_has_its_rate_interval_and_what_was_scored(draw: Draw, theme: Theme) -> None:
    (row,) = dots(draw(day_trend([point(2, wilson(9, 12))], theme)))

    assert (row["id"], row["day"], row["name"]) == ("day=2026-11-02", "2026-11-02", "2 Nov 2026")
    assert row["value"] == 0.75
    # Wilson for 9 of 12: (9 + 1.9207 ± 1.96 sqrt(9 * 3 / 12 + 0.9604)) / 15.8415
    assert (round(row["low"], 3), round(row["high"], 3)) == (0.468, 0.911)
    assert row["text"] == "75\u202f% (47–91) of 12"
    assert row["scored"] == "12 of 20 (60\u202f%, 39–78)"
    assert row["is_few"] is False


def test_line_breaks_where_days_are_missing_and_they_are_shaded(draw: Draw, theme: Theme) -> None:
    rates = {2: wilson(5, 10), 3: wilson(6, 10), 6: wilson(7, 10), 8: wilson(7, 10)}
    drawn = draw(day_trend([point(day, rate) for day, rate in rates.items()], theme))

    found = [row["piece"] for row in dots(drawn)]
    assert found[0] == found[1]
    assert len(set(found)) == 3
    gaps = [row for row in drawn.rows if "start" in row]
    assert [row["name"] for row in gaps] == ["4 Nov 2026 to 5 Nov 2026", "7 Nov 2026"]
    assert gaps[0]["start"] == "2026-11-03T12:00:00Z"
    assert gaps[0]["end"] == "2026-11-05T12:00:00Z"


def test_day_without_a_verdict_has_no_dot_and_breaks_the_line(draw: Draw, theme: Theme) -> None:
    rates = [wilson(5, 10), undefined_rate("nothing decided"), wilson(6, 10)]
    found = dots(draw(day_trend([point(2 + i, rate) for i, rate in enumerate(rates)], theme)))

    assert [row["value"] for row in found] == [0.5, None, 0.6]
    assert found[1]["text"] == "no verdict"
    assert found[0]["piece"] != found[2]["piece"]


def test_few_verdicts_are_marked_and_a_click_selects_the_day(draw: Draw, theme: Theme) -> None:
    drawn = draw(day_trend([point(2, wilson(3, 4)), point(3, wilson(5, 5))], theme))

    assert [row["is_few"] for row in dots(drawn)] == [True, False]
    assert drawn.selections == {"day": ["id"]}


def test_no_verdict_at_all_says_so(draw: Draw, theme: Theme) -> None:
    drawn = draw(day_trend([point(2, undefined_rate("nothing decided"))], theme))
    assert drawn.values("text")[-1] == "no day has a verdict"
    assert draw(day_trend([], theme)).values("text") == ["no day has a verdict"]
