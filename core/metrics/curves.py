"""ROC and precision-recall curves of a score against a label, and points to work at.

All take scores in which a higher one is to mean label 1; for a metric where lower is better the
caller passes its negative and turns thresholds back.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.intervals import Z95, Rate, wilson
from core.metrics.roc import ONE_CLASS, TOO_FEW, Floats, midranks

MAX_POINTS = 2_000


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of a ROC curve from (0, 0) to (1, 1), in order; ``thresholds`` are scores.

    ``thresholds[0]`` is None: nothing is predicted 1 there. A sample is predicted 1 if its score is
    at or above the threshold. ``precision`` is None where nothing is predicted 1.
    """

    thresholds: tuple[float | None, ...]
    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    precision: tuple[float | None, ...]
    n: int
    n_positive: int


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


def roc_points(scores: ArrayLike, labels: ArrayLike, max_points: int | None = None) -> Curve | None:
    """The whole ROC curve, one point per distinct score; None with one class only.

    ``max_points`` thins the curve for drawing, keeping its ends; areas are never taken from a
    thinned curve.

    Raises:
        ValueError: scores and labels that are no pairs, not finite, or not 0 or 1.

    >>> curve = roc_points([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    >>> curve.thresholds, curve.tpr, curve.fpr
    ((None, 0.9, 0.8, 0.1), (0.0, 0.5, 1.0, 1.0), (0.0, 0.0, 0.5, 1.0))
    """
    x, y = pairs(scores, labels)
    n1 = int(y.sum())
    n0 = len(y) - n1
    if n1 == 0 or n0 == 0:
        return None
    order = np.argsort(-x, kind="stable")
    x, y = x[order], y[order]
    ends = np.flatnonzero(np.append(x[1:] != x[:-1], True))
    tp, predicted = np.cumsum(y)[ends], ends + 1
    keep = np.arange(len(ends))
    if max_points is not None and len(keep) > max_points:
        keep = np.unique(np.linspace(0, len(ends) - 1, max_points).round().astype(int))
    tp, predicted, cuts = tp[keep], predicted[keep], x[ends][keep]
    return Curve(
        thresholds=(None, *cuts.tolist()),
        fpr=(0.0, *((predicted - tp) / n0).tolist()),
        tpr=(0.0, *(tp / n1).tolist()),
        precision=(None, *(tp / predicted).tolist()),
        n=len(y),
        n_positive=n1,
    )


def average_precision(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Sum over thresholds of (gain in recall) × precision; None without a label 1.

    Source: as scikit-learn's ``average_precision_score``, without interpolation.

    >>> round(average_precision([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0]), 4)   # 1/2·1 + 1/2·2/3
    0.8333
    """
    x, y = pairs(scores, labels)
    if not y.any():
        return None
    if y.all():
        return 1.0
    curve = roc_points(x, y.astype(int))
    if curve is None:
        return None
    recall, precision = np.asarray(curve.tpr), np.asarray(curve.precision[1:], dtype=float)
    return float((np.diff(recall) * precision).sum())


def youden(curve: Curve) -> tuple[float | None, float, float]:
    """(threshold, TPR, FPR) with the largest TPR − FPR; of equals the highest threshold.

    Chosen and measured on the same samples, so it is optimistic. None means that no threshold beats
    predicting nothing.
    """
    gain = np.asarray(curve.tpr) - np.asarray(curve.fpr)
    # Rounding noise must not decide between equal gains; the earlier point has the higher cut.
    at = int(np.argmax(np.round(gain, 12)))
    return curve.thresholds[at], curve.tpr[at], curve.fpr[at]


def threshold_for_tpr(curve: Curve, target: float) -> tuple[float | None, float, float]:
    """(threshold, TPR, FPR) of the highest threshold whose TPR reaches the target."""
    at = next(i for i, tpr in enumerate(curve.tpr) if tpr >= target - 1e-12)
    return curve.thresholds[at], curve.tpr[at], curve.fpr[at]


def confusion(scores: ArrayLike, labels: ArrayLike, cut: float) -> Confusion:
    """The 2×2 matrix of "score >= cut" against the label.

    >>> confusion([0.9, 0.2, 0.8], [1, 1, 0], 0.5)
    Confusion(true_positive=1, false_negative=1, false_positive=1, true_negative=0)
    """
    x, y = pairs(scores, labels)
    predicted = x >= cut
    return Confusion(
        int((predicted & y).sum()),
        int((~predicted & y).sum()),
        int((predicted & ~y).sum()),
        int((~predicted & ~y).sum()),
    )


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval with the number of resamples behind it, or the reason why there is none."""

    low: float | None
    high: float | None
    resamples: int = 0
    reason: str | None = None


def bootstrap_auc(
    scores: ArrayLike,
    labels: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    seed: int = 0,
    resamples: int = 2000,
) -> Interval:
    """Percentile bootstrap of the AUC that draws whole questions, so that repeats stay together.

    Args:
        scores: higher is to mean label 1.
        labels: 0 or 1.
        clusters: id of the question of each pair; each pair is its own without them.
        seed: the same seed gives the same interval.
        resamples: draws; those with one class only are left out.
    """
    x, y = pairs(scores, labels)
    if not y.any() or y.all():
        return Interval(None, None, reason=ONE_CLASS)
    groups = np.arange(len(x)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    n_groups = int(groups.max()) + 1
    if n_groups < 2:
        return Interval(None, None, reason=TOO_FEW)
    order = np.argsort(x, kind="stable")
    x, y, groups = x[order], y[order], groups[order]
    starts = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(resamples):
        weight = np.bincount(rng.integers(0, n_groups, n_groups), minlength=n_groups)[groups]
        positive = np.add.reduceat(weight * y, starts).astype(float)
        negative = np.add.reduceat(weight * ~y, starts).astype(float)
        n_pairs = positive.sum() * negative.sum()
        if n_pairs:
            below = np.cumsum(negative) - negative
            found.append(float((positive * (below + negative / 2)).sum() / n_pairs))
    if len(found) < resamples / 2:
        return Interval(None, None, len(found), TOO_FEW)
    low, high = np.percentile(found, [2.5, 97.5])
    return Interval(float(low), float(high), len(found))


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
