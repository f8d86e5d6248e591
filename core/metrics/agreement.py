"""Agreement of raters: several people, a judge against people, or a judge against itself.

Ratings come as a matrix of units × raters; None or NaN is a rating that was not given. The
categories are those of the declared scale, never the observed ones: one stray code would change the
coefficients.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Weights = Literal["identity", "linear", "quadratic", "ordinal"]
Ratings = Sequence[Sequence[float | None]] | NDArray[np.float64]
Column = Sequence[float | None] | NDArray[np.float64]
_Matrix = NDArray[np.float64]

#: Upper ends of the bands of one published radiology study, (a, b] each, with its own words.
BANDS = (
    (0.20, "low"),
    (0.40, "moderate"),
    (0.60, "satisfactory"),
    (0.80, "substantial"),
    (1.00, "excellent"),
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A chance-corrected coefficient.

    ``value`` is None with a ``reason`` where it is undefined. ``observed`` and ``expected`` are the
    weighted agreement found and expected by chance; ``n`` counts units with a rating, ``n_paired``
    those with two or more. The interval is the t interval over units, its upper end at most 1.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    observed: float | None = None
    expected: float | None = None
    n: int = 0
    n_paired: int = 0
    reason: str | None = None
    note: str | None = None


def weight_matrix(categories: Sequence[float], weights: Weights = "identity") -> _Matrix:
    """Weights of partial agreement between categories, 1 on the diagonal.

    identity: 0 elsewhere (AC1); linear and quadratic: 1 - (distance / range)^1 or ^2;
    ordinal: 1 - C(|k-l|+1, 2) / C(q, 2).
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition.

    >>> weight_matrix([1, 2, 3], "linear")[0].tolist()
    [1.0, 0.5, 0.0]
    """
    values = np.asarray(sorted(categories), dtype=float)
    q = len(values)
    if weights == "identity" or q < 2:
        return np.eye(q)
    if weights == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
        return np.array(1 - steps * (steps + 1) / 2 / comb(q, 2))
    share = np.abs(np.subtract.outer(values, values)) / (values[-1] - values[0])
    return np.array(1 - share ** (1 if weights == "linear" else 2))


def _matrix(ratings: Ratings) -> _Matrix:
    """Ratings as numbers, NaN for none."""
    matrix = np.asarray(ratings, dtype=np.float64)
    return matrix if matrix.ndim == 2 else matrix.reshape(len(matrix), 0)


def _codes(ratings: _Matrix, categories: Sequence[float]) -> NDArray[np.intp]:
    """Place of each rating in the scale, -1 for none.

    Raises:
        ValueError: a rating that is no category of the declared scale.
    """
    scale = np.asarray(sorted(categories), dtype=np.float64)
    given = ~np.isnan(ratings)
    codes = np.where(given, np.minimum(np.searchsorted(scale, ratings), max(0, len(scale) - 1)), -1)
    is_off = given & (scale[codes] != ratings) if len(scale) else given
    if is_off.any():
        unit = int(np.flatnonzero(is_off.reshape(len(ratings), -1).any(axis=1))[0])
        rating = ratings[is_off].flat[0]
        raise ValueError(f"unit {unit} has the rating {rating:g}, which is off the scale")
    return codes


def _counts(ratings: Ratings, categories: Sequence[float]) -> _Matrix:
    """Units × categories: how many raters chose each; units without any rating are left out.

    Raises:
        ValueError: a rating that is no category of the declared scale.
    """
    codes = _codes(_matrix(ratings), categories)
    counts = np.stack([(codes == place).sum(axis=1) for place in range(len(set(categories)))], 1)
    return counts[counts.any(axis=1)].astype(np.float64)


def gwet(ratings: Ratings, categories: Sequence[float], weights: Weights = "identity") -> Agreement:
    """Gwet's AC1 (identity weights) or AC2, with its t interval over units.

    pa = mean over units with two or more ratings of sum_k r_k (r*_k - 1) / (r (r - 1));
    pe = T_w / (q (q - 1)) * sum_k pi_k (1 - pi_k); AC = (pa - pe) / (1 - pe).
    Source: Gwet (2014). Range -1..1.

    Raises:
        ValueError: a rating off the scale.
    """
    name = "AC1" if weights == "identity" else f"AC2 ({weights})"
    counts = _counts(ratings, categories)
    n, q = counts.shape
    totals = counts.sum(axis=1)
    paired = totals >= 2
    n_paired = int(paired.sum())
    if q < 2:
        return Agreement(name, None, n=n, reason="the scale has fewer than two categories")
    if n_paired == 0:
        return Agreement(name, None, n=n, reason="nothing has two ratings")
    matrix = weight_matrix(categories, weights)
    agreeing = (counts * (counts @ matrix - 1)).sum(axis=1)
    per_unit = np.where(paired, agreeing / np.where(paired, totals * (totals - 1), 1), 0.0)
    pa = float(per_unit.sum() / n_paired)
    prevalence = (counts / totals[:, None]).mean(axis=0)
    factor = matrix.sum() / (q * (q - 1))
    pe = float(factor * (prevalence * (1 - prevalence)).sum())
    value = (pa - pe) / (1 - pe)
    note = "no variation: all ratings are equal" if pe == 0 else None
    if n < 2:
        return Agreement(name, value, observed=pa, expected=pe, n=n, n_paired=n_paired, note=note)
    unit_values = n / n_paired * np.where(paired, per_unit - pe, 0.0) / (1 - pe)
    unit_chance = factor * (counts @ (1 - prevalence)) / totals
    linear = unit_values - 2 * (1 - value) * (unit_chance - pe) / (1 - pe)
    error = sqrt(float(((linear - value) ** 2).sum()) / (n * (n - 1)))
    low, high = _t_interval(value, error, n)
    return Agreement(name, value, low, high, error, pa, pe, n, n_paired, note=note)


def _t_interval(value: float, error: float, n: int) -> tuple[float, float]:
    from scipy.stats import t

    half = float(t.ppf(0.975, n - 1)) * error
    return max(-1.0, value - half), min(1.0, value + half)


def absolute_agreement(ratings: Ratings) -> tuple[int, int]:
    """(units on which all given ratings are equal, units with two or more ratings).

    >>> absolute_agreement([[1, 1], [1, 0], [1, None]])
    (1, 2)
    """
    matrix = _matrix(ratings)
    given = ~np.isnan(matrix)
    is_paired = given.sum(axis=1) >= 2
    high = np.where(given, matrix, -np.inf).max(axis=1, initial=-np.inf)
    low = np.where(given, matrix, np.inf).min(axis=1, initial=np.inf)
    return int((is_paired & (high == low)).sum()), int(is_paired.sum())


def cohen_kappa(
    one: Column, other: Column, categories: Sequence[float], weights: Weights = "identity"
) -> Agreement:
    """Cohen's kappa of two raters over the units that both rated, weighted on request.

    kappa = (po - pe) / (1 - pe) with pe from both raters' own shares.
    Source: Cohen (1960; 1968 for weights). Interval: large-sample normal by Fleiss, Cohen and
    Everitt (1969).

    Raises:
        ValueError: a rating off the scale.
    """
    pairs = np.stack([np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)], 1)
    codes = _codes(pairs[~np.isnan(pairs).any(axis=1)], categories)
    n, q = len(codes), len(set(categories))
    if n == 0:
        return Agreement("kappa", None, reason="nothing was rated by both")
    table = np.bincount(codes[:, 0] * q + codes[:, 1], minlength=q * q).reshape(q, q) / n
    return _kappa(table, weight_matrix(categories, weights), n)


def kappa_of_table(counts: _Matrix) -> Agreement:
    """Unweighted kappa of two raters from the table of how often each pair of answers occurred.

    >>> round(kappa_of_table(np.array([[118.0, 5.0], [2.0, 0.0]])).value, 5)
    -0.02339
    """
    n = int(counts.sum())
    if n == 0:
        return Agreement("kappa", None, reason="nothing was rated by both")
    return _kappa(counts / n, np.eye(len(counts)), n)


def _kappa(table: _Matrix, matrix: _Matrix, n: int) -> Agreement:
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    po = float((matrix * table).sum())
    pe = float((matrix * np.outer(rows, columns)).sum())
    if pe >= 1:
        reason = "both raters gave one and the same category throughout"
        return Agreement("kappa", None, observed=po, expected=pe, n=n, n_paired=n, reason=reason)
    value = (po - pe) / (1 - pe)
    mean_rows, mean_columns = matrix @ columns, rows @ matrix
    spread = matrix - np.add.outer(mean_rows, mean_columns) * (1 - value)
    variance = (float((table * spread**2).sum()) - (value - pe * (1 - value)) ** 2) / (
        n * (1 - pe) ** 2
    )
    error = sqrt(max(0.0, variance))
    return Agreement(
        "kappa",
        value,
        max(-1.0, value - 1.959964 * error),
        min(1.0, value + 1.959964 * error),
        error,
        po,
        pe,
        n,
        n,
    )


def krippendorff_alpha(
    ratings: Ratings, categories: Sequence[float], weights: Weights = "identity"
) -> Agreement:
    """Krippendorff's alpha: 1 - observed / expected disagreement, over pairable ratings.

    Nominal with identity weights; with others the disagreement is 1 - weight.
    Source: Krippendorff (2004), Content Analysis, 2nd edition, ch. 11.

    Raises:
        ValueError: a rating off the scale.
    """
    counts = _counts(ratings, categories)
    counts = counts[counts.sum(axis=1) >= 2]
    n_units = len(counts)
    if n_units == 0:
        return Agreement("alpha", None, reason="nothing has two ratings")
    distance = 1 - weight_matrix(categories, weights)
    totals = counts.sum(axis=1)
    n_values = float(totals.sum())
    # A rating is paired with every other of its unit, hence the weight 1 / (m - 1).
    observed = float((((counts @ distance) * counts).sum(axis=1) / (totals - 1)).sum()) / n_values
    margins = counts.sum(axis=0)
    expected = float(margins @ distance @ margins) / (n_values * (n_values - 1))
    if expected == 0:
        return Agreement("alpha", None, n=n_units, n_paired=n_units, reason="no variation")
    return Agreement("alpha", 1 - observed / expected, n=n_units, n_paired=n_units)


def band(value: float) -> str:
    """Word for a coefficient on the scale of one published radiology study (not Landis and Koch).

    >>> band(0.2), band(0.205), band(0.95)
    ('low', 'moderate', 'excellent')
    """
    return next((word for upper, word in BANDS if value <= upper), BANDS[-1][1])
