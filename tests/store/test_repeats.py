"""Judges that judged more than once: their table, and each of its counts opened."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.errors import BadInputError
from core.filters import from_terms
from core.model import Axis, Judged, JudgeKind, JudgeSpec, Status, Verdict
from core.store import writes
from core.store.connection import Store
from core.store.judges import judge_id
from core.workflows import sample_views
from core.workflows.importing import Options, import_file
from core.workflows.review import View
from core.workflows.steadiness import steadiness

Writer = Callable[..., Path]
JUDGE = JudgeSpec(JudgeKind.LLM, "m", "groundedness@1", "a" * 64, {"temperature": 0.0})
METRIC = "groundedness_rubric"
NAME = f"{METRIC}@{judge_id(JUDGE)}"


@pytest.fixture
def run(fresh_store: Store, jsonl: Writer) -> str:
    rows = [
        {
            "run": "r",
            "sample_id": f"s{n}",
            "question": "Why?",
            "answer": "So.",
            "contexts": [{"text": "A.", "rank": 1}],
        }
        for n in range(5)
    ]
    return str(import_file(fresh_store, jsonl(*rows), Options()).runs[0].run_id)


def judge(store: Store, run_id: str, votes: Sequence[Sequence[float | None]]) -> None:
    made = [
        Judged(
            JUDGE,
            Verdict(at, METRIC, Status.ERROR, cause="timeout", repeat=repeat)
            if vote is None
            else Verdict(at, METRIC, Status.VALUE, value=vote, repeat=repeat),
        )
        for at, row in enumerate(votes)
        for repeat, vote in enumerate(row)
    ]
    with store.writing() as connection:
        writes.append_judged(connection, run_id, made)


def opened(store: Store, run_id: str, *terms: str) -> tuple[str, ...]:
    return sample_views.sample_ids(store, run_id, View(wanted=from_terms(terms)))


def test_table_counts_what_its_terms_open(fresh_store: Store, run: str) -> None:
    judge(fresh_store, run, [[4, 4, 2], [5, 5, 5], [2, None, 2], [4, None, None], [3]])

    (row,) = steadiness(fresh_store, run)

    assert (row.score.name, row.axis, row.is_selected) == (NAME, Axis.GROUNDEDNESS, True)
    assert row.cut.value == 4
    assert (row.found.n, row.found.flips.k, row.found.n_failed) == (3, 1, 3)
    assert opened(fresh_store, run, row.repeated_term) == ("s0", "s1", "s2")
    assert row.flip_term == f"flip.{NAME}=4.0.."
    assert opened(fresh_store, run, row.flip_term) == ("s0",)


def test_cut_of_the_view_decides_what_changes_sides(fresh_store: Store, run: str) -> None:
    judge(fresh_store, run, [[4, 5], [3, 4], [1, 1]])
    view = View(cuts=((Axis.GROUNDEDNESS, 5.0),))

    (row,) = steadiness(fresh_store, run, view)

    assert (row.cut.value, row.found.flips.k) == (5, 1)
    assert row.flip_term is not None
    assert opened(fresh_store, run, row.flip_term) == ("s0",)


def test_filter_narrows_the_table(fresh_store: Store, run: str) -> None:
    judge(fresh_store, run, [[4, 2], [5, 5]])
    view = View(wanted=from_terms(["text=s1"]))

    (row,) = steadiness(fresh_store, run, view)

    assert (row.found.n, row.found.flips.k) == (1, 0)


def test_repeat_that_fails_later_keeps_its_vote(fresh_store: Store, run: str) -> None:
    judge(fresh_store, run, [[4, 2]])
    judge(fresh_store, run, [[None, None]])

    (row,) = steadiness(fresh_store, run)

    assert (row.found.n, row.found.flips.k, row.found.n_failed) == (1, 1, 0)


def test_run_judged_once_has_no_table_and_an_unknown_metric_is_named(
    fresh_store: Store, run: str
) -> None:
    judge(fresh_store, run, [[4], [5]])

    assert steadiness(fresh_store, run) == ()
    assert opened(fresh_store, run, f"repeats.{NAME}=2..") == ()
    for term in ("repeats.nothing=2..", "flip.nothing=4.."):
        with pytest.raises(BadInputError, match="no scores named 'nothing'"):
            opened(fresh_store, run, term)
