"""Figures of one published radiology evaluation: what our statistics make of the same inputs."""

from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from core.metrics.agreement import absolute_agreement, gwet
from core.metrics.intervals import bounds
from core.metrics.paired import kruskal_wallis
from core.metrics.planning import cochran

votes = st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=30)


def test_sample_size_of_the_study() -> None:
    # 1.96² · 0.25 / 0.05² = 384.16
    assert cochran(0.05) == 385


@given(st.lists(st.lists(st.integers(1, 5), min_size=5, max_size=9), min_size=3, max_size=3))
def test_three_groups_have_two_degrees_of_freedom(groups: list[list[int]]) -> None:
    found = kruskal_wallis(groups)
    if found.reason is None:
        assert found.p == pytest.approx(exp(-(found.statistic or 0) / 2))


@pytest.mark.parametrize(("statistic", "p"), [(0.178, 0.915), (11.184, 0.004), (4.438, 0.109)])
def test_published_p_values_fit_two_degrees_of_freedom(statistic: float, p: float) -> None:
    assert exp(-statistic / 2) == pytest.approx(p, abs=6e-4)


def test_one_published_p_value_fits_only_a_third_rating_value() -> None:
    assert chi2.sf(4.116, 2) == pytest.approx(0.128, abs=6e-4)
    assert chi2.sf(4.116, 4) == pytest.approx(0.391, abs=6e-4)


@pytest.mark.parametrize(
    ("mean", "sd"), [(0.869, 0.337), (0.669, 0.471), (0.442, 0.497), (0.180, 0.384)]
)
def test_published_spreads_are_those_of_yes_and_no(mean: float, sd: float) -> None:
    ones = round(mean * 1600)
    values = np.repeat([1, 0], [ones, 1600 - ones])
    assert values.std() == pytest.approx(sd, abs=1e-3)
    assert sqrt(mean * (1 - mean)) == pytest.approx(sd, abs=1e-3)


def test_one_published_spread_is_not() -> None:
    assert sqrt(0.290 * 0.710) == pytest.approx(0.454, abs=5e-4)


@given(votes)
def test_pairwise_agreement_of_four_raters_is_bound_by_the_absolute_one(
    ratings: list[list[int]],
) -> None:
    # Three against one agree in 3 of 6 pairs, two against two in 2 of 6.
    equal, n = absolute_agreement(ratings)
    share = equal / n
    found = gwet(ratings, (0, 1))
    assert found.observed is not None
    assert share + (1 - share) / 3 - 1e-12 <= found.observed <= share + (1 - share) / 2 + 1e-12


def test_published_ac1_is_out_of_reach_with_two_categories() -> None:
    # All raters equal on 49.5 %; at most half of the other pairs agree: 0.7475. The published mean
    # 0.290 gives pe = 2 · 0.29 · 0.71, and AC1 at most 0.571, not 0.653.
    most = 0.495 + 0.505 / 2
    expected = 2 * 0.290 * 0.710
    assert (most - expected) / (1 - expected) == pytest.approx(0.571, abs=5e-4)


@pytest.mark.parametrize(
    ("mean", "n_error", "low", "high"), [(0.890, 97, 0.674, 0.917), (0.188, 41, 0.169, 0.271)]
)
def test_failed_verdicts_leave_wide_bounds(
    mean: float, n_error: int, low: float, high: float
) -> None:
    n_value = 400 - n_error
    found = bounds(mean * n_value, n_value, n_error)
    assert found == (pytest.approx(low, abs=6e-4), pytest.approx(high, abs=6e-4))
