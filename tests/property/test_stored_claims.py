"""Both identities of the claim scores hold for what the store gives back, whatever came in."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.store.connection import Store
from core.workflows import exporting
from core.workflows.claim_figures import claim_figures
from core.workflows.importing import import_file
from core.workflows.review import View
from core.workflows.setup import ensure_store

WORDS = st.sampled_from(["entailed", "contradicted", "neutral", True, False, None])
JUDGE = "claim-labels-v1"


@st.composite
def sample(draw: st.DrawFn) -> dict[str, Any]:
    width = draw(st.integers(0, 3))
    rows = st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=width)), max_size=4)
    answer, reference = draw(rows), draw(rows)
    return {
        "question": "What?",
        "answer": "This.",
        "contexts": [{"text": f"Text {rank}."} for rank in range(width)],
        "claims": {
            "answer": [f"a{i}" for i in range(len(answer))],
            "reference": [f"r{i}" for i in range(len(reference))],
            "answer_by_reference": [word for word, _ in answer],
            "reference_by_answer": [word for word, _ in reference],
            "answer_by_context": [row for _, row in answer],
            "reference_by_context": [row for _, row in reference],
        },
    }


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return ensure_store(tmp_path_factory.mktemp("claims") / "store.duckdb")[0]


def near(total: float) -> Any:
    return pytest.approx(total, abs=1e-9)


@settings(max_examples=25)
@given(samples=st.lists(sample(), min_size=1, max_size=4), number=st.integers(0, 2**60))
def test_identities_over_stored_runs(
    store: Store, samples: list[dict[str, Any]], number: int
) -> None:
    path = Path(store.path.parent) / "run.jsonl"
    # Equal bytes would be the same import again.
    rows = [{**row, "sample_id": f"{number}-{i}"} for i, row in enumerate(samples)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = import_file(store, path)
    if report.duplicate_of:
        return
    assert report.is_stored, report.problems
    run_id = report.runs[0].run_id

    for record in exporting.records(store, run_id, View()):
        scores = {
            one["metric"]: one["value"]
            for one in record["verdicts"]
            if one["judge"]["model"] == JUDGE and "value" in one and "context_rank" not in one
        }
        if "hallucination" in scores:
            assert scores["precision"] + scores["noise_sensitivity_rel"] + scores[
                "noise_sensitivity_irr"
            ] + scores["hallucination"] == near(1)
            assert scores["faithfulness"] + scores["hallucination"] + scores[
                "self_knowledge"
            ] == near(1)
            assert scores["supported_precision"] + scores["self_knowledge"] == near(
                scores["precision"]
            )

    labelled = claim_figures(store, run_id, View()).labelled
    assert labelled is not None
    rates = {one.spec.id: one.rate for one in labelled.scores}
    if rates["hallucination"].n:
        three = [rates[name] for name in ("faithfulness", "hallucination", "self_knowledge")]
        assert sum(rate.value or 0.0 for rate in three) == near(1)
        assert len({rate.n for rate in three}) == 1
    n_listed = sum(len(row["claims"]["answer"]) for row in rows)
    assert labelled.n_claims + labelled.n_open == n_listed
