"""Suggestions for a map, scales by FORMATS 2.6, runs by 2.7, and the preview of a table."""

import json
from pathlib import Path

import pytest

from core.errors import BadInputError
from core.ingest import cells
from core.ingest.mapping import Role, Use
from core.ingest.mapping_toml import loads
from core.ingest.preview import preview
from core.ingest.suggest import suggest
from core.ingest.synonyms import infer_scale, is_milliseconds, metric_name, role_of
from core.ingest.table_profile import profile
from core.ingest.tables import open_table
from core.model import Direction


def csv_of(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "file.csv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def roles(path: Path) -> dict[str, Role]:
    return {column: use.role for column, use in suggest(open_table(path)).uses()}


# --- 2.6 scales and direction ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([0, 0.5, 1], (0, 1)),
        ([0.9999999999, 1.0000000000000002], (0, 1)),  # noise, neither clipped nor another scale
        ([1, 3, 5], (1, 5)),
        ([2, 4], (1, 5)),
        ([0, 1, 3], (0, 3)),
        ([12.5, 80], (0, 100)),
        # one value fits several scales, and so does one row
        ([1, 1, 1], None),
        ([4], None),
        ([5, 5], None),
        # as these do
        ([1, 2, 3], None),
        ([0, 1, 2], None),
        ([-0.5, 0.5], None),
        ([0, 250.5], None),
        ([1.5, 4.5], None),
        ([20, 40], None),
    ],
)
def test_a_scale_is_inferred_from_all_values_or_not_at_all(
    tmp_path: Path, values: list[float], scale: tuple[float, float] | None
) -> None:
    table = open_table(csv_of(tmp_path, "q,m", *(f"?,{value}" for value in values)))
    assert infer_scale(profile(table).columns["m"]) == scale


def test_missing_words_do_not_change_a_scale(tmp_path: Path) -> None:
    table = open_table(csv_of(tmp_path, "q,m", "?,1", "?,5", "?,n/a", "?,", "?,nan"))
    column = profile(table).columns["m"]
    assert column.is_numeric
    assert infer_scale(column) == (1, 5)


def test_what_measures_harm_is_better_when_low(tmp_path: Path) -> None:
    names = ["hallucination", "noise_sensitivity(mode=relevant)", "bias", "toxicity", "harmfulness",
             "misuse", "self_harm", "helpfulness_score"]  # fmt: skip
    path = csv_of(tmp_path, ",".join(["q", *names]), "?" + ",0" * 8, "?" + ",1" * 8)
    found = {column: use.direction for column, use in suggest(open_table(path)).uses()}
    assert [found[name] for name in names] == [Direction.LOWER] * 7 + [Direction.HIGHER]


@pytest.mark.parametrize(
    ("name", "tool", "scale", "expected"),
    [
        ("faithfulness", None, (0, 1), "faithfulness"),
        ("faithfulness", None, (1, 5), "groundedness_rubric"),  # as MLflow 2 has it
        ("groundedness_score", None, (1, 5), "groundedness_rubric"),
        ("groundedness", None, (0, 1), "groundedness"),
        ("gpt_groundedness", None, None, "groundedness_rubric"),
        ("nv_context_relevance", None, (0, 1), "context_relevance_dual"),
        # ambiguous names stay the file's own
        ("relevance", None, (1, 5), None),
        ("answer_relevancy", None, (0, 1), None),
        ("hallucination_score", None, (0, 1), None),
        ("answer_relevancy", "ragas", (0, 1), "answer_relevancy_embed"),
    ],
)
def test_a_metric_gets_our_name_only_where_name_and_scale_tell(
    name: str, tool: str | None, scale: tuple[float, float] | None, expected: str | None
) -> None:
    assert metric_name(name, tool, scale) == expected


# --- 6 synonyms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("User Input", Role.QUESTION), ("user-query", Role.QUESTION), ("vars.query", Role.QUESTION),
        ("Generated Answer", Role.ANSWER), ("actual_output", Role.ANSWER),
        ("ground_truths", Role.REFERENCE), ("Expected Response", Role.REFERENCE),
        ("source_documents", Role.CONTEXTS), ("retrieval_gt", Role.GOLD_IDS),
        ("reference_contexts", Role.GOLD), ("QID", Role.SAMPLE_ID), ("Latency (s)", None),
        ("latency_ms", Role.LATENCY), ("response time", Role.LATENCY), ("colour", None),
    ],
)  # fmt: skip
def test_names_stand_for_roles_regardless_of_case_and_punctuation(
    name: str, role: Role | None
) -> None:
    found = role_of(name)
    assert (found[0] if found else None) == role


