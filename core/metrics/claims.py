"""Scores from counted claims, sentences and rated contexts. None where a score is undefined."""

from collections.abc import Sequence
from dataclasses import dataclass

RELEVANT_AT = 4.0
"""Level of the 1 to 5 rubric from which a context counts as relevant."""


def faithfulness(n_supported: int, n_claims: int) -> float | None:
    """Share of the answer's claims that the contexts support.

    faithfulness = supported claims / claims

    Range 0..1, higher is better. None when the answer makes no claim. A claim that the contexts
    neither support nor contradict counts as unsupported.
    Source: Es et al. (2024), RAGAS, EACL 2024.

    Raises:
        ValueError: more supported claims than claims, or a negative count.

    >>> faithfulness(2, 3)
    0.6666666666666666
    >>> faithfulness(0, 0) is None
    True
    """
    return _share(n_supported, n_claims)


def faithfulness_contradiction(
    n_contradicted: int, n_claims: int, n_undecided: int = 0, is_ambiguity_penalised: bool = False
) -> float:
    """Share of the answer's claims that the contexts do not contradict.

    (claims - contradicted) / claims; with the penalty undecided claims are subtracted too

    Range 0..1, higher is better; 1 when the answer makes no claim. Not comparable with
    ``faithfulness``, where an undecided claim counts against the answer.
    Source: DeepEval, code of its Faithfulness.

    Raises:
        ValueError: more contradicted and undecided claims than claims, or a negative count.

    >>> faithfulness_contradiction(0, 3, n_undecided=1)
    1.0
    """
    against = n_contradicted + (n_undecided if is_ambiguity_penalised else 0)
    if min(n_contradicted, n_undecided) < 0 or n_contradicted + n_undecided > n_claims:
        raise ValueError(
            f"{n_contradicted} contradicted and {n_undecided} undecided of {n_claims} claims"
        )
    share = _share(n_claims - against, n_claims)
    return 1.0 if share is None else share


def context_relevance_ratio(n_relevant: int, n_sentences: int) -> float | None:
    """Share of the contexts' sentences that the question needs.

    Range 0..1, higher is better. None when the contexts hold no sentence.
    Source: Es et al. (2024), RAGAS, EACL 2024.

    Raises:
        ValueError: more relevant sentences than sentences, or a negative count.

    >>> context_relevance_ratio(1, 4)
    0.25
    """
    return _share(n_relevant, n_sentences)


def context_precision(useful: Sequence[bool | int]) -> float:
    """Do the useful contexts stand first? ``useful`` holds 1 or 0 per context in rank order.

    sum_k (P@k v_k) / sum_k v_k, with P@k the share of useful contexts among the first k

    Range 0..1, higher is better; 0 when no context is useful and when there is none. Useful
    contexts that were never retrieved cost nothing here (unlike MAP over all relevant items).
    Source: Ragas and DeepEval, code.

    >>> context_precision([1, 0, 1])   # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    n_useful, total = 0, 0.0
    for rank, is_useful in enumerate(useful, start=1):
        if is_useful:
            n_useful += 1
            total += n_useful / rank
    return total / n_useful if n_useful else 0.0


@dataclass(frozen=True, slots=True)
class RatedContexts:
    """Context relevance of a sample from its contexts' ratings, in the rubric's own units.

    ``is_partial`` if some contexts have no rating; ``is_noisy`` if the best context is relevant
    but fewer than half of the rated ones are.
    """

    best: float
    mean: float
    share_relevant: float
    is_noisy: bool
    is_partial: bool


def rate_contexts(
    ratings: Sequence[float | None], relevant_at: float = RELEVANT_AT
) -> RatedContexts | None:
    """Aggregate the ratings of a sample's contexts; a failed rating is None.

    The best context is the sample's score: it answers whether evidence was found. The mean
    answers how clean the retrieval is, a different question. None when no context has a rating.

    >>> rate_contexts([5, 1, 2])
    RatedContexts(best=5, mean=2.6666666666666665, share_relevant=0.3333333333333333, \
is_noisy=True, is_partial=False)
    """
    known = [rating for rating in ratings if rating is not None]
    if not known:
        return None
    share = sum(rating >= relevant_at for rating in known) / len(known)
    best = max(known)
    return RatedContexts(
        best=best,
        mean=sum(known) / len(known),
        share_relevant=share,
        is_noisy=best >= relevant_at and share < 0.5,
        is_partial=len(known) < len(ratings),
    )


def _share(part: int, whole: int) -> float | None:
    if not 0 <= part <= whole:
        raise ValueError(f"{part} of {whole} is no share")
    return part / whole if whole else None
