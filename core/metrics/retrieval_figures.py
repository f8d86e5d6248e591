"""The retrieval figures of a run, each with its interval and its denominator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.hits import ALL, ANY, HitPolicy
from core.metrics.intervals import Rate, wilson
from core.metrics.means import mean_rate
from core.metrics.retrieval_table import RetrievalTable

NO_GOLD = "no sample has gold evidence"
NOT_RECORDED = "the run recorded no contexts"
ONE_PIECE = "no sample has more than one piece of evidence"
NO_CONTEXT = "no sample has a context at this rank"

ByRank = Mapping[int, Rate]
ByPair = Mapping[tuple[int, int], Rate]


@dataclass(frozen=True, slots=True)
class RetrievalFigures:
    """Figures over the samples with gold evidence; ranks and k count from 1 to ``depth``.

    Everything looks at the first ``depth`` contexts of each sample. Shares have Wilson intervals,
    means of scores bootstrap intervals over samples.

    Attributes:
        n: samples with gold evidence, the denominator unless a figure says otherwise.
        depth: ranks that were looked at.
        n_no_gold: samples left out for want of evidence.
        n_contexts_not_recorded: samples left out because their contexts are not known.
        policy: how much of its evidence a sample needs for ``hit_at_k``; for nothing else.
        hit_at_k: samples with enough of their evidence among the first k contexts.
        hit_all_at_k: samples with all their evidence there, of those with several pieces.
        precision: mean share of relevant contexts among the first k.
        recall: mean share of the evidence that the first k contexts hold.
        ndcg: mean nDCG with linear gain.
        ndcg_exp: mean nDCG with gain 2^g - 1.
        context_hit_rate: samples whose context at this very rank holds evidence.
        useful_by_rank: the same, of the samples that have a context at that rank.
        exclusive_hit_rate: samples whose context at this rank alone holds evidence.
        hit_count_dist: samples with exactly m contexts that hold evidence, m from 0.
        pairwise_redundancy: samples whose contexts i and j both hold evidence.
        no_hit_rate: samples without a single context that holds evidence.
        mrr: mean reciprocal rank.
        map_trec: mean average precision over all evidence.
        map_retrieved: mean average precision over the relevant contexts retrieved.
    """

    n: int
    depth: int
    n_no_gold: int
    n_contexts_not_recorded: int
    hit_at_k: ByRank
    hit_all_at_k: ByRank
    precision: ByRank
    recall: ByRank
    ndcg: ByRank
    ndcg_exp: ByRank
    context_hit_rate: ByRank
    useful_by_rank: ByRank
    exclusive_hit_rate: ByRank
    hit_count_dist: ByRank
    pairwise_redundancy: ByPair
    no_hit_rate: Rate
    mrr: Rate
    map_trec: Rate
    map_retrieved: Rate
    policy: HitPolicy = ANY

    @property
    def n_several(self) -> int:
        """Samples with more than one piece of evidence: for the others the policy is the same."""
        return self.hit_all_at_k[1].n

    def as_json(self) -> dict[str, Any]:
        """The document of ``ragtriage retrieval``: figures per k keyed by k as text."""
        document: dict[str, Any] = {
            "n": self.n,
            "k": self.depth,
            "hit_policy": str(self.policy),
        }
        for name in ("n_no_gold", "n_contexts_not_recorded"):
            if getattr(self, name):
                document[name] = getattr(self, name)
        for name in _PER_RANK:
            by_rank: ByRank = getattr(self, name)
            document[name] = {str(rank): rate.as_json() for rank, rate in by_rank.items()}
        document["pairwise_redundancy"] = {
            f"{i},{j}": rate.as_json() for (i, j), rate in self.pairwise_redundancy.items()
        }
        for name in ("no_hit_rate", "mrr", "map_trec", "map_retrieved"):
            rate: Rate = getattr(self, name)
            document[name] = rate.as_json()
        return document


_PER_RANK = (
    "hit_at_k",
    "hit_all_at_k",
    "precision",
    "recall",
    "ndcg",
    "ndcg_exp",
    "context_hit_rate",
    "useful_by_rank",
    "exclusive_hit_rate",
    "hit_count_dist",
)


def retrieval_figures(
    table: RetrievalTable, k: int | None = None, *, policy: HitPolicy = ANY, seed: int = 0
) -> RetrievalFigures:
    """All figures of a run down to rank k, without k to the end of the longest list.

    Shorter lists stay in every denominator: they miss at the ranks that they do not have.

    Raises:
        ValueError: k is below 1.
    """
    depth = max(1, table.depth) if k is None else k
    cut = table.cut(depth)
    n, ranks = cut.n, range(1, depth + 1)
    reason = NO_GOLD if table.n_no_gold or not table.n_contexts_not_recorded else NOT_RECORDED

    def share(found: NDArray[np.bool_]) -> Rate:
        return wilson(int(found.sum()), n, reason)

    def mean(values: NDArray[np.float64]) -> Rate:
        return mean_rate(values, seed=seed, reason=reason)

    # Ranks below the longest list are there, empty: asking for ten of five gives no error.
    hits = np.zeros((n, depth), dtype=np.bool_)
    hits[:, : cut.depth] = cut.hits
    counts = hits.sum(axis=1)
    several = cut.n_pieces > 1
    joint = np.zeros((depth, depth), dtype=np.int64)
    joint[: cut.depth, : cut.depth] = np.rint(cut.joint_hits())
    reached = [int((cut.n_contexts >= rank).sum()) for rank in ranks]
    return RetrievalFigures(
        n=n,
        depth=depth,
        n_no_gold=table.n_no_gold,
        n_contexts_not_recorded=table.n_contexts_not_recorded,
        hit_at_k={rank: share(cut.hit_at_k(rank, policy)) for rank in ranks},
        hit_all_at_k={
            rank: wilson(
                int(cut.hit_at_k(rank, ALL)[several].sum()),
                int(several.sum()),
                ONE_PIECE if n else reason,
            )
            for rank in ranks
        },
        precision={rank: mean(cut.precision_at_k(rank)) for rank in ranks},
        recall={rank: mean(cut.recall_at_k(rank)) for rank in ranks},
        ndcg={rank: mean(cut.ndcg_at_k(rank)) for rank in ranks},
        ndcg_exp={rank: mean(cut.ndcg_at_k(rank, is_exponential=True)) for rank in ranks},
        context_hit_rate={rank: share(hits[:, rank - 1]) for rank in ranks},
        useful_by_rank={
            rank: wilson(int(joint[rank - 1, rank - 1]), reached[rank - 1], NO_CONTEXT)
            for rank in ranks
        },
        exclusive_hit_rate={rank: share(hits[:, rank - 1] & (counts == 1)) for rank in ranks},
        hit_count_dist={m: share(counts == m) for m in range(depth + 1)},
        pairwise_redundancy={
            (i, j): wilson(int(joint[i - 1, j - 1]), n, reason)
            for i in ranks
            for j in ranks
            if i < j
        },
        no_hit_rate=share(counts == 0),
        mrr=mean(cut.mrr()),
        map_trec=mean(cut.map_trec()),
        map_retrieved=mean(cut.map_retrieved()),
        policy=policy,
    )
