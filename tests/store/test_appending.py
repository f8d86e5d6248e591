"""Appending a file to a stored run, and what was left out or deleted before."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError
from core.store import queries, writes
from core.store.connection import Store
from core.store.staging import Staging
from core.workflows.importing import Options, import_file
from core.workflows.judging import Request, judge_run
from core.workflows.reports import FileReport

Writer = Callable[..., Path]


def sample(number: int, **more: Any) -> dict[str, Any]:
    return {
        "run": "r",
        "sample_id": f"s{number}",
        "question": f"Question {number}?",
        "answer": f"Answer {number}.",
        "scores": {"m": 0.5},
        "labels": {"correct": 1},
        **more,
    }


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


def append(store: Store, file: Path, **options: Any) -> FileReport:
    return import_file(store, file, Options(append_to="r", **options))


def test_appended_samples_continue_the_run(fresh_store: Store, jsonl: Writer) -> None:
    first = import_file(fresh_store, jsonl(sample(1), sample(2), name="a"))
    judge_run(fresh_store, "r", Request(metrics=("answer_relevance",)))
    run_id = first.runs[0].run_id

    report = append(fresh_store, jsonl(sample(3), sample(4), name="b"))

    assert (report.runs[0].run_id, report.runs[0].name, report.runs[0].samples) == (run_id, "r", 2)
    assert rows(fresh_store, "select position, sample_id from sample order by 1") == [
        (0, "s1"), (1, "s2"), (2, "s3"), (3, "s4"),
    ]  # fmt: skip
    # 2 samples × (score + refusal), 2 judged, 2 × (score + refusal)
    assert rows(fresh_store, "select verdict_no from verdict order by 1") == [
        (n,) for n in range(1, 11)
    ]
    assert rows(fresh_store, "select label_no, position from label order by 1") == [
        (1, 0), (2, 1), (3, 2), (4, 3),
    ]  # fmt: skip
    assert rows(fresh_store, "select n_samples from run") == [(4,)]
    assert rows(fresh_store, "select count(*) from wide") == [(4,)]
    assert rows(fresh_store, "select action, new_value from audit order by audit_no") == [
        ("import", "r (2 samples)"),
        ("judge", "lexical-v1: answer_relevance, missing, 2 samples"),
        ("append", "2 samples"),
    ]


def test_appending_raises_the_version_of_the_run(fresh_store: Store, jsonl: Writer) -> None:
    import_file(fresh_store, jsonl(sample(1), name="a"))
    ((before,),) = rows(fresh_store, "select data_version from run")

    append(fresh_store, jsonl(sample(2), name="b"))

    assert rows(fresh_store, "select data_version from run") == [(before + 1,)]


def test_rows_that_were_left_out_leave_no_place_that_is_taken_twice(
    fresh_store: Store, jsonl: Writer
) -> None:
    """Row 2 repeats an id: without it the run has 2 samples at the positions 0 and 2."""
    file = jsonl(sample(1), sample(1), sample(2), name="a")
    import_file(fresh_store, file, Options(skip_bad_rows=True))

    append(fresh_store, jsonl(sample(3), name="b"))

    found = rows(fresh_store, "select position, sample_id from sample order by 1")
    assert found == [(0, "s1"), (2, "s2"), (3, "s3")]


def test_ids_that_the_run_has_already_are_problems_with_their_row(
    fresh_store: Store, jsonl: Writer
) -> None:
    import_file(fresh_store, jsonl(sample(1), sample(2), name="a"))

    refused = append(fresh_store, jsonl(sample(3), sample(2), name="b"))
    skipped = append(fresh_store, jsonl(sample(3), sample(2), name="b"), skip_bad_rows=True)

    assert refused.problems == [(2, "sample_id 's2' is in the run already.")]
    assert not refused.is_stored
    assert skipped.is_stored
    assert rows(fresh_store, "select count(*) from sample") == [(3,)]


def test_the_same_bytes_are_appended_once(fresh_store: Store, jsonl: Writer) -> None:
    """Without ids in the file the samples would get new ones each time."""
    import_file(fresh_store, jsonl(sample(1), name="a"))
    file = jsonl({"question": "What?", "answer": "That."}, name="b")

    first, second = append(fresh_store, file), append(fresh_store, file)

    assert first.is_stored
    assert not second.is_stored
    assert second.duplicate_of is not None
    assert rows(fresh_store, "select count(*) from sample") == [(2,)]


def test_a_file_with_several_runs_cannot_be_appended(fresh_store: Store, jsonl: Writer) -> None:
    import_file(fresh_store, jsonl(sample(1), name="a"))

    with pytest.raises(BadInputError, match="takes a file with one run"):
        append(fresh_store, jsonl(sample(2), sample(3, run="other"), name="b"))


def test_values_outside_the_scale_of_the_run_make_it_unknown(
    fresh_store: Store, jsonl: Writer
) -> None:
    import_file(fresh_store, jsonl(sample(1), name="a"))
    assert rows(fresh_store, "select lo, hi from run_metric") == [(0.0, 1.0)]

    report = append(fresh_store, jsonl(sample(2, scores={"m": 7, "new": 0.25}), name="b"))

    found = rows(fresh_store, "select metric, lo, hi from run_metric order by 1")
    assert found == [("m", None, None), ("new", 0.0, 1.0)]
    assert any("outside its scale" in notice.notice for notice in report.notices)


def test_contexts_and_answers_that_come_later_count_for_the_whole_run(
    fresh_store: Store, jsonl: Writer
) -> None:
    """Before: no answers, so no refusal verdicts. Then all samples have one, also the first two."""
    bare: Mapping[str, Any] = {"answer": "", "contexts": []}
    import_file(fresh_store, jsonl(sample(1, **bare), sample(2, **bare), name="a"))
    assert rows(fresh_store, "select has_answers, has_contexts from run") == [(False, False)]
    assert rows(fresh_store, "select count(*) from verdict where metric = 'refusal'") == [(0,)]

    contexts = [{"doc_id": "d", "text": "t"}]
    append(fresh_store, jsonl(sample(3, contexts=contexts), name="b"))

    assert rows(fresh_store, "select has_answers, has_contexts from run") == [(True, True)]
    assert rows(
        fresh_store,
        "select position, refusal, refusal_cause, context_relevance_cause from wide order by 1",
    ) == [(0, 1.0, "empty", "no_contexts"), (1, 1.0, "empty", "no_contexts"), (2, 0.0, None, None)]


def test_a_run_that_changed_meanwhile_is_not_appended_to(
    fresh_store: Store, jsonl: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_file(fresh_store, jsonl(sample(1), name="a"))
    late = jsonl(sample(3), name="late")
    real_detach = Staging.detach

    def detach_while_another_appends(staging: Staging) -> None:
        real_detach(staging)
        monkeypatch.setattr(Staging, "detach", real_detach)
        assert append(fresh_store, jsonl(sample(2), name="b")).is_stored

    monkeypatch.setattr(Staging, "detach", detach_while_another_appends)

    with pytest.raises(BadInputError, match="has changed while the file was read"):
        append(fresh_store, late)

    assert rows(fresh_store, "select count(*) from sample") == [(2,)]
    assert append(fresh_store, late).is_stored


def test_deleted_run_of_a_file_comes_back_alone(fresh_store: Store, jsonl: Writer) -> None:
    file = jsonl(sample(1), sample(1, run="other"), name="a")
    ids = {run.name: run.run_id for run in import_file(fresh_store, file).runs}
    with fresh_store.writing() as connection:
        version = queries.find_run(connection, ids["other"]).data_version
        writes.delete_run(connection, ids["other"])

    report = import_file(fresh_store, file)

    assert [(run.run_id, run.name) for run in report.runs] == [(ids["other"], "other")]
    assert rows(fresh_store, "select count(*) from run") == [(2,)]
    # Caches may still hold what the deleted run had under its old versions.
    assert rows(fresh_store, "select data_version from run where name = 'other'")[0][0] > version
    assert import_file(fresh_store, file).duplicate_of is not None
