"""The contract of an import (FORMATS 7) for Ragas and mapped tables, and the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.errors import BadInputError
from core.ingest.mapping_toml import loads
from core.store.connection import Store
from core.workflows.exporting import export
from core.workflows.import_options import Options
from core.workflows.importing import import_file
from core.workflows.reports import columns_in_words, contexts_in_words
from core.workflows.review import View
from core.workflows.setup import ensure_store

HEADER = "user_input,response,retrieved_contexts,reference,faithfulness,my_metric,note"
LINES = (
    HEADER,
    "why?,so,\"['a', 'b']\",x,0.5,NaN (rate limit),kept",
    "how?,None,[],\"['y', 'z']\",,0.25,",
)
COLUMNS = (
    'user_input = "question"\nresponse = "answer"\nretrieved_contexts = "contexts"\n'
    'reference = "reference"\nfaithfulness = { role = "metric", lo = 0, hi = 1 }\n'
    'my_metric = "metric"'
)
MAPPING = loads(f"[columns]\n{COLUMNS}")


def csv_of(tmp_path: Path, *lines: str, name: str = "file.csv") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


CONTENT = {
    "sample": "select sample_id, question, answer, reference_texts, is_contexts_recorded, extra "
              "from sample order by position",
    "context": "select position, rank, doc_id, text from context order by all",
    "verdict": "select position, metric, status, value, cause, raw, reasoning from verdict "
               "where metric <> 'refusal' order by all",
    "label": "select position, criterion, rater, value, category from label order by all",
    "tag": "select position, name, value from tag order by all",
    "scale": "select metric, lo, hi, direction from run_metric order by all",
    "run": "select name, tool, tool_version, config from run",
}  # fmt: skip


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    return {name: rows(store, statement) for name, statement in CONTENT.items()}


def test_7_1_a_preview_says_what_an_import_then_does(tmp_path: Path, fresh_store: Store) -> None:
    path = csv_of(tmp_path, *LINES)
    seen = import_file(fresh_store, path, Options(is_dry_run=True))
    assert rows(fresh_store, "select count(*) from run") == [(0,)]
    stored = import_file(fresh_store, path)
    assert seen.as_json() == stored.as_json()
    run = stored.runs[0]
    assert (stored.format, run.samples, run.contexts) == ("ragas", 2, 2)
    assert stored.why == (
        "it has the columns user_input, response, retrieved_contexts, reference and faithfulness, "
        "as Ragas 0.2 or later writes them"
    )
    assert run.metrics["faithfulness"] == {
        "n": 1, "not_applicable": 0, "error": 1, "not_scored": 0, "mean": 0.5, "min": 0.5,
        "max": 0.5, "scale": {"lo": 0, "hi": 1, "direction": "higher"}, "direction": "higher",
        "axis": "groundedness",
    }  # fmt: skip


COLUMNS_READ = [
    {"column": "user_input", "role": "question", "name": None},
    {"column": "response", "role": "answer", "name": None},
    {"column": "nv_context_relevance", "role": "metric", "name": "context_relevance_dual"},
    {"column": "harmfulness", "role": "metric", "name": None},
    {"column": "note", "role": "extra", "name": None},
    {"column": "user_id", "role": "ignore", "name": None},
]


def test_7_1_a_preview_lists_what_the_columns_were_read_as(
    tmp_path: Path, fresh_store: Store
) -> None:
    header = ",".join(column["column"] or "" for column in COLUMNS_READ)
    path = csv_of(tmp_path, header, "?,!,0.5,0,x,u")
    report = import_file(fresh_store, path, Options(is_dry_run=True))
    assert report.as_json()["columns"] == COLUMNS_READ
    assert columns_in_words(report.columns) == [
        "Columns: user_input = question, response = answer, "
        "nv_context_relevance = metric context_relevance_dual, harmfulness = metric",
        "Kept as extra: note",
        "Left out: user_id",
    ]
    # The keys of the neutral format are the roles.
    path = tmp_path / "a.jsonl"
    path.write_text('{"question": "?"}', encoding="utf-8")
    assert import_file(fresh_store, path, Options(is_dry_run=True)).as_json()["columns"] == []


def test_7_1_columns_of_a_map_with_several_uses_raters_and_objects(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"i": "1", "q": "?", "l": "yes", "by": "ann", "s": {"f1": 1}, "x": 0}')
    mapping = loads(
        '[columns]\ni = "sample_id"\nq = "question"\n"s.f1" = "metric"\n'
        'l = [{ role = "label", name = "correct", positive = "yes", rater = "by" }, "tag"]'
    )
    report = import_file(fresh_store, path, Options(is_dry_run=True, mapping=mapping))
    assert [tuple(use) for use in report.columns] == [
        ("i", "sample_id", None),
        ("q", "question", None),
        ("l", "label", "correct"),
        ("l", "tag", None),
        ("by", "rater", None),
        ("x", "extra", None),
        ("s.f1", "metric", None),
    ]


@pytest.mark.parametrize(
    ("name", "content", "reading"),
    [
        (
            "a.jsonl",
            '{"question": "q", "answer": "a"}',
            "RAG Triage JSON Lines because its first rows are JSON objects with question and "
            "answer.",
        ),
        (
            "a.csv",
            "run,sample_id,question,answer\nr,1,q,a\n",
            "RAG Triage CSV because its header begins with run, sample_id, question, answer.",
        ),
        (
            "a.csv",
            "question,faithfulness,context_recall\nq,1,1\n",
            "Ragas because it has the columns question, faithfulness and context_recall, as Ragas "
            "writes them.",
        ),
        (
            "a.json",
            '{"ragas_version": "0.4", "rows": [{"query": "q", "mine": 1}]}',
            "Ragas because it names a ragas_version.",
        ),
        (
            "a.json",
            '{"helpful": [{"metric_input": {"user_input": "q"}, "metric_output": 1}]}',
            "Ragas because helpful lists annotations with metric_input, metric_output.",
        ),
    ],
)
def test_7_1_a_preview_says_why_a_format_was_recognised(
    tmp_path: Path, fresh_store: Store, name: str, content: str, reading: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert import_file(fresh_store, path).reading == f"Read as {reading}"


def test_7_1_a_format_or_map_that_was_given_is_the_reason(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(tmp_path, *LINES)
    asked = import_file(fresh_store, path, Options(is_dry_run=True, format="ragas"))
    mapped = import_file(fresh_store, path, Options(is_dry_run=True, mapping=MAPPING))
    assert asked.reading == "Read as Ragas because this format was asked for."
    assert mapped.reading == (
        "Read as a table with a map of its columns because the map was given."
    )


@pytest.mark.parametrize(
    ("lists", "figures", "words"),
    [
        # Of 0, 1, 2 and 5 the median is (1 + 2) / 2.
        (
            ([], ["a"], ["a", "b"], ["a", "b", "c", "d", "e"]),
            {"min": 0, "median": 1.5, "max": 5, "n": 4},
            "0 to 5 contexts per sample (median 1.5)",
        ),
        (
            (["a"], ["b"], None),
            {"min": 1, "median": 1, "max": 1, "n": 2},
            "1 context per sample, recorded for 2 of 3",
        ),
        (([], []), {"min": 0, "median": 0, "max": 0, "n": 2}, "no sample has a context"),
        ((None, None), None, "contexts not recorded"),
    ],
)
def test_7_1_a_preview_counts_the_contexts_of_a_sample(
    tmp_path: Path, fresh_store: Store, lists: Any, figures: Any, words: str
) -> None:
    path = tmp_path / "a.jsonl"
    records = [{"question": f"q{i}", "contexts": found} for i, found in enumerate(lists)]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    (run,) = import_file(fresh_store, path, Options(is_dry_run=True)).runs
    assert run.contexts_per_sample == figures
    assert contexts_in_words(run) == words


def test_7_1_contexts_are_counted_without_the_rows_left_out(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(
        tmp_path, HEADER, "a?,b,\"['a']\",,,,", "c?,d,\"['a', 'b', 'c']\",,,,", "one cell"
    )
    (run,) = import_file(fresh_store, path, Options(skip_bad_rows=True)).runs
    assert run.contexts_per_sample == {"min": 1, "median": 2, "max": 3, "n": 2}


@pytest.mark.parametrize("mapping", [None, MAPPING], ids=["ragas", "mapped"])
def test_7_2_a_bad_row_refuses_the_file_unless_it_may_be_left_out(
    tmp_path: Path, fresh_store: Store, mapping: Any
) -> None:
    path = csv_of(tmp_path, *LINES, "one cell only")
    refused = import_file(fresh_store, path, Options(mapping=mapping))
    assert [(p.row, p.problem) for p in refused.problems] == [
        (3, "The row has 1 cells, the header 7.")
    ]
    assert rows(fresh_store, "select count(*) from sample") == [(0,)]
    report = import_file(fresh_store, path, Options(mapping=mapping, skip_bad_rows=True))
    assert report.is_stored
    assert rows(fresh_store, "select count(*) from sample") == [(2,)]


def test_7_2_the_same_file_is_recognised_by_its_bytes(tmp_path: Path, fresh_store: Store) -> None:
    first = import_file(fresh_store, csv_of(tmp_path, *LINES))
    again = import_file(fresh_store, csv_of(tmp_path, *LINES, name="other.csv"))
    assert again.duplicate_of is not None
    assert again.duplicate_of["run_ids"] == [first.runs[0].run_id]


def test_7_3_nothing_is_lost(tmp_path: Path, fresh_store: Store) -> None:
    import_file(fresh_store, csv_of(tmp_path, *LINES), Options(mapping=MAPPING))
    extras = [e for (e,) in rows(fresh_store, "select extra from sample order by position")]
    assert [e and json.loads(e) for e in extras] == [{"note": "kept"}, None]
    assert rows(
        fresh_store,
        "select metric, raw from verdict where status = 'error' order by metric",
    ) == [("faithfulness", ""), ("my_metric", "NaN (rate limit)")]


@pytest.mark.parametrize("mapping", [None, MAPPING], ids=["ragas", "mapped"])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_7_4_an_export_is_imported_to_an_equal_run(
    tmp_path: Path, fresh_store: Store, mapping: Any, suffix: str
) -> None:
    report = import_file(fresh_store, csv_of(tmp_path, *LINES), Options(mapping=mapping))
    out = tmp_path / f"file{suffix}"
    export(fresh_store, report.runs[0].run_id, View(), out)
    other, _ = ensure_store(tmp_path / "other.duckdb")
    assert import_file(other, out).is_stored
    assert content(other) == content(fresh_store)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("x" * 10_000_001, "more than the limit of 10,000,000"),
        (json.dumps(["x"] * 1_001), "1,001 contexts, more than the limit of 1,000"),
        (f'[{{"text": "x", "more": {"[" * 60}{"]" * 60}}}]', "nested deeper than 50"),
    ],
)
def test_7_5_limits_are_clear_refusals(
    tmp_path: Path, fresh_store: Store, cell: str, words: str
) -> None:
    path = csv_of(tmp_path, "question,contexts", f'?,"{cell.replace(chr(34), chr(34) * 2)}"')
    mapping = loads('[columns]\nquestion = "question"\ncontexts = "contexts"')
    report = import_file(fresh_store, path, Options(mapping=mapping))
    assert not report.is_stored
    assert words in report.problems[0].problem


def test_7_5_a_file_over_the_limit_is_refused(tmp_path: Path, fresh_store: Store) -> None:
    path = csv_of(tmp_path, *LINES)
    with pytest.raises(BadInputError, match="more than the limit of 10"):
        import_file(fresh_store, path, Options(max_size=10))


@pytest.mark.parametrize("text", ["", " \n \n", HEADER, "[]", "{}", "\ufeff"])
def test_nothing_to_import_is_said_so(tmp_path: Path, fresh_store: Store, text: str) -> None:
    path = tmp_path / "file.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match="nothing to import"):
        import_file(fresh_store, path)


def test_a_map_and_a_format_exclude_each_other(tmp_path: Path, fresh_store: Store) -> None:
    options = Options(mapping=MAPPING, format="ragas")
    with pytest.raises(BadInputError, match="not by both"):
        import_file(fresh_store, csv_of(tmp_path, *LINES), options)


# --- the command line -----------------------------------------------------------------------------


def run(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    return result.exit_code, json.loads(result.stdout)


def test_the_command_line_reads_a_table_by_a_map(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    path = csv_of(tmp_path, "frage;antwort;note", "warum?;darum;4,5", "wie?;so;2")
    map_file = tmp_path / "map.toml"
    map_file.write_text(
        '[columns]\nfrage = "question"\nantwort = "answer"\n'
        'note = { role = "metric", name = "groundedness", lo = 1, hi = 5 }\n'
    )
    code, found = run("import", path, "--store", store)
    assert code == 2
    assert "frage, antwort, note" in found["files"][0]["problems"][0]["problem"]

    code, found = run("import", path, "--map", map_file, "--store", store)
    metrics = found["files"][0]["runs"][0]["metrics"]
    assert (code, found["files"][0]["format"]) == (0, "mapped")
    assert (metrics["groundedness"]["mean"], metrics["groundedness"]["axis"]) == (
        3.25,  # (4.5 + 2) / 2
        "groundedness",
    )


def test_the_command_line_knows_metrics_by_the_name_in_the_file(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    lines = ("user_input,response,answer_relevancy,label", "a,b,0.9,1", "c,d,0.2,0")
    run("import", csv_of(tmp_path, *lines), "--store", store)
    code, found = run("diagnose", "file", "--set", "answer_relevancy=0.95", "--store", store)
    assert (code, found["axes"]["answer_relevance"]["cut"]) == (0, 0.95)
    code, found = run(
        "calibrate", "file", "--score", "answer_relevancy", "--label", "label", "--store", store
    )
    assert (code, found["n"]) == (0, 2)


def test_the_command_line_joins_scores_and_stops_at_unmatched_rows(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    base = csv_of(tmp_path, *LINES, name="base.csv")
    assert run("import", base, "--store", store)[0] == 0
    scores = csv_of(tmp_path, "question,faithfulness,context_recall", "why?,1,1", "what?,0,0",
                    name="scores.csv")  # fmt: skip
    code, found = run("import", scores, "--join", "base", "--store", store)
    assert (code, found["files"][0]["joined"]["match_rate"]) == (2, 0.5)
    code, found = run("import", scores, "--join", "base", "--allow-unmatched", "--store", store)
    assert (code, found["files"][0]["joined"]["matched"]) == (0, 1)
    code, _ = run("import", scores, "--join", "base", "--append", "base", "--store", store)
    assert code == 2
    code, _ = run("import", scores, "--join-by", "question", "--store", store)
    assert code == 2
