import numpy as np
import pytest

from core.metrics.means import FEW_DISTINCT, MANY, MAX_DISTINCT, mean_of_sums, mean_rate


def test_interval_of_42_of_59_as_published() -> None:
    # METRICS 4.5: about .593 to .814. Bin(59, 42/59) has .973 at 48/59 = .814 and .988 at
    # 49/59 = .831, so that the upper end is one or the other, by the draws.
    rate = mean_rate([1] * 42 + [0] * 17)
    assert rate.value == pytest.approx(42 / 59)
    assert rate.low == pytest.approx(35 / 59)
    assert rate.high is not None
    assert 48 / 59 - 1e-9 <= rate.high <= 49 / 59 + 1e-9


def test_mean_does_not_depend_on_order_and_is_the_same_every_time() -> None:
    values = [0.1, 0.9, 0.4, 0.4, 0.7]
    assert mean_rate(values) == mean_rate(values[::-1]) == mean_rate(values)
    assert mean_rate(values, seed=1) != mean_rate(values)


def test_constant_values_give_a_point() -> None:
    rate = mean_rate([0.3] * 10)
    assert rate.low == pytest.approx(0.3)
    assert rate.high == pytest.approx(0.3)


@pytest.mark.parametrize("values", [[0.5], []])
def test_fewer_than_two_values_give_no_interval(values: list[float]) -> None:
    rate = mean_rate(values, reason="none")
    assert (rate.low, rate.high, rate.n) == (None, None, len(values))
    assert rate.reason == (None if values else "none")


def test_values_of_one_cluster_count_as_one() -> None:
    # the mean of two values per cluster: clusters 0 and 1, so that a resample is 0, 1/2 or 1
    clustered = mean_rate([0, 0, 1, 1], clusters=["a", "a", "b", "b"])
    assert (clustered.value, clustered.low, clustered.high, clustered.n) == (0.5, 0.0, 1.0, 4)
    single = mean_rate([0, 0, 1, 1] * 10)
    assert single.low is not None
    assert single.low > 0
    assert mean_rate([0, 1], clusters=["a", "a"]).low is None


def test_clusters_of_unequal_size_weigh_by_their_values() -> None:
    # five values of 1 in one cluster and one of 0 in another: 5/6
    rate = mean_rate([1, 1, 1, 1, 1, 0], clusters=[1, 1, 1, 1, 1, 2])
    assert (rate.value, rate.low, rate.high) == (pytest.approx(5 / 6), 0.0, 1.0)


def test_many_distinct_values_give_nearly_the_interval_of_the_bootstrap() -> None:
    values = [(number * 0.6180339887) % 1 for number in range(MAX_DISTINCT + 200)]
    exact, drawn = mean_rate(values), mean_rate([round(value, 2) for value in values])
    assert exact.low is not None
    assert exact.high is not None
    # standard error .2887 / sqrt(700) = .0109, half width .0214
    assert exact.high - exact.low == pytest.approx(2 * 0.0214, rel=0.02)
    assert drawn.low == pytest.approx(exact.low, abs=0.002)
    assert drawn.high == pytest.approx(exact.high, abs=0.002)


def test_skewed_values_are_drawn_however_many_they_are() -> None:
    # 3 values of about 1 among 2,000 of about 0: an interval by the normal distribution would be
    # .0015 ± .0017 and reach below 0, where no resample can lie
    values = [0.0] * (MANY * 2 - 103) + [1e-9 * place for place in range(100)] + [1.0, 0.99, 0.98]
    assert len(set(values)) > FEW_DISTINCT
    rare = mean_rate(values)
    assert rare.low is not None
    assert rare.low >= 0


def test_many_clusters_without_skewness_need_no_drawing() -> None:
    values = [place % (FEW_DISTINCT * 2) / 99 for place in range(MANY)]
    # 0 to 1 in steps: variance (100^2 - 1) / 12 / 99^2 = .0850, se = sqrt(.0850 / 999) = .009225
    rate = mean_rate(values)
    assert rate.low == pytest.approx(0.5 - 1.959964 * 0.009225, abs=1e-5)
    assert rate.high == pytest.approx(0.5 + 1.959964 * 0.009225, abs=1e-5)
    other = mean_rate(values[:-1])  # one fewer than MANY: drawn
    assert other.high == pytest.approx(rate.high, abs=0.0015)
    assert other.high != pytest.approx(rate.high, abs=1e-6)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        mean_rate([1.0, bad])


def test_clusters_must_fit_the_values() -> None:
    with pytest.raises(ValueError, match="1 clusters for 2 values"):
        mean_rate([1, 2], clusters=["a"])


def test_mean_of_sums_is_the_mean_with_the_normal_interval() -> None:
    # 1, 0, 1, 1: mean 3/4, variance (3 - 9/4) / 3 = 1/4, se = sqrt(1/16) = 1/4
    rate = mean_of_sums(4, 3.0, 3.0)
    assert (rate.value, rate.n, rate.k) == (0.75, 4, 3.0)
    assert rate.low == pytest.approx(0.75 - 1.959964 / 4, abs=1e-6)
    assert rate.high == pytest.approx(0.75 + 1.959964 / 4, abs=1e-6)
    assert mean_of_sums(1, 0.5, 0.25).low is None
    assert mean_of_sums(0, 0.0, 0.0).reason


def test_mean_of_sums_agrees_with_the_mean_of_many_values() -> None:
    values = np.random.default_rng(3).random(5_000)
    one = mean_rate(values)
    other = mean_of_sums(values.size, float(values.sum()), float(values @ values))
    assert other.value == pytest.approx(one.value)
    assert (other.low, other.high) == pytest.approx((one.low, one.high))
