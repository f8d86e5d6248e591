"""Fields of the neutral format: what is taken, what is kept aside, what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.ingest.formats import probe
from core.ingest.neutral import NeutralImporter
from core.records import Notices, ParsedContext, ParsedRun, ParsedSample, Problem

Writer = Callable[..., Path]


def read(path: Path) -> tuple[list[Any], dict[str, int]]:
    notices = Notices()
    items = list(NeutralImporter().read(path, notices, path.stem))
    return items, {notice.notice: notice.n for notice in notices.as_list()}


def one(jsonl: Writer, **fields: Any) -> ParsedSample:
    items, _ = read(jsonl({"question": "q", "answer": "a", **fields}))
    (sample,) = [item for item in items if isinstance(item, ParsedSample)]
    return sample


def problem(jsonl: Writer, **fields: Any) -> str:
    items, _ = read(jsonl({"question": "q", "answer": "a", **fields}))
    (found,) = [item for item in items if isinstance(item, Problem)]
    assert found.row == 1
    return found.problem


def test_smallest_sample_has_a_question_or_an_answer(jsonl: Writer) -> None:
    items, _ = read(jsonl({"question": "q"}, {"answer": "a"}, {"answer": None}, name="results"))

    run, *samples = items
    assert isinstance(run, ParsedRun)
    assert (run.key, run.name, run.dataset) == ("results", "results", "results")
    assert [(s.question, s.answer, s.contexts) for s in samples] == [
        ("q", "", None), ("", "a", None), ("", "", None),
    ]  # fmt: skip


@pytest.mark.parametrize("record", [[], '"text"', 1, None, True])
def test_row_that_is_no_object_is_a_problem(record: Any, jsonl: Writer) -> None:
    items, _ = read(jsonl({"question": "q"}, record))

    assert isinstance(items[-1], Problem)
    assert items[-1].row == 2
    assert "not an object with a question or an answer" in items[-1].problem


def test_b15_row_without_question_and_answer_names_its_keys(jsonl: Writer) -> None:
    items, _ = read(jsonl({"question": "q"}, {"prompt": "q", "output": "a"}))

    assert items[-1].problem == (
        "The row has neither question nor answer. Its keys are: output, prompt."
    )


def test_b12_question_that_is_no_text_is_kept_as_json_and_flagged(jsonl: Writer) -> None:
    items, said = read(jsonl({"question": {"text": "q", "lang": "de"}, "answer": 42}))

    assert (items[1].question, items[1].answer) == ('{"text": "q", "lang": "de"}', "42")
    assert said == {
        "question is no text; it was kept as its JSON text.": 1,
        "answer is no text; it was kept as its JSON text.": 1,
    }


@pytest.mark.parametrize("text", ["None", "NA", "null", "nan", " ", "<b>", "$1", "=1+1", "\r\n"])
def test_b05_b62_text_is_taken_as_it_is(text: str, jsonl: Writer) -> None:
    sample = one(jsonl, question=text, answer=text, reference=text, contexts=[text])

    assert (sample.question, sample.answer, sample.references) == (text, text, [text])
    assert sample.contexts is not None
    assert sample.contexts[0].text == text


def test_long_answer_is_taken_whole_and_a_longer_one_refused(jsonl: Writer) -> None:
    assert len(one(jsonl, answer="x" * 1_000_000).answer) == 1_000_000
    assert "10,000,001 characters, more than the limit" in problem(jsonl, answer="x" * 10_000_001)


@pytest.mark.parametrize(
    ("reference", "found"),
    [(None, []), ("", []), ("x", ["x"]), (["x", "y"], ["x", "y"]), ([], []), (7, ["7"])],
)
def test_b02_reference_is_a_text_or_a_list(reference: Any, found: list[str], jsonl: Writer) -> None:
    assert one(jsonl, reference=reference).references == found


# --- contexts -------------------------------------------------------------------------------------


def test_contexts_not_recorded_and_nothing_retrieved_are_different(jsonl: Writer) -> None:
    assert one(jsonl, contexts=None).contexts is None
    assert one(jsonl).contexts is None
    assert one(jsonl, contexts=[]).contexts == []


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("t", ParsedContext(1, None, "t", None, None)),
        ({"text": "t", "doc_id": "d"}, ParsedContext(1, "d", "t", None, None)),
        ({"content": "t", "id": 7}, ParsedContext(1, "7", "t", None, None)),
        ({"page_content": "t"}, ParsedContext(1, None, "t", None, None)),
        ({"text": "t", "content": "u"}, ParsedContext(1, None, "t", None, '{"content": "u"}')),
        ({"text": None, "content": "u"}, ParsedContext(1, None, "u", None, None)),
        ({"doc_id": None, "id": "d"}, ParsedContext(1, "d", None, None, None)),
        ({"text": "", "rank": 3, "score": 0}, ParsedContext(3, None, "", 0.0, None)),
        ({"text": "t", "rank": None}, ParsedContext(1, None, "t", None, None)),
        ({"text": "t", "rank": 2.0}, ParsedContext(2, None, "t", None, None)),
        ({"text": "t", "score": "high"}, ParsedContext(1, None, "t", None, '{"score": "high"}')),
        (
            {"text": "t", "metadata": {"a": 1}, "page": 2},
            ParsedContext(1, None, "t", None, '{"a": 1, "page": 2}'),
        ),
        (
            {"text": "t", "metadata": [1], "page": 2},
            ParsedContext(1, None, "t", None, '{"metadata": [1], "page": 2}'),
        ),
    ],
)
def test_b04_shapes_of_a_context(item: Any, found: ParsedContext, jsonl: Writer) -> None:
    assert one(jsonl, contexts=[item]).contexts == [found]


def test_one_text_or_an_object_of_texts_is_no_list_of_characters(jsonl: Writer) -> None:
    assert one(jsonl, contexts="all of it").contexts == [
        ParsedContext(1, None, "all of it", None, None)
    ]
    assert one(jsonl, contexts={"d1": "t", "d2": {"text": "u"}}).contexts == [
        ParsedContext(1, "d1", "t", None, None),
        ParsedContext(2, "d2", "u", None, None),
    ]
    assert one(jsonl, contexts={"text": "t"}).contexts == [ParsedContext(1, None, "t", None, None)]


def test_repeated_ranks_are_replaced_by_the_order_of_the_list(jsonl: Writer) -> None:
    items, said = read(
        jsonl({"question": "q", "contexts": [{"text": "a", "rank": 1}, {"text": "b", "rank": 1}]})
    )

    assert [(c.rank, c.text) for c in items[1].contexts] == [(1, "a"), (2, "b")]
    assert said == {"Ranks repeat in a sample; its contexts were numbered in order.": 1}


@pytest.mark.parametrize(
    ("contexts", "said"),
    [
        (7, "contexts must be a list"),
        ([7], "Context 1 must be an object or a text"),
        (["a", {}], "Context 2 has neither text nor doc_id. Its keys are: none"),
        ([{"body": "t"}], "Context 1 has neither text nor doc_id. Its keys are: body"),
        ([{"text": "t", "rank": 0}], "Context 1 has the rank 0"),
        ([{"text": "t", "rank": "1"}], "Context 1 has the rank '1'"),
        ([{"text": "t", "rank": True}], "Context 1 has the rank True"),
        (["t"] * 1_001, "1,001 contexts, more than the limit of 1,000"),
    ],
)
def test_context_that_cannot_be_stored_is_explained(
    contexts: Any, said: str, jsonl: Writer
) -> None:
    assert said in problem(jsonl, contexts=contexts)


# --- what hangs on a sample -----------------------------------------------------------------------


def test_b03_gold_ids_may_be_nested_and_keep_their_groups(jsonl: Writer) -> None:
    gold = one(jsonl, gold_doc_ids=["a", ["b", 3]]).gold

    assert [(item.doc_id, item.group) for item in gold] == [("a", None), ("b", "2"), ("3", "2")]


def test_gold_objects_win_unless_there_are_none(jsonl: Writer) -> None:
    both = one(jsonl, gold=[{"text": "t", "grade": 2}], gold_doc_ids=["a"]).gold
    empty = one(jsonl, gold=[], gold_doc_ids=["a"]).gold

    assert [(item.doc_id, item.text, item.grade) for item in both] == [(None, "t", 2.0)]
    assert [item.doc_id for item in empty] == ["a"]


def test_b09_scores_of_every_kind(jsonl: Writer) -> None:
    scores = one(jsonl, scores={"zero": 0, "no": False, "null": None, "odd": "good"}).scores

    assert [(s.metric, s.status, s.value, s.cause, s.raw) for s in scores] == [
        ("zero", "value", 0.0, None, None),
        ("no", "value", 0.0, None, None),
        ("null", "error", None, "absent_in_file", None),
        ("odd", "error", None, "unparsable", "good"),
    ]


def test_tags_may_have_several_values_and_none(jsonl: Writer) -> None:
    tags = one(jsonl, tags={"a": ["x", "y", "x"], "b": 3, "c": None, "d": "", "e": True}).tags

    assert tags == [("a", "x"), ("a", "y"), ("b", "3"), ("e", "true")]


def test_nothing_unknown_is_lost(jsonl: Writer) -> None:
    sample = one(jsonl, extra="kept", other=[1], latency="fast", cost="NaN", history=["h"])

    assert sample.extra == '{"extra": "kept", "other": [1], "latency": "fast"}'
    assert (sample.latency, sample.cost, sample.history) == (None, None, '["h"]')


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"scores": [1]}, "scores must be an object"),
        ({"labels": "x"}, "labels must be an object"),
        ({"tags": []}, "tags must be an object"),
        ({"gold_doc_ids": "a"}, "gold_doc_ids must be a list"),
        ({"gold_doc_ids": [True]}, "gold_doc_ids holds true"),
        ({"gold": ["a"]}, "gold must be a list of objects"),
        ({"gold": [{}]}, "neither doc_id nor text"),
        ({"sample_id": ["a"]}, 'sample_id must be text or a number, not ["a"]'),
        ({"run_info": "x"}, "run_info must be an object"),
        ({"run_info": {"metrics": {"m": 1}}}, "run_info.metrics.m must be an object"),
        ({"run_info": {"metrics": {"m": {"lo": 1, "hi": 1}}}}, "lo 1 that is not below hi 1"),
        ({"run_info": {"metrics": {"m": {"direction": "up"}}}}, "the direction 'up'"),
        ({"verdicts": [{"metric": "m"}]}, "has the status 'None'"),
        ({"verdicts": [{"metric": "m", "status": "error"}]}, "needs a cause"),
        ({"verdicts": [{"metric": "m", "status": "value", "value": 1}]}, "judge of a verdict"),
        ({"human_labels": [{"criterion": "c"}]}, "criterion and rater"),
        ({"history": json.loads("[" * 60 + "]" * 60)}, "50 levels"),
    ],
)
def test_field_that_cannot_be_read_is_explained(
    fields: dict[str, Any], said: str, jsonl: Writer
) -> None:
    assert said in problem(jsonl, **fields)


def test_row_whose_run_info_is_broken_does_not_take_its_run_along(jsonl: Writer) -> None:
    items, _ = read(
        jsonl({"run": "r", "question": "1", "run_info": 7}, {"run": "r", "question": "2"})
    )

    assert [type(item).__name__ for item in items] == ["Problem", "ParsedRun", "ParsedSample"]


def test_metrics_covered_by_verdicts_are_not_read_twice(jsonl: Writer) -> None:
    judge = {"kind": "llm", "model": "m"}
    verdicts = [{"metric": "m", "judge": judge, "status": "value", "value": 1}]

    sample = one(jsonl, scores={"m": 1, "other": 0.5}, verdicts=verdicts)

    assert [score.metric for score in sample.scores] == ["other"]
    assert [(v.metric, v.value, v.judge.model) for v in sample.verdicts] == [("m", 1.0, "m")]


@pytest.mark.parametrize(
    ("content", "is_neutral"),
    [
        (b'{"question": "q"}', True),
        (b'\n\n{"answer": "a"}\n', True),
        (b'\xef\xbb\xbf{"question": "q"}\n', True),
        ('{"question": "q"}\n'.encode("utf-16"), True),
        (b'[{"question": "q"}]', True),
        (b'{"prompt": "q"}\n{"question": "q"}', True),
        (b'{"prompt": "q"}', False),
        (b"question,answer\nq,a\n", False),
        (b"not json", False),
        (b"[]", False),
        (b"\x00\x01\x02", False),
    ],
)
def test_format_is_recognised_by_content(content: bytes, is_neutral: bool, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)

    assert (NeutralImporter().recognises(probe(path)) is not None) is is_neutral
