"""What comparisons of a score with a label have in common: pairs, the 2×2 matrix, two curves.

Scores are such that a higher one is to mean label 1; for a metric where lower is better the caller
passes its negative.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.intervals import Z95, Rate, wilson
from core.metrics.roc import ONE_CLASS, TOO_FEW, Floats, midranks

MAX_POINTS = 2_000


@dataclass(frozen=True, slots=True)
class Confusion:
    """Samples by prediction and label at one cut; always all four."""

    true_positive: int
    false_negative: int
    false_positive: int
    true_negative: int

    @property
    def n(self) -> int:
        """All samples."""
        return self.true_positive + self.false_negative + self.false_positive + self.true_negative

    @property
    def tpr(self) -> Rate:
        """Share of label 1 that is predicted 1."""
        reason = "no sample is on the positive side of the label"
        return wilson(self.true_positive, self.true_positive + self.false_negative, reason)

    @property
    def tnr(self) -> Rate:
        """Share of label 0 that is predicted 0."""
        reason = "no sample is on the other side of the label"
        return wilson(self.true_negative, self.true_negative + self.false_positive, reason)

    @property
    def precision(self) -> Rate:
        """Share of what is predicted 1 that bears the label 1."""
        reason = "nothing is flagged"
        return wilson(self.true_positive, self.true_positive + self.false_positive, reason)

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN); None where there is neither prediction nor label 1."""
        below = 2 * self.true_positive + self.false_positive + self.false_negative
        return 2 * self.true_positive / below if below else None


def pairs(scores: ArrayLike, labels: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Scores and "label is 1" as arrays in step.

    Raises:
        ValueError: not the same number of both, a score that is not finite, or a label that is
            not 0 or 1.
    """
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"{x.size} scores and {y.size} labels are no pairs")
    if not np.isfinite(x).all():
        raise ValueError("a score is not finite; leave out what has no score")
    if not np.isin(y, (0, 1)).all():
        raise ValueError("labels must be 0 or 1")
    return x, y == 1


@dataclass(frozen=True, slots=True)
class AucDifference:
    """AUC of one score minus that of another on the same samples, with its test."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    reason: str | None = None


def delong_difference(one: ArrayLike, other: ArrayLike, labels: ArrayLike) -> AucDifference:
    """Paired DeLong test of two scores of the same samples: difference, interval, two-sided p.

    Source: DeLong, DeLong and Clarke-Pearson (1988).
    """
    a, y = pairs(one, labels)
    b, _ = pairs(other, labels)
    n1 = int(y.sum())
    n0 = len(y) - n1
    if n1 < 2 or n0 < 2:
        return AucDifference(None, None, None, None, len(y), ONE_CLASS if not n1 * n0 else TOO_FEW)
    won = [_placements(x, y) for x in (a, b)]
    areas = [float(positive.mean()) for positive, _ in won]
    s10 = np.cov(won[0][0], won[1][0], ddof=1)
    s01 = np.cov(won[0][1], won[1][1], ddof=1)
    total = s10 / n1 + s01 / n0
    variance = float(total[0, 0] + total[1, 1] - 2 * total[0, 1])
    value = areas[0] - areas[1]
    if variance <= 1e-18:
        reason = "both scores order the samples alike"
        return AucDifference(value, None, None, None, len(y), reason)
    from scipy.stats import norm

    error = sqrt(variance)
    p = 2 * float(norm.sf(abs(value) / error))
    return AucDifference(value, value - Z95 * error, value + Z95 * error, p, len(y))


def _placements(x: Floats, y: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Share of pairs won by each sample of label 1, and by each of label 0 (ties count half)."""
    positive, negative = x[y], x[~y]
    ranks = midranks(np.concatenate([positive, negative]))
    n1 = len(positive)
    return (
        (ranks[:n1] - midranks(positive)) / len(negative),
        1 - (ranks[n1:] - midranks(negative)) / n1,
    )
