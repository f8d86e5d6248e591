"""How a run that grows went day by day: pass rate and share with a verdict of each day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from core.diagnosis.summary import PatternCount, Summary, summarise
from core.metrics.intervals import Rate, wilson
from core.store import days as reads
from core.store.connection import Store
from core.workflows import review

NO_SAMPLES = "no samples of that day"


@dataclass(frozen=True, slots=True)
class Day:
    """The samples of one day; None is the day of those that have none."""

    day: date | None
    summary: Summary

    @property
    def scored(self) -> Rate:
        """Share of the day's samples that have a verdict."""
        return wilson(self.summary.scored, self.summary.n, NO_SAMPLES)

    @property
    def term(self) -> str:
        """The filter that opens them."""
        return f"day={self.day.isoformat() if self.day else 'none'}"


@dataclass(frozen=True, slots=True)
class Daily:
    """The days of a run that have samples, in order; ``undated`` samples have none.

    ``key`` is the column of the file that dates them; None where no column does and the day is
    that of a sample's first verdict.
    """

    key: str | None
    days: tuple[Day, ...]
    undated: Day | None

    @property
    def n_days(self) -> int:
        """Days from the first to the last, those without samples counted too."""
        if not self.days:
            return 0
        return (_known(self.days[-1]) - _known(self.days[0])).days + 1

    @property
    def empty_days(self) -> list[date]:
        """Days between the first and the last that have no sample."""
        return [
            _known(before) + timedelta(days=ahead)
            for before, after in pairwise(self.days)
            for ahead in range(1, (_known(after) - _known(before)).days)
        ]


def _known(one: Day) -> date:
    assert one.day is not None
    return one.day


def daily(store: Store, run_id: str, view: review.View | None = None) -> Daily:
    """The matched samples of a run by day, at the cuts and judges of a view.

    Raises:
        NotFoundError: no such run.
    """
    with review.matched(store, run_id, view or review.View()) as (connection, found):
        key = reads.fill_days(connection, found.run.run_id)
        counts = reads.day_counts(connection)
    by_day: dict[date | None, list[PatternCount]] = {}
    for day, code, n in counts:
        by_day.setdefault(day, []).append(PatternCount(code, n))
    undated = by_day.pop(None, None)
    return Daily(
        key,
        _days(sorted((day, rows) for day, rows in by_day.items() if day is not None)),
        Day(None, summarise(undated)) if undated else None,
    )


def _days(found: Sequence[tuple[date, list[PatternCount]]]) -> tuple[Day, ...]:
    return tuple(Day(day, summarise(rows)) for day, rows in found)
