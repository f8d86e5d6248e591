"""Usefulness by rank and eRAG from a file; slices by tag with the baseline beside."""

import json
from pathlib import Path

import pytest

from core.filters import from_terms
from core.store.connection import Store
from core.workflows import review
from core.workflows.deriving import derive
from core.workflows.importing import Options, import_file
from core.workflows.retrieval_slices import cue_slices, retrieval_slices
from core.workflows.retrieving import retrieval, run_retrieval
from core.workflows.setup import ensure_store

# Per sample: gold document, documents retrieved, eRAG gain of each, what a person found useful.
ROWS = [
    ("a", "d1", ["d1", "d2"], [1.0, 0.0], [1, 0], "x"),
    ("b", "d9", ["d3", "d9"], [0.0, 0.5], [0, 1], "x"),
    ("c", "d9", ["d3", "d4"], [0.0, 0.0], [0, None], "y"),
    ("d", None, ["d3"], [None], [1], "y"),
]


def rows(run: str = "gains", shift: int = 0) -> list[dict]:
    found = []
    for name, gold, docs, gains, useful, topic in ROWS:
        verdicts = [
            {"metric": "erag", "judge": {"kind": "imported", "model": "em"}, "status": "value",
             "value": gain, "context_rank": rank}
            for rank, gain in enumerate(gains, 1) if gain is not None
        ]  # fmt: skip
        labels = [
            {"criterion": "useful", "rater": "r1", "value": mark, "context_rank": rank}
            for rank, mark in enumerate(useful, 1)
            if mark is not None
        ]
        found.append(
            {
                "run": run,
                "sample_id": name,
                "question": f"{name}?",
                "answer": "Yes.",
                "contexts": [{"doc_id": doc, "text": f"Text of {doc}."} for doc in docs[shift:]],
                "tags": {"topic": topic},
                **({"gold_doc_ids": [gold]} if gold else {}),
                **({"verdicts": verdicts, "human_labels": labels} if not shift else {}),
                "scores": {"adherence": 0.9 if name in "ab" else 0.1},
                "labels": {"correct": 1 if name in "ac" else 0, "refused": 0},
            }
        )
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made, _ = ensure_store(tmp_path / "store.duckdb")
    for run, shift in (("gains", 0), ("before", 1)):
        file = tmp_path / f"{run}.jsonl"
        text = "".join(json.dumps(row) + "\n" for row in rows(run, shift))
        file.write_text(text, encoding="utf-8")
        report = import_file(made, file, Options())
        assert report.is_stored, report.problems
        derive(made, run)
    return made


def test_usefulness_by_rank_of_each_source(store: Store) -> None:
    found = run_retrieval(store, "gains", review.View())
    useful = found["usefulness_by_rank"]["useful"]
    assert (useful["kind"], useful["cut"]) == ("label", 0.5)
    # Rank 1: a and d of four; rank 2: b of two, since c's second context bears no label.
    assert {rank: (one["value"], one["n"]) for rank, one in useful["by_rank"].items()} == {
        "1": (0.5, 4),
        "2": (0.5, 2),
    }
    assert useful["by_rank"]["1"]["low"] < 0.5 < useful["by_rank"]["1"]["high"]
    json.dumps(found, allow_nan=False)


def test_erag_over_the_samples_with_all_gains(store: Store) -> None:
    found = run_retrieval(store, "gains", review.View())["erag"]["erag"]
    # d has no gain for its only context; a, b and c have all of theirs.
    assert (found["n"], found["n_incomplete"]) == (3, 0)
    assert found["mrr"]["value"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert found["gain_by_rank"]["1"]["value"] == pytest.approx(1 / 3)
    assert found["gain_by_rank"]["2"]["value"] == pytest.approx(0.5 / 3)
    assert found["ndcg"]["1"]["value"] == pytest.approx(1 / 3)


def test_marks_follow_the_filter(store: Store) -> None:
    view = review.View(wanted=from_terms(["tag.topic=y"]))
    found = retrieval(store, "gains", view).contexts
    assert found.erag is not None
    assert found.erag["erag"].n == 1
    assert [one.by_rank[1].n for one in found.usefulness] == [2]


def test_a_run_without_marks_has_none(store: Store) -> None:
    found = retrieval(store, "before", review.View())
    assert found.contexts.usefulness == ()
    assert "erag" not in found.as_json()


def test_retrieval_by_tag_with_the_baseline(store: Store) -> None:
    found = {one.value: one for one in retrieval_slices(store, "gains", review.View(), "topic")}
    # x: a hits at rank 1, b at rank 2; y: c misses, d has no gold.
    assert (found["x"].n_samples, found["x"].hit.k, found["x"].hit.n) == (2, 2, 2)
    assert found["x"].mrr.value == 0.75
    assert (found["y"].n_samples, found["y"].hit.k, found["y"].hit.n) == (2, 0, 1)
    with_base = retrieval_slices(store, "gains", review.View(), "topic", "before")
    # Before, the first context of each was not retrieved: a misses, b hits.
    assert {one.value: one.baseline_hit.k for one in with_base if one.baseline_hit} == {
        "x": 1,
        "y": 0,
    }
    assert retrieval_slices(store, "gains", review.View(), "nothing") == []


def test_a_slice_without_gold_is_undefined_and_not_zero(store: Store) -> None:
    view = review.View(wanted=from_terms(["hit=undefined"]))
    (found,) = retrieval_slices(store, "gains", view, "topic")
    assert (found.value, found.n_samples, found.hit.value) == ("y", 1, None)
    assert found.hit.reason == "no sample of the slice has gold evidence"
    assert found.mrr.value is None


def test_context_use_by_tag_adds_up_to_the_run(store: Store) -> None:
    found = cue_slices(store, "gains", review.View(), "topic", "before")
    assert [(one.value, one.summary.n) for one in found] == [("x", 2), ("y", 2)]
    x, y = found
    assert (x.summary.hit_share.k, x.summary.hit_share.n) == (2, 2)
    assert y.summary.published["correct_rejection"] == 1
    assert x.baseline is not None
    assert x.baseline.hit_share.k == 1


def test_filter_by_document(store: Store) -> None:
    view = review.View(wanted=from_terms(["doc=d3"]))
    with review.matched(store, "gains", view) as (connection, _):
        found = connection.execute("select sample_id from matched order by 1").fetchall()
    assert found == [("b",), ("c",), ("d",)]
    assert from_terms(["doc=https://x.org/?a=1"]).docs == ("https://x.org/?a=1",)
    assert from_terms(["doc=https://x.org/?a=1"]).terms() == ["doc=https://x.org/?a=1"]
