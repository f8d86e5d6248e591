"""Claim-level scores from entailment labels."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.metrics.claim_labels import ClaimLabels, ClaimScores, claim_rates, claim_scores

# METRICS 4.3, in per cent as printed there.
PUBLISHED = {
    "precision": 76.4,
    "recall": 62.5,
    "f1": 68.3,
    "claim_recall": 61.4,
    "context_precision_chunks": 87.5,
    "context_utilization": 87.5,
    "noise_sensitivity_rel": 19.1,
    "noise_sensitivity_irr": 0.0,
    "hallucination": 4.5,
    "self_knowledge": 27.3,
    "faithfulness": 68.2,
}


def _rows(*marks: str) -> list[list[int]]:
    return [[int(mark) for mark in row] for row in marks]


def _published() -> list[ClaimLabels]:
    """Two samples with the published margins; the labels themselves are made up."""
    # 11 claims, 8 right: two of these rest on a context and six on none; of the three wrong ones
    # two come from a relevant context and one from none. 5 of 22 reference claims are in three of
    # the four contexts, and all five reached the answer, which has 11 of the 22.
    first = ClaimLabels(
        answer_by_reference=[1] * 8 + [0] * 3,
        reference_by_answer=[1] * 11 + [0] * 11,
        answer_by_context=_rows(*["1000", "0100"], *["0000"] * 6, *["0010", "1100"], *["0000"]),
        reference_by_context=_rows("1000", "1100", "0100", "0010", "0010", *["0000"] * 17),
        n_contexts=4,
    )
    # 5 claims, 4 right, all in a context, the wrong one in a relevant context; all 8 reference
    # claims are in the contexts, all three of them relevant, and 6 reached the answer.
    second = ClaimLabels(
        answer_by_reference=[1, 1, 1, 1, 0],
        reference_by_answer=[1] * 6 + [0] * 2,
        answer_by_context=_rows("100", "010", "001", "110", "011"),
        reference_by_context=_rows("100", "010", "001", "100", "010", "001", "111", "110"),
        n_contexts=3,
    )
    return [first, second]


def _in_per_cent(samples: list[ClaimLabels]) -> dict[str, float | None]:
    rates = claim_rates(map(claim_scores, samples))
    return {
        name: None if rate.value is None else round(100 * rate.value, 1)
        for name, rate in rates.items()
    }


def test_published_example_to_the_printed_digit() -> None:
    assert _in_per_cent(_published()) == PUBLISHED


def test_scores_of_the_published_samples_one_by_one() -> None:
    first, second = map(claim_scores, _published())
    assert first.precision == 8 / 11
    assert first.claim_recall == 5 / 22
    assert first.context_precision_chunks == 3 / 4
    assert first.context_utilization == 5 / 5
    assert (first.noise_sensitivity_rel, first.hallucination) == (2 / 11, 1 / 11)
    assert (first.self_knowledge, first.faithfulness) == (6 / 11, 4 / 11)
    # P 4/5, R 6/8: F1 = 1.2 / 1.55
    assert second.f1 == pytest.approx(1.2 / 1.55)
    assert second.context_utilization == 6 / 8


def test_f1_of_a_run_is_the_mean_of_its_samples() -> None:
    perfect = ClaimLabels([1], [1], [[1]], [[1]], 1)
    wrong = ClaimLabels([0], [0], [[1]], [[1]], 1)
    half = ClaimLabels([1, 0], [1], [[1], [1]], [[1]], 1)
    # F1 of half: 2 · .5 · 1 / 1.5 = 2/3. Of the means P .5 and R 2/3 it would be .571, not .556.
    rates = claim_rates(map(claim_scores, [perfect, wrong, half]))
    assert rates["f1"].value == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert (rates["f1"].n, rates["precision"].value) == (3, 0.5)


def test_a_wrong_claim_from_an_irrelevant_context_is_noise_of_its_own_kind() -> None:
    # context 1 is relevant; the claims come from 2 alone, and from both
    scores = claim_scores(ClaimLabels([0, 0], [0], _rows("01", "11"), _rows("10"), 2))
    assert (scores.noise_sensitivity_irr, scores.noise_sensitivity_rel) == (0.5, 0.5)


def test_an_answer_without_claims_leaves_its_scores_undefined() -> None:
    scores = claim_scores(ClaimLabels([], [0], [], [[1]], 1))
    assert scores == ClaimScores(None, 0.0, None, 1.0, 1.0, 0.0, None, None, None, None, None)


def test_a_reference_without_claims_leaves_its_scores_undefined() -> None:
    scores = claim_scores(ClaimLabels([0], [], [[1]], [], 1))
    assert (scores.recall, scores.f1, scores.claim_recall) == (None, None, None)
    assert (scores.context_precision_chunks, scores.context_utilization) == (None, None)
    # no context is relevant to nothing: the wrong claim comes from an irrelevant one
    assert (scores.precision, scores.noise_sensitivity_irr) == (0.0, 1.0)


def test_nothing_retrieved_leaves_what_contexts_say_undefined() -> None:
    scores = claim_scores(ClaimLabels([1], [1], [[]], [[]], 0))
    assert (scores.precision, scores.recall, scores.f1) == (1.0, 1.0, 1.0)
    assert scores.claim_recall == 0.0
    assert scores.faithfulness is None
    assert scores.self_knowledge is None
    assert scores.context_precision_chunks is None


def test_nothing_found_leaves_utilization_undefined() -> None:
    assert claim_scores(ClaimLabels([1], [1], [[0]], [[0]], 1)).context_utilization is None


def test_claims_without_a_verdict_count_nowhere() -> None:
    labels = ClaimLabels([1, None, 0, 0], [1, 1], [[1], [1], [None], [0]], [[1], []], 1)
    scores = claim_scores(labels)
    # of the answer the first and the last claim are left, of the reference the first
    assert (scores.precision, scores.faithfulness, scores.recall) == (0.5, 0.5, 1.0)
    assert scores.n_left_out == 3


def test_labels_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match="2 claims, but 1 rows"):
        ClaimLabels([1, 0], [], [[1]], [], 1)
    with pytest.raises(ValueError, match="more than 1 contexts"):
        ClaimLabels([1], [], [[1, 0]], [], 1)


def test_a_run_without_claims_has_no_rates() -> None:
    rates = claim_rates([])
    assert list(rates) == list(PUBLISHED)
    assert rates["f1"].as_json()["value"] is None


def _labels(row: dict[str, Any]) -> ClaimLabels:
    def read(labels: Any) -> Any:
        if isinstance(labels, list):
            return [read(one) for one in labels]
        return labels == "Entailment"

    return ClaimLabels(
        read(row["answer2response"]),
        read(row["response2answer"]),
        read(row["retrieved2response"]),
        read(row["retrieved2answer"]),
        len(row["retrieved_context"]),
    )


def test_published_example_from_its_own_labels(samples_dir: Path) -> None:
    (file,) = (samples_dir / "ragchecker").glob("*checking_outputs.json")
    rows = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert _in_per_cent([_labels(row) for row in rows]) == PUBLISHED
    for row in rows:
        scores = claim_scores(_labels(row))
        theirs = row["metrics"]
        assert scores.precision == pytest.approx(theirs["precision"])
        assert scores.self_knowledge == pytest.approx(theirs["self_knowledge"])
        assert scores.context_utilization == pytest.approx(theirs["context_utilization"])
