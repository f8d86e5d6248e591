"""Samples by day: as the file dates them, else by their first verdict; days without data stay."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError
from core.filters import from_terms
from core.judge import offline
from core.model import Status, Verdict
from core.store import writes
from core.store.connection import Store
from core.workflows import sample_views
from core.workflows.daily import daily
from core.workflows.importing import Options, import_file
from core.workflows.review import View

Writer = Callable[..., Path]
SCORES = {"context_relevance_rubric": 5, "groundedness_rubric": 5, "answer_relevance_rubric": 5}


def row(n: int, **more: Any) -> dict[str, Any]:
    return {
        "run": "live",
        "sample_id": f"s{n}",
        "question": "Why?",
        "answer": "Because it is so.",
        "contexts": [{"text": "It is so.", "rank": 1}],
        "scores": SCORES,
        **more,
    }


def add(store: Store, path: Path) -> str:
    report = import_file(store, path, Options())
    assert report.is_stored, report.problems
    return str(report.runs[0].run_id)


def opened(store: Store, run_id: str, term: str) -> tuple[str, ...]:
    return sample_views.sample_ids(store, run_id, View(wanted=from_terms([term])))


def test_days_of_the_file_with_their_rates_and_gaps(fresh_store: Store, jsonl: Writer) -> None:
    bad = {**SCORES, "groundedness_rubric": 1}
    run_id = add(
        fresh_store,
        jsonl(
            row(0, created_at="2026-11-02T09:00:00Z"),
            # The day as it is written, wherever on earth that was.
            row(1, created_at="2026-11-02T23:30:00-08:00", scores=bad),
            row(2, created_at="2026-11-02", scores={}),
            row(3, created_at=1762300800),  # 2025-11-05 00:00 UTC
            row(4, created_at="2026-11-05 10:00:00", scores=bad),
            row(5, created_at="soon"),
        ),
    )

    found = daily(fresh_store, run_id)

    assert found.key == "created_at"
    assert [(one.day, one.summary.n) for one in found.days] == [
        (date(2025, 11, 5), 1),
        (date(2026, 11, 2), 3),
        (date(2026, 11, 5), 1),
    ]
    second = found.days[1]
    # One passes, one fails, one has no verdict: 1 of 2, and 2 of 3 have one.
    rate = second.summary.pass_rate
    assert (rate.k, rate.n, second.scored.k, second.scored.n) == (1, 2, 2, 3)
    assert rate.low is not None
    assert found.undated is not None
    assert found.undated.summary.n == 1
    # From 5 November 2025 to 5 November 2026 are 366 days, three of them with samples.
    assert (found.n_days, len(found.empty_days)) == (366, 363)
    assert found.empty_days[-2:] == [date(2026, 11, 3), date(2026, 11, 4)]
    assert opened(fresh_store, run_id, second.term) == ("s0", "s1", "s2")
    assert opened(fresh_store, run_id, found.undated.term) == ("s5",)
    assert opened(fresh_store, run_id, "day=2026-11-03") == ()


def test_column_that_dates_most_samples_is_taken(fresh_store: Store, jsonl: Writer) -> None:
    run_id = add(
        fresh_store,
        jsonl(
            row(0, date="2001-01-01", timestamp="2026-11-02T09:00:00"),
            row(1, timestamp=1793750400000),  # milliseconds: 2026-11-04
            row(2, timestamp="3.5"),
        ),
    )

    found = daily(fresh_store, run_id)

    assert found.key == "timestamp"
    assert [one.day for one in found.days] == [date(2026, 11, 2), date(2026, 11, 4)]


def test_run_without_dates_goes_by_first_verdicts(fresh_store: Store, jsonl: Writer) -> None:
    run_id = add(fresh_store, jsonl(*(row(n) for n in range(3))))
    with fresh_store.writing() as connection:
        # As if two of them had come in earlier; a later verdict moves nothing.
        connection.execute(
            "update verdict set judged_at = case position when 0 then timestamp '2026-10-01 08:00' "
            "when 1 then timestamp '2026-10-03 08:00' else timestamp '2026-10-03 23:59' end"
        )
        again = Verdict(0, "groundedness", Status.VALUE, value=0.9)
        writes.append_verdicts(connection, run_id, offline.SPEC, [again])

    found = daily(fresh_store, run_id)

    assert (found.key, found.undated) == (None, None)
    assert [(one.day, one.summary.n) for one in found.days] == [
        (date(2026, 10, 1), 1),
        (date(2026, 10, 3), 2),
    ]
    assert opened(fresh_store, run_id, "day=2026-10-03") == ("s1", "s2")


def test_appended_days_continue_the_trend(fresh_store: Store, jsonl: Writer) -> None:
    run_id = add(fresh_store, jsonl(row(0, created_at="2026-11-02")))
    more = jsonl(row(1, created_at="2026-11-03"), row(2, created_at="2026-11-04"), name="b")
    assert import_file(fresh_store, more, Options(append_to=run_id)).is_stored

    found = daily(fresh_store, run_id)

    assert [one.day for one in found.days if one.day] == [date(2026, 11, n) for n in (2, 3, 4)]
    wanted = View(wanted=from_terms(["day=2026-11-04", "day=2026-11-02"]))
    assert [one.summary.n for one in daily(fresh_store, run_id, wanted).days] == [1, 1]


def test_day_that_is_none_is_refused() -> None:
    for wrong in ("day=2026-13-01", "day=yesterday", "day=", "day.x=2026-11-01"):
        with pytest.raises(BadInputError):
            from_terms([wrong])
    assert from_terms(["day=20261130", "day=none"]).terms() == ["day=2026-11-30", "day=none"]
