"""Ragas of every version (FORMATS 4.1), from small files written here as its writers write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError
from core.ingest.formats import recognise
from core.ingest.ragas import RagasImporter
from core.records import Notices, ParsedRun, ParsedSample, ParsedVerdict
from core.store.connection import Store
from core.workflows.importing import import_file
from core.workflows.reports import scale_in_words


class Read:
    """What the importer makes of a file."""

    def __init__(self, path: Path) -> None:
        assert recognise(path).importer.format == "ragas"
        notices = Notices()
        items = list(RagasImporter().read(path, notices, path.stem))
        self.samples = [item for item in items if isinstance(item, ParsedSample)]
        self.runs = [item for item in items if isinstance(item, ParsedRun)]
        assert len(self.samples) + len(self.runs) == len(items), items
        self.notices = {notice.notice: notice.n for notice in notices.as_list()}

    @property
    def only(self) -> ParsedSample:
        (sample,) = self.samples
        return sample

    def scores(self) -> list[dict[str, float | str | None]]:
        return [
            {one.metric: one.value if one.cause is None else one.cause for one in _scores(sample)}
            for sample in self.samples
        ]


def _scores(sample: ParsedSample) -> list[Any]:
    return [*sample.scores, *sample.verdicts]


def csv_of(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "results.csv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rows_of(tmp_path: Path, *rows: dict[str, Any], name: str = "results.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def json_of(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


# --- versions -------------------------------------------------------------------------------------


def test_version_0_0_has_lists_of_ground_truths_and_the_ratio(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path,
        "question,answer,contexts,ground_truths,faithfulness,context_relevancy,harmfulness",
        "\"why?\",because,\"['a', 'b']\",\"['x', 'y']\",0.5,0.25,0",
        '"how?",so,"[\'c\']","[\'z\']",1.0,0.1,1',
    )
    found = Read(path)
    first = found.samples[0]
    assert (first.question, first.answer, first.references) == ("why?", "because", ["x", "y"])
    assert [c.text for c in first.contexts or ()] == ["a", "b"]
    assert found.scores()[0] == {
        "faithfulness": 0.5,
        "context_relevance_ratio": 0.25,
        "harmfulness": 0.0,
    }
    assert (found.runs[0].tool, found.runs[0].tool_version) == ("ragas", "0.0 or 0.1")
    # a critique that measures harm is better when low
    assert found.runs[0].metrics["harmfulness"]["direction"] == "lower"


@pytest.mark.parametrize("ground_truth", ["x", ["x"]])
def test_version_0_1_has_a_text_or_a_list_of_one(tmp_path: Path, ground_truth: Any) -> None:
    row = {"question": "why?", "answer": "so", "contexts": ["a"], "ground_truth": ground_truth,
           "answer_relevancy": 0.9}  # fmt: skip
    found = Read(rows_of(tmp_path, row))
    assert found.only.references == ["x"]
    assert found.scores() == [{"answer_relevancy_embed": 0.9}]
    assert found.runs[0].tool_version == "0.1"


def test_version_0_2_leaves_out_fields_that_are_null(tmp_path: Path) -> None:
    rows = [
        {"user_input": "why?", "response": "so", "retrieved_contexts": ["a"], "faithfulness": 1.0},
        {"user_input": "how?", "response": "so", "reference": "x", "faithfulness": None},
    ]
    found = Read(rows_of(tmp_path, *rows))
    assert [s.contexts is None for s in found.samples] == [False, True]
    assert [s.references for s in found.samples] == [[], ["x"]]
    assert found.scores() == [{"faithfulness": 1.0}, {"faithfulness": "absent_in_file"}]
    assert found.runs[0].tool_version == "0.2 or later"


def test_version_0_4_has_ids_and_reference_contexts(tmp_path: Path) -> None:
    row = {
        "user_input": "why?",
        "response": "so",
        "retrieved_contexts": ["a", "b"],
        "retrieved_context_ids": [7, "d2"],
        "reference_contexts": ["a"],
        "reference_context_ids": [7],
        "persona_name": "clerk",
        "query_style": "MISSPELLED",
        "synthesizer_name": "single_hop",
        "nv_context_relevance": 0.75,
        "factual_correctness(mode=f1)": 0.8,
        "noise_sensitivity(mode=relevant)": 0.1,
    }
    found = Read(rows_of(tmp_path, row))
    sample = found.only
    assert [(c.rank, c.doc_id, c.text) for c in sample.contexts or ()] == [
        (1, "7", "a"),
        (2, "d2", "b"),
    ]
    assert [(g.doc_id, g.text) for g in sample.gold] == [("7", "a")]
    assert dict(sample.tags) == {
        "persona_name": "clerk",
        "query_style": "MISSPELLED",
        "synthesizer_name": "single_hop",
    }
    assert found.scores() == [
        {"context_relevance_dual": 0.75, "factual_correctness": 0.8, "noise_sensitivity_rel": 0.1}
    ]
    assert json.loads(found.runs[0].config or "{}")["names_in_file"] == {
        "context_relevance_dual": "nv_context_relevance",
        "factual_correctness": "factual_correctness(mode=f1)",
        "noise_sensitivity_rel": "noise_sensitivity(mode=relevant)",
    }


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json"])
def test_csv_json_lines_and_json_give_the_same(tmp_path: Path, suffix: str) -> None:
    row = {"user_input": "why?", "retrieved_contexts": ["a", "b"], "response": "so",
           "faithfulness": 0.5}  # fmt: skip
    if suffix == ".csv":
        path = csv_of(tmp_path, ",".join(row), "why?,\"['a', 'b']\",so,0.5")
    elif suffix == ".jsonl":
        path = rows_of(tmp_path, row)
    else:
        path = json_of(tmp_path, [row])
    found = Read(path)
    assert [c.text for c in found.only.contexts or ()] == ["a", "b"]
    assert found.scores() == [{"faithfulness": 0.5}]


def test_a_frame_saved_as_json_by_column_is_read(tmp_path: Path) -> None:
    document = {
        "user_input": {"0": "why?", "1": "how?"},
        "response": {"0": "so", "1": "thus"},
        "faithfulness": {"0": 0.5, "1": None},
    }
    found = Read(json_of(tmp_path, document))
    assert [s.question for s in found.samples] == ["why?", "how?"]
    assert found.scores() == [{"faithfulness": 0.5}, {"faithfulness": "absent_in_file"}]


# --- names of metrics -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("faithfulness", (0.3, 1), "faithfulness"),
        ("answer_relevancy", (-0.1, 1.0000000000000002), "answer_relevancy_embed"),
        ("response_relevancy", (0.3, 1), "answer_relevancy_embed"),
        ("context_precision", (0.9999999999, 0), "context_precision"),
        ("llm_context_precision_with_reference", (0.3, 1), "context_precision"),
        ("context_utilization", (0.3, 1), "context_utilization_ragas"),
        ("llm_context_precision_without_reference", (0.3, 1), "context_utilization_ragas"),
        ("context_recall", (0.3, 1), "context_recall"),
        # a sentence ratio and a dual rating: two metrics with almost the same name
        ("context_relevancy", (0.3, 1), "context_relevance_ratio"),
        ("context_relevance", (0.25, 1), "context_relevance_dual"),
        ("context_relevance", (0.3, 1), "context_relevance"),
        ("noise_sensitivity_relevant", (0.3, 1), "noise_sensitivity_rel"),
        ("noise_sensitivity(mode=irrelevant)", (0.3, 1), "noise_sensitivity_irr"),
        # a cosine of embeddings; our metric of the new name is one of TF-IDF
        ("semantic_similarity", (0.3, 1), "answer_similarity"),
        ("answer_similarity", (0.3, 1), "answer_similarity"),
        # without a definition of ours the name stays
        ("nv_response_groundedness", (0.25, 1), "nv_response_groundedness"),
        ("rouge_score(mode=fmeasure)", (0.3, 1), "rouge_score(mode=fmeasure)"),
        ("my_critic", (0, 1), "my_critic"),
    ],
)
def test_metrics_get_our_name_where_they_are_the_same_for_sure(
    tmp_path: Path, name: str, values: tuple[float, float], expected: str
) -> None:
    rows = [{"user_input": "?", "response": "!", name: value} for value in values]
    found = Read(rows_of(tmp_path, *rows))
    assert found.scores() == [{expected: value} for value in values]


def test_two_names_of_one_metric_do_not_run_into_each_other(tmp_path: Path) -> None:
    row = {"user_input": "?", "response": "!", "context_precision": 0.1,
           "llm_context_precision_with_reference": 0.2}  # fmt: skip
    assert Read(rows_of(tmp_path, row)).scores() == [
        {"context_precision": 0.1, "llm_context_precision_with_reference": 0.2}
    ]


def test_rubrics_are_on_1_to_5(tmp_path: Path, fresh_store: Store) -> None:
    row = {"user_input": "?", "response": "!", "domain_specific_rubrics": 4}
    metrics = import_file(fresh_store, rows_of(tmp_path, row)).runs[0].metrics
    assert metrics["domain_specific_rubrics"]["scale"] == {"lo": 1, "hi": 5, "direction": "higher"}


# --- missing scores -------------------------------------------------------------------------------


def test_a_metric_that_failed_everywhere_shows_as_0_of_n(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(tmp_path, "user_input,response,faithfulness,context_recall", "a,b,,1", "c,d,,0")
    metrics = import_file(fresh_store, path).runs[0].metrics
    assert (metrics["faithfulness"]["n"], metrics["faithfulness"]["error"]) == (0, 2)
    assert (metrics["context_recall"]["n"], metrics["context_recall"]["mean"]) == (2, 0.5)


RAGAS_SCALES = {
    "faithfulness": (0, 1, "higher"), "answer_correctness": (0, 1, "higher"),
    "answer_similarity": (0, 1, "higher"), "nv_accuracy": (0, 1, "higher"),
    "context_relevance_dual": (0, 1, "higher"), "factual_correctness": (0, 1, "higher"),
    "harmfulness": (0, 1, "lower"), "noise_sensitivity_rel": (0, 1, "lower"),
    "domain_specific_rubrics": (1, 5, "higher"), "rouge_score(mode=fmeasure)": (0, 1, "higher"),
}  # fmt: skip


@pytest.mark.parametrize("cell", ["", "nan", "null"])
def test_a_metric_without_any_value_has_the_scale_that_is_known_for_it(
    tmp_path: Path, fresh_store: Store, cell: str
) -> None:
    names = {
        "context_relevance_dual": "nv_context_relevance",
        "factual_correctness": "factual_correctness(mode=f1)",
        "noise_sensitivity_rel": "noise_sensitivity(mode=relevant)",
    }
    header = ",".join(["user_input,response", *(names.get(name, name) for name in RAGAS_SCALES)])
    path = csv_of(tmp_path, header, *(f"{q},a" + f",{cell}" * len(RAGAS_SCALES) for q in "?!"))
    metrics = import_file(fresh_store, path).runs[0].metrics
    assert {name: (row["n"], row["error"]) for name, row in metrics.items()} == dict.fromkeys(
        RAGAS_SCALES, (0, 2)
    )
    assert {name: tuple(row["scale"].values()) for name, row in metrics.items()} == RAGAS_SCALES
    assert {scale_in_words(row) for row in metrics.values()} == {"scale 0 to 1", "scale 1 to 5"}


def test_values_outside_the_known_scale_leave_it_unknown(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = csv_of(tmp_path, "user_input,response,answer_correctness", "?,a,3", "!,b,5")
    (row,) = import_file(fresh_store, path).runs[0].metrics.values()
    assert (row["scale"], scale_in_words(row)) == (None, "scale unknown")


def test_printed_results_of_experiments_give_value_and_reason(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path,
        "user_input,response,my_metric",
        "a,b,\"MetricResult(value=1, reason='it fits')\"",
        'c,d,"MetricResult(value=0, reason=""it doesn\'t"")"',
    )
    verdicts: list[ParsedVerdict] = [v for s in Read(path).samples for v in s.verdicts]
    assert [(v.metric, v.value, v.reasoning) for v in verdicts] == [
        ("my_metric", 1.0, "it fits"),
        ("my_metric", 0.0, "it doesn't"),
    ]


def test_rows_that_failed_have_errors_and_keep_their_texts(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path,
        "query,answer,contexts,faithfulness,context_recall,success,error",
        "a,b,[],0.5,1,True,",
        "c,,[],0.0,0.0,False,call failed",
    )
    found = Read(path)
    assert found.scores() == [
        {"faithfulness": 0.5, "context_recall": 1.0},
        {"faithfulness": "reported_by_file", "context_recall": "reported_by_file"},
    ]
    assert [v.raw for v in found.samples[1].verdicts] == ["0.0", "0.0"]
    assert found.samples[1].error == "call failed"


# --- columns that people add ----------------------------------------------------------------------


def test_several_runs_in_one_file_are_told_apart(tmp_path: Path) -> None:
    lines = [
        f"{pipeline},{question},yes,[],0.5,{iteration},1.5"
        for pipeline in ("base", "hyde")
        for iteration in (0, 1)
        for question in ("a?", "b?")
    ]
    header = "pipeline_name,query,answer,contexts,faithfulness,iteration,response_time"
    found = Read(csv_of(tmp_path, header.replace("faithfulness", "answer_relevancy,faithfulness"),
                        *(line.replace(",[],0.5", ",[],0.9,0.5") for line in lines)))  # fmt: skip
    assert [run.key for run in found.runs] == ["base", "hyde"]
    assert [s.run for s in found.samples] == ["base"] * 4 + ["hyde"] * 4
    assert [dict(s.tags) for s in found.samples[:4:2]] == [{"iteration": "0"}, {"iteration": "1"}]
    assert {s.latency for s in found.samples} == {1.5}


def test_labels_ids_and_counts_are_no_scores(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path,
        ",id,faithfulness,context_recall,label,dataset,answer_length,note,overall_score",
        "0,s1,0.5,1,1,set a,120,x,0.7",
        "1,s2,0.75,0,0,set a,80,,0.2",
    )
    found = Read(path)
    assert [s.sample_id for s in found.samples] == ["s1", "s2"]
    assert found.scores() == [
        {"faithfulness": 0.5, "context_recall": 1.0, "overall_score": 0.7},
        {"faithfulness": 0.75, "context_recall": 0.0, "overall_score": 0.2},
    ]
    assert [(label.criterion, label.value) for s in found.samples for label in s.labels] == [
        ("label", 1.0),
        ("label", 0.0),
    ]
    assert [s.tags for s in found.samples] == [[("dataset", "set a")]] * 2
    assert json.loads(found.samples[0].extra or "{}") == {"answer_length": "120", "note": "x"}


def test_an_id_that_repeats_is_no_id_but_kept(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "id,user_input,response,faithfulness", "1,a,b,1", "1,c,d,0")
    found = Read(path)
    assert [s.sample_id for s in found.samples] == [None, None]
    assert [json.loads(s.extra or "{}") for s in found.samples] == [{"id": "1"}] * 2


def test_scores_with_a_judge_named_outside_the_rows(tmp_path: Path) -> None:
    document = {
        "ragas_version": "0.4.3",
        "judge_llm": "some-model",
        "rows": [{"question": "a?", "faithfulness": 0.5}, {"question": "b?"}],
    }
    found = Read(json_of(tmp_path, document))
    assert (found.runs[0].tool_version, [len(s.verdicts) for s in found.samples]) == (
        "0.4.3",
        [1, 0],
    )
    assert found.samples[0].verdicts[0].judge.model == "some-model"


def test_conversations_give_their_last_human_turn(tmp_path: Path) -> None:
    turns = [{"content": "Hello", "type": "human"}, {"content": "Hi", "type": "ai"},
             {"content": "Why?", "type": "human"}]  # fmt: skip
    found = Read(rows_of(tmp_path, {"user_input": turns, "response": "So.", "faithfulness": 1}))
    assert (found.only.question, json.loads(found.only.history or "[]")) == (
        "Why?",
        ["human: Hello", "ai: Hi"],
    )


# --- test sets and annotations --------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": "a?", "reference_contexts": ["c"], "reference": "x",
         "synthesizer_name": "s"},
        {"question": "a?", "contexts": ["c"], "ground_truth": "x", "evolution_type": "simple",
         "metadata": [{}], "episode_done": True},
    ],
)  # fmt: skip
def test_a_test_set_is_imported_and_says_that_it_has_no_results(
    tmp_path: Path, fresh_store: Store, row: dict[str, Any]
) -> None:
    path = rows_of(tmp_path, row)
    assert any(notice.startswith("This is a test set") for notice in Read(path).notices)
    run = import_file(fresh_store, path).runs[0]
    assert (run.samples, run.metrics, run.labels) == (1, {}, {})


def annotation(question: str, output: Any, accepted: bool, **more: Any) -> dict[str, Any]:
    return {
        "metric_input": {"user_input": question, "response": f"answer to {question}"},
        "metric_output": output,
        "prompts": {"p": {"prompt_output": {"reason": f"says {output}"}}},
        "is_accepted": accepted,
        **more,
    }


def test_annotations_are_verdicts_of_the_judge_and_labels_of_a_person(tmp_path: Path) -> None:
    document = {
        "helpful": [
            annotation("a", 1, True),  # agreed: 1
            annotation("b", 1, False),  # a binary verdict that was rejected: the opposite
            annotation("c", 0, False),
            annotation("d", 0, False, target=1),  # corrected by the person
        ],
        "grade": [annotation("a", 4, True), annotation("b", 2, False)],
    }
    found = Read(json_of(tmp_path, document))
    # the same input under two metrics is one sample
    assert [s.question for s in found.samples] == ["a", "b", "c", "d"]
    assert found.scores() == [
        {"helpful": 1.0, "grade": 4.0}, {"helpful": 1.0, "grade": 2.0}, {"helpful": 0.0},
        {"helpful": 0.0},
    ]  # fmt: skip
    labels = [{h.criterion: h.value for h in s.human_labels} for s in found.samples]
    # a rejected grade that is not binary says only what it is not
    assert labels == [{"helpful": 1, "grade": 4}, {"helpful": 0}, {"helpful": 1}, {"helpful": 1}]
    assert found.samples[0].verdicts[0].reasoning == "says 1"


def test_an_input_that_was_annotated_twice_is_kept_twice(tmp_path: Path) -> None:
    document = {"helpful": [annotation("a", 1, True), annotation("a", 0, True)]}
    found = Read(json_of(tmp_path, document))
    assert found.scores() == [{"helpful": 1.0}, {"helpful": 0.0}]
    assert found.notices == {"A sample is in the list of a metric twice; both were kept.": 1}


# --- what is not Ragas ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    [
        {"question": "a?", "answer": "b", "contexts": ["c"], "scores": {"faithfulness": 1}},
        {"question": "a?", "answer": "b", "contexts": ["c"]},
        {"sample_id": "1", "question": "a?", "answer": "b", "contexts": [], "ground_truth": "x"},
    ],
)
def test_neutral_rows_stay_neutral(tmp_path: Path, row: dict[str, Any]) -> None:
    assert recognise(rows_of(tmp_path, row)).importer.format == "neutral"


def test_a_table_of_another_tool_is_refused_with_its_columns_and_the_way_out(
    tmp_path: Path,
) -> None:
    path = csv_of(tmp_path, "input,actual_output,retrieval_context,faithfulness,answer_relevancy",
                  "a,b,c,1,1")  # fmt: skip
    with pytest.raises(BadInputError) as caught:
        recognise(path)
    assert "input, actual_output, retrieval_context, faithfulness" in str(caught.value)
    assert "--map FILE" in str(caught.value)


def test_who_somebody_is_is_left_out_and_told(tmp_path: Path) -> None:
    row = {"user_input": "?", "response": "!", "user_id": "u1", "faithfulness": 1}
    found = Read(rows_of(tmp_path, row))
    assert found.only.extra is None
    assert any(notice.startswith("user_id: ") for notice in found.notices)
