"""Area under the ROC curve: published cases, pairs counted one by one, and what is undefined."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from core.metrics.roc import CONSTANT, NO_OVERLAP, NO_PAIRS, ONE_CLASS, TOO_FEW, auc_delong


def by_pairs(scores: list[float], labels: list[int]) -> tuple[float, float]:
    """AUC and standard error by the definition: every pair looked at, variances of the shares."""
    ones = [s for s, label in zip(scores, labels, strict=True) if label == 1]
    zeros = [s for s, label in zip(scores, labels, strict=True) if label == 0]
    won = np.array([[1.0 if x > y else 0.5 if x == y else 0.0 for y in zeros] for x in ones])
    v10, v01 = won.mean(axis=1), won.mean(axis=0)
    variance = v10.var(ddof=1) / len(ones) + v01.var(ddof=1) / len(zeros)
    return float(won.mean()), float(np.sqrt(variance))


def test_twelve_samples_of_the_published_example() -> None:
    scores = [0.1, 0.35, 0.24, 0.8, 0.2, 0.85, 0.13, 0.85, 0.74, 0.58, 0.71, 0.25]
    labels = [int(c) for c in "001101001101"]

    auc = auc_delong(scores, labels)

    # METRICS 4.5: AUC .7083, interval .378 to 1.000 (clipped)
    assert (round(auc.value or 0, 4), round(auc.low or 0, 3), auc.high) == (0.7083, 0.378, 1.0)
    assert (auc.n, auc.n_positive, auc.reason) == (12, 6, None)


def test_six_samples_by_hand() -> None:
    # Pairs: .9 and .8 beat all three zeros, .4 beats .3 and .2 but not .7: 8 of 9.
    # Shares won by the ones: 1, 1, 2/3, variance 1/27; by the zeros: 2/3, 1, 1, variance 1/27.
    # se = sqrt(2 * (1/27) / 3) = sqrt(.0246914) = .15713; low = .88889 - 1.95996 * .15713
    auc = auc_delong([0.9, 0.8, 0.4, 0.7, 0.3, 0.2], [1, 1, 1, 0, 0, 0])

    assert auc.value == pytest.approx(8 / 9)
    assert auc.standard_error == pytest.approx(0.15713, abs=5e-6)
    assert (auc.low, auc.high) == (pytest.approx(0.5809, abs=5e-5), 1.0)


def test_a_rubric_with_ties() -> None:
    # METRICS 4.5: 16 pairs, 11 won and 3 tied: 12.5 / 16 = .78125, SE .17493
    auc = auc_delong([5, 4, 4, 2, 4, 3, 2, 1], [1, 1, 1, 1, 0, 0, 0, 0])

    assert auc.value == 0.78125
    assert auc.standard_error == pytest.approx(0.17493, abs=5e-6)


SCORES = st.integers(0, 6).map(lambda i: i / 4)


@given(st.lists(st.tuples(SCORES, st.integers(0, 1)), min_size=4, max_size=40))
def test_midranks_count_what_the_pairs_count(pairs: list[tuple[float, int]]) -> None:
    scores, labels = [s for s, _ in pairs], [y for _, y in pairs]
    auc = auc_delong(scores, labels)
    if min(sum(labels), len(labels) - sum(labels)) < 2:
        assert auc.low is None
        return
    area, error = by_pairs(scores, labels)
    assert auc.value == pytest.approx(area)
    assert auc.value == pytest.approx(roc_auc_score(labels, scores))
    if error > 1e-9:
        assert auc.standard_error == pytest.approx(error)
        assert auc.low is not None
        assert auc.high is not None
        assert 0 <= auc.low <= area <= auc.high <= 1


def test_flipping_scores_and_labels_together_changes_nothing() -> None:
    scores = [0.1, 0.4, 0.35, 0.8, 0.7]
    labels = [0, 0, 1, 1, 1]
    flipped = auc_delong([-s for s in scores], [1 - y for y in labels])
    plain = auc_delong(scores, labels)
    assert flipped.value == pytest.approx(plain.value)
    assert (flipped.low, flipped.high) == (pytest.approx(plain.low), pytest.approx(plain.high))


def test_a_constant_score_is_chance() -> None:
    # Every pair is a tie: 1/2, and no share varies, so there is no interval.
    auc = auc_delong([1.0] * 5, [0, 1, 1, 0, 1])
    assert (auc.value, auc.low, auc.reason) == (0.5, None, CONSTANT)


def test_no_overlap_has_a_value_and_no_interval() -> None:
    auc = auc_delong([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    assert (auc.value, auc.low, auc.high, auc.reason) == (1.0, None, None, NO_OVERLAP)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_undefined(label: int) -> None:
    auc = auc_delong([0.2, 0.5, 0.9], [label] * 3)
    assert (auc.value, auc.n, auc.n_positive, auc.reason) == (None, 3, 3 * label, ONE_CLASS)


def test_a_single_sample_of_one_label_has_no_interval() -> None:
    # .5 beats .2 and .3, loses to .9: 2 of 3 pairs
    auc = auc_delong([0.5, 0.2, 0.3, 0.9], [1, 0, 0, 0])
    assert (auc.value, auc.low, auc.reason) == (pytest.approx(2 / 3), None, TOO_FEW)


def test_no_samples_are_undefined() -> None:
    assert auc_delong([], []).as_json() == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "n_positive": 0,
        "reason": NO_PAIRS,
    }


@pytest.mark.parametrize(
    ("scores", "labels"),
    [([0.1, 0.2], [1]), ([0.1, 0.2], [1, 2]), ([float("nan"), 0.2], [1, 0])],
)
def test_what_is_no_pair_is_refused(scores: list[float], labels: list[int]) -> None:
    with pytest.raises(ValueError, match=r"pairs|0 or 1|finite"):
        auc_delong(scores, labels)


def test_a_hundred_thousand_samples_agree_with_the_library() -> None:
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 2, 100_000)
    scores = np.round(rng.normal(labels * 0.8, 1.0), 2)
    auc = auc_delong(scores, labels)
    assert auc.value == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)


def test_the_case_that_names_its_pairs() -> None:
    # The 3 x 3 pairs of two small groups, counted here and nowhere else.
    ones, zeros = [3, 2, 2], [2, 1, 3]
    won = sum(1.0 if x > y else 0.5 if x == y else 0.0 for x, y in product(ones, zeros))
    assert auc_delong([*ones, *zeros], [1] * 3 + [0] * 3).value == pytest.approx(won / 9)
