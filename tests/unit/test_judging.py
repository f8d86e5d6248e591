"""Judging with the offline judge: which samples, what is kept, where it stops."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError, NotFoundError
from core.judge.offline import SPEC
from core.model import Axis, Status, Verdict
from core.store import queries, writes
from core.store.connection import Store
from core.workflows.importing import import_file
from core.workflows.judge_request import Progress
from core.workflows.judging import Request, check_metrics, hash_share, judge_run

Writer = Callable[..., Path]
GROUNDEDNESS = Request(metrics=("groundedness",))


@pytest.fixture
def store(fresh_store: Store, jsonl: Writer) -> Store:
    """A run of six samples with contexts and answers."""
    records = [
        {
            "run": "r",
            "sample_id": f"s{n}",
            "question": f"What is thing {n} made of?",
            "answer": f"Thing {n} is made of wood.",
            "contexts": [f"Thing {n} is made of wood and glue."],
        }
        for n in range(6)
    ]
    import_file(fresh_store, jsonl(*records))
    return fresh_store


def verdicts(store: Store, metric: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(
            "select position, status from verdict where metric = $metric order by verdict_no",
            {"metric": metric},
        ).fetchall()


def fail(store: Store, *positions: int) -> None:
    """The offline judge never fails; let it have failed all the same."""
    with store.writing() as connection:
        run_id = queries.find_run(connection, "r").run_id
        failed = [
            Verdict(position, "groundedness", Status.ERROR, cause="timeout")
            for position in positions
        ]
        writes.append_verdicts(connection, run_id, SPEC, failed)


def test_missing_is_what_has_no_settled_verdict_of_this_judge(store: Store) -> None:
    judge_run(store, "r", Request(metrics=("groundedness",), sample_ids=("s0", "s1")))
    fail(store, 1, 2)  # the one of s1 does not displace its value

    outcome = judge_run(store, "r", GROUNDEDNESS)

    assert (outcome.done, outcome.skipped) == (4, 2)
    assert [row for row in verdicts(store, "groundedness") if row[1] == "value"] == [
        (n, "value") for n in range(6)
    ]


def test_failed_is_what_has_an_error_as_its_newest_verdict(store: Store) -> None:
    judge_run(store, "r", GROUNDEDNESS)
    fail(store, 3)

    outcome = judge_run(store, "r", Request(metrics=("groundedness",), which="failed"))
    again = judge_run(store, "r", Request(metrics=("groundedness",), which="failed"))

    assert (outcome.done, outcome.skipped) == (1, 5)
    assert verdicts(store, "groundedness")[-1] == (3, "value")
    assert (again.done, again.verdicts) == (0, 0)


def test_all_judges_again_and_keeps_what_was_there(store: Store) -> None:
    judge_run(store, "r", GROUNDEDNESS)

    judge_run(store, "r", Request(metrics=("groundedness",), which="all"))

    assert len(verdicts(store, "groundedness")) == 12


def test_without_metrics_every_axis_is_judged_once(store: Store) -> None:
    outcome = judge_run(store, "r", Request())

    assert outcome.metrics == tuple(axis.value for axis in Axis)
    # Refusals were found at import already.
    assert outcome.verdicts == 5 * 6
    assert outcome.not_applicable == {"correctness": 6}
    assert outcome.cost == 0.0


def test_stop_keeps_what_is_saved_and_the_rest_is_done_later(store: Store) -> None:
    seen: list[Progress] = []

    def stop(now: Progress) -> bool:
        seen.append(now)
        return False

    first = judge_run(store, "r", GROUNDEDNESS, progress=stop)

    assert first.is_cancelled
    assert (seen[0].done, seen[0].total) == (first.done, 6)
    rest = judge_run(store, "r", GROUNDEDNESS)
    assert first.done + rest.done == 6
    assert len(verdicts(store, "groundedness")) == 6


def test_verdict_depends_neither_on_the_batch_nor_on_the_time(store: Store) -> None:
    judge_run(store, "r", Request(metrics=("groundedness",), sample_ids=("s4",)))
    judge_run(store, "r", Request(metrics=("groundedness",), which="all"))

    with store.reading() as connection:
        values = connection.execute(
            "select value, detail from verdict where metric = 'groundedness' and position = 4"
        ).fetchall()

    assert len(values) == 2
    assert values[0] == values[1]


def test_share_is_chosen_by_hash_of_seed_run_and_sample() -> None:
    """sha256("0\\0r\\0s") begins with the eight bytes below, read as a fraction of 2^64."""
    digest = hashlib.sha256(b"0\0r\0s").digest()

    assert hash_share(0, "r", "s") == int.from_bytes(digest[:8], "big") / 2**64
    assert 0 <= hash_share(1, "r", "s") < 1
    assert hash_share(1, "r", "s") != hash_share(0, "r", "s")


def test_a_larger_share_holds_the_smaller_one() -> None:
    ids = [f"s{n}" for n in range(200)]
    small = {one for one in ids if hash_share(0, "r", one) < 0.2}
    large = {one for one in ids if hash_share(0, "r", one) < 0.6}

    assert small < large
    assert 20 < len(small) < 60  # 40 are expected of 200


def test_names_of_metrics_are_axes_or_what_feeds_them() -> None:
    assert check_metrics(["groundedness", "faithfulness"]) == ("groundedness",)
    assert check_metrics([]) == tuple(axis.value for axis in Axis)
    with pytest.raises(BadInputError, match="'rouge_l' is no metric"):
        check_metrics(["rouge_l"])


def test_unknown_run_or_sample_is_named(store: Store) -> None:
    with pytest.raises(NotFoundError, match="There is no run 'x'"):
        judge_run(store, "x", Request())
    with pytest.raises(NotFoundError, match=r"Run 'r' has no sample 'a' \(nor 1 others\)"):
        judge_run(store, "r", Request(sample_ids=("a", "b")))


def test_run_without_contexts_and_one_without_answers_give_causes(
    fresh_store: Store, jsonl: Writer
) -> None:
    import_file(
        fresh_store,
        jsonl(
            {"run": "bare", "question": "q one", "answer": "an answer", "contexts": []},
            {"run": "silent", "question": "q one", "answer": "", "contexts": ["a text"]},
        ),
    )

    for run in ("bare", "silent"):
        judge_run(fresh_store, run, Request())

    with fresh_store.reading() as connection:
        found = connection.execute(
            "select name, metric, cause from verdict inner join run using (run_id) "
            "where status = 'not_applicable' and metric <> 'correctness' order by all"
        ).fetchall()
    assert found == [
        ("bare", "adherence", "contexts_not_recorded"),
        ("bare", "context_relevance", "contexts_not_recorded"),
        ("bare", "groundedness", "contexts_not_recorded"),
        ("silent", "adherence", "no_answers"),
        ("silent", "answer_relevance", "no_answers"),
        ("silent", "groundedness", "no_answers"),
        ("silent", "refusal", "no_answers"),
    ]
