"""Figures from one value per retrieved context: how useful each rank is, and eRAG.

eRAG (arXiv 2404.13781) lets the generator answer from each context alone; the quality of that
answer is the context's gain, and the gains of a list are aggregated like relevance grades. The
generations are made elsewhere; a file brings the gains.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.intervals import Rate, wilson
from core.metrics.means import mean_rate

Floats = NDArray[np.float64]
ByRank = Mapping[int, Rate]

NO_GAIN = "no sample has a gain for each of its contexts"


@dataclass(frozen=True, slots=True)
class GainFigures:
    """Rank metrics whose grades are gains per context, over the samples that have all of them.

    Attributes:
        n: samples with a gain for every context.
        n_incomplete: samples with some gains but not all; they are in no figure.
        depth: contexts of the longest list.
        gain_by_rank: mean gain of the contexts at a rank, of the samples that have one there.
        hit_at_k: samples with a gain above 0 among the first k contexts.
        precision: mean share of the first k contexts with a gain above 0.
        ndcg: mean nDCG with linear gain; the ideal is the best order of what was retrieved, and a
            sample without a gain above 0 counts as 0.
        mrr: mean of 1 / rank of the first gain above 0.
        map_retrieved: mean average precision over the contexts with a gain above 0.
    """

    n: int
    n_incomplete: int
    depth: int
    gain_by_rank: ByRank
    hit_at_k: ByRank
    precision: ByRank
    ndcg: ByRank
    mrr: Rate
    map_retrieved: Rate

    def as_json(self) -> dict[str, Any]:
        """The figures as the command line prints them; per k keyed by k as text."""
        document: dict[str, Any] = {"n": self.n, "n_incomplete": self.n_incomplete}
        for name in ("gain_by_rank", "hit_at_k", "precision", "ndcg"):
            by_rank: ByRank = getattr(self, name)
            document[name] = {str(k): rate.as_json() for k, rate in by_rank.items()}
        return {
            **document,
            "mrr": self.mrr.as_json(),
            "map_retrieved": self.map_retrieved.as_json(),
        }


def gain_figures(
    samples: ArrayLike, places: ArrayLike, gains: ArrayLike, n_contexts: ArrayLike,
    k: int | None = None,
) -> GainFigures:  # fmt: skip
    """Figures of a run from flat lists, as a query yields them.

    Args:
        samples: (m,) sample of each gain, its place in ``n_contexts``.
        places: (m,) place of the context in its list, from 1.
        gains: (m,) value of the context; 0 or less is not useful.
        n_contexts: (n,) contexts of each sample.
        k: look at the first k contexts; all without it.

    >>> figures = gain_figures([0, 0, 1, 1], [1, 2, 1, 2], [0, 1, 1, 0.5], [2, 2])
    >>> figures.mrr.value, figures.precision[1].value   # (1/2 + 1) / 2; (0 + 1) / 2
    (0.75, 0.5)
    """
    of = np.asarray(samples, dtype=np.int64).reshape(-1)
    place = np.asarray(places, dtype=np.int64).reshape(-1)
    value = np.asarray(gains, dtype=np.float64).reshape(-1)
    length = np.asarray(n_contexts, dtype=np.int64).reshape(-1)
    depth = int(length.max(initial=0))
    grid = np.full((length.size, depth), np.nan)
    is_there = (place >= 1) & (place <= length[of]) if of.size else np.zeros(0, dtype=np.bool_)
    grid[of[is_there], place[is_there] - 1] = value[is_there]
    n_known = (~np.isnan(grid)).sum(axis=1)
    is_complete = (n_known == length) & (length > 0)
    grid, length = grid[is_complete], length[is_complete]
    wanted = depth if k is None else k
    shown = grid[:, :wanted]
    filled = np.maximum(np.nan_to_num(shown, nan=0.0), 0.0)
    return GainFigures(
        n=int(is_complete.sum()),
        n_incomplete=int(((n_known > 0) & ~is_complete).sum()),
        depth=wanted,
        gain_by_rank={
            rank: _mean(shown[:, rank - 1][~np.isnan(shown[:, rank - 1])])
            for rank in range(1, shown.shape[1] + 1)
        },
        hit_at_k={
            rank: wilson(
                int((filled[:, :rank] > 0).any(axis=1).sum()), int(is_complete.sum()), NO_GAIN
            )
            for rank in range(1, wanted + 1)
        },
        precision={
            rank: _mean((filled[:, :rank] > 0).sum(axis=1) / rank) for rank in range(1, wanted + 1)
        },
        ndcg={rank: _mean(_ndcg(grid, rank)) for rank in range(1, wanted + 1)},
        mrr=_mean(_reciprocal(filled)),
        map_retrieved=_mean(_average_precision(filled)),
    )


def _mean(values: Floats) -> Rate:
    return mean_rate(values, reason=NO_GAIN)


def _reciprocal(filled: Floats) -> Floats:
    if not filled.shape[1]:
        return np.zeros(filled.shape[0])
    useful = filled > 0
    return np.where(useful.any(axis=1), 1.0 / (useful.argmax(axis=1) + 1), 0.0)


def _average_precision(filled: Floats) -> Floats:
    useful = filled > 0
    precisions = useful.cumsum(axis=1) / np.arange(1, filled.shape[1] + 1)
    total: Floats = (precisions * useful).sum(axis=1)
    average: Floats = total / np.maximum(useful.sum(axis=1), 1)
    return average


def _ndcg(grid: Floats, k: int) -> Floats:
    gains = np.maximum(np.nan_to_num(grid, nan=0.0), 0.0)
    best = -np.sort(-gains, axis=1)
    discount = 1 / np.log2(np.arange(2, min(k, gains.shape[1]) + 2))
    found: Floats = gains[:, :k] @ discount
    ideal: Floats = best[:, :k] @ discount
    return np.divide(found, ideal, out=np.zeros_like(found), where=ideal > 0)
