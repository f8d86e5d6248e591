"""The formula cases of METRICS 4.2 that need no ranking."""

import csv
from pathlib import Path

import pytest

from core.diagnosis.thresholds import is_high, resolve_cut
from core.diagnosis.triad import Pattern, diagnose
from core.metrics.claims import (
    context_precision,
    context_relevance_ratio,
    faithfulness,
    faithfulness_contradiction,
    rate_contexts,
)
from core.metrics.conversational import conversational_faithfulness
from core.model import Mode

GOLDEN = Path(__file__).parents[1] / "golden" / "conversational_faithfulness.csv"


def _high(metric: str, value: float | None) -> bool | None:
    return is_high(value, resolve_cut(metric, None, "imported", "file"))


def _cases() -> list[dict[str, str]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "row", _cases(), ids=lambda row: f"{row['grounded']},{row['ungrounded']},{row['informative']}"
)
def test_conversational_faithfulness_of_the_published_cases(row: dict[str, str]) -> None:
    result = conversational_faithfulness(
        int(row["grounded"]), int(row["ungrounded"]), int(row["informative"])
    )
    assert result.value == int(row["numerator"]) / int(row["denominator"])
    assert sorted(result.flags) == ([row["flag"]] if row["flag"] else [])


def test_conversational_faithfulness_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        conversational_faithfulness(-1, 0, 3)


def test_hsbc_two_of_three_claims_supported_is_low() -> None:
    value = faithfulness(2, 3)
    assert value == pytest.approx(0.6667, abs=5e-5)
    assert _high("faithfulness", value) is False


def test_hsbc_counted_by_contradictions_is_another_number() -> None:
    # the third claim is undecided: not contradicted, so 3/3, or (3 - 1)/3 with the penalty
    assert faithfulness_contradiction(0, 3, n_undecided=1) == 1.0
    assert faithfulness_contradiction(
        0, 3, n_undecided=1, is_ambiguity_penalised=True
    ) == pytest.approx(2 / 3)


def test_nike_one_of_three_contexts_is_low_as_a_ratio_and_high_as_the_best() -> None:
    ratio = context_relevance_ratio(1, 3)
    rated = rate_contexts([5, 1, 2])
    assert ratio == pytest.approx(0.3333, abs=5e-5)
    assert rated is not None
    assert _high("context_relevance_ratio", ratio) is False
    assert _high("context_relevance_rubric", rated.best) is True
    assert rated.is_noisy


def test_jpmorgan_grounded_but_off_target() -> None:
    g, cr, ar = faithfulness(4, 4), 5, 2
    pattern = Pattern(
        context_relevance=int(bool(_high("context_relevance_rubric", cr))),
        groundedness=int(bool(_high("faithfulness", g))),
        answer_relevance=int(bool(_high("answer_relevance_rubric", ar))),
        refusal=0,
    )
    assert diagnose(pattern).mode is Mode.OFF_TARGET_ANSWER


def test_one_unsupported_claim_weighs_by_the_number_of_claims() -> None:
    assert faithfulness(1, 2) == 0.5
    assert faithfulness(0, 1) == 0.0


def test_no_claims_are_undefined_or_one_by_the_definition() -> None:
    assert faithfulness(0, 0) is None
    assert faithfulness_contradiction(0, 0) == 1.0
    assert context_relevance_ratio(0, 0) is None


@pytest.mark.parametrize(("supported", "claims"), [(4, 3), (-1, 3), (1, 0)])
def test_counts_that_are_no_share_are_refused(supported: int, claims: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        faithfulness(supported, claims)


@pytest.mark.parametrize(("contradicted", "undecided"), [(3, 1), (-1, 0), (0, -1), (0, 4)])
def test_contradictions_that_do_not_fit_the_claims_are_refused(
    contradicted: int, undecided: int
) -> None:
    with pytest.raises(ValueError, match="of 3 claims"):
        faithfulness_contradiction(contradicted, 3, undecided)


@pytest.mark.parametrize(
    ("useful", "expected"),
    # 11010: (1 + 1 + 3/4) / 3; 01101: (1/2 + 2/3 + 3/5) / 3
    [
        ("10000", 1),
        ("01000", 0.5),
        ("10100", 0.8333),
        ("11100", 1),
        ("00001", 0.2),
        ("00000", 0),
        ("11010", 0.9167),
        ("01101", 0.5889),
        ("", 0),
    ],
)
def test_context_precision_of_the_published_vectors(useful: str, expected: float) -> None:
    assert context_precision([int(one) for one in useful]) == pytest.approx(expected, abs=5e-5)


def test_rated_contexts_keep_mean_and_share_beside_the_best() -> None:
    rated = rate_contexts([4, 2, 5, 3])
    assert rated is not None
    # (4 + 2 + 5 + 3)/4; 2 of 4 are at least 4: exactly half is not noisy
    assert (rated.best, rated.mean, rated.share_relevant) == (5, 3.5, 0.5)
    assert not rated.is_noisy


def test_no_relevant_context_is_poor_but_not_noisy() -> None:
    rated = rate_contexts([1, 2, 3])
    assert rated is not None
    assert not rated.is_noisy


def test_failed_ratings_leave_a_partial_score() -> None:
    rated = rate_contexts([None, 2, 4])
    assert rated is not None
    assert (rated.best, rated.mean, rated.is_partial) == (4, 3, True)


@pytest.mark.parametrize("ratings", [[], [None, None]])
def test_without_a_rating_there_is_no_score(ratings: list[float | None]) -> None:
    assert rate_contexts(ratings) is None
