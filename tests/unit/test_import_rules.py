"""Rules of FORMATS 2.5 to 2.8 and 7, each through the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.filters import from_terms
from core.ingest import rows as ingest_rows
from core.ingest.mapping import Role, Use
from core.ingest.mapping_toml import dumps
from core.ingest.preview import preview
from core.ingest.table_base import MAX_CELL
from core.store.connection import Store
from core.workflows.diagnosing import diagnose
from core.workflows.review import View

Importing = Callable[..., tuple[int, dict[str, Any]]]
Content = str | bytes | Callable[[Path], None]
QUESTION = '[columns]\nq = "question"\n'
SCORED = f'{QUESTION}m = "metric"\n'
SCORES = (
    "select metric, status, value, cause, raw from verdict join judge using (judge_id) "
    "where kind = 'imported' order by position, metric"
)


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


def notices(report: dict[str, Any]) -> dict[str, int]:
    return {notice["notice"]: notice["n"] for notice in report["notices"]}


def parquet(**columns: Any) -> Callable[[Path], None]:
    return lambda path: pq.write_table(pa.table(columns), path)


# --- 2.5 states -----------------------------------------------------------------------------------

ERROR = f'{SCORED}error = "error"\n'


FAILED = ('"timed out"', '{"code": 500}', "true", "1")
FINE = (
    "null", "false", "0", '""', "[]", "{}", "NaN", '"None"', '"False"', '"no"', '"nan"', '"0"',
)  # fmt: skip


@pytest.mark.parametrize(
    ("row", "mapping", "metric"),
    [
        ('{"question": "?", "error": CELL, "scores": {"m": 0.0}}', None, "m"),
        (
            '{"user_input": "?", "response": "", "error": CELL, "faithfulness": 0.0}',
            None,
            "faithfulness",
        ),
        ('{"q": "?", "error": CELL, "m": 0.0}', ERROR, "m"),
    ],
    ids=["neutral", "ragas", "mapped"],
)
def test_2_5_a_row_that_says_that_it_failed_has_no_scores_and_no_other_has_none(
    fresh_store: Store, imported: Importing, row: str, mapping: str | None, metric: str
) -> None:
    content = "".join(row.replace("CELL", cell) + "\n" for cell in (*FAILED, *FINE))
    assert imported("a.jsonl", content, mapping)[0] == 0
    failed = (metric, "error", None, "reported_by_file", "0.0")
    fine = (metric, "value", 0.0, None, None)
    assert rows(fresh_store, SCORES) == [failed] * len(FAILED) + [fine] * len(FINE)


# --- 2.6 scales and direction ---------------------------------------------------------------------

MAPPED_WORDS = [
    (("True", "False"), (1.0, 0.0)),
    (("yes", "NO"), (1.0, 0.0)),
    (("PASS", "fail"), (1.0, 0.0)),
    (("C", "I"), (1.0, 0.0)),
    (("supported", "unsupported"), (1.0, 0.0)),
]


@pytest.mark.parametrize(("words", "values"), MAPPED_WORDS)
def test_2_6_words_of_a_score_are_binary_without_being_told(
    fresh_store: Store, imported: Importing, words: tuple[str, str], values: tuple[float, float]
) -> None:
    content = f"q,m\n?,{words[0]}\n!,{words[1]}\n-,n/a\n"
    code, report = imported("a.csv", content, SCORED)
    assert code == 0
    assert rows(fresh_store, SCORES) == [
        ("m", "value", values[0], None, words[0]),
        ("m", "value", values[1], None, words[1]),
        ("m", "error", None, "absent_in_file", "n/a"),
    ]
    assert report["runs"][0]["metrics"]["m"]["scale"] == {"lo": 0, "hi": 1, "direction": "higher"}
    assert any("was read as words" in notice for notice in notices(report))


@pytest.mark.parametrize(
    ("name", "words", "values"),
    [
        # whether there is harm: a yes is 1 and bad
        ("hallucination", ("yes", "no"), (1.0, 0.0)),
        ("toxicity", ("True", "False"), (1.0, 0.0)),
        # whether it is good: a pass means that there is none
        ("hallucination", ("pass", "fail"), (0.0, 1.0)),
        ("toxicity", ("good", "bad"), (0.0, 1.0)),
    ],
)
def test_2_6_a_word_means_the_good_end_also_where_lower_is_better(
    fresh_store: Store,
    imported: Importing,
    name: str,
    words: tuple[str, str],
    values: tuple[float, float],
) -> None:
    content = f"q,{name}\n?,{words[0]}\n!,{words[1]}\n"
    code, report = imported("a.csv", content, f'{QUESTION}{name} = "metric"')
    assert code == 0
    assert [value for _, _, value, *_ in rows(fresh_store, SCORES)] == list(values)
    assert report["runs"][0]["metrics"][name]["scale"]["direction"] == "lower"


def test_2_6_words_beside_others_are_no_pair(fresh_store: Store, imported: Importing) -> None:
    content = "q,m\n?,good\n!,fair\n-,bad\n"
    assert imported("a.csv", content, SCORED)[0] == 0
    assert [(status, cause) for _, status, _, cause, _ in rows(fresh_store, SCORES)] == [
        ("error", "unparsable")
    ] * 3


def test_2_6_a_critic_of_ragas_may_be_true_and_false(
    fresh_store: Store, imported: Importing
) -> None:
    content = "user_input,response,harmfulness,coherence\n?,a,True,False\n!,b,False,True\n"
    assert imported("a.csv", content)[0] == 0
    assert [(metric, value) for metric, _, value, *_ in rows(fresh_store, SCORES)] == [
        ("coherence", 0.0), ("harmfulness", 1.0), ("coherence", 1.0), ("harmfulness", 0.0),
    ]  # fmt: skip


LOWER = (
    "hallucination", "noise_sensitivity_relevant", "bias", "toxicity", "harmfulness", "misuse",
    "self_knowledge", "violence", "sexual", "self_harm", "hate_unfairness", "latency", "holes",
    "Hallucination Rate", "hateUnfairness", "answer-toxicity",
)  # fmt: skip
HIGHER = ("faithfulness", "helpfulness", "my_score", "whole_grade")


@pytest.mark.parametrize("form", ["neutral", "mapped", "joined"])
def test_2_6_direction_is_told_by_the_name_in_every_format(
    fresh_store: Store, imported: Importing, form: str
) -> None:
    scores = dict.fromkeys((*LOWER, *HIGHER), 0.5)
    neutral = json.dumps({"question": "?", "answer": "a", "scores": scores})
    mapping = QUESTION + "".join(f'"{name}" = "metric"\n' for name in scores)
    if form == "neutral":
        assert imported("a.jsonl", neutral)[0] == 0
    elif form == "mapped":
        assert imported("a.jsonl", json.dumps({"q": "?", **scores}), mapping)[0] == 0
    else:
        assert imported("a.jsonl", '{"question": "?", "answer": "a"}')[0] == 0
        assert imported("b.jsonl", neutral, None, "--join", "a")[0] == 0
    found = dict(rows(fresh_store, "select metric, direction from run_metric"))
    assert found == dict.fromkeys(LOWER, "lower") | dict.fromkeys(HIGHER, "higher")


def test_2_6_the_map_wins_over_the_name(fresh_store: Store, imported: Importing) -> None:
    # In one tool this score is 1 where the answer is consistent.
    mapping = QUESTION + (
        'hallucination_score = { role = "metric", lo = 0, hi = 1, direction = "higher" }'
    )
    content = "q,hallucination_score\n?,0.9\n!,0.2\n"
    assert imported("a.csv", content, mapping)[0] == 0
    assert rows(fresh_store, "select direction from run_metric") == [("higher",)]


def test_2_6_scales_differ_within_a_row(fresh_store: Store, imported: Importing) -> None:
    content = "q,rating,f1,bleu\n?,4,0.5,33.3\n!,1,0.25,0\n"
    mapping = QUESTION + (
        'rating = { role = "metric", lo = 1, hi = 5 }\nf1 = "metric"\n'
        'bleu = { role = "metric", lo = 0, hi = 100 }'
    )
    assert imported("a.csv", content, mapping)[0] == 0
    assert rows(fresh_store, "select metric, lo, hi from run_metric order by metric") == [
        ("bleu", 0, 100),
        ("f1", 0, 1),
        ("rating", 1, 5),
    ]


@pytest.mark.parametrize("option", ["--append", "--join"])
def test_2_6_the_first_values_of_a_metric_tell_its_scale_whenever_they_come(
    fresh_store: Store, imported: Importing, option: str
) -> None:
    def file(sample_id: str, **scores: float | None) -> str:
        return json.dumps({"sample_id": sample_id, "question": "?", "answer": "", "scores": scores})

    imported("a.jsonl", file("1", mine=None, far=7, rated=None))
    assert rows(fresh_store, "select distinct lo, hi from run_metric") == [(None, None)]
    sample_id = "2" if option == "--append" else "1"
    code, _ = imported("b.jsonl", file(sample_id, mine=0.5, far=0.5, rated=4), None, option, "a")
    assert code == 0
    # far has had a value that fits no scale, and rated has one now.
    assert rows(fresh_store, "select metric, lo, hi from run_metric order by metric") == [
        ("far", None, None),
        ("mine", 0, 1),
        ("rated", None, None),
    ]


@pytest.mark.parametrize(
    ("score", "mode"),
    [
        (1.0, "success"),
        (0.9999999999, "success"),  # a perfect precision as it is computed
        (1.0000000000000002, "success"),
        (0.99, "score_conflict"),  # the answer is good although nothing relevant was found
    ],
)
def test_2_6_noise_does_not_miss_a_cut_and_is_not_clipped(
    fresh_store: Store, imported: Importing, score: float, mode: str
) -> None:
    row = {
        "question": "?", "answer": "a", "contexts": ["c"],
        "scores": {"context_relevance_binary": score, "faithfulness": 1, "answer_relevance": 1},
    }  # fmt: skip
    code, report = imported("a.jsonl", json.dumps(row))
    assert code == 0
    found = diagnose(fresh_store, report["runs"][0]["run_id"], View())
    assert {name for name, n in found["triad"].items() if n} == {mode}
    statement = "select value from verdict where metric = 'context_relevance_binary'"
    assert rows(fresh_store, statement) == [(score,)]
    # What a figure at the cut counts is what its link opens.
    for term in ("metric.context_relevance_binary=1..", "score.context_relevance=1.."):
        reached = View(wanted=from_terms([term]))
        found = diagnose(fresh_store, report["runs"][0]["run_id"], reached)
        assert found["n"] == (mode == "success")


# --- 2.7 runs inside one file ---------------------------------------------------------------------

FAMILIES = (
    "query_id,query,run_1_generated_answer,run_1_score,run_2_generated_answer,run_2_score\n"
    "1,?,a,1,b,0\n2,!,c,0,d,1\n3,.,,,e,1\n"
)


def test_2_7_columns_that_repeat_for_each_run_are_runs(
    fresh_store: Store, imported: Importing, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(FAMILIES)
    # What the page suggests and saves is what the command line reads.
    suggested = preview(path)
    assert suggested.warnings == []
    assert {column: use.role for column, use in suggested.mapping.uses()} == {
        "query_id": Role.SAMPLE_ID,
        "query": Role.QUESTION,
        "run": Role.RUN,
        "generated_answer": Role.ANSWER,
        "score": Role.METRIC,
    }
    code, report = imported("b.csv", FAMILIES, dumps(suggested.mapping))
    assert code == 0
    # The third row holds nothing of the first run.
    assert [(run["name"], run["samples"]) for run in report["runs"]] == [("run 1", 2), ("run 2", 3)]
    statement = "select name, sample_id, answer from sample join run using (run_id) order by all"
    assert rows(fresh_store, statement) == [
        ("run 1", "1", "a"), ("run 1", "2", "c"),
        ("run 2", "1", "b"), ("run 2", "2", "d"), ("run 2", "3", "e"),
    ]  # fmt: skip


def test_2_7_one_family_of_columns_is_no_second_run(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("query,run_1_score\n?,1\n!,0\n")
    assert not preview(path).mapping.hints.has_run_columns


@pytest.mark.parametrize(
    "name",
    [
        "pipeline_name", "run", "run_id", "model", "model_name", "experiment", "config", "provider",
        "promptIdx",
    ],
)  # fmt: skip
def test_2_7_each_column_that_separates_repeated_questions_is_suggested(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "table.csv"
    lines = [f"{run},{question},a{run}" for run in ("x", "y") for question in ("?", "!")]
    path.write_text("\n".join([f"{name},question,answer", *lines]))
    assert preview(path).mapping.columns[name] == (Use(Role.RUN),)
    # Without it a person is asked.
    path.write_text("\n".join(["colour,question,answer", *lines]))
    assert (
        "4 questions are only 2 different ones. Is there a column that tells runs apart?"
        in preview(path).warnings
    )


@pytest.mark.parametrize("name", ["iteration", "epoch"])
def test_2_7_repetitions_are_tags(tmp_path: Path, name: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"{name},question,answer\n0,?,a\n1,?,b\n0,!,c\n1,!,d\n")
    assert preview(path).mapping.columns[name] == (Use(Role.TAG),)


# --- 2.8 privacy ----------------------------------------------------------------------------------

PEOPLE = (
    "user_id", "User ID", "userName", "email", "author", "authorUserName", "annotator",
    "attributes.user.id",
)  # fmt: skip


@pytest.mark.parametrize("column", PEOPLE)
def test_2_8_who_somebody_is_is_left_out_and_told_unless_the_map_names_it(
    fresh_store: Store, imported: Importing, column: str
) -> None:
    content = f"q,m,{column},note\n?,1,someone@example.org,x\n!,0,other,y\n"
    code, report = imported("a.csv", content, SCORED)
    assert code == 0
    assert any(notice.startswith(f"{column}: ") for notice in notices(report))
    assert rows(fresh_store, "select extra from sample order by position") == [
        ('{"note": "x"}',),
        ('{"note": "y"}',),
    ]
    code, _ = imported("b.csv", f"{content}.,1,third,z\n", f'{SCORED}"{column}" = "extra"')
    assert code == 0
    (found,) = rows(
        fresh_store,
        "select extra from sample join run using (run_id) where name = 'b' and position = 0",
    )
    assert json.loads(found[0])[column] == "someone@example.org"


# --- 7 contract -----------------------------------------------------------------------------------


def test_7_3_digits_that_a_number_cannot_hold_are_kept_as_text(
    fresh_store: Store, imported: Importing
) -> None:
    long = "0.12345678901234567890123"
    content = f"q,m\n?,{long}\n!,0.50\n.,0.500000000000000000000\n"
    assert imported("a.csv", content, SCORED)[0] == 0
    assert rows(fresh_store, SCORES) == [
        ("m", "value", 0.12345678901234568, None, long),
        ("m", "value", 0.5, None, None),
        ("m", "value", 0.5, None, None),
    ]


def test_7_5_no_field_is_longer_than_the_limit(
    imported: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_rows, "MAX_TEXT", 1_000)
    long = "x" * 1_001
    fields: list[dict[str, Any]] = [
        {"more": long}, {"more": {"a": [long]}}, {"tags": {"t": long}}, {"scores": {"m": long}},
        {"labels": {"l": long}}, {"error": long}, {"history": [long]}, {"sample_id": long},
        {"contexts": [{"text": long}]}, {"contexts": [{"doc_id": long}]},
        {"contexts": [{"text": "a", "metadata": {"m": long}}]}, {"gold": [{"text": long}]},
        {"gold_doc_ids": [long]}, {"run": long}, {"reference": [long]}, {"answer": long},
        {"human_labels": [{"criterion": "c", "rater": "r", "category": long}]},
    ]  # fmt: skip
    content = "".join(json.dumps({"question": "?", **field}) + "\n" for field in fields)
    code, report = imported("a.jsonl", content)
    assert code == 2
    found = {problem["row"]: problem["problem"] for problem in report["problems"]}
    assert sorted(found) == list(range(1, len(fields) + 1))
    assert all("more than the limit of 1,000" in problem for problem in found.values())
    # Several long fields are no long field.
    content = json.dumps({"question": "?", "a": "x" * 900, "b": "x" * 900})
    assert imported("b.jsonl", content)[0] == 0


LONG = "x" * (MAX_CELL + 1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", json.dumps({"q": "?", "x": LONG})),
        ("a.parquet", parquet(q=["?"], x=[LONG])),
        ("a.csv", f"q,x\n?,{LONG}\n"),
    ],
)
def test_7_5_no_cell_of_any_table_is_longer_than_the_limit(
    imported: Importing, name: str, content: Content
) -> None:
    code, report = imported(name, content, QUESTION)
    assert code == 2
    assert report["problems"] == [
        {
            "row": 1,
            "problem": "Column 'x' has 10,000,001 characters, more than the limit of 10,000,000.",
        }
    ]


def test_7_5_nothing_of_a_file_is_run(
    fresh_store: Store, imported: Importing, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    call = f"__import__('pathlib').Path('{trace}').touch()"
    content = f'user_input,response,retrieved_contexts,faithfulness\n?,a,"[{call}]","{call}"\n'
    assert imported("a.csv", content)[0] == 0
    assert rows(fresh_store, "select text from context") == [(f"[{call}]",)]
    # What Python's pickle of a list begins with.
    code, report = imported("a.pkl", b"\x80\x04\x95\x10\0\0\0\0\0\0\0]\x94.", QUESTION)
    assert code == 2
    assert "binary content" in report["problems"][0]["problem"]
    assert not trace.exists()
