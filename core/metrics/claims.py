"""Scores from counted claims, sentences and rated contexts. None where a score is undefined."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from core.metrics.intervals import Rate
from core.metrics.means import mean_rate

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


# --- claims of answer and reference against each other and against the contexts -------------------

Label = bool | int | None
"""1 entailed; 0 contradicted or neither; None: no verdict."""


@dataclass(frozen=True, slots=True)
class ClaimLabels:
    """What entails what in one sample.

    Attributes:
        answer_by_reference: per answer claim, whether the reference entails it.
        reference_by_answer: per reference claim, whether the answer entails it.
        answer_by_context: per answer claim and context, whether the context entails the claim.
        reference_by_context: the same for the reference claims.
        n_contexts: number of contexts.
    """

    answer_by_reference: Sequence[Label]
    reference_by_answer: Sequence[Label]
    answer_by_context: Sequence[Sequence[Label]]
    reference_by_context: Sequence[Sequence[Label]]
    n_contexts: int

    def __post_init__(self) -> None:
        """Refuse labels that do not belong together.

        Raises:
            ValueError: not one row per claim, or a row longer than there are contexts.
        """
        for claims, rows in (
            (self.answer_by_reference, self.answer_by_context),
            (self.reference_by_answer, self.reference_by_context),
        ):
            if len(claims) != len(rows):
                raise ValueError(f"{len(claims)} claims, but {len(rows)} rows of contexts")
            if any(len(row) > self.n_contexts for row in rows):
                raise ValueError(f"a claim has labels for more than {self.n_contexts} contexts")


@dataclass(frozen=True, slots=True)
class ClaimScores:
    """The scores of RAGChecker for one sample, each in 0..1 or None where undefined.

    A context is relevant if it entails a claim of the reference.

    Attributes:
        precision: answer claims that the reference entails.
        recall: reference claims that the answer entails.
        f1: harmonic mean of the two, 0 if both are 0.
        claim_recall: reference claims that some context entails.
        context_precision_chunks: relevant contexts of all contexts, whatever their rank.
        context_utilization: of the reference claims that some context entails, those that reached
            the answer.
        noise_sensitivity_rel: answer claims that are wrong and entailed by a relevant context.
        noise_sensitivity_irr: answer claims that are wrong and entailed by other contexts only.
        hallucination: answer claims that are wrong and entailed by no context.
        self_knowledge: answer claims that are right and entailed by no context.
        faithfulness: answer claims that some context entails.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    claim_recall: float | None
    context_precision_chunks: float | None
    context_utilization: float | None
    noise_sensitivity_rel: float | None
    noise_sensitivity_irr: float | None
    hallucination: float | None
    self_knowledge: float | None
    faithfulness: float | None
    n_left_out: int = 0


def claim_scores(labels: ClaimLabels) -> ClaimScores:
    """Scores of one sample from its entailment labels.

    Without a claim of the answer, or of the reference, its shares are undefined, and so are those
    about the contexts of an answer where nothing was retrieved. A claim that lacks a verdict
    counts in no score; ``n_left_out`` says how many.
    Identities: precision + both noise sensitivities + hallucination = 1, and faithfulness +
    hallucination + self_knowledge = 1.
    Source: Ru et al. (2024), RAGChecker, NeurIPS 2024 Datasets and Benchmarks.

    >>> scores = claim_scores(ClaimLabels([1, 0], [1], [[1, 0], [0, 0]], [[1, 0]], n_contexts=2))
    >>> scores.precision, scores.hallucination, scores.context_precision_chunks
    (0.5, 0.5, 0.5)
    """
    width = labels.n_contexts
    answer = _complete(labels.answer_by_reference, labels.answer_by_context, width)
    reference = _complete(labels.reference_by_answer, labels.reference_by_context, width)
    relevant = [any(row[place] for _, row in reference) for place in range(width)]
    found = [(is_used, any(row)) for is_used, row in reference]
    n, kinds = len(answer), [_kind(is_right, row, relevant) for is_right, row in answer]

    def share_of(*wanted: str) -> float | None:
        return _share(sum(kind in wanted for kind in kinds), n) if width else None

    precision = _share(sum(is_right for is_right, _ in answer), n)
    recall = _share(sum(is_used for is_used, _ in reference), len(reference))
    return ClaimScores(
        precision=precision,
        recall=recall,
        f1=_harmonic(precision, recall),
        claim_recall=_share(sum(is_found for _, is_found in found), len(found)),
        context_precision_chunks=_share(sum(relevant), width) if reference else None,
        context_utilization=_share(
            sum(is_used and is_found for is_used, is_found in found),
            sum(is_found for _, is_found in found),
        ),
        noise_sensitivity_rel=share_of("wrong_relevant"),
        noise_sensitivity_irr=share_of("wrong_irrelevant"),
        hallucination=share_of("wrong_unsupported"),
        self_knowledge=share_of("right_unsupported"),
        faithfulness=share_of("right_supported", "wrong_relevant", "wrong_irrelevant"),
        n_left_out=len(labels.answer_by_reference)
        + len(labels.reference_by_answer)
        - len(answer)
        - len(reference),
    )


def _complete(
    claims: Sequence[Label], rows: Sequence[Sequence[Label]], width: int
) -> list[tuple[bool, list[bool]]]:
    """The claims whose every verdict is there."""
    return [
        (bool(claim), [bool(label) for label in row])
        for claim, row in zip(claims, rows, strict=True)
        if claim is not None and len(row) == width and None not in row
    ]


def _kind(is_right: bool, row: Sequence[bool], relevant: Sequence[bool]) -> str:
    if not any(row):
        return "right_unsupported" if is_right else "wrong_unsupported"
    if is_right:
        return "right_supported"
    is_relevant = any(is_in and is_one for is_in, is_one in zip(row, relevant, strict=True))
    return "wrong_relevant" if is_relevant else "wrong_irrelevant"


def _harmonic(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    return 2 * one * other / (one + other) if one + other else 0.0


NO_CLAIMS = "no sample has the claims for it"


def claim_rates(samples: Iterable[ClaimScores], *, seed: int = 0) -> Mapping[str, Rate]:
    """Mean of each score over the samples where it is defined, by metric id.

    The F1 of a run is the mean of the samples' F1, not the F1 of means.
    """
    rows = list(samples)
    names = [one.name for one in fields(ClaimScores) if one.name != "n_left_out"]
    return {
        name: mean_rate(
            [value for row in rows if (value := getattr(row, name)) is not None],
            seed=seed,
            reason=NO_CLAIMS,
        )
        for name in names
    }
