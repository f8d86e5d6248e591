"""Means of scores with intervals from a bootstrap over samples."""

from math import fsum, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.intervals import Z95, Rate, undefined_rate

RESAMPLES = 2_000
MAX_DISTINCT = 500
"""With more distinct values than these the bootstrap's own noise (6 % of a standard error at each
end, with 2,000 resamples) is larger than what the normal distribution gets wrong."""
FEW_DISTINCT = 50
MANY = 1_000
NEGLIGIBLE = 0.03
"""Between these two numbers of distinct values drawing costs 10 to 70 ms. From 1,000 clusters on it
is left out if skewness moves the ends of the interval by less than half of that noise."""

NO_VALUE = "no sample in the denominator"


def mean_rate(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    seed: int = 0,
    reason: str = NO_VALUE,
) -> Rate:
    """Mean of all values with a percentile bootstrap interval (95 %, 2,000 resamples).

    What is drawn are clusters: the values themselves, or with ``clusters`` (one id per value)
    everything that shares an id, so that several values of one sample count as one sample. The
    resampled mean of values of which only m differ depends on how often each was drawn, so the
    counts are drawn from a multinomial distribution: the same distribution in less time, and
    independent of the order of the values. With many distinct values it is normal, with the
    linearised standard error, and is taken as such.

    Undefined, with ``reason``, without a value; without interval with fewer than two clusters.
    ``n`` counts the values, ``k`` is their sum.

    Raises:
        ValueError: a value is not finite, or there are not as many clusters as values.

    >>> rate = mean_rate([1, 0, 1, 1])
    >>> rate.value, rate.n, rate.k
    (0.75, 4, 3.0)
    >>> mean_rate([0.5]).low is None
    True
    """
    array = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(array).all():
        raise ValueError("a mean of values that are not finite: leave undefined scores out")
    if array.size == 0:
        return undefined_rate(reason)
    sums, counts = _clustered(array, clusters)
    total, n = fsum(array), int(array.size)
    mean = total / n
    if sums.size < 2:
        return Rate(mean, None, None, n, total)
    low, high = _interval(sums, counts, mean, seed)
    # A mean computed another way than its resamples can lie a rounding error outside of them.
    return Rate(mean, min(low, mean), max(high, mean), n, total)


def mean_of_sums(n: int, total: float, squares: float, *, reason: str = NO_VALUE) -> Rate:
    """Mean of n values from their sum and sum of squares, with the normal interval (95 %).

    se = sqrt((squares - total^2 / n) / (n - 1) / n)

    For groups that are summed where they are stored. Undefined, with ``reason``, without a value;
    without interval with fewer than two.

    >>> rate = mean_of_sums(4, 3.0, 3.0)   # 1, 0, 1, 1: se = sqrt((3 - 9/4) / 3 / 4) = 0.25
    >>> rate.value, round(rate.low, 2), round(rate.high, 2)
    (0.75, 0.26, 1.24)
    """
    if n == 0:
        return undefined_rate(reason)
    mean = total / n
    if n < 2:
        return Rate(mean, None, None, n, total)
    error = sqrt(max(0.0, squares - total * mean) / (n - 1) / n)
    return Rate(mean, mean - Z95 * error, mean + Z95 * error, n, total)


def _clustered(
    values: NDArray[np.float64], clusters: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum and number of the values of each cluster."""
    if clusters is None:
        return values, np.ones_like(values)
    ids = np.asarray(clusters).ravel()
    if ids.shape != values.shape:
        raise ValueError(f"{ids.size} clusters for {values.size} values")
    _, place = np.unique(ids, return_inverse=True)
    sums = np.bincount(place, weights=values).astype(np.float64)
    return sums, np.bincount(place).astype(np.float64)


def _interval(
    sums: NDArray[np.float64], counts: NDArray[np.float64], mean: float, seed: int
) -> tuple[float, float]:
    n = sums.size
    residual = sums - mean * counts
    error = sqrt(float(residual @ residual) * n / (n - 1)) / float(counts.sum())
    normal = (mean - Z95 * error, mean + Z95 * error)
    # A few of them are enough to see that they are not few, and cheaper than sorting all.
    if n >= MANY and np.unique(sums[:MANY]).size > FEW_DISTINCT and _shift(residual) < NEGLIGIBLE:
        return normal
    if (counts == counts[0]).all():
        distinct, times = np.unique(sums, return_counts=True)
        sizes = np.full_like(distinct, counts[0])
    else:
        rows, times = np.unique(np.stack([sums, counts], axis=1), axis=0, return_counts=True)
        distinct, sizes = rows[:, 0], rows[:, 1]
    if distinct.size > MAX_DISTINCT or (
        distinct.size > FEW_DISTINCT and n >= MANY and _shift(residual) < NEGLIGIBLE
    ):
        return normal
    draws = np.random.default_rng(seed).multinomial(n, times / n, size=RESAMPLES)
    means = (draws @ distinct) / (draws @ sizes)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _shift(residual: NDArray[np.float64]) -> float:
    """How far skewness moves the ends of the interval of a mean, in standard errors.

    (1.96^2 - 1) / 6 × |skewness| / sqrt(n): the first term of the Cornish–Fisher expansion.
    """
    variance = float(residual @ residual) / residual.size
    if variance == 0:
        return 0.0
    skewness = float((residual * residual) @ residual) / residual.size / variance**1.5
    return float((Z95**2 - 1) / 6 * abs(skewness) / sqrt(residual.size))
