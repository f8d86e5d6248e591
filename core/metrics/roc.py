"""How well a score separates two groups of labelled samples: the area under the ROC curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.intervals import Z95

Floats = NDArray[np.float64]

NO_PAIRS = "no sample has both the score and the label"
ONE_CLASS = "all labels are alike, so there is nothing to tell apart"
TOO_FEW = "an interval needs at least two samples of either label"
NO_OVERLAP = "the scores of the two sides do not overlap, so nothing tells how far it is off"
CONSTANT = "the score is the same for all samples"


@dataclass(frozen=True, slots=True)
class Auc:
    """Area under the ROC curve, 0..1, with its 95 % interval; 0.5 is no better than chance.

    ``reason`` says why there is no value, or why the value has no interval. ``n_positive`` of the
    ``n`` samples bear the label 1.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_positive: int
    standard_error: float | None = None
    reason: str | None = None

    def as_json(self) -> dict[str, float | int | str | None]:
        """The area as the command line prints it; ``reason`` only where something is missing."""
        document: dict[str, float | int | str | None] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "n_positive": self.n_positive,
        }
        if self.reason is not None:
            document["reason"] = self.reason
        return document


def midranks(values: Floats) -> Floats:
    """Ranks from 1 in rising order; equal values share the mean of their ranks.

    >>> midranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray(((last - counts + 1 + last) / 2)[place], dtype=np.float64)


def auc_delong(scores: Sequence[float] | ArrayLike, labels: Sequence[int] | ArrayLike) -> Auc:
    """Area under the ROC curve of scores against labels of 0 and 1, with DeLong's interval.

    AUC = (pairs in which the sample labelled 1 has the higher score + half of the ties) / pairs
    se^2 = S10 / n1 + S01 / n0, interval = AUC -+ 1.96 se, clipped to 0..1

    S10 and S01 are the sample variances of each sample's share of pairs won. A higher score is to
    mean label 1: for a metric where lower is better pass its negative. Without a pair of labels
    there is no value; with a single sample of one label, or with no overlap at all, no interval.

    Source: DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845; in the form of
    Sun and Xu (2014), IEEE Signal Processing Letters 21, 1389-1393, by midranks.

    Raises:
        ValueError: another number of labels than of scores, a label that is not 0 or 1, or a
            score that is not finite.

    >>> auc = auc_delong([0.9, 0.8, 0.4, 0.7, 0.3, 0.2], [1, 1, 1, 0, 0, 0])   # 8 of 9 pairs
    >>> round(auc.value, 4), round(auc.standard_error, 5)
    (0.8889, 0.15713)
    >>> auc_delong([0.1, 0.2], [1, 1]).value is None
    True
    """
    x = np.asarray(scores, dtype=np.float64)
    y = np.asarray(labels)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"{x.size} scores and {y.size} labels are no pairs")
    if not np.isfinite(x).all():
        raise ValueError("a score is not finite; leave out what has no score")
    if not np.isin(y, (0, 1)).all():
        raise ValueError("labels must be 0 or 1")
    positive, negative = x[y == 1], x[y == 0]
    n1, n0 = positive.size, negative.size
    if x.size == 0:
        return Auc(None, None, None, 0, 0, reason=NO_PAIRS)
    if n1 == 0 or n0 == 0:
        return Auc(None, None, None, x.size, n1, reason=ONE_CLASS)
    among_all = midranks(np.concatenate([positive, negative]))
    won_by_positive = (among_all[:n1] - midranks(positive)) / n0
    won_by_negative = 1 - (among_all[n1:] - midranks(negative)) / n1
    area = float(won_by_positive.mean())
    if n1 < 2 or n0 < 2:
        return Auc(area, None, None, x.size, n1, reason=TOO_FEW)
    variance = won_by_positive.var(ddof=1) / n1 + won_by_negative.var(ddof=1) / n0
    # No share varies only where all pairs end alike: all won, all lost, or all tied.
    if variance == 0:
        return Auc(area, None, None, x.size, n1, reason=CONSTANT if area == 0.5 else NO_OVERLAP)
    error = sqrt(float(variance))
    low, high = max(0.0, area - Z95 * error), min(1.0, area + Z95 * error)
    return Auc(area, low, high, x.size, n1, error)
