"""Every possible cut of a score against a label, and which of them to work at.

A label has a good side, which a high score predicts: ``labels`` are 1 there. The event to detect is
either that side or the other one. A sample counts as high at its cut or above it, whichever side is
the event, so that both readings split the samples alike: what one calls the true positive rate the
other calls the true negative rate.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.agreement import Agreement, kappa_of_table
from core.metrics.curves import MAX_POINTS, Confusion, pairs
from core.metrics.intervals import Rate, undefined_rate, wilson
from core.metrics.roc import ONE_CLASS, Floats
from core.model import SLACK


@dataclass(frozen=True, slots=True)
class Rule:
    """How a score is read: ``sign`` is -1 where lower is better, ``event`` the side to detect."""

    sign: int = 1
    event: int = 1


@dataclass(frozen=True, slots=True)
class Point:
    """One cut; ``threshold`` is None beyond the highest score, where nothing counts as high."""

    threshold: float | None
    tpr: float
    fpr: float


@dataclass(frozen=True, slots=True)
class Cuts:
    """All cuts of a score from the strictest to the loosest, rates rising from (0, 0) to (1, 1).

    ``thresholds`` are in the score's own units, NaN where nothing counts as high. ``n`` samples, of
    which ``n_event`` belong to the event.
    """

    thresholds: Floats
    tpr: Floats
    fpr: Floats
    n: int
    n_event: int

    def at(self, place: int) -> Point:
        """One of the points."""
        threshold = float(self.thresholds[place])
        return Point(
            None if np.isnan(threshold) else threshold,
            float(self.tpr[place]),
            float(self.fpr[place]),
        )

    def precision(self, place: int) -> float | None:
        """Share of what is flagged at a point that belongs to the event; None where nothing is."""
        hits = self.tpr[place] * self.n_event
        flagged = hits + self.fpr[place] * (self.n - self.n_event)
        return float(hits / flagged) if flagged > 0 else None

    def thinned(self, limit: int = MAX_POINTS) -> Iterator[int]:
        """Places of at most ``limit`` points for drawing, both ends among them."""
        n = len(self.tpr)
        if n <= limit:
            yield from range(n)
        else:
            yield from np.unique(np.linspace(0, n - 1, limit).round().astype(int)).tolist()


def all_cuts(scores: ArrayLike, labels: ArrayLike, rule: Rule | None = None) -> Cuts | None:
    """Rates of the event at every distinct score; None with one class only.

    Raises:
        ValueError: scores and labels that are no pairs, not finite, or not 0 or 1.

    >>> cuts = all_cuts([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    >>> cuts.thresholds.tolist()[1:], cuts.tpr.tolist(), cuts.fpr.tolist()
    ([0.9, 0.8, 0.1], [0.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 1.0])
    >>> all_cuts([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0], Rule(event=0)).tpr.tolist()
    [0.0, 0.5, 1.0, 1.0]
    """
    rule = rule or Rule()
    x, y = pairs(scores, labels)
    n1 = int(y.sum())
    n0 = len(y) - n1
    if n1 == 0 or n0 == 0:
        return None
    order = np.argsort(-rule.sign * x, kind="stable")
    x, y = x[order], y[order]
    ends = np.flatnonzero(np.append(x[1:] != x[:-1], True))
    tp = np.concatenate([[0], np.cumsum(y)[ends]])
    high = np.concatenate([[0], ends + 1])
    thresholds = np.concatenate([[np.nan], x[ends]])
    tpr, fpr = tp / n1, (high - tp) / n0
    if rule.event == 1:
        return Cuts(thresholds, tpr, fpr, len(y), n1)
    # The loosest cut flags nothing: read from there, the rates rise again.
    return Cuts(thresholds[::-1], 1 - fpr[::-1], 1 - tpr[::-1], len(y), n0)


def best_youden(cuts: Cuts) -> Point:
    """The point with the largest TPR - FPR; of equals the one with the fewest false alarms.

    Chosen and measured on the same samples, so it is optimistic. At (0, 0) no cut beats flagging
    nothing.
    """
    # Rounding noise must not decide between equal gains; the earlier point has fewer false alarms.
    return cuts.at(int(np.argmax(np.round(cuts.tpr - cuts.fpr, 12))))


def first_with_tpr(cuts: Cuts, target: float) -> Point:
    """The strictest cut whose TPR reaches the target; optimistic as any choice on these samples."""
    return cuts.at(int(np.argmax(cuts.tpr >= target - 1e-12)))


def average_precision_of(cuts: Cuts) -> float:
    """Sum over the cuts of (gain in TPR) × precision, without interpolation.

    Source: as scikit-learn's ``average_precision_score``.

    >>> round(average_precision_of(all_cuts([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])), 4)
    0.8333
    """
    hits = cuts.tpr * cuts.n_event
    flagged = hits + cuts.fpr * (cuts.n - cuts.n_event)
    return float((np.diff(cuts.tpr) * hits[1:] / np.maximum(flagged[1:], 1.0)).sum())


def mean_cost(confusion: Confusion, miss: float, false_alarm: float) -> float | None:
    """Cost of the errors per sample: (miss × FN + false alarm × FP) / n; None without samples.

    >>> mean_cost(Confusion(6, 2, 1, 1), miss=5, false_alarm=1)   # (5·2 + 1·1) / 10
    1.1
    """
    if confusion.n == 0:
        return None
    total = miss * confusion.false_negative + false_alarm * confusion.false_positive
    return total / confusion.n


def cheapest(cuts: Cuts, miss: float, false_alarm: float) -> Point:
    """The point with the least cost of errors; of equals the one with the fewest false alarms."""
    missed = miss * (1 - cuts.tpr) * cuts.n_event
    alarms = false_alarm * cuts.fpr * (cuts.n - cuts.n_event)
    return cuts.at(int(np.argmin(np.round(missed + alarms, 9))))


def confusion_at(
    scores: ArrayLike, labels: ArrayLike, cut: float, rule: Rule | None = None
) -> Confusion:
    """The 2×2 matrix of the event at a cut in the score's own units; always all four.

    >>> confusion_at([0.9, 0.2, 0.8], [1, 1, 0], 0.5)
    Confusion(true_positive=1, false_negative=1, false_positive=1, true_negative=0)
    >>> confusion_at([0.9, 0.2, 0.8], [1, 1, 0], 0.5, Rule(event=0))
    Confusion(true_positive=0, false_negative=1, false_positive=1, true_negative=1)
    """
    rule = rule or Rule()
    x, y = pairs(scores, labels)
    high = x * rule.sign >= cut * rule.sign - SLACK
    n_high, n_good = int(high.sum()), int(y.sum())
    both = int((high & y).sum())
    cells = (both, n_good - both, n_high - both, len(y) - n_high - n_good + both)
    return Confusion(*(cells if rule.event == 1 else (cells[3], cells[2], cells[1], cells[0])))


def f1_interval(confusion: Confusion, *, seed: int = 0, resamples: int = 2_000) -> Rate:
    """F1 with a percentile bootstrap interval over the samples of a confusion matrix.

    Without a hit it is 0 in every resample, so that there is no interval.
    """
    value = confusion.f1
    if value is None:
        return undefined_rate("there is neither a sample of the event nor one that is flagged")
    if confusion.true_positive == 0:
        return Rate(value, None, None, confusion.n, 0.0)
    cells = np.array([
        confusion.true_positive, confusion.false_negative,
        confusion.false_positive, confusion.true_negative,
    ])  # fmt: skip
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(confusion.n, cells / confusion.n, size=resamples)
    tp, below = draws[:, 0], 2 * draws[:, 0] + draws[:, 1] + draws[:, 2]
    usable = below > 0
    low, high = np.percentile(2 * tp[usable] / below[usable], [2.5, 97.5])
    return Rate(value, min(float(low), value), max(float(high), value), confusion.n, 0.0)


def accuracy(confusion: Confusion) -> Rate:
    """Share of the samples on which score and label agree."""
    return wilson(confusion.true_positive + confusion.true_negative, confusion.n)


def confusion_kappa(confusion: Confusion) -> Agreement:
    """Cohen's kappa of score and label at a cut; with one class there is nothing to agree on."""
    n_event = confusion.true_positive + confusion.false_negative
    if n_event in (0, confusion.n):
        return Agreement("kappa", None, n=confusion.n, reason=ONE_CLASS)
    return kappa_of_table(
        np.array([
            [confusion.true_positive, confusion.false_negative],
            [confusion.false_positive, confusion.true_negative],
        ], dtype=float)
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bin:
    """Samples with a score in one step: their mean score, and the share of label 1 among them."""

    low: float
    high: float
    mean_score: float | None
    share: Rate


def reliability(scores: ArrayLike, labels: ArrayLike, n_bins: int = 10) -> tuple[Bin, ...]:
    """For scores of 0..1: does a score of 0.8 mean that 80 % bear the label? Equal steps.

    >>> [(b.mean_score, b.share.value) for b in reliability([0.1, 0.9, 1.0], [0, 1, 0], 2)]
    [(0.1, 0.0), (0.95, 0.5)]
    """
    x, y = pairs(scores, labels)
    place = np.clip((x * n_bins + 1e-9).astype(int), 0, n_bins - 1)
    counts = np.bincount(place, minlength=n_bins)
    sums = np.bincount(place, weights=x, minlength=n_bins)
    hits = np.bincount(place, weights=y, minlength=n_bins)
    return tuple(
        Bin(
            i / n_bins,
            (i + 1) / n_bins,
            float(sums[i] / counts[i]) if counts[i] else None,
            wilson(int(hits[i]), int(counts[i]), "no score in this step"),
        )
        for i in range(n_bins)
    )


def histograms(
    scores: ArrayLike, labels: NDArray[np.int8], lo: float, hi: float, n_bins: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Samples per equal step from lo to hi: those of label 1, and those of label 0."""
    x = np.asarray(scores, dtype=np.float64)
    span = hi - lo if hi > lo else 1.0
    place = np.clip(((x - lo) / span * n_bins + 1e-9).astype(int), 0, n_bins - 1)
    good, bad = (np.bincount(place[labels == side], minlength=n_bins) for side in (1, 0))
    return tuple(good.tolist()), tuple(bad.tolist())
