"""Claims of answer and reference against each other and against the contexts, as RAGChecker does.

A score is None where it is undefined.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from core.metrics.intervals import Rate
from core.metrics.means import mean_rate

Label = bool | int | None
"""1 entailed; 0 contradicted or neither; None: no verdict."""
Rows = Sequence[Sequence[Label]]


class ClaimKind(StrEnum):
    """What is true of a claim of the answer; each has exactly one."""

    RIGHT_SUPPORTED = "right_supported"
    WRONG_RELEVANT = "wrong_relevant"
    WRONG_IRRELEVANT = "wrong_irrelevant"
    WRONG_UNSUPPORTED = "wrong_unsupported"
    RIGHT_UNSUPPORTED = "right_unsupported"


@dataclass(frozen=True, slots=True)
class ClaimLabels:
    """What entails what in one sample. A table that nobody filled in is None.

    Attributes:
        answer_by_reference: per answer claim, whether the reference entails it.
        reference_by_answer: per reference claim, whether the answer entails it.
        answer_by_context: per answer claim and context, whether the context entails the claim.
        reference_by_context: the same for the reference claims.
        n_contexts: number of contexts.
    """

    answer_by_reference: Sequence[Label] | None
    reference_by_answer: Sequence[Label] | None
    answer_by_context: Rows | None
    reference_by_context: Rows | None
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
            if claims is not None and rows is not None and len(claims) != len(rows):
                raise ValueError(f"{len(claims)} claims, but {len(rows)} rows of contexts")
            if any(len(row) > self.n_contexts for row in rows or ()):
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


SCORE_IDS = tuple(one.name for one in fields(ClaimScores) if one.name != "n_left_out")


def claim_scores(labels: ClaimLabels) -> ClaimScores:
    """Scores of one sample from its entailment labels.

    Without a claim of the answer, or of the reference, its shares are undefined, and so are those
    about the contexts of an answer where nothing was retrieved, and those that need a table which
    nobody filled in. A claim that lacks a verdict in a table that is there counts in no score;
    ``n_left_out`` says how many.
    Identities: precision + both noise sensitivities + hallucination = 1, and faithfulness +
    hallucination + self_knowledge = 1.
    Source: Ru et al. (2024), RAGChecker, NeurIPS 2024 Datasets and Benchmarks.

    >>> scores = claim_scores(ClaimLabels([1, 0], [1], [[1, 0], [0, 0]], [[1, 0]], n_contexts=2))
    >>> scores.precision, scores.hallucination, scores.context_precision_chunks
    (0.5, 0.5, 0.5)
    """
    width = labels.n_contexts
    right, rows = _known(labels.answer_by_reference, labels.answer_by_context, width)
    used, found_rows = _known(labels.reference_by_answer, labels.reference_by_context, width)
    found = None if found_rows is None else [any(row) for row in found_rows]
    kinds = [kind for kind in answer_kinds(labels) if kind is not None]
    relevant, is_retrieved = relevant_contexts(labels), width > 0

    def share_of(wanted: ClaimKind) -> float | None:
        return _mean([kind is wanted for kind in kinds]) if relevant is not None else None

    def unsupported(is_right: bool) -> float | None:
        if right is None or rows is None or not is_retrieved:
            return None
        pairs = zip(right, rows, strict=True)
        return _mean([one is is_right and not any(row) for one, row in pairs])

    precision, recall = _mean(right), _mean(used)
    return ClaimScores(
        precision=precision,
        recall=recall,
        f1=_harmonic(precision, recall),
        claim_recall=_mean(found),
        context_precision_chunks=_mean(relevant) if found_rows else None,
        context_utilization=None
        if used is None or found is None
        else _mean([is_used for is_used, is_found in zip(used, found, strict=True) if is_found]),
        noise_sensitivity_rel=share_of(ClaimKind.WRONG_RELEVANT),
        noise_sensitivity_irr=share_of(ClaimKind.WRONG_IRRELEVANT),
        hallucination=unsupported(False),
        self_knowledge=unsupported(True),
        faithfulness=_mean([any(row) for row in rows]) if rows and is_retrieved else None,
        n_left_out=_n_claims(labels.answer_by_reference, labels.answer_by_context)
        + _n_claims(labels.reference_by_answer, labels.reference_by_context)
        - _n_known(right, rows)
        - _n_known(used, found_rows),
    )


def answer_kinds(labels: ClaimLabels) -> list[ClaimKind | None]:
    """Kind of each claim of the answer; None where a verdict is missing or nothing was retrieved.

    Of a wrong claim that a context entails, also where nobody looked which contexts are relevant.

    >>> [str(kind) for kind in answer_kinds(ClaimLabels([1, 0], [1], [[0], [1]], [[1]], 1))]
    ['right_unsupported', 'wrong_relevant']
    """
    claims, rows, width = labels.answer_by_reference, labels.answer_by_context, labels.n_contexts
    relevant = relevant_contexts(labels)
    if claims is None or rows is None or not width:
        return [None] * _n_claims(claims, rows)
    return [
        _kind(bool(claim), row, relevant) if _is_complete(claim, row, width) else None
        for claim, row in zip(claims, rows, strict=True)
    ]


def supported_precision(labels: ClaimLabels) -> float | None:
    """Answer claims that the reference entails and some context too: precision - self-knowledge.

    None where ``self_knowledge`` is.

    >>> supported_precision(ClaimLabels([1, 1], [1], [[0], [1]], [[1]], n_contexts=1))
    0.5
    """
    width = labels.n_contexts
    right, rows = _known(labels.answer_by_reference, labels.answer_by_context, width)
    if right is None or rows is None or not width:
        return None
    return _mean([is_right and any(row) for is_right, row in zip(right, rows, strict=True)])


def relevant_contexts(labels: ClaimLabels) -> list[bool] | None:
    """Per context, whether it entails a claim of the reference; None if nobody looked.

    Only claims with all their verdicts count, as in the scores.
    """
    width = labels.n_contexts
    _, rows = _known(labels.reference_by_answer, labels.reference_by_context, width)
    return None if rows is None else [any(row[place] for row in rows) for place in range(width)]


def _known(
    claims: Sequence[Label] | None, rows: Rows | None, width: int
) -> tuple[list[bool] | None, list[list[bool]] | None]:
    """The claims whose every verdict is there, from the tables that are there."""
    n = _n_claims(claims, rows)
    each = [None] * n if claims is None else claims
    per_context = [[]] * n if rows is None else rows
    kept = [
        (bool(claim), [bool(label) for label in row])
        for claim, row in zip(each, per_context, strict=True)
        if (claims is None or claim is not None)
        and (rows is None or (len(row) == width and None not in row))
    ]
    return (
        None if claims is None else [claim for claim, _ in kept],
        None if rows is None else [row for _, row in kept],
    )


def _is_complete(claim: Label, row: Sequence[Label], width: int) -> bool:
    return claim is not None and len(row) == width and None not in row


def _n_claims(claims: Sequence[Label] | None, rows: Rows | None) -> int:
    return len(claims if claims is not None else rows or ())


def _n_known(claims: Sequence[bool] | None, rows: Sequence[Sequence[bool]] | None) -> int:
    return len(claims if claims is not None else rows or ())


def _kind(
    is_right: bool, row: Sequence[Label], relevant: Sequence[bool] | None
) -> ClaimKind | None:
    if not any(row):
        return ClaimKind.RIGHT_UNSUPPORTED if is_right else ClaimKind.WRONG_UNSUPPORTED
    if is_right:
        return ClaimKind.RIGHT_SUPPORTED
    if relevant is None:
        return None
    is_relevant = any(is_in and is_one for is_in, is_one in zip(row, relevant, strict=True))
    return ClaimKind.WRONG_RELEVANT if is_relevant else ClaimKind.WRONG_IRRELEVANT


def _mean(found: Sequence[bool] | None) -> float | None:
    return sum(found) / len(found) if found else None


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
    return {
        name: mean_rate(
            [value for row in rows if (value := getattr(row, name)) is not None],
            seed=seed,
            reason=NO_CLAIMS,
        )
        for name in SCORE_IDS
    }
