"""Agreement coefficients against published values and against second implementations."""

import numpy as np
import pytest

from core.metrics.agreement import (
    absolute_agreement,
    cohen_kappa,
    gwet,
    krippendorff_alpha,
    weight_matrix,
)
from core.metrics.planning import corrected_rate

# Twelve units rated by four raters on 1 to 5, with gaps; a published teaching example.
_TEXT = "11-1 2232 3333 3333 2222 1234 4444 1121 2222 -555 --11 --3-"
RATINGS = [[None if mark == "-" else float(mark) for mark in row] for row in _TEXT.split()]
SCALE = [1.0, 2.0, 3.0, 4.0, 5.0]


def test_ac1_of_the_published_example():
    found = gwet(RATINGS, SCALE)
    assert found.observed == pytest.approx(0.81818, abs=5e-6)
    assert found.expected == pytest.approx(0.19032, abs=5e-6)
    assert found.value == pytest.approx(0.77544, abs=5e-6)
    assert found.standard_error == pytest.approx(0.14295, abs=5e-6)
    assert found.low == pytest.approx(0.46081, abs=5e-6)
    assert found.high == 1.0
    assert (found.n, found.n_paired) == (12, 11)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [("linear", 0.85874), ("quadratic", 0.91400), ("ordinal", 0.89894)],
)
def test_ac2_of_the_published_example(weights, expected):
    assert gwet(RATINGS, SCALE, weights).value == pytest.approx(expected, abs=5e-6)


def test_krippendorff_alpha_of_the_published_example():
    assert krippendorff_alpha(RATINGS, SCALE).value == pytest.approx(0.74342, abs=5e-6)


def test_kappa_paradox():
    # 118 both 1, 5 (1, 0), 2 (0, 1), none both 0: raters agree on 94 %, kappa is below zero.
    one = [1.0] * 123 + [0.0] * 2
    other = [1.0] * 118 + [0.0] * 5 + [1.0] * 2
    kappa = cohen_kappa(one, other, [0, 1])
    ac1 = gwet(list(zip(one, other, strict=True)), [0, 1])
    assert kappa.observed == pytest.approx(0.944)
    assert kappa.value == pytest.approx(-0.02339, abs=5e-6)
    assert ac1.expected == pytest.approx(0.05443, abs=5e-6)
    assert ac1.value == pytest.approx(0.94078, abs=5e-6)
    assert absolute_agreement(list(zip(one, other, strict=True))) == (118, 125)


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_kappa_agrees_with_scikit_learn(weights):
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(7)
    one = rng.integers(1, 6, 200).astype(float)
    other = np.clip(one + rng.integers(-1, 2, 200), 1, 5)
    names = {"identity": None, "linear": "linear", "quadratic": "quadratic"}
    expected = cohen_kappa_score(one, other, weights=names[weights], labels=SCALE)
    assert cohen_kappa(list(one), list(other), SCALE, weights).value == pytest.approx(expected)


def test_kappa_interval_agrees_with_statsmodels():
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.array([[20, 5, 1], [3, 15, 4], [2, 6, 24]])
    one, other = [], []
    for i in range(3):
        for j in range(3):
            one += [float(i)] * table[i, j]
            other += [float(j)] * table[i, j]
    found, expected = cohen_kappa(one, other, [0, 1, 2]), cohens_kappa(table)
    assert found.value == pytest.approx(expected.kappa)
    assert found.standard_error == pytest.approx(expected.std_kappa)


def test_categories_come_from_the_scale_and_not_from_what_was_seen():
    ratings = [[0, 0], [0, 0], [1, 1], [0, 1]]
    # A third category that nobody chose changes pe: T_w / (q (q - 1)) is 1/2 there and 1 here.
    assert gwet(ratings, [0, 1]).value != pytest.approx(gwet(ratings, [0, 1, 2]).value)


def test_arrays_with_gaps_say_what_lists_with_gaps_say():
    matrix = np.array([[np.nan if r is None else r for r in row] for row in RATINGS])
    assert gwet(matrix, SCALE) == gwet(RATINGS, SCALE)
    assert krippendorff_alpha(matrix, SCALE) == krippendorff_alpha(RATINGS, SCALE)
    assert absolute_agreement(matrix) == absolute_agreement(RATINGS) == (8, 11)
    one, other = ([row[i] for row in RATINGS] for i in (1, 2))
    assert cohen_kappa(matrix[:, 1], matrix[:, 2], SCALE) == cohen_kappa(one, other, SCALE)


def test_no_unit_at_all_has_no_agreement():
    assert absolute_agreement([]) == (0, 0)
    assert gwet([], [0, 1]).reason == "nothing has two ratings"
    assert krippendorff_alpha([], [0, 1]).reason == "nothing has two ratings"
    assert cohen_kappa([], [], [0, 1]).reason == "nothing was rated by both"


def test_a_rating_off_the_scale_is_refused():
    with pytest.raises(ValueError, match="unit 1 has the rating 3"):
        gwet([[0, 1], [3, 1]], [0, 1])


def test_all_equal_ratings_say_that_there_is_no_variation():
    found = gwet([[1, 1], [1, 1]], [0, 1])
    assert found.value == 1.0
    assert found.note is not None
    assert krippendorff_alpha([[1, 1], [1, 1]], [0, 1]).value is None
    assert cohen_kappa([1, 1], [1, 1], [0, 1]).value is None


def test_single_ratings_give_no_coefficient():
    assert gwet([[1, None], [None, 0]], [0, 1]).reason == "nothing has two ratings"


def test_ordinal_weights_of_three_categories():
    # C(2, 2) / C(3, 2) = 1/3 for neighbours, C(3, 2) / C(3, 2) = 1 for the ends.
    assert weight_matrix([1, 2, 3], "ordinal")[0] == pytest.approx([1, 2 / 3, 0])


def test_correction_says_when_it_does_not_hold():
    chance = corrected_rate(
        50, 100, true_positive=25, false_negative=25, true_negative=25, false_positive=25
    )
    assert chance.corrected is None
    assert "chance" in str(chance.reason)
    one_class = corrected_rate(
        50, 100, true_positive=25, false_negative=25, true_negative=0, false_positive=0
    )
    assert one_class.corrected is None


def test_correction_interval_holds_its_value_and_is_repeatable():
    found = [
        corrected_rate(
            70, 100, true_positive=45, false_negative=5, true_negative=40, false_positive=10
        )
        for _ in range(2)
    ]
    assert found[0] == found[1]
    assert found[0].low < found[0].corrected < found[0].high
