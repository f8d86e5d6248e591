"""Ranking metrics of one sample, from what is known about each retrieved context.

``relevance`` holds one number per context in rank order, above 0 where the context is relevant.
Where several contexts are the same document, the first counts and the others are 0: so no recall
exceeds 1. For many samples at once: ``core.metrics.retrieval_table``.
"""

from collections.abc import Sequence
from math import log2

from core.metrics.claims import context_precision


def hit_at_k(relevance: Sequence[float], k: int) -> int:
    """1 if a relevant context is among the first k, else 0.

    Also called success@k; over all contexts RAG-X calls its mean recall. The list is not padded:
    fewer than k contexts are a miss unless one of them is relevant.

    Raises:
        ValueError: k is below 1.

    >>> hit_at_k([0, 1, 0], k=1), hit_at_k([0, 1, 0], k=2)
    (0, 1)
    """
    return int(any(one > 0 for one in _first(relevance, k)))


def precision_at_k(relevance: Sequence[float], k: int) -> float:
    """Relevant contexts among the first k, divided by k.

    Range 0..1, higher is better. As in trec_eval the divisor is k even where fewer were
    retrieved; nothing retrieved gives 0.

    Raises:
        ValueError: k is below 1.

    >>> precision_at_k([1, 0], k=4)   # 1 of 4
    0.25
    """
    return sum(one > 0 for one in _first(relevance, k)) / k


def recall_at_k(relevance: Sequence[float], n_relevant: int, k: int) -> float | None:
    """Share of all relevant documents that are among the first k contexts.

    recall@k = |relevant among the first k| / |relevant|

    Range 0..1, higher is better. None when nothing is relevant (n_relevant = 0).
    Source: Manning, Raghavan, Schütze (2008), Introduction to Information Retrieval, ch. 8.

    Raises:
        ValueError: k is below 1 or ``n_relevant`` negative.

    >>> recall_at_k([1, 0, 1], n_relevant=4, k=2)   # 1 of 4
    0.25
    """
    found = sum(one > 0 for one in _first(relevance, k))
    # More hits than relevant documents: some are the same evidence again.
    return min(found, n_relevant) / n_relevant if _has_relevant(n_relevant) else None


def mrr(relevance: Sequence[float]) -> float:
    """Reciprocal rank: 1 / rank of the first relevant context, 0 if there is none.

    Range 0..1, higher is better. The mean over samples is the MRR.

    >>> mrr([0, 0, 1, 1])
    0.3333333333333333
    """
    return next((1 / rank for rank, one in enumerate(relevance, start=1) if one > 0), 0.0)


def map_trec(relevance: Sequence[float], n_relevant: int) -> float | None:
    """Average precision over all relevant documents; its mean over samples is the MAP of TREC.

    (1 / R) sum over ranks k with a relevant context of P@k, R = ``n_relevant``

    Range 0..1, higher is better. None when nothing is relevant. Relevant documents that were not
    retrieved cost; ``map_retrieved`` leaves them out.
    Source: Voorhees and Harman (2005), TREC, ch. 3.

    Raises:
        ValueError: ``n_relevant`` is negative.

    >>> map_trec([1, 0, 1], n_relevant=4)   # (1/1 + 2/3) / 4
    0.41666666666666663
    """
    if not _has_relevant(n_relevant):
        return None
    n_found, total = 0, 0.0
    for rank, one in enumerate(relevance, start=1):
        if one > 0 and n_found < n_relevant:
            n_found += 1
            total += n_found / rank
    return total / n_relevant


def map_retrieved(relevance: Sequence[float]) -> float:
    """Average precision over the relevant contexts that were retrieved; the MAP of RAG-X.

    sum_k (P@k v_k) / sum_k v_k: the formula of ``context_precision``

    Range 0..1, higher is better; 0 when none is relevant. What was never retrieved costs nothing.

    >>> map_retrieved([1, 0, 1])   # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    return context_precision([one > 0 for one in relevance])


def ndcg_at_k(gains: Sequence[float], ideal: Sequence[float], k: int) -> float | None:
    """Discounted gain of the first k contexts, as a share of the best that was possible.

    DCG = sum_i g_i / log2(i + 1), nDCG = DCG(gains) / DCG(ideal, largest first)

    Range 0..1, higher is better. ``ideal`` holds the gain of every relevant document, retrieved
    or not, in any order. None when it holds nothing above 0.
    Source: Järvelin and Kekäläinen (2002), TOIS 20, 422-446; linear gain as in trec_eval.

    Raises:
        ValueError: k is below 1.

    >>> round(ndcg_at_k([3, 2, 3, 0, 1, 2], ideal=[3, 2, 3, 0, 1, 2], k=6), 4)
    0.9608
    """
    best = _dcg(sorted(ideal, reverse=True), k)
    return _dcg(gains, k) / best if best else None


def ndcg_exp_at_k(gains: Sequence[float], ideal: Sequence[float], k: int) -> float | None:
    """As ``ndcg_at_k`` with the gain 2^g - 1, which lets high grades weigh more.

    The same as ``ndcg_at_k`` where grades are 0 and 1.
    Source: Burges et al. (2005), ICML, 89-96.

    Raises:
        ValueError: k is below 1.

    >>> round(ndcg_exp_at_k([3, 2, 3, 0, 1, 2], ideal=[3, 2, 3, 0, 1, 2], k=6), 4)
    0.9488
    """
    return ndcg_at_k([2.0**gain - 1 for gain in gains], [2.0**gain - 1 for gain in ideal], k)


def _dcg(gains: Sequence[float], k: int) -> float:
    return sum(
        max(gain, 0.0) / log2(place + 1) for place, gain in enumerate(_first(gains, k), start=1)
    )


def _first(values: Sequence[float], k: int) -> Sequence[float]:
    if k < 1:
        raise ValueError(f"k = {k}: the first rank is 1")
    return values[:k]


def _has_relevant(n_relevant: int) -> bool:
    if n_relevant < 0:
        raise ValueError(f"{n_relevant} relevant documents")
    return n_relevant > 0
