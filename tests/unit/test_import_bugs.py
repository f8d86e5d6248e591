"""Data problems that other tools stumbled over (USERS.md B01 to B20), each met at the door."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import BadInputError
from core.ingest.mapping_toml import loads
from core.store.connection import Store
from core.workflows.import_options import Options
from core.workflows.importing import import_file
from core.workflows.reports import FileReport

Writer = Callable[..., Path]


def csv_of(tmp_path: Path, *lines: str, name: str = "file.csv") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


def stored(store: Store, path: Path, columns: str | None = None) -> FileReport:
    mapping = None if columns is None else loads(f"[columns]\n{columns}")
    report = import_file(store, path, Options(mapping=mapping))
    assert report.is_stored, report.problems
    return report


def notices(report: FileReport) -> list[str]:
    return [notice.notice for notice in report.notices]


def scores(store: Store) -> list[tuple[Any, ...]]:
    return rows(
        store,
        "select metric, status, value, cause from verdict join judge using (judge_id) "
        "where kind = 'imported' order by position, metric",
    )


def test_b01_a_list_saved_as_text_is_a_list_and_a_bare_text_one_context(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(
        tmp_path,
        "user_input,response,retrieved_contexts",
        '?,!,"[""a"", ""b""]"',
        "?,!,one bare text",
    )
    report = stored(fresh_store, path)
    assert rows(fresh_store, "select position, rank, text from context order by all") == [
        (0, 1, "a"),
        (0, 2, "b"),
        (1, 1, "one bare text"),
    ]
    assert "Column 'retrieved_contexts' was read as a JSON list." in notices(report)
    assert "Column 'retrieved_contexts' was read as one text." in notices(report)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("ground_truth", ["x"], ["x"]),
        ("ground_truth", "x", ["x"]),
        ("ground_truths", ["x", "y"], ["x", "y"]),
        ("reference", "x", ["x"]),
    ],
)
def test_b02_a_reference_is_a_text_or_a_list_under_old_and_new_names(
    tmp_path: Path, fresh_store: Store, name: str, value: Any, expected: list[str]
) -> None:
    row = {"user_input": "?", "response": "!", name: value}
    path = tmp_path / "file.jsonl"
    path.write_text(json.dumps(row))
    stored(fresh_store, path)
    assert rows(fresh_store, "select reference_texts from sample") == [(expected,)]


def test_b03_nested_gold_ids_keep_their_groups(fresh_store: Store, tmp_path: Path) -> None:
    path = tmp_path / "qa.parquet"
    table = {"query": ["?"], "retrieval_gt": [[["a", "b"], ["c"]]]}
    pq.write_table(pa.table(table), path)
    stored(fresh_store, path, 'query = "question"\nretrieval_gt = "gold_ids"')
    assert rows(fresh_store, "select doc_id, gold_group from gold order by n") == [
        ("a", "1"),
        ("b", "1"),
        ("c", "2"),
    ]


@pytest.mark.parametrize("key", ["text", "content", "page_content"])
def test_b04_the_text_of_a_context_is_found_under_its_known_names(
    tmp_path: Path, fresh_store: Store, key: str
) -> None:
    path = csv_of(tmp_path, "q,c", f"?,\"[{{'{key}': 'x', 'id': 7}}]\"")
    stored(fresh_store, path, 'q = "question"\nc = "contexts"')
    assert rows(fresh_store, "select doc_id, text from context") == [("7", "x")]


def test_b04_a_context_without_a_known_text_is_never_taken_for_empty(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(tmp_path, "q,c", "?,\"[{'body': 'x'}]\"")
    mapping = loads('[columns]\nq = "question"\nc = "contexts"')
    report = import_file(fresh_store, path, Options(mapping=mapping))
    assert not report.is_stored
    assert report.problems[0].problem == (
        "Context 1 has neither text nor doc_id. Its keys are: body."
    )


def test_b04_neutral_rows_with_results_under_other_keys_are_told(
    jsonl: Writer, fresh_store: Store
) -> None:
    row = {"question": "?", "answer": "!", "context": "x", "gpt_groundedness": 5, "page": 1}
    report = stored(fresh_store, jsonl(row))
    assert notices(report)[0].startswith("The keys context, gpt_groundedness are none of this")


def test_b05_answers_that_look_like_missing_values_stay(tmp_path: Path, fresh_store: Store) -> None:
    texts = ["None", "NA", "null", "nan", "N/A", "-", "=1+1", "007", "1e5", "true"]
    path = csv_of(tmp_path, "question,answer", *(f"?,{text}" for text in texts), "?,")
    stored(fresh_store, path, 'question = "question"\nanswer = "answer"')
    assert [answer for (answer,) in rows(fresh_store, "select answer from sample order by position")
            ] == [*texts, ""]  # fmt: skip


def test_b06_two_samples_with_one_id_are_refused_or_numbered(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(tmp_path, "id,q", "7,first", "7,second", "007,third")
    columns = 'id = "sample_id"\nq = "question"'
    refused = import_file(fresh_store, path, Options(mapping=loads(f"[columns]\n{columns}")))
    assert [(p.row, p.problem) for p in refused.problems] == [
        (2, "sample_id '7' is in row 1 of the same run already.")
    ]
    numbered = loads(f"number_repeated_ids = true\n[columns]\n{columns}")
    report = import_file(fresh_store, path, Options(mapping=numbered))
    assert report.runs[0].samples == 3
    assert "A sample id that stands there twice got a number." in notices(report)
    assert rows(fresh_store, "select sample_id from sample order by position") == [
        ("7",),
        ("7 (2)",),
        ("007",),
    ]


def test_b07_runs_of_one_file_and_of_two_files_stay_apart(
    tmp_path: Path, fresh_store: Store
) -> None:
    columns = 'q = "question"\nmodel = "run"\nconfig = "run"'
    first = csv_of(tmp_path, "q,model,config", "?,m,1", "?,m,2", "?,n,1", name="first.csv")
    second = csv_of(tmp_path, "q,model,config", "!,m,1", name="second.csv")
    stored(fresh_store, first, columns)
    stored(fresh_store, second, columns)
    assert sorted(rows(fresh_store, "select name, dataset, n_samples from run")) == [
        ("m · 1", "first", 1),
        ("m · 1 (2)", "second", 1),
        ("m · 2", "first", 1),
        ("n · 1", "first", 1),
    ]


# B08 (random ids) and B19 (scores attached to nothing) are in test_joining.py.


@pytest.mark.parametrize("zero", ["0", "0.0", "-0", "0e0"])
def test_b09_zero_is_a_value_and_missing_is_not_zero(
    tmp_path: Path, fresh_store: Store, zero: str
) -> None:
    path = csv_of(tmp_path, "q,m", f"?,{zero}", "?,")
    stored(fresh_store, path, 'q = "question"\nm = "metric"')
    assert scores(fresh_store) == [
        ("m", "value", 0.0, None),
        ("m", "error", None, "absent_in_file"),
    ]


def test_b09_false_is_zero_and_null_is_missing(tmp_path: Path, fresh_store: Store) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"q": "?", "m": false}\n{"q": "?", "m": null}\n{"q": "?"}\n')
    stored(fresh_store, path, 'q = "question"\nm = "metric"')
    assert scores(fresh_store) == [
        ("m", "value", 0.0, None),
        ("m", "error", None, "absent_in_file"),
    ]


def test_b10_categories_are_not_forced_to_numbers(tmp_path: Path, fresh_store: Store) -> None:
    path = csv_of(tmp_path, "q,l", "?,good", "?,bad", "?,3", "?,true")
    stored(fresh_store, path, 'q = "question"\nl = "label"')
    assert rows(fresh_store, "select value, category from label order by position") == [
        (None, "good"),
        (None, "bad"),
        (3.0, None),
        (1.0, "true"),
    ]


def test_b11_a_value_of_another_type_costs_no_other_row(tmp_path: Path, fresh_store: Store) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"q": 7, "m": "x", "a": ["b"]}\n{"q": "?", "m": 1, "a": "!"}\n')
    stored(fresh_store, path, 'q = "question"\nm = "metric"\na = "answer"')
    assert rows(fresh_store, "select question, answer from sample order by position") == [
        ("7", '["b"]'),
        ("?", "!"),
    ]
    assert scores(fresh_store) == [("m", "error", None, "unparsable"), ("m", "value", 1.0, None)]


def test_b12_a_question_that_is_an_object_is_shown_as_its_json(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"q": {"en": "why?"}, "a": "!"}\n')
    report = stored(fresh_store, path, 'q = "question"\na = "answer"')
    assert rows(fresh_store, "select question from sample") == [('{"en": "why?"}',)]
    assert "question is no text; it was kept as its JSON text." in notices(report)


def test_b13_nan_of_any_source_is_one_and_the_same_missing_value(
    tmp_path: Path, fresh_store: Store
) -> None:
    columns = 'q = "question"\nm = "metric"'
    (tmp_path / "a.jsonl").write_text('{"q": "?", "m": NaN}\n{"q": "?", "m": 1}\n')
    csv_of(tmp_path, "q,m", "?,nan", "?,1", name="b.csv")
    pq.write_table(
        pa.table({"q": ["?", "?"], "m": pa.array([float("nan"), 1.0])}), tmp_path / "c.parquet"
    )
    for name in ("a.jsonl", "b.csv", "c.parquet"):
        stored(fresh_store, tmp_path / name, columns)
    found = rows(
        fresh_store,
        "select distinct name, status, value, cause from verdict join run using (run_id) "
        "where metric = 'm' order by all",
    )
    assert found == [
        (name, status, value, cause)
        for name in ("a", "b", "c")
        for status, value, cause in (
            ("error", None, "absent_in_file"),
            ("value", 1.0, None),
        )
    ]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_b14_what_is_no_json_number_is_missing_with_a_cause_and_never_written(
    tmp_path: Path, fresh_store: Store, word: str
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(f'{{"q": "?", "m": {word}, "other": {word}}}\n{{"q": "!", "m": 1}}\n')
    report = stored(fresh_store, path, 'q = "question"\nm = "metric"')
    assert scores(fresh_store)[0] == ("m", "error", None, "absent_in_file")
    json.dumps(report.as_json(), allow_nan=False)
    ((extra,),) = rows(fresh_store, "select extra from sample where position = 0")
    assert json.loads(extra) == {"other": None}


def test_b15_an_unknown_shape_names_what_it_has(tmp_path: Path, fresh_store: Store) -> None:
    path = csv_of(tmp_path, "prompt_text,reply_text", "?,!")
    with pytest.raises(BadInputError, match="prompt_text, reply_text"):
        import_file(fresh_store, path)
    mapping = loads('[columns]\nuser_input = "question"')
    with pytest.raises(BadInputError, match=r"'user_input', which file\.csv has not"):
        import_file(fresh_store, path, Options(mapping=mapping))


def test_b16_a_metric_without_any_value_is_listed_and_not_left_out(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(tmp_path, "user_input,response,faithfulness,context_recall,answer_correctness",
                  "?,!,1,,0.5", "?,!,0,,0.5")  # fmt: skip
    metrics = stored(fresh_store, path).runs[0].metrics
    assert {name: row["n"] for name, row in metrics.items()} == {
        "faithfulness": 2,
        "context_recall": 0,
        "answer_correctness": 2,
    }


def test_b17_an_answer_is_not_stripped_of_what_looks_like_a_status(
    tmp_path: Path, fresh_store: Store
) -> None:
    # only the importer of the tool that writes such prefixes may take them off
    path = csv_of(tmp_path, "q,a", "?,[PASS] yes")
    stored(fresh_store, path, 'q = "question"\na = "answer"')
    assert rows(fresh_store, "select answer from sample") == [("[PASS] yes",)]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_b18_long_ids_keep_all_their_digits(tmp_path: Path, fresh_store: Store, kind: str) -> None:
    long = 9007199254740993  # 2^53 + 1, which a float rounds
    if kind == "csv":
        path = csv_of(tmp_path, "id,q", f"{long},?", "12345678901234567890,?", "007,?", "7,?")
    elif kind == "jsonl":
        path = tmp_path / "file.jsonl"
        ids = [str(long), "12345678901234567890", '"007"', "7"]
        path.write_text("".join(f'{{"id": {i}, "q": "?"}}\n' for i in ids))
    else:
        path = tmp_path / "file.parquet"
        pq.write_table(pa.table({"id": pa.array([long, 7], pa.int64()), "q": ["?", "?"]}), path)
    stored(fresh_store, path, 'id = "sample_id"\nq = "question"')
    found = [i for (i,) in rows(fresh_store, "select sample_id from sample order by position")]
    expected = [str(long), "12345678901234567890", "007", "7"]
    assert found == ([str(long), "7"] if kind == "parquet" else expected)


def test_b20_a_context_longer_than_the_csv_readers_limit_is_whole(
    tmp_path: Path, fresh_store: Store
) -> None:
    text = "x" * 200_000
    path = csv_of(tmp_path, "q,c", f"?,{text}")
    stored(fresh_store, path, 'q = "question"\nc = { role = "contexts", list = "text" }')
    assert rows(fresh_store, "select length(text) from context") == [(200_000,)]
