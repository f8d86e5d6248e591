import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from core.metrics.intervals import (
    Rate,
    bounds,
    difference,
    paired_difference,
    undefined_rate,
    wilson,
)


@pytest.mark.parametrize("n", [1, 2, 5, 59, 144, 10_000])
def test_wilson_agrees_with_statsmodels(n: int) -> None:
    for k in {0, 1, n // 3, n // 2, n - 1, n}:
        low, high = proportion_confint(k, n, method="wilson")
        rate = wilson(k, n)
        assert rate.value == k / n
        assert (rate.low, rate.high) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize(
    ("k", "low", "high"),
    # RAG-X's shares as k of 59 with the published intervals, METRICS 4.1
    [(29, 36.8, 61.6), (20, 23.1, 46.6), (5, 3.7, 18.4), (34, 44.9, 69.4), (42, 58.6, 81.2)],
)
def test_wilson_of_the_published_shares(k: int, low: float, high: float) -> None:
    rate = wilson(k, 59)
    assert rate.low is not None
    assert rate.high is not None
    assert (round(100 * rate.low, 1), round(100 * rate.high, 1)) == (low, high)


def test_wilson_at_the_ends_is_exactly_zero_and_one() -> None:
    assert wilson(0, 40).low == 0.0
    assert wilson(40, 40).high == 1.0


def test_wilson_of_no_samples_is_undefined_with_the_reason() -> None:
    assert wilson(0, 0, "no label").as_json() == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "reason": "no label",
    }


def test_a_rate_with_a_value_has_no_reason_in_json() -> None:
    assert set(wilson(1, 2).as_json()) == {"value", "low", "high", "n"}


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (1, 0), (0, -1)])
def test_wilson_refuses_counts_that_are_no_share(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="not between"):
        wilson(k, n)


def test_undefined_rate_keeps_n() -> None:
    assert undefined_rate("why", n=7) == Rate(None, None, None, 7, 0, "why")


def test_bounds_of_answer_relevancy_with_97_errors_of_400() -> None:
    # METRICS 4.4: mean .890 over 303; (.890*303 + 0)/400 = .674, (269.67 + 97)/400 = .917
    result = bounds(0.890 * 303, n_value=303, n_error=97)
    assert result == pytest.approx((0.674, 0.917), abs=5e-4)


def test_bounds_use_the_ends_of_the_scale() -> None:
    # two scores 4 and 5, two errors, scale 1 to 5: (9 + 2*1)/4 = 2.75, (9 + 2*5)/4 = 4.75
    assert bounds(9, 2, 2, lo=1, hi=5) == (2.75, 4.75)


def test_bounds_without_any_verdict_are_undefined() -> None:
    assert bounds(0, 0, 0) is None


@pytest.mark.parametrize(
    "counts", [(56, 70, 48, 80), (9, 10, 3, 10), (0, 10, 0, 20), (10, 10, 0, 20)]
)
def test_difference_agrees_with_statsmodels(counts: tuple[int, int, int, int]) -> None:
    low, high = confint_proportions_2indep(*counts, method="newcomb", compare="diff")
    result = difference(*counts)
    assert result is not None
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-9)


def test_difference_of_56_of_70_and_48_of_80() -> None:
    # Newcombe (1998), table II a: .80 - .60 = .20, method 10: .0524 to .3339
    result = difference(56, 70, 48, 80)
    assert result is not None
    assert (round(result.value, 4), round(result.low, 4), round(result.high, 4)) == (
        0.2,
        0.0524,
        0.3339,
    )


def test_difference_without_samples_is_undefined() -> None:
    assert difference(0, 0, 1, 2) is None
    assert paired_difference(0, 0, 0, 0) is None


def test_paired_difference_by_hand() -> None:
    # both 3, only new 1, only old 0, neither 6 (n = 10): shares .4 and .3
    # Wilson .4: (.1682, .6873), of .3: (.1078, .6032)
    # covariance 3*6 - 1*0 = 18, less n/2 = 13; phi = 13 / sqrt(4*6*3*7) = 13/22.4499 = .57907
    # below .2318, above .2873; old: below .1922, above .3032
    # down = sqrt(.2318^2 - 2*.57907*.2318*.3032 + .3032^2) = sqrt(.06427) = .2535
    # up   = sqrt(.2873^2 - 2*.57907*.2873*.1922 + .1922^2) = sqrt(.05554) = .2357
    result = paired_difference(both=3, only_new=1, only_old=0, neither=6)
    assert result is not None
    assert result.low == pytest.approx(0.1 - 0.2535, abs=2e-4)
    assert result.high == pytest.approx(0.1 + 0.2357, abs=2e-4)
    assert not result.is_clear


def test_paired_difference_is_clear_where_only_one_run_wins() -> None:
    result = paired_difference(both=20, only_new=0, only_old=15, neither=15)
    assert result is not None
    assert result.is_clear
    assert result.value == pytest.approx(-0.3)
