"""Bootstrap of a ROC curve by counts: the interval of its area, and a band around the curve.

What is drawn is how often each cell of the scores occurs with either label, so that two thousand
resamples of a million samples take no longer than those of a thousand. Up to ``MAX_CELLS`` distinct
scores each is a cell of its own and the bootstrap is exact. More are joined to cells with at most
some 2 / MAX_CELLS of either label; which pairs of one cell are won is then taken as found. That
part varies by 1 / MAX_CELLS of the whole, far less than two bootstraps differ from each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.curves import pairs
from core.metrics.operating import Rule
from core.metrics.roc import ONE_CLASS, TOO_FEW, Floats

MAX_CELLS = 500

#: Resamples × pairs that are drawn question by question; about a second.
_CLUSTERED_WORK = 100_000_000
_LEAST_RESAMPLES = 200
_BAND_RESAMPLES = 400
_AT_ONCE = 250

Counts = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval with the number of resamples behind it, or the reason why there is none."""

    low: float | None
    high: float | None
    resamples: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Band:
    """Pointwise 95 % interval of the TPR at FPRs from 0 to 1; empty with a reason."""

    fpr: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
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
        resamples: draws; those with one class only are left out. Fewer, but at least 200, are made
            of more than 50,000 pairs whose questions repeat.
    """
    x, y = pairs(scores, labels)
    if not y.any() or y.all():
        return Interval(None, None, reason=ONE_CLASS)
    cells = _Cells(x, y, clusters)
    if cells.n_groups < 2:
        return Interval(None, None, reason=TOO_FEW)
    resamples = cells.affordable(resamples)
    found = np.concatenate([
        _areas(positive, negative, cells.won_within)
        for positive, negative in cells.draws(resamples, seed)
    ])  # fmt: skip
    if len(found) < resamples / 2:
        return Interval(None, None, len(found), TOO_FEW)
    low, high = np.percentile(found, [2.5, 97.5])
    return Interval(float(low), float(high), len(found))


def roc_band(
    scores: ArrayLike,
    labels: ArrayLike,
    rule: Rule | None = None,
    clusters: ArrayLike | None = None,
    *,
    seed: int = 0,
) -> Band:
    """Band around a ROC curve: whole questions are drawn (400 resamples), the curve averaged up.

    Source: vertical averaging as in Fawcett (2006), Pattern Recognition Letters 27, 861-874.
    """
    rule = rule or Rule()
    x, y = pairs(scores, labels)
    if not y.any() or y.all():
        return Band(reason="all labels are alike")
    x = x * rule.sign
    if rule.event == 0:
        x, y = -x, ~y
    cells = _Cells(x, y, clusters)
    resamples = cells.affordable(_BAND_RESAMPLES)
    grid = np.linspace(0, 1, 101)
    found = [
        _rates_at(grid, fp / fp[-1], tp / tp[-1])
        for positive, negative in cells.draws(resamples, seed)
        for tp, fp in zip(
            np.cumsum(positive[:, ::-1], axis=1), np.cumsum(negative[:, ::-1], axis=1), strict=True
        )
        if tp[-1] and fp[-1]
    ]
    if len(found) < resamples / 2:
        return Band(reason="too few labels of one class")
    low, high = np.percentile(found, [2.5, 97.5], axis=0)
    return Band(tuple(grid.tolist()), tuple(low.tolist()), tuple(high.tolist()))


class _Cells:
    """Labelled scores as counts per cell, from the lowest scores to the highest.

    ``won_within`` is the share of the pairs of one cell that label 1 wins, ties half.
    """

    def __init__(self, x: Floats, y: NDArray[np.bool_], clusters: ArrayLike | None) -> None:
        value = np.unique(x, return_inverse=True)[1]
        ones, others = _weighed(value, y), _weighed(value, ~y)
        cell_of = _joined(ones, others)
        # Wins within a cell are wins in all minus those against the cells below.
        below = np.cumsum(others) - others
        start = np.flatnonzero(np.diff(cell_of, prepend=-1))
        won = np.add.reduceat(ones * (below - below[start][cell_of] + others / 2), start)
        self.positive = np.add.reduceat(ones, start)
        self.negative = np.add.reduceat(others, start)
        n_pairs = self.positive * self.negative
        self.won_within = np.where(n_pairs > 0, won / np.maximum(n_pairs, 1), 0.5)
        self._n = len(x)
        self.n_groups = len(x)
        self._groups: NDArray[np.intp] | None = None
        if clusters is not None:
            groups = np.unique(clusters, return_inverse=True)[1]
            self.n_groups = int(groups.max()) + 1
            if self.n_groups < len(x):
                self._groups = groups
                self._place = cell_of[value] + np.where(y, 0, len(start))

    def affordable(self, resamples: int) -> int:
        """How many resamples are made; only questions that repeat have to be drawn one by one."""
        if self._groups is None:
            return resamples
        return min(resamples, max(_LEAST_RESAMPLES, _CLUSTERED_WORK // self._n))

    def draws(self, resamples: int, seed: int) -> Iterator[Counts]:
        """Resampled counts of both labels, each as resamples × cells, some resamples at a time."""
        rng = np.random.default_rng(seed)
        n_cells = len(self.positive)
        if self._groups is None:
            shares = np.concatenate([self.positive, self.negative]) / self._n
            for start in range(0, resamples, _AT_ONCE):
                size = min(_AT_ONCE, resamples - start)
                drawn = rng.multinomial(self._n, shares, size=size).astype(np.float64)
                yield drawn[:, :n_cells], drawn[:, n_cells:]
            return
        for _ in range(resamples):
            times = np.bincount(
                rng.integers(0, self.n_groups, self.n_groups), minlength=self.n_groups
            )
            counts = _weighed(self._place, times[self._groups], 2 * n_cells)
            yield counts[None, :n_cells], counts[None, n_cells:]


def _weighed(place: NDArray[np.intp], weights: NDArray[Any], length: int = 0) -> Floats:
    return np.asarray(np.bincount(place, weights, minlength=length), dtype=np.float64)


def _joined(ones: Floats, others: Floats) -> NDArray[np.intp]:
    """Cell of each distinct score, counted from 0: by the mean of both labels' shares below it."""
    if len(ones) <= MAX_CELLS:
        return np.arange(len(ones))
    middle = [(np.cumsum(side) - side / 2) / side.sum() for side in (ones, others)]
    steps = np.minimum(((middle[0] + middle[1]) / 2 * MAX_CELLS).astype(int), MAX_CELLS - 1)
    return np.unique(steps, return_inverse=True)[1]


def _areas(positive: Floats, negative: Floats, won_within: Floats) -> Floats:
    """Area of each resample that has both labels."""
    below = np.cumsum(negative, axis=1) - negative
    won = (positive * (below + won_within * negative)).sum(axis=1)
    n_pairs = positive.sum(axis=1) * negative.sum(axis=1)
    has_both = n_pairs > 0
    return np.asarray(won[has_both] / n_pairs[has_both])


def _rates_at(grid: Floats, fpr: Floats, tpr: Floats) -> Floats:
    # Interpolation takes the last of several points at one FPR only where they rise strictly.
    last = np.flatnonzero(np.append(fpr[1:] != fpr[:-1], True))
    x, y = np.concatenate([[0.0], fpr[last]]), np.concatenate([[0.0], tpr[last]])
    if fpr[last[0]] == 0:
        x, y = x[1:], y[1:]
    return np.asarray(np.interp(grid, x, y), dtype=np.float64)
