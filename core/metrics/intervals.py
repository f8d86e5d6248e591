"""Rates with their intervals, worst and best cases, and differences of two rates."""

from dataclasses import dataclass
from math import sqrt

# 0.975 quantile of the standard normal distribution: two-sided 95 %.
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Rate:
    """A share in 0..1 with its 95 % interval; ``value`` is None, with a reason, where undefined.

    ``k`` of ``n`` samples have the property; for a mean, ``k`` is the sum of the values.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    k: float
    reason: str | None = None

    def as_json(self) -> dict[str, float | int | str | None]:
        """The rate as the command line prints it; ``reason`` only where there is no value."""
        document: dict[str, float | int | str | None] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
        }
        if self.value is None:
            document["reason"] = self.reason
        return document


def undefined_rate(reason: str, n: int = 0) -> Rate:
    """A rate that cannot be given, with the reason in words."""
    return Rate(None, None, None, n, 0, reason)


def wilson(k: int, n: int, reason: str = "no sample in the denominator") -> Rate:
    """Share ``k / n`` with the Wilson score interval.

    centre = (k + z^2/2) / (n + z^2),  half = z sqrt(k (n-k) / n + z^2/4) / (n + z^2)

    Range 0..1. Undefined, with ``reason``, when n = 0.
    Source: Wilson (1927), JASA 22, 209-212.

    Raises:
        ValueError: ``k`` is not between 0 and ``n``.

    >>> rate = wilson(29, 59)
    >>> round(rate.value, 3), round(rate.low, 3), round(rate.high, 3)
    (0.492, 0.368, 0.616)
    >>> wilson(0, 0).as_json()["value"] is None
    True
    """
    if not 0 <= k <= n:
        raise ValueError(f"k = {k} is not between 0 and n = {n}")
    if n == 0:
        return undefined_rate(reason)
    zz = Z95 * Z95
    centre = (k + zz / 2) / (n + zz)
    half = Z95 * sqrt(k * (n - k) / n + zz / 4) / (n + zz)
    # At the ends the closed form is exact only up to rounding, and 1e-17 below 0 is no share.
    low = 0.0 if k == 0 else max(0.0, centre - half)
    high = 1.0 if k == n else min(1.0, centre + half)
    return Rate(k / n, low, high, n, k)


def bounds(
    total: float, n_value: int, n_error: int, lo: float = 0.0, hi: float = 1.0
) -> tuple[float, float] | None:
    """Mean if every failed verdict had been the lowest, and if it had been the highest, score.

    lower = (total + lo n_error) / (n_value + n_error), upper likewise with hi

    ``total`` is the sum of the ``n_value`` scores. None when there is no verdict at all.

    >>> low, high = bounds(2.0, n_value=3, n_error=1)   # 2/4 and 3/4
    >>> (low, high)
    (0.5, 0.75)
    """
    n = n_value + n_error
    if n == 0:
        return None
    return (total + lo * n_error) / n, (total + hi * n_error) / n


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two shares (candidate minus baseline, in -1..1) with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """True if the interval excludes zero."""
        return self.low > 0 or self.high < 0


def difference(k_new: int, n_new: int, k_old: int, n_old: int) -> Difference | None:
    """Difference of two shares from different samples; None when one has no samples.

    Source: Newcombe (1998), Statistics in Medicine 17, 873-890, method 10.

    >>> difference(56, 70, 48, 80).is_clear   # 0.80 against 0.60
    True
    """
    return _score_difference(wilson(k_new, n_new), wilson(k_old, n_old), phi=0.0)


def paired_difference(both: int, only_new: int, only_old: int, neither: int) -> Difference | None:
    """Difference of two shares of the same samples; None when there are none.

    The arguments count the samples that have the property in both runs, only in the candidate,
    only in the baseline, in neither.

    Source: Newcombe (1998), Statistics in Medicine 17, 2635-2650, method 10.

    >>> paired_difference(both=20, only_new=15, only_old=1, neither=14).is_clear
    True
    """
    n = both + only_new + only_old + neither
    new, old = wilson(both + only_new, n), wilson(both + only_old, n)
    product = (both + only_new) * (only_old + neither) * (both + only_old) * (only_new + neither)
    covariance = float(both * neither - only_new * only_old)
    if covariance > 0:
        covariance = max(0.0, covariance - n / 2)
    phi = covariance / sqrt(product) if product else 0.0
    return _score_difference(new, old, phi)


def _score_difference(new: Rate, old: Rate, phi: float) -> Difference | None:
    p, p_low, p_high = new.value, new.low, new.high
    q, q_low, q_high = old.value, old.low, old.high
    if p is None or p_low is None or p_high is None:
        return None
    if q is None or q_low is None or q_high is None:
        return None
    below, above = p - p_low, p_high - p
    q_below, q_above = q - q_low, q_high - q
    # Rounding can push the sum of squares a hair below zero when phi is close to 1.
    down = sqrt(max(0.0, below**2 - 2 * phi * below * q_above + q_above**2))
    up = sqrt(max(0.0, above**2 - 2 * phi * above * q_below + q_below**2))
    return Difference(p - q, p - q - down, p - q + up)
