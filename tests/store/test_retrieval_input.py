"""Odd retrieval results from a file to figures: ids of every kind, too few and too many ranks."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.filters import from_terms
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.retrieving import run_retrieval
from core.workflows.review import View
from core.workflows.sample_views import sample_ids

URL = "https://example.org/a?b=1&c=%20"
LONG = 12345678901234567890


def contexts(*ids: object) -> list[dict[str, object]]:
    return [{"doc_id": one, "text": f"text of {one}"} for one in ids]


def figures(store: Store, folder: Path, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    path = folder / "odd.jsonl"
    path.write_text(
        "".join(
            json.dumps({"sample_id": f"s{i}", "question": f"Question {i}?", "answer": "So.", **row})
            + "\n"
            for i, row in enumerate(rows)
        ),
        encoding="utf-8",
    )
    report = import_file(store, path, Options())
    assert report.is_stored, report.problems
    return run_retrieval(store, report.runs[0].run_id, View(), None)


@pytest.mark.parametrize(
    ("retrieved", "gold", "hit", "recall"),
    [
        ((), ["a"], 0, 0.0),  # nothing retrieved is a miss, and stays in the denominator
        (("a",), ["a"], 1, 1.0),
        (("a", "a", "a"), ["a"], 1, 1.0),  # found three times is found once
        (("a", "a", "b"), ["a", "b"], 1, 1.0),
        (("a",), ["zz"], 0, 0.0),  # evidence that no list holds
        (("b",), [["a", "b"], ["c"]], 1, 0.5),  # either of the first group, and the second: 1 of 2
        (("b", "c"), [["a", "b"], ["c"]], 1, 1.0),
        ((7,), [7], 1, 1.0),
        ((7,), ["7"], 1, 1.0),
        (("007",), ["7"], 0, 0.0),  # another id, whatever number it looks like
        ((LONG,), [LONG], 1, 1.0),
        ((LONG,), [LONG + 1], 0, 0.0),  # as numbers of a float both would be the same
        ((URL,), [URL], 1, 1.0),
        (("条款-七",), ["条款-七"], 1, 1.0),
    ],
)
def test_ids_of_every_kind(
    retrieved: tuple[object, ...],
    gold: list[object],
    hit: int,
    recall: float,
    fresh_store: Store,
    tmp_path: Path,
) -> None:
    # A second sample makes sure that the run has contexts at all.
    rows = [
        {"contexts": contexts(*retrieved), "gold_doc_ids": gold},
        {"contexts": contexts("x"), "gold_doc_ids": ["x"]},
    ]
    found = figures(fresh_store, tmp_path, rows)
    deepest = str(found["k"])
    assert found["n"] == 2
    assert found["hit_at_k"][deepest]["value"] == (hit + 1) / 2
    assert found["recall"][deepest]["value"] == (recall + 1) / 2


def test_more_than_a_hundred_contexts_and_fewer_than_k(fresh_store: Store, tmp_path: Path) -> None:
    rows = [
        {"contexts": contexts(*(f"d{i}" for i in range(120))), "gold_doc_ids": ["d100"]},
        {"contexts": contexts("d0", "d1"), "gold_doc_ids": ["d1"]},
    ]
    found = figures(fresh_store, tmp_path, rows)
    assert found["k"] == 120
    # at 100 only the second question is hit; its two contexts count as its first hundred
    assert found["hit_at_k"]["100"]["value"] == 0.5
    assert found["hit_at_k"]["101"]["value"] == 1.0
    assert found["precision"]["100"]["value"] == (0 / 100 + 1 / 100) / 2
    assert found["mrr"]["value"] == pytest.approx((1 / 101 + 1 / 2) / 2)


def test_no_gold_is_left_out_and_no_contexts_is_a_cause_of_its_own(
    fresh_store: Store, tmp_path: Path
) -> None:
    """B45: without contexts nothing is divided by zero, and nothing counts as irrelevant."""
    rows = [{"gold_doc_ids": ["a"]}, {"contexts": None, "gold_doc_ids": ["b"]}, {}]
    found = figures(fresh_store, tmp_path, rows)
    assert (found["n"], found["n_contexts_not_recorded"]) == (0, 3)
    assert found["no_hit_rate"]["value"] is None
    assert found["mrr"]["reason"]


def test_text_of_every_script_is_evidence(fresh_store: Store, tmp_path: Path) -> None:
    texts = [
        "退款期限是十四天，自收到货物之日起计算。",
        "مدة الاسترجاع أربعة عشر يوما من تاريخ الاستلام.",
        "Die Widerrufsfrist beträgt vierzehn Tage ab Erhalt der Ware.",
    ]
    rows = [{"contexts": [{"text": f"§ 1 {text} …"}], "gold": [{"text": text}]} for text in texts]
    found = figures(fresh_store, tmp_path, rows)
    assert found["hit_at_k"]["1"]["value"] == 1.0


def test_precision_by_rank_and_share_of_useful_contexts_are_two_figures(
    fresh_store: Store, tmp_path: Path
) -> None:
    """B48: one useful context of two is a share of 1/2 wherever it stands, a MAP of 1 or 1/2."""
    first = figures(
        fresh_store, tmp_path, [{"contexts": contexts("a", "x"), "gold_doc_ids": ["a"]}]
    )
    second = figures(
        fresh_store, tmp_path, [{"contexts": contexts("x", "a"), "gold_doc_ids": ["a"]}]
    )
    assert [one["precision"]["2"]["value"] for one in (first, second)] == [0.5, 0.5]
    assert [one["map_retrieved"]["value"] for one in (first, second)] == [1.0, 0.5]


def test_the_filter_opens_the_misses(fresh_store: Store, tmp_path: Path) -> None:
    rows = [
        {"contexts": contexts("a"), "gold_doc_ids": ["a"]},
        {"contexts": [], "gold_doc_ids": ["a"]},
        {"contexts": contexts("a")},
    ]
    found = figures(fresh_store, tmp_path, rows)
    run_id = found["run_id"]
    by_state = {
        state: list(sample_ids(fresh_store, run_id, View(wanted=from_terms([f"hit={state}"]))))
        for state in ("hit", "miss", "undefined")
    }
    assert by_state == {"hit": ["s0"], "miss": ["s1"], "undefined": ["s2"]}