def test_the_extracted_answer_wins_and_the_other_stays_extra(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "query,generated_answer,extracted_answer", "?,prompt and all,answer")
    assert roles(path) == {"query": Role.QUESTION, "extracted_answer": Role.ANSWER}


def test_context_is_gold_only_beside_retrieved_contexts(tmp_path: Path) -> None:
    alone = csv_of(tmp_path, "question,context", "?,x")
    assert roles(alone)["context"] is Role.CONTEXTS
    both = csv_of(tmp_path, "question,context,retrieval_context", "?,x,y")
    assert roles(both) == {
        "question": Role.QUESTION,
        "context": Role.GOLD,
        "retrieval_context": Role.CONTEXTS,
    }


def test_an_id_that_repeats_is_none(tmp_path: Path) -> None:
    assert "id" not in roles(csv_of(tmp_path, "id,question", "1,a", "1,b"))
    assert roles(csv_of(tmp_path, "id,question", "1,a", "2,b"))["id"] is Role.SAMPLE_ID


def test_milliseconds_by_name_or_by_size(tmp_path: Path) -> None:
    assert is_milliseconds("latency_ms")
    assert not is_milliseconds("items")
    path = csv_of(tmp_path, "question,duration", "?,800", "?,1200")
    assert suggest(open_table(path)).columns["duration"] == (Use(Role.LATENCY, unit="ms"),)


def test_counts_and_settings_are_no_scores(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "question,answer_length,turn,top_k,my_rating", "?,1,1,0,0", "?,0,5,1,1")
    assert roles(path) == {"question": Role.QUESTION, "my_rating": Role.METRIC}


def test_who_somebody_is_is_left_out_unless_the_person_keeps_it(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "question,user_id,authorUserName", "?,u1,a")
    assert roles(path) == {
        "question": Role.QUESTION,
        "user_id": Role.IGNORE,
        "authorUserName": Role.IGNORE,
    }


def test_labels_of_several_raters_share_an_id_that_repeats(tmp_path: Path) -> None:
    rows = ("1,a,b,1,ann", "1,a,b,0,ben", "2,c,d,1,ann")
    found = suggest(open_table(csv_of(tmp_path, "id,question,answer,human_label,rater", *rows)))
    assert found.columns["id"] == (Use(Role.SAMPLE_ID),)
    assert found.columns["human_label"] == (Use(Role.LABEL, rater="rater"),)
    # What several people gave as 1 to 5 is a label too; what a tool is known to give is its score.
    lines = ("1,b,4,0.5,ann", "1,b,3,0.5,ben")
    found = suggest(open_table(csv_of(tmp_path, "id,answer,clarity,faithfulness,rater", *lines)))
    assert found.columns["clarity"] == (Use(Role.LABEL, rater="rater"),)
    assert found.columns["faithfulness"][0].role is Role.METRIC
    # Who uses a system does not label it.
    found = suggest(open_table(csv_of(tmp_path, "id,question,answer,human_label,user_id", *rows)))
    assert "id" not in found.columns
    assert found.columns["human_label"] == (Use(Role.LABEL),)


def test_reasons_find_their_scores(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "question,bias_score,bias_reason", "?,0,a", "?,1,b")
    assert suggest(open_table(path)).columns["bias_reason"] == (Use(Role.REASON, of="bias_score"),)


# --- 2.7 runs -------------------------------------------------------------------------------------


def test_a_column_that_separates_repeated_questions_tells_runs_apart(tmp_path: Path) -> None:
    lines = [f"{model},{q},{n}" for model in ("a", "b") for q in ("x?", "y?") for n in (0, 1)]
    found = roles(csv_of(tmp_path, "model,question,iteration", *lines))
    assert found == {"model": Role.RUN, "question": Role.QUESTION, "iteration": Role.TAG}


