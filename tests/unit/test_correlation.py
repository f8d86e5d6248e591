"""Correlations: by hand, against scipy, and what is undefined."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.metrics.correlation import CONSTANT, KINDS, NO_PAIRS, PERFECT, TOO_FEW, correlate

X = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
Y = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]


def test_pearson_spearman_and_kendall_by_hand() -> None:
    # Both are permutations of 1..6, so Pearson is Spearman: 1 - 6·(6·1) / (6·35) = 29/35.
    assert correlate(X, Y, "pearson").value == pytest.approx(29 / 35)
    assert correlate(X, Y, "spearman").value == pytest.approx(29 / 35)
    # 15 pairs, three neighbours swapped: (12 - 3) / 15.
    assert correlate(X, Y, "kendall").value == pytest.approx(9 / 15)


def test_kendall_is_tau_b_where_numbers_tie() -> None:
    # Pairs: 1-1 tied in x; (1,0)-(2,1), (1,1)-(2,1) tied in y; one concordant of
    # sqrt((3 - 1)(3 - 1)) = 2.
    assert correlate([1, 1, 2], [0, 1, 1], "kendall").value == pytest.approx(1 / 2)


def test_fisher_interval_by_hand() -> None:
    # r = 29/35, n = 6: atanh(r) = ln(64 / 6) / 2 = 1.183562, half 1.959964 / sqrt(3) = 1.131586.
    found = correlate(X, Y, "pearson")
    assert found.method == "Fisher z"
    assert found.low == pytest.approx(math.tanh(1.183562 - 1.131586), abs=1e-6)
    assert found.high == pytest.approx(math.tanh(1.183562 + 1.131586), abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_input_has_no_value_but_a_reason(kind: str) -> None:
    # The mean of seven 0.1 is not 0.1, but rounding must not make a constant vary.
    found = correlate([0.1] * 7, [*X, 7.0], kind)  # type: ignore[arg-type]
    assert (found.value, found.low, found.reason) == (None, None, CONSTANT)
    assert found.as_json() == {
        "value": None, "low": None, "high": None, "n": 7, "reason": CONSTANT,
    }  # fmt: skip


def test_too_few_pairs_and_perfect_lines_say_so() -> None:
    assert correlate([1], [1], "pearson").reason == NO_PAIRS
    assert correlate([], [], "spearman").n == 0
    assert correlate([1, 2, 3], [1, 3, 2], "pearson").reason == TOO_FEW
    perfect = correlate([1, 2, 3, 4], [2, 4, 6, 8], "pearson")
    assert (perfect.value, perfect.low, perfect.reason) == (1.0, None, PERFECT)


def test_numbers_that_are_no_pairs_or_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        correlate([1, 2], [1], "pearson")
    with pytest.raises(ValueError, match="not finite"):
        correlate([1, math.nan], [1, 2], "pearson")


def test_repeated_questions_are_drawn_together() -> None:
    # The same six pairs ten times over: six questions, not sixty.
    x, y = np.tile(X, 10), np.tile(Y, 10)
    naive = correlate(x, y, "spearman")
    clustered = correlate(x, y, "spearman", clusters=np.tile(np.arange(6), 10))

    assert (naive.method, clustered.method) == ("Fisher z", "bootstrap by question")
    assert clustered.value == naive.value
    assert clustered.high - clustered.low > 2 * (naive.high - naive.low)  # type: ignore[operator]


def test_the_seed_fixes_the_bootstrap() -> None:
    x, y, groups = np.tile(X, 2), np.tile(Y, 2), np.tile(np.arange(6), 2)
    one, again, other = (correlate(x, y, "pearson", groups, seed=s) for s in (0, 0, 1))
    assert one == again
    assert one.low != other.low


ratings = st.lists(
    st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=5, max_size=40
).filter(lambda pairs: len({a for a, _ in pairs}) > 1 and len({b for _, b in pairs}) > 1)


@given(ratings)
def test_all_three_agree_with_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = zip(*pairs, strict=True)
    expected = {
        "pearson": stats.pearsonr(x, y).statistic,
        "spearman": stats.spearmanr(x, y).statistic,
        "kendall": stats.kendalltau(x, y).statistic,
    }
    for kind in KINDS:
        found = correlate(x, y, kind)
        assert found.value == pytest.approx(expected[kind], abs=1e-12)
        if found.low is not None and found.high is not None:
            assert -1 <= found.low <= found.value <= found.high <= 1  # type: ignore[operator]


@given(ratings)
def test_turning_one_of_the_two_turns_the_sign(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.asarray(column, dtype=float) for column in zip(*pairs, strict=True))
    for kind in KINDS:
        there, back = correlate(x, y, kind).value, correlate(-x, y, kind).value
        assert there == pytest.approx(-back, abs=1e-12)  # type: ignore[operator]
