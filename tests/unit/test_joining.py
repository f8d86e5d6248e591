"""Scores and labels of a file for samples that are stored already."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError, NotFoundError
from core.ingest.mapping_toml import loads
from core.store import queries
from core.store.connection import Store
from core.workflows.import_options import Options
from core.workflows.importing import import_file
from core.workflows.join_report import How, JoinReport
from core.workflows.joining import join_file, try_join

BASE = (
    {"run": "base", "sample_id": "a", "question": "What  is x?", "answer": "x is 1",
     "scores": {"groundedness": 0.2}},
    {"run": "base", "sample_id": "b", "question": "What is y?", "answer": "y is 2"},
    {"run": "base", "sample_id": "c", "question": "What is z?", "answer": "z is 3"},
)  # fmt: skip
BY_QUESTION = loads('join = "question"\n[columns]\nq = "question"\nm = "metric"')


@pytest.fixture
def base(tmp_path: Path, fresh_store: Store) -> Store:
    path = tmp_path / "base.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in BASE))
    assert import_file(fresh_store, path).is_stored
    return fresh_store


def csv_of(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


def imported(store: Store) -> list[tuple[Any, ...]]:
    return rows(
        store,
        "select sample_id, metric, status, value from verdict join sample using (run_id, position) "
        "join judge using (judge_id) where kind = 'imported' order by verdict_no",
    )


def test_scores_find_their_samples_by_id_and_feed_the_axes(tmp_path: Path, base: Store) -> None:
    path = csv_of(
        tmp_path, "id,faithfulness,answer_relevancy,human_ok", "b,0.5,0.9,yes", "a,,0.8,no"
    )
    report = join_file(base, path, How("base"))

    assert report.is_stored
    assert (report.by, report.n_rows, report.n_matched, report.match_rate) == ("sample_id", 2, 2, 1)
    assert imported(base) == [
        ("a", "groundedness", "value", 0.2),
        ("b", "faithfulness", "value", 0.5),
        ("b", "answer_relevancy_embed", "value", 0.9),
        ("a", "faithfulness", "error", None),
        ("a", "answer_relevancy_embed", "value", 0.8),
    ]
    assert rows(base, "select criterion, value, category from label order by label_no") == [
        ("human_ok", 1.0, "yes"),
        ("human_ok", 0.0, "no"),
    ]
    assert report.scores["faithfulness"] == {"n": 1, "error": 1, "not_applicable": 0}
    # the wide row that pages read has the new score
    wide = rows(base, "select sample_id, answer_relevance from wide order by sample_id")
    assert wide == [("a", 0.8), ("b", 0.9), ("c", None)]


def test_questions_match_regardless_of_white_space(tmp_path: Path, base: Store) -> None:
    path = csv_of(tmp_path, "q,m", "What is x? ,1", "What is  y?,0")
    report = join_file(base, path, How("base"), Options(mapping=BY_QUESTION))
    assert (report.by, report.n_matched) == ("question", 2)
    assert imported(base)[1:] == [("a", "m", "value", 1.0), ("b", "m", "value", 0.0)]


def test_b08_random_ids_per_run_are_joined_by_question(tmp_path: Path, base: Store) -> None:
    mapping = loads('[columns]\nid = "sample_id"\nq = "question"\nm = "metric"')
    path = csv_of(tmp_path, "id,q,m", "f3a1,What is x?,1", "99bc,What is y?,0")
    by_id = try_join(base, path, How("base"), Options(mapping=mapping))
    assert by_id.problems[0].problem == "None of 2 rows matches a sample of the run."
    report = join_file(base, path, How("base", by="question"), Options(mapping=mapping))
    assert (report.match_rate, report.is_stored) == (1, True)


def test_b19_rows_without_a_sample_stop_the_join_unless_that_is_allowed(
    tmp_path: Path, base: Store
) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "a,1,1", "d,0,0", ",1,1")
    before = imported(base)

    refused = join_file(base, path, How("base"))
    assert not refused.is_stored
    assert refused.is_refused(Options())
    assert (refused.n_matched, refused.n_rows) == (1, 3)
    assert [(p.row, p.problem) for p in refused.problems] == [
        (None, "2 of 3 rows match no sample of 'base'. Nothing was stored; --allow-unmatched "
               "stores the rows that match."),
        (2, "The run has no sample with the sample id 'd'."),
        (3, "The row has no sample id."),
    ]  # fmt: skip
    assert imported(base) == before

    allowed = join_file(base, path, How("base", allow_unmatched=True))
    assert allowed.is_stored
    assert len(imported(base)) == len(before) + 2
    left_out = [n for n in allowed.notices if "left out" in n.notice]
    assert [(n.row, n.n) for n in left_out] == [(2, 2)]


def test_nothing_that_matches_is_refused_even_if_that_is_allowed(
    tmp_path: Path, base: Store
) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "x,1,1")
    report = join_file(base, path, How("base", allow_unmatched=True))
    assert not report.is_stored
    assert report.is_refused(Options())


def test_ambiguous_rows_match_nothing(tmp_path: Path, base: Store) -> None:
    twice = tmp_path / "twice.jsonl"
    twice.write_text("".join(
        json.dumps({"run": "twice", "sample_id": i, "question": "Same?", "answer": ""}) + "\n"
        for i in ("1", "2")
    ))  # fmt: skip
    import_file(base, twice)
    path = csv_of(tmp_path, "q,m", "Same?,1")
    report = join_file(base, path, How("twice"), Options(mapping=BY_QUESTION))
    assert report.unmatched[0].problem == "The run has 2 samples with the question 'Same?'."

    path = csv_of(tmp_path, "q,m", "What is x?,1", "What is x?,0")
    report = join_file(base, path, How("base"), Options(mapping=BY_QUESTION))
    assert [(p.row, p.problem) for p in report.unmatched] == [
        (2, "Row 1 has the same question 'What is x?'.")
    ]


def test_scores_of_another_answer_are_not_attached(tmp_path: Path, base: Store) -> None:
    mapping = loads('join = "question"\n[columns]\nq = "question"\na = "answer"\nm = "metric"')
    path = csv_of(tmp_path, "q,a,m", "What is x?,x  is 1,1", "What is y?,y is 7,0")
    report = join_file(base, path, How("base"), Options(mapping=mapping))
    assert [(p.row, p.problem) for p in report.unmatched] == [
        (2, "The sample with the question 'What is y?' has another answer.")
    ]


def test_joined_scores_stand_beside_those_that_the_run_came_with(
    tmp_path: Path, base: Store
) -> None:
    mapping = loads('join = "sample_id"\n[columns]\nid = "sample_id"\ngroundedness = "metric"')
    path = csv_of(tmp_path, "id,groundedness", "a,0.9", "b,0.8", "c,0.7")
    assert join_file(base, path, How("base"), Options(mapping=mapping)).is_stored
    judges = rows(
        base,
        "select count(distinct judge_id) from verdict where metric = 'groundedness'",
    )
    assert judges == [(2,)]
    with base.reading() as connection:
        scales = queries.metric_scales(connection, queries.find_run(connection, "base").run_id)
    assert scales["groundedness"]["hi"] == 1.0


def test_the_scale_of_the_map_comes_along(tmp_path: Path, base: Store) -> None:
    mapping = loads(
        'join = "sample_id"\n[columns]\nid = "sample_id"\n'
        'm = { role = "metric", name = "groundedness_rubric", lo = 1, hi = 5, cut = 3 }'
    )
    path = csv_of(tmp_path, "id,m", "a,4", "b,2", "c,5")
    join_file(base, path, How("base"), Options(mapping=mapping))
    with base.reading() as connection:
        scales = queries.metric_scales(connection, queries.find_run(connection, "base").run_id)
    assert scales["groundedness_rubric"] == {
        "lo": 1.0, "hi": 5.0, "direction": "higher", "cut": 3.0, "is_declared": True,
    }  # fmt: skip


def test_a_dry_run_says_what_matches_and_stores_nothing(tmp_path: Path, base: Store) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "a,1,1")
    report = join_file(base, path, How("base"), Options(is_dry_run=True))
    assert (report.n_matched, report.is_stored, report.is_refused(Options(is_dry_run=True))) == (
        1,
        False,
        False,
    )
    assert len(imported(base)) == 1


def test_the_same_file_is_joined_once_and_may_still_be_imported(
    tmp_path: Path, base: Store
) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "a,1,1")
    first = join_file(base, path, How("base"))
    again = join_file(base, path, How("base"))
    assert (first.is_stored, again.is_stored) == (True, False)
    assert again.duplicate_of is not None
    assert again.duplicate_of["file"] == "scores.csv"
    assert not again.is_refused(Options())
    # joining fills no run: the same file as a run of its own is no repetition
    assert import_file(base, path).is_stored


def test_the_join_is_in_the_audit_trail(tmp_path: Path, base: Store) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "a,1,1", "b,0,0")
    join_file(base, path, How("base"))
    (new,) = rows(base, "select new_value from audit where action = 'join'")
    assert new[0].startswith("4 scores and 0 labels of scores.csv (")


def test_a_run_that_is_not_there_and_a_file_without_scores_are_refused(
    tmp_path: Path, base: Store
) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "a,1,1")
    with pytest.raises(NotFoundError):
        join_file(base, path, How("none"))
    with pytest.raises(BadInputError, match="sample_id or question"):
        join_file(base, path, How("base", by="place"))
    mapping = loads('[columns]\nid = "sample_id"')
    with pytest.raises(BadInputError, match="neither scores nor labels"):
        join_file(base, path, How("base"), Options(mapping=mapping))
    with pytest.raises(BadInputError, match="--join RUN"):
        import_file(base, path, Options(mapping=BY_QUESTION))


def test_rows_with_problems_are_left_out_only_on_request(tmp_path: Path, base: Store) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "a,1,1", "b,1")
    refused = join_file(base, path, How("base"))
    assert [p.row for p in refused.problems] == [2]
    assert not refused.is_stored
    report = join_file(base, path, How("base"), Options(skip_bad_rows=True))
    assert isinstance(report, JoinReport)
    assert report.is_stored


def test_the_report_is_strict_json(tmp_path: Path, base: Store) -> None:
    path = csv_of(tmp_path, "id,faithfulness,context_recall", "a,1,")
    report = join_file(base, path, How("base")).as_json()
    assert json.loads(json.dumps(report, allow_nan=False))["joined"] == {
        "run_id": report["joined"]["run_id"], "name": "base", "by": "sample_id", "rows": 1,
        "matched": 1, "unmatched": 0, "match_rate": 1.0, "samples": 3, "labels": {},
        "metrics": {
            "faithfulness": {"n": 1, "error": 0, "not_applicable": 0},
            "context_recall": {"n": 0, "error": 1, "not_applicable": 0},
        },
    }  # fmt: skip


def test_a_table_whose_columns_say_what_they_hold_needs_no_map(tmp_path: Path, base: Store) -> None:
    path = csv_of(
        tmp_path,
        "question,correctness,my_score,note",
        "What is x?,1,0.5,good",
        "What is z?,0,0.25,bad",
    )
    report = join_file(base, path, How("base"))
    assert (report.by, report.n_matched, report.match_rate) == ("question", 2, 1)
    assert [(use.column, use.role) for use in report.columns] == [
        ("question", "question"), ("correctness", "metric"), ("my_score", "metric"),
        ("note", "ignore"),
    ]  # fmt: skip
    assert imported(base)[1:] == [
        ("a", "correctness", "value", 1.0),
        ("a", "my_score", "value", 0.5),
        ("c", "correctness", "value", 0.0),
        ("c", "my_score", "value", 0.25),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        # Nothing to find a sample by; no score; several runs in one table; no table.
        ["my_score,other", "0.5,1"],
        ["question,remark", "What is x?,good"],
        ["model,question,my_score", "m1,What is x?,1", "m2,What is x?,0", "m1,What is y?,1",
         "m2,What is y?,0"],
        ["%PDF-1.4 0 0 0"],
    ],
)  # fmt: skip
def test_what_does_not_say_it_is_not_guessed(tmp_path: Path, base: Store, lines: list[str]) -> None:
    path = csv_of(tmp_path, *lines)
    before = imported(base)
    report = try_join(base, path, How("base"))
    assert not report.is_stored
    assert report.problems
    assert imported(base) == before
