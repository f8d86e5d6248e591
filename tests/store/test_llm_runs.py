"""Verdicts of model judges in the store: repeats become one score, judges are never mixed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.model import Call, Judged, JudgeKind, JudgeSpec, Status, Verdict
from core.store import calls, queries, samples, writes
from core.store.connection import Store
from core.store.judges import judge_id
from core.workflows.importing import Options, import_file
from core.workflows.judge_request import Request
from core.workflows.judge_tasks import Place, find_tasks
from core.workflows.review import View, settings

Writer = Callable[..., Path]
JUDGE = JudgeSpec(JudgeKind.LLM, "m", "groundedness@1", "a" * 64, {"temperature": 0.0})
NEWER = JudgeSpec(JudgeKind.LLM, "m", "groundedness@2", "b" * 64, {"temperature": 0.0})


@pytest.fixture
def run(fresh_store: Store, jsonl: Writer) -> str:
    records = [
        {
            "run": "r",
            "sample_id": f"s{n}",
            "question": "Why?",
            "answer": "So.",
            "contexts": [{"text": "A.", "rank": 1}],
        }
        for n in range(2)
    ]
    return str(import_file(fresh_store, jsonl(*records), Options()).runs[0].run_id)


def judged(
    metric: str, votes: Sequence[float | str], judge: JudgeSpec = JUDGE, position: int = 0
) -> list[Judged]:
    """A verdict per repeat: a number is a value, a word the kind of an error."""
    return [
        Judged(
            judge,
            Verdict(position, metric, Status.VALUE, value=vote, repeat=repeat)
            if isinstance(vote, float | int)
            else Verdict(position, metric, Status.ERROR, cause=vote, repeat=repeat),
        )
        for repeat, vote in enumerate(votes)
    ]


def append(store: Store, run_id: str, found: Sequence[Judged]) -> None:
    with store.writing() as connection:
        writes.append_judged(connection, run_id, found)


def wide(store: Store, run_id: str, axis: str, position: int = 0) -> tuple[Any, ...]:
    """Score, status, cause and whether the repeats disagree."""
    with store.reading() as connection:
        (row,) = connection.execute(
            f"select {axis}, {axis}_status, {axis}_cause, is_unstable from wide "
            "where run_id = ? and position = ?",
            [run_id, position],
        ).fetchall()
    return tuple(row)


@pytest.mark.parametrize(
    ("metric", "axis", "votes", "expected"),
    [
        # Rubric: the median; of an even number the lower one.
        ("groundedness_rubric", "groundedness", [4, 4, 2], (4, "value", None, True)),
        ("groundedness_rubric", "groundedness", [1, 3, 5], (3, "value", None, True)),
        ("groundedness_rubric", "groundedness", [4, 5], (4, "value", None, True)),
        ("groundedness_rubric", "groundedness", [5, 5, "timeout"], (5, "value", None, False)),
        # 1 valid of 3 is less than ceil(3 / 2) = 2.
        ("groundedness_rubric", "groundedness", [5, "timeout", "timeout"],
         (None, "error", "timeout", False)),
        # Yes or no: the majority; a tie settles nothing.
        ("correctness", "correctness", [1, 1, 0], (1, "value", None, False)),
        ("correctness", "correctness", [1, 0, "schema"], (None, "error", "inconsistent", False)),
        # 0 to 1: the mean, (0.9 + 0.6 + 0.9) / 3.
        ("adherence", "adherence", [0.9, 0.6, 0.9], (pytest.approx(0.8), "value", None, False)),
    ],
)  # fmt: skip
def test_repeats_become_one_score(
    fresh_store: Store,
    run: str,
    metric: str,
    axis: str,
    votes: list[float | str],
    expected: tuple[Any, ...],
) -> None:
    append(fresh_store, run, judged(metric, votes))
    assert wide(fresh_store, run, axis) == expected


def test_later_error_of_a_repeat_does_not_displace_its_score(fresh_store: Store, run: str) -> None:
    append(fresh_store, run, judged("groundedness_rubric", [4, 4]))
    append(fresh_store, run, judged("groundedness_rubric", ["timeout", "timeout"]))
    assert wide(fresh_store, run, "groundedness")[:3] == (4, "value", None)


def test_verdicts_of_two_prompts_are_two_sets_and_never_one_score(
    fresh_store: Store, run: str
) -> None:
    for position in (0, 1):
        append(fresh_store, run, judged("groundedness_rubric", [5], JUDGE, position))
    append(fresh_store, run, judged("groundedness_rubric", [1], NEWER, 0))
    # The newer prompt has judged one of two samples: the complete set counts, alone.
    assert wide(fresh_store, run, "groundedness", 0)[0] == 5
    assert wide(fresh_store, run, "groundedness", 1)[0] == 5
    append(fresh_store, run, judged("groundedness_rubric", [2], NEWER, 1))
    # Now both are complete, and the newest counts.
    assert wide(fresh_store, run, "groundedness", 0)[0] == 1
    assert wide(fresh_store, run, "groundedness", 1)[0] == 2
    with fresh_store.reading() as connection:
        choice = next(iter(settings(connection, run, View()).choices.values()))
    assert choice.judge_id == judge_id(NEWER)


def test_judges_of_one_batch_keep_their_verdicts_apart(fresh_store: Store, run: str) -> None:
    append(
        fresh_store,
        run,
        [*judged("groundedness_rubric", [5]), *judged("groundedness_rubric", [3], NEWER)],
    )
    with fresh_store.reading() as connection:
        rows = connection.execute(
            "select judge_id, value from verdict where metric = 'groundedness_rubric' order by 2"
        ).fetchall()
    assert rows == [(judge_id(NEWER), 3.0), (judge_id(JUDGE), 5.0)]


def call(key: str, **changed: Any) -> Call:
    values = {"step": "s@1", "prompt": '[{"role": "user", "content": "x\\u0000"}]', **changed}
    return Call(request_sha256=key, **values)


def test_requests_are_kept_in_order_and_only_usable_replies_answer_again(
    fresh_store: Store, run: str
) -> None:
    (one,) = judged("groundedness_rubric", [5])
    made = (
        call("k1", reply="junk", error_kind="invalid_json", error="no", latency=1.0, cost=0.5),
        call("k1", reply="good", finish_reason="stop", latency=3.0, tokens_in=10, tokens_out=2),
        call("k2", reply="old", is_cached=True, cost=0.0),
        call("k3"),
    )
    append(fresh_store, run, [Judged(one.judge, one.verdict, made)])
    with fresh_store.reading() as connection:
        (number,) = connection.execute(
            "select max(verdict_no) from verdict where run_id = ?", [run]
        ).fetchall()[0]
        kept = calls.calls_of(connection, run, number)
        known = calls.cached_replies(connection, ["k1", "k2", "k3", "k4"])
        counts = calls.call_counts(connection, run)
        failed = calls.call_log(connection, run, only_failed=True)
        everything = calls.call_log(connection, run, limit=2)

    assert [(row["n"], row["reply"], row["error_kind"]) for row in kept] == [
        (1, "junk", "invalid_json"), (2, "good", None), (3, "old", None), (4, None, None),
    ]  # fmt: skip
    assert kept[0]["prompt"] == [{"role": "user", "content": "x\0"}]
    assert {key: one.reply for key, one in known.items()} == {"k1": "good"}
    assert (counts["n"], counts["n_failed"], counts["n_cached"]) == (4, 1, 1)
    # Two requests without a known price: what is known is no total.
    assert (counts["cost"], counts["n_unpriced"]) == (0.5, 2)
    # Of 1 s and 3 s; the two others have none.
    assert counts["median_latency"] == 2.0
    assert [(row["n"], row["sample_id"]) for row in failed] == [(1, "s0")]
    assert [row["n"] for row in everything] == [4, 3]


def test_requests_go_with_their_run(fresh_store: Store, run: str) -> None:
    (one,) = judged("groundedness_rubric", [5])
    append(fresh_store, run, [Judged(one.judge, one.verdict, (call("k1", reply="good"),))])
    with fresh_store.writing() as connection:
        writes.delete_run(connection, run)
    with fresh_store.reading() as connection:
        assert calls.cached_replies(connection, ["k1"]) == {}


def due(store: Store, run_id: str, **request: Any) -> dict[Place, tuple[str, ...]]:
    metric = "groundedness_rubric"
    with store.reading() as connection:
        found = queries.find_run(connection, run_id)
        wanted = Request((metric,), **request)
        return find_tasks(connection, found, wanted, {metric: judge_id(JUDGE)}).metrics


def test_what_is_due_goes_by_repeat_and_state(fresh_store: Store, run: str) -> None:
    append(fresh_store, run, judged("groundedness_rubric", [5, "timeout"]))
    append(fresh_store, run, judged("groundedness_rubric", [5, 5, 5], NEWER))
    assert list(due(fresh_store, run, repeats=2)) == [Place(0, 1), Place(1, 0), Place(1, 1)]
    assert list(due(fresh_store, run)) == [Place(0, 1)]
    assert list(due(fresh_store, run, which="failed")) == [Place(1, 0)]
    assert list(due(fresh_store, run, which="all")) == [Place(0, 0), Place(0, 1)]
    with fresh_store.reading() as connection:
        before = calls.newest_verdict(connection, run)
    append(fresh_store, run, judged("groundedness_rubric", [4]))
    # A job that judges everything and was stopped: what it has settled since is left alone.
    assert list(due(fresh_store, run, which="all", since=before)) == [Place(0, 1)]


def test_score_from_some_contexts_only_counts_as_failed_and_a_partial_refusal_does_not(
    fresh_store: Store, run: str
) -> None:
    def with_detail(metric: str) -> Judged:
        verdict = Verdict(0, metric, Status.VALUE, value=1.0, detail={"partial": True})
        return Judged(JUDGE, verdict)

    append(fresh_store, run, [with_detail("context_relevance_rubric"), with_detail("refusal")])
    pairs = [(judge_id(JUDGE), "context_relevance_rubric"), (judge_id(JUDGE), "refusal")]
    with fresh_store.reading() as connection:
        states = samples.judged_states(connection, run, pairs)
    assert {row["metric"]: row["is_failed"] for row in states} == {
        "context_relevance_rubric": True,
        "refusal": False,
    }