def test_a_model_column_is_no_run_where_questions_do_not_repeat(tmp_path: Path) -> None:
    found = roles(csv_of(tmp_path, "model,question", "a,x?", "b,y?", "a,z?"))
    assert found.get("model") is not Role.RUN


# --- the preview ----------------------------------------------------------------------------------


def test_a_preview_shows_columns_rows_lists_and_what_to_decide(tmp_path: Path) -> None:
    lines = [f"q{n}?,\"['a', 'b']\",{n % 2},{'PASS' if n % 3 else 'FAIL'},1" for n in range(30)]
    seen = preview(csv_of(tmp_path, "question,contexts,my_score,label,other_score", *lines))

    assert (seen.kind, seen.n_rows, len(seen.rows)) == ("csv", 30, 20)
    assert seen.rows[0] == ["q0?", "['a', 'b']", "0", "FAIL", "1"]
    by_name = {column.name: column for column in seen.columns}
    lists = by_name["contexts"].lists
    assert lists is not None
    assert (lists.ways, lists.n_median, lists.first) == ({cells.PYTHON_LIST: 30}, 2.0, ["a", "b"])
    assert (by_name["my_score"].kind, by_name["my_score"].scale) == ("number", (0, 1))
    # 30 rows: every third one fails
    assert by_name["label"].values == {"FAIL": 10, "PASS": 20}
    assert seen.warnings == [
        "Say which value of label is the good one (FAIL, PASS), and what it judges.",
        "Say on which scale other_score is: its values alone do not tell.",
    ]


def test_a_preview_counts_what_cannot_be_read(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path, "question,m_score", "?,0.5", "?,0.7", "?,NaN (rate limit)", "?,n/a", "?"
    )
    seen = preview(path)
    column = {column.name: column for column in seen.columns}["m_score"]
    assert (column.kind, column.n, column.n_unparsable) == ("number", 4, 1)
    assert seen.warnings[0] == (
        "1 rows cannot be read; the first is row 5: The row has 1 cells, the header 2."
    )


def test_an_empty_metric_is_named_and_not_dropped(tmp_path: Path) -> None:
    seen = preview(csv_of(tmp_path, "question,faithfulness", "?,", "!,"))
    assert "faithfulness is empty in every row: 0 of 2 scores." in seen.warnings
    assert seen.mapping.columns["faithfulness"][0].role is Role.METRIC


def test_a_preview_with_a_map_reads_lists_as_the_map_says(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,c", "?,one|two|three")
    mapping = loads(
        '[columns]\nq = "question"\nc = { role = "contexts", list = "separator", separator = "|" }'
    )
    lists = preview(path, mapping).columns[1].lists
    assert lists is not None
    assert (lists.ways, lists.n_max) == ({cells.SEPARATED: 1}, 3)
    with pytest.raises(BadInputError, match="names the columns 'x'"):
        preview(path, loads('[columns]\nx = "question"'))


def test_a_file_without_header_is_suggested_as_lines_of_variables(tmp_path: Path) -> None:
    seen = preview(csv_of(tmp_path, ",".join(["0.5", "1"] * 10), ",".join(["0", "1"] * 10)))
    assert seen.mapping.hints.is_transposed
    assert [(c.name, c.n, c.scale) for c in seen.columns] == [
        ("line 1", 20, (0, 1)),
        ("line 2", 20, (0, 1)),
    ]


def test_one_passage_per_row_is_recognised(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path, "query_id,query,passage_id,passage", "1,a?,p1,x", "1,a?,p2,y", "2,b?,p1,z"
    )
    mapping = preview(path).mapping
    assert mapping.one_context_per_row
    assert {column: use.role for column, use in mapping.uses()} == {
        "query_id": Role.SAMPLE_ID,
        "query": Role.QUESTION,
        "passage_id": Role.CONTEXT_IDS,
        "passage": Role.CONTEXTS,
    }


def test_scores_in_objects_are_columns_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    rows = [{"question": "?", "metrics": {"f1": n / 4, "name": "x"}} for n in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    seen = preview(path)
    assert [column.name for column in seen.columns] == [
        "question", "metrics", "metrics.f1", "metrics.name",
    ]  # fmt: skip
    assert seen.mapping.columns["metrics.f1"] == (Use(Role.METRIC, name="f1", lo=0, hi=1),)
    assert seen.rows[1][2] == "0.25"
