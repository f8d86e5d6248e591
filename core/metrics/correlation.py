"""How two numbers of the same samples move together: Pearson, Spearman, Kendall."""

from collections.abc import Callable
from dataclasses import dataclass
from math import atanh, sqrt, tanh
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.intervals import Z95
from core.metrics.roc import Floats, midranks

Kind = Literal["pearson", "spearman", "kendall"]
KINDS: tuple[Kind, ...] = ("pearson", "spearman", "kendall")

NO_PAIRS = "fewer than two samples have both numbers"
CONSTANT = "one of the two is the same for all samples, so nothing can move with it"
TOO_FEW = "an interval needs more samples"
PERFECT = "the samples stand in one line; the interval has no width"

#: With more pairs than this the bootstrap is left out: it would take minutes to say the same.
MAX_BOOTSTRAP = 20_000
RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient in -1..1 over ``n`` pairs with its 95 % interval.

    ``method`` says where the interval comes from: "Fisher z" or "bootstrap by question".
    ``reason`` says why there is no value, or why the value has no interval.
    """

    kind: Kind
    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str | None = None
    reason: str | None = None

    def as_json(self) -> dict[str, float | int | str | None]:
        """The coefficient as the command line prints it."""
        document: dict[str, float | int | str | None] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
        }
        if self.method is not None:
            document["method"] = self.method
        if self.reason is not None:
            document["reason"] = self.reason
        return document


def correlate(
    one: ArrayLike,
    other: ArrayLike,
    kind: Kind,
    clusters: ArrayLike | None = None,
    *,
    seed: int = 0,
) -> Correlation:
    """Correlation of paired numbers; Kendall's is tau-b, Spearman's uses mean ranks of ties.

    The interval is Fisher's: tanh(atanh(r) -+ 1.96 se) with se^2 = 1 / (n - 3) for Pearson,
    (1 + r^2 / 2) / (n - 3) for Spearman, 0.437 / (n - 4) for Kendall. It takes every pair for a
    question of its own. Where ``clusters`` say that questions repeat, whole questions are drawn
    instead (percentile bootstrap, 1,000 resamples), up to 20,000 pairs.

    Constant numbers have no correlation: no value, with a reason.
    Source: Fisher (1921); Bonett and Wright (2000), Psychometrika 65, 23-28; Fieller, Hartley and
    Pearson (1957), Biometrika 44, 470-481.

    Raises:
        ValueError: not the same number of both, or a number that is not finite.

    >>> round(correlate([1, 2, 3, 4], [1, 3, 2, 4], "spearman").value, 6)   # 1 - 6·2 / (4·15)
    0.8
    >>> round(correlate([1, 2, 3, 4], [1, 3, 2, 4], "kendall").value, 6)    # (5 - 1) / 6
    0.666667
    >>> correlate([1, 1, 1], [1, 2, 3], "pearson").reason == CONSTANT
    True
    """
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"{x.size} and {y.size} numbers are no pairs")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a number is not finite; leave out what has no score")
    n = len(x)
    if n < 2:
        return Correlation(kind, None, None, None, n, reason=NO_PAIRS)
    value = _MEASURES[kind](x, y)
    if value is None:
        return Correlation(kind, None, None, None, n, reason=CONSTANT)
    groups = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    if groups is not None and int(groups.max()) + 1 < n <= MAX_BOOTSTRAP:
        return _bootstrapped(kind, value, x, y, groups, seed)
    return _by_fisher(kind, value, n)


def _by_fisher(kind: Kind, value: float, n: int) -> Correlation:
    if abs(value) >= 1:
        return Correlation(kind, value, None, None, n, reason=PERFECT)
    variance, freedom = {
        "pearson": (1.0, n - 3),
        "spearman": (1 + value**2 / 2, n - 3),
        "kendall": (0.437, n - 4),
    }[kind]
    if freedom < 1:
        return Correlation(kind, value, None, None, n, reason=TOO_FEW)
    half = Z95 * sqrt(variance / freedom)
    centre = atanh(value)
    return Correlation(kind, value, tanh(centre - half), tanh(centre + half), n, "Fisher z")


def _bootstrapped(
    kind: Kind, value: float, x: Floats, y: Floats, groups: NDArray[np.intp], seed: int
) -> Correlation:
    order = np.argsort(groups, kind="stable")
    n_groups = int(groups.max()) + 1
    members = np.split(order, np.searchsorted(groups[order], np.arange(1, n_groups)))
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([members[i] for i in rng.integers(0, n_groups, n_groups)])
        resampled = _MEASURES[kind](x[drawn], y[drawn])
        if resampled is not None:
            found.append(resampled)
    if len(found) < RESAMPLES / 2:
        return Correlation(kind, value, None, None, len(x), reason=TOO_FEW)
    low, high = np.percentile(found, [2.5, 97.5])
    return Correlation(kind, value, float(low), float(high), len(x), "bootstrap by question")


def _pearson(x: Floats, y: Floats) -> float | None:
    # Compared before the means are taken: their rounding would make a constant vary.
    if (x == x[0]).all() or (y == y[0]).all():
        return None
    a, b = x - x.mean(), y - y.mean()
    # Scaled first, so that squares of very large or very small numbers stay finite.
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    value = float(a @ b) / sqrt(float(a @ a) * float(b @ b))
    return min(1.0, max(-1.0, value))


def _spearman(x: Floats, y: Floats) -> float | None:
    return _pearson(midranks(x), midranks(y))


def _kendall(x: Floats, y: Floats) -> float | None:
    from scipy.stats import kendalltau

    if (x == x[0]).all() or (y == y[0]).all():
        return None
    return float(kendalltau(x, y).statistic)


_MEASURES: dict[Kind, Callable[[Floats, Floats], float | None]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}
