"""Importing a file: all or nothing, once, under which name, and what is said about it."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError, NotFoundError
from core.store import queries
from core.store.connection import Store
from core.workflows import importing
from core.workflows.exporting import export
from core.workflows.import_options import Options
from core.workflows.importing import import_file, try_import
from core.workflows.review import View

Writer = Callable[..., Path]


def sample(number: int, **more: Any) -> dict[str, Any]:
    return {
        "run": "r", "sample_id": f"s{number}", "question": f"q{number}", "answer": f"a{number}",
        **more,
    }  # fmt: skip


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


def is_empty(store: Store) -> bool:
    counts = rows(
        store,
        "select (select count(*) from run) + (select count(*) from sample) + "
        "(select count(*) from verdict) + (select count(*) from import)",
    )
    return counts == [(0,)]


# --- what is said ---------------------------------------------------------------------------------


def test_report_counts_every_state_of_every_metric(fresh_store: Store, jsonl: Writer) -> None:
    judge = {"kind": "llm", "model": "m-1"}
    verdicts = [{"metric": "groundedness_rubric", "judge": judge, "status": "not_applicable",
                 "cause": "no_claims"}]  # fmt: skip
    file = jsonl(
        sample(1, scores={"m": 0, "x": 3}, labels={"correct": 1, "tone": "kind"}),
        sample(2, scores={"m": 1.0, "x": None}, labels={"correct": 0}),
        sample(3, scores={"m": "?"}, verdicts=verdicts, contexts=["c", "d"], gold_doc_ids=["g"]),
        sample(4),
    )

    (run,) = import_file(fresh_store, file).runs

    assert (run.samples, run.contexts, run.gold) == (4, 2, 1)
    assert run.metrics == {
        "m": {
            "n": 2, "not_applicable": 0, "error": 1, "not_scored": 1, "mean": 0.5, "min": 0.0,
            "max": 1.0, "scale": {"lo": 0.0, "hi": 1.0, "direction": "higher"},
            "direction": "higher", "axis": None,
        },
        "x": {
            "n": 1, "not_applicable": 0, "error": 1, "not_scored": 2, "mean": 3.0, "min": 3.0,
            "max": 3.0, "scale": None, "direction": "higher", "axis": None,
        },
        "groundedness_rubric": {
            "n": 0, "not_applicable": 1, "error": 0, "not_scored": 3, "mean": None, "min": None,
            "max": None, "scale": {"lo": 1, "hi": 5, "direction": "higher"}, "direction": "higher",
            "axis": "groundedness",
        },
    }  # fmt: skip
    assert run.labels == {
        "correct": {"n": 2, "mean": 0.5, "min": 0.0, "max": 1.0},
        "tone": {"n": 1, "mean": None, "min": None, "max": None},
    }


def test_dry_run_says_what_the_import_then_says_and_stores_nothing(
    fresh_store: Store, jsonl: Writer
) -> None:
    import_file(fresh_store, jsonl(sample(9), name="taken"))
    file = jsonl(
        sample(1, scores={"m": "bad"}), sample(2, question={"a": 1}), {"question": "no id"}, ""
    )
    before = rows(fresh_store, "select count(*) from sample")

    preview = import_file(fresh_store, file, Options(is_dry_run=True))
    assert rows(fresh_store, "select count(*) from sample") == before
    stored = import_file(fresh_store, file)

    assert preview.as_json() == stored.as_json()
    assert [run.name for run in stored.runs] == ["r (2)", "file"]
    assert len(stored.notices) == 4
    assert (preview.is_stored, stored.is_stored) == (False, True)


def test_repairs_are_notices_and_kept_with_the_import(fresh_store: Store, jsonl: Writer) -> None:
    file = jsonl({"question": "a\x00b"}, {"question": "c"}, {"question": ["d"]})

    report = import_file(fresh_store, file)

    assert [tuple(notice) for notice in report.notices] == [
        (1, "NUL characters or lone surrogates were replaced by U+FFFD.", 1),
        (1, "The row has no sample_id; one was made for it.", 3),
        (3, "question is no text; it was kept as its JSON text.", 1),
    ]
    assert report.problems == []
    assert rows(fresh_store, "select row_no, n from import_problem where kind = 'notice'") == [
        (1, 1), (1, 3), (3, 1),
    ]  # fmt: skip
    assert rows(fresh_store, "select question from sample order by position") == [
        ("a\ufffdb",), ("c",), ('["d"]',),
    ]  # fmt: skip


# --- all or nothing -------------------------------------------------------------------------------


def test_file_with_a_bad_row_is_refused_whole_and_all_problems_are_listed(
    fresh_store: Store, jsonl: Writer
) -> None:
    file = jsonl(sample(1), "{broken", sample(2), sample(3, contexts=7), sample(1))

    report = import_file(fresh_store, file)

    assert [problem.row for problem in report.problems] == [2, 4, 5]
    assert not report.is_stored
    assert is_empty(fresh_store)


def test_bad_rows_are_left_out_on_request(fresh_store: Store, jsonl: Writer) -> None:
    file = jsonl(
        sample(1, contexts=["c"]), "{broken", sample(1, contexts=["d"], scores={"m": 9}), sample(2)
    )

    report = import_file(fresh_store, file, Options(skip_bad_rows=True))

    assert report.is_stored
    assert [problem.row for problem in report.problems] == [2, 3]
    (run,) = report.runs
    # What hung on the row that was left out is not counted: its context, its score.
    assert (run.samples, run.contexts, run.metrics) == (2, 1, {})
    assert rows(fresh_store, "select n_samples from run") == [(2,)]
    assert rows(fresh_store, "select text from context") == [("c",)]
    kept = rows(fresh_store, "select row_no, kind from import_problem order by row_no")
    assert kept == [(2, "problem"), (3, "problem")]


def test_file_of_bad_rows_only_stores_nothing(fresh_store: Store, jsonl: Writer) -> None:
    report = import_file(
        fresh_store, jsonl(sample(1, contexts=7), name="bad"), Options(skip_bad_rows=True)
    )

    assert not report.is_stored
    assert len(report.problems) == 1
    assert is_empty(fresh_store)


@pytest.mark.parametrize("is_dry_run", [False, True])
def test_problem_of_no_single_row_cannot_be_left_out(
    is_dry_run: bool, fresh_store: Store, tmp_path: Path
) -> None:
    """Behind a broken element nobody knows where the next one of an array begins."""
    path = tmp_path / "array.json"
    path.write_text(json.dumps([sample(1), sample(2)])[:-20], encoding="utf-8")
    options = Options(skip_bad_rows=True, is_dry_run=is_dry_run)

    report = import_file(fresh_store, path, options)

    assert [problem.row for problem in report.problems] == [None]
    assert report.runs[0].samples == 1
    assert report.is_refused(options)
    assert is_empty(fresh_store)


def test_b06_two_samples_with_one_id_are_refused_with_both_rows(
    fresh_store: Store, jsonl: Writer
) -> None:
    file = jsonl(sample(1), {"run": "r", "sample_id": 7, "question": "q"}, sample(1),
                 {"run": "r", "sample_id": "7", "question": "q"},
                 {"run": "r", "sample_id": "007", "question": "q"})  # fmt: skip

    report = import_file(fresh_store, file)

    assert [tuple(problem) for problem in report.problems] == [
        (3, "sample_id 's1' is in row 1 of the same run already."),
        (4, "sample_id '7' is in row 2 of the same run already."),
    ]


# --- once -----------------------------------------------------------------------------------------


def test_the_same_bytes_are_stored_once_under_whatever_name(
    fresh_store: Store, jsonl: Writer
) -> None:
    first = import_file(fresh_store, jsonl(sample(1), name="one"))
    again = import_file(fresh_store, jsonl(sample(1), name="two"))

    assert again.duplicate_of is not None
    assert again.duplicate_of["file"] == "one.jsonl"
    assert again.duplicate_of["run_ids"] == [first.runs[0].run_id]
    assert again.runs == []
    assert rows(fresh_store, "select count(*) from run") == [(1,)]


def test_b07_other_bytes_under_the_same_name_are_another_run(
    fresh_store: Store, jsonl: Writer
) -> None:
    for number in (1, 2, 3):
        import_file(fresh_store, jsonl(sample(number), name="same"))

    assert rows(fresh_store, "select name from run order by imported_at, name") == [
        ("r",), ("r (2)",), ("r (3)",),
    ]  # fmt: skip


def test_the_same_file_gives_the_same_ids_in_every_store(
    fresh_store: Store, demo_store: Store, jsonl: Writer
) -> None:
    """The first 12 hex digits of sha256(sha256 of the file, NUL, name of the run in the file)."""
    file = jsonl(sample(1), sample(1, run="other"))
    sha = hashlib.sha256(file.read_bytes()).hexdigest()
    expected = [hashlib.sha256(f"{sha}\0{run}".encode()).hexdigest()[:12] for run in ("r", "other")]

    for store in (fresh_store, demo_store):
        assert [run.run_id for run in import_file(store, file).runs] == expected


# --- options --------------------------------------------------------------------------------------


def test_run_of_a_file_with_one_can_be_named(fresh_store: Store, jsonl: Writer) -> None:
    report = import_file(fresh_store, jsonl(sample(1)), Options(run_name="mine"))

    assert [run.name for run in report.runs] == ["mine"]
    with pytest.raises(BadInputError, match="takes a file with one run"):
        import_file(
            fresh_store, jsonl(sample(1), sample(1, run="x"), name="b"), Options(run_name="mine")
        )


def test_uploaded_file_bears_the_name_that_the_person_knows(
    fresh_store: Store, tmp_path: Path
) -> None:
    path = tmp_path / ".upload-x7"
    path.write_text('{"question": "q"}\n', encoding="utf-8")

    report = import_file(fresh_store, path, Options(display_name="results.jsonl"))

    assert (report.path, report.runs[0].name) == ("results.jsonl", "results")
    assert rows(fresh_store, "select file_name, dataset from run") == [("results.jsonl", "results")]


def test_size_has_a_limit(fresh_store: Store, jsonl: Writer) -> None:
    with pytest.raises(BadInputError, match="more than the limit of 10"):
        import_file(fresh_store, jsonl(sample(1)), Options(max_size=10))


def test_b82_full_disk_is_told_before_anything_is_written(
    fresh_store: Store, jsonl: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = importing.shutil.disk_usage(fresh_store.path.parent)
    monkeypatch.setattr(importing.shutil, "disk_usage", lambda _: usage._replace(free=1024**2))

    with pytest.raises(BadInputError, match="only 1 MB are free"):
        import_file(fresh_store, jsonl(sample(1)))


@pytest.mark.parametrize(
    "content",
    [b"", b" \n\r\n\t", b"\xef\xbb\xbf", b"\xff\xfe", b"[]", b"{}", b"\x00\x00"],
)
def test_empty_file_has_nothing_to_import(
    content: bytes, fresh_store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)

    with pytest.raises(BadInputError, match=r"empty\.jsonl is empty: there is nothing to import"):
        import_file(fresh_store, path)


def test_header_of_our_own_csv_alone_has_nothing_to_import(
    fresh_store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "header.csv"
    path.write_text("run,sample_id,question,answer,reference\n", encoding="utf-8")

    with pytest.raises(BadInputError, match="holds no samples: there is nothing to import"):
        import_file(fresh_store, path)


def test_missing_file_and_run_are_named(fresh_store: Store, jsonl: Writer, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no file"):
        import_file(fresh_store, tmp_path / "none.jsonl")
    with pytest.raises(NotFoundError, match="There is no run 'r' in the store"):
        import_file(fresh_store, jsonl(sample(1)), Options(append_to="r"))


def test_what_is_wrong_with_a_whole_file_is_a_problem_of_its_report(
    fresh_store: Store, tmp_path: Path
) -> None:
    report = try_import(fresh_store, tmp_path / "none.jsonl")

    assert report.problems[0].row is None
    assert report.is_refused(Options())
    assert report.is_refused(Options(skip_bad_rows=True))


# --- states of runs -------------------------------------------------------------------------------


def states(store: Store) -> list[tuple[Any, ...]]:
    return rows(store, "select name, has_contexts, has_answers from run order by name")


def test_run_without_contexts_and_run_without_answers_are_known_as_such(
    fresh_store: Store, jsonl: Writer
) -> None:
    import_file(
        fresh_store,
        jsonl(
            sample(1, run="bare", contexts=[]),
            sample(1, run="retrieval", answer=" ", contexts=["c"]),
            sample(2, run="retrieval", answer=None),
            sample(1, run="both", answer="", contexts=["c"]),
            sample(2, run="both"),
        ),
    )

    assert states(fresh_store) == [
        ("bare", False, True), ("both", True, True), ("retrieval", True, False),
    ]  # fmt: skip
    # Refusals by pattern: for every sample of a run with answers, for none of the other.
    assert rows(
        fresh_store,
        "select name, position, value, cause from verdict inner join run using (run_id) "
        "where metric = 'refusal' order by all",
    ) == [("bare", 0, 0.0, None), ("both", 0, 1.0, "empty"), ("both", 1, 0.0, None)]


def test_refusal_by_pattern_is_added_only_where_the_file_brings_none_of_that_judge(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    import_file(fresh_store, jsonl(sample(1), sample(2, scores={"refusal": 1})))
    export(fresh_store, "r", View(), tmp_path / "out.jsonl")
    import_file(fresh_store, tmp_path / "out.jsonl")

    assert rows(
        fresh_store,
        "select name, position, kind, count(*) from verdict inner join judge using (judge_id) "
        "inner join run using (run_id) where metric = 'refusal' group by all order by all",
    ) == [
        ("r", 0, "offline", 1), ("r", 1, "imported", 1), ("r", 1, "offline", 1),
        ("r (2)", 0, "offline", 1), ("r (2)", 1, "imported", 1), ("r (2)", 1, "offline", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "info", "scores", "expected"),
    [
        ("mine", None, [0, 1], (0.0, 1.0, "higher", None)),
        ("mine", None, [0, 2], (None, None, "higher", None)),
        ("groundedness", None, [0.5, 0.9], (0.0, 1.0, "higher", None)),
        ("groundedness", None, [1, 5], (None, None, "higher", None)),
        ("groundedness_rubric", None, [1, 1], (1.0, 5.0, "higher", None)),
        ("groundedness_rubric", None, [0, 1], (None, None, "higher", None)),
        (
            "mine", {"lo": 1, "hi": 5, "direction": "lower", "cut": 2}, [1, 1],
            (1.0, 5.0, "lower", 2.0),
        ),
        ("mine", {"lo": None, "hi": None}, [0, 1], (None, None, "higher", None)),
        ("mine", {"lo": 0, "hi": 1, "direction": "lower"}, [0, 7], (None, None, "lower", None)),
        ("mine", {"lo": 0, "hi": 1}, [0, 1.0000000000000002], (0.0, 1.0, "higher", None)),
    ],
)  # fmt: skip
def test_scale_is_declared_or_defined_or_seen_and_unknown_where_scores_leave_it(
    metric: str, info: Any, scores: list[float], expected: Any, fresh_store: Store, jsonl: Writer
) -> None:
    records = [sample(i, scores={metric: score}) for i, score in enumerate(scores)]
    if info is not None:
        records[0]["run_info"] = {"metrics": {metric: info}}

    import_file(fresh_store, jsonl(*records))

    assert rows(fresh_store, "select lo, hi, direction, cut from run_metric") == [expected]


def test_selection_and_cuts_of_an_export_come_along_and_nonsense_is_passed_over(
    fresh_store: Store, jsonl: Writer
) -> None:
    judge = {"kind": "imported", "model": "file"}
    info = {
        "selection": {
            "groundedness": {"metric": "faithfulness", "judge": judge},
            "colour": {"metric": "faithfulness", "judge": judge},
            "adherence": {"metric": ["x"], "judge": judge},
            "refusal": {"metric": "refusal", "judge": {"kind": "robot"}},
        },
        "thresholds": [
            {"metric": "faithfulness", "judge": judge, "cut": 0.55},
            {"metric": "faithfulness", "judge": judge, "cut": "NaN"},
            "nonsense",
        ],
    }
    file = jsonl(sample(1, scores={"faithfulness": 0.6, "groundedness_rubric": 2}, run_info=info))

    run_id = import_file(fresh_store, file).runs[0].run_id

    with fresh_store.reading() as connection:
        chosen = queries.saved_choices(connection, run_id)
        cuts = queries.thresholds(connection, run_id)
    assert [(axis, metric) for axis, (metric, _) in chosen.items()] == [
        ("groundedness", "faithfulness")
    ]
    assert [(metric, cut) for (metric, _), cut in cuts.items()] == [("faithfulness", 0.55)]
    # The file's choice goes before the rubric, which comes first by default.
    assert rows(fresh_store, "select groundedness from wide") == [(0.6,)]


def test_run_info_describes_the_run(fresh_store: Store, jsonl: Writer) -> None:
    info = {
        "name": "My run", "tool": "some tool", "tool_version": "1.2", "note": "n",
        "created_at": "2026-11-30T12:00:00+02:00", "config": {"k": 5, "t": None},
    }  # fmt: skip
    import_file(fresh_store, jsonl(sample(1, run_info=info), name="set"))

    with fresh_store.reading() as connection:
        (run,) = queries.runs(connection)
    assert (run.name, run.dataset, run.tool, run.tool_version, run.note) == (
        "My run", "set", "some tool", "1.2", "n",
    )  # fmt: skip
    assert run.config == {"k": 5, "t": None}
    assert run.created_at is not None
    assert run.created_at.isoformat() == "2026-11-30T10:00:00"


def test_json_array_is_imported_like_lines(fresh_store: Store, tmp_path: Path) -> None:
    path = tmp_path / "array.json"
    path.write_text(json.dumps([sample(1), sample(2)], indent=2), encoding="utf-8")

    report = import_file(fresh_store, path)

    assert report.runs[0].samples == 2
    assert rows(fresh_store, "select source_row from sample order by 1") == [(1,), (2,)]
