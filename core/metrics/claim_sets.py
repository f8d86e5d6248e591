"""The claims of a sample as a file gives them: texts, and what entails what, with their scores."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from core.metrics.claim_labels import (
    SCORE_IDS,
    ClaimKind,
    ClaimLabels,
    answer_kinds,
    claim_scores,
    supported_precision,
)
from core.model import Cause, ErrorKind, JudgeKind, JudgeSpec, Status

JUDGE = JudgeSpec(JudgeKind.OFFLINE, "claim-labels-v1")
"""Who counts the labels; who made them is what the file says about itself."""
SUPPORTED_PRECISION = "supported_precision"
CONTEXT_USEFUL = "context_useful"
"""Verdict about one context: 1 if it entails a claim of the reference."""


class Entailment(StrEnum):
    """What a text says about a claim; no verdict at all is None."""

    ENTAILED = "entailed"
    CONTRADICTED = "contradicted"
    NEUTRAL = "neutral"
    NOT_ENTAILED = "not_entailed"


Row = tuple[Entailment | None, ...]
AG, GA, AD, GD = (
    "answer_by_reference", "reference_by_answer", "answer_by_context", "reference_by_context",
)  # fmt: skip
_CLAIMS_OF = {AG: "answer", AD: "answer", GA: "reference", GD: "reference"}
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "precision": (AG,),
    "recall": (GA,),
    "f1": (AG, GA),
    "claim_recall": (GD,),
    "context_precision_chunks": (GD,),
    "context_utilization": (GA, GD),
    "noise_sensitivity_rel": (AG, AD, GD),
    "noise_sensitivity_irr": (AG, AD, GD),
    "hallucination": (AG, AD),
    "self_knowledge": (AG, AD),
    "faithfulness": (AD,),
    SUPPORTED_PRECISION: (AG, AD),
}
CLAIM_METRICS = tuple(_NEEDS)


class ScoreState(NamedTuple):
    """A score with its status; exactly one of value and cause is there."""

    status: Status
    value: float | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """Claims of one sample and what entails them; what the file does not have is None.

    The tables have one entry (or one row, in the order of the contexts) per claim.
    """

    answer: tuple[str, ...] | None = None
    reference: tuple[str, ...] | None = None
    answer_by_reference: Row | None = None
    reference_by_answer: Row | None = None
    answer_by_context: tuple[Row, ...] | None = None
    reference_by_context: tuple[Row, ...] | None = None

    def labels(self, n_contexts: int) -> ClaimLabels:
        """The verdicts as entailed or not."""
        return ClaimLabels(
            None if self.answer_by_reference is None else _flags(self.answer_by_reference),
            None if self.reference_by_answer is None else _flags(self.reference_by_answer),
            None
            if self.answer_by_context is None
            else [_flags(row) for row in self.answer_by_context],
            None
            if self.reference_by_context is None
            else [_flags(row) for row in self.reference_by_context],
            n_contexts,
        )

    def as_json(self) -> dict[str, Any]:
        """The object of the neutral format; keys that the file does not have are left out."""
        names = ("answer", "reference", AG, GA, AD, GD)
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    @property
    def is_empty(self) -> bool:
        """True if the file has nothing of it."""
        return not self.as_json()


def from_json(text: str) -> ClaimSet:
    """Claims as the store keeps them, which were checked when they were read."""
    found = json.loads(text)
    return ClaimSet(
        answer=_tuple(found.get("answer")),
        reference=_tuple(found.get("reference")),
        answer_by_reference=_row(found.get(AG)),
        reference_by_answer=_row(found.get(GA)),
        answer_by_context=_rows(found.get(AD)),
        reference_by_context=_rows(found.get(GD)),
    )


def _tuple(found: Any) -> tuple[str, ...] | None:
    return None if found is None else tuple(found)


def _row(found: Any) -> Row | None:
    return (
        None
        if found is None
        else tuple(None if word is None else Entailment(word) for word in found)
    )


def _rows(found: Any) -> tuple[Row, ...] | None:
    return None if found is None else tuple(_row(row) or () for row in found)


def _flags(row: Row) -> list[bool | None]:
    return [None if word is None else word is Entailment.ENTAILED for word in row]


def score_states(found: ClaimSet, n_contexts: int | None) -> dict[str, ScoreState]:
    """Every claim score of a sample that its tables allow; a score that is not in it is not scored.

    ``n_contexts`` is None where the contexts are not recorded; then the longest row says how many
    there were.
    """
    width = width_of(found) if n_contexts is None else n_contexts
    labels = found.labels(width)
    scores = claim_scores(labels)
    values = {name: getattr(scores, name) for name in SCORE_IDS}
    values[SUPPORTED_PRECISION] = supported_precision(labels)
    states = {}
    for name, tables in _NEEDS.items():
        if values[name] is not None:
            states[name] = ScoreState(Status.VALUE, values[name])
        elif all(getattr(found, table) is not None for table in tables):
            states[name] = _undefined(found, name, tables, n_contexts, width, scores.claim_recall)
    return states


def _undefined(
    found: ClaimSet,
    name: str,
    tables: Sequence[str],
    n_contexts: int | None,
    width: int,
    claim_recall: float | None,
) -> ScoreState:
    # Relevance of contexts is known, and none, where the reference claims nothing.
    own = [table for table in tables if table is not GD] or list(tables)
    if any(not getattr(found, table) for table in own):
        return ScoreState(Status.NOT_APPLICABLE, cause=Cause.NO_CLAIMS)
    if not width and (AD in tables or name == "context_precision_chunks"):
        cause = Cause.CONTEXTS_NOT_RECORDED if n_contexts is None else Cause.NO_CONTEXTS
        return ScoreState(Status.NOT_APPLICABLE, cause=cause)
    if name == "context_utilization" and claim_recall == 0:
        # No claim was found, so there is none that could have been used.
        return ScoreState(Status.NOT_APPLICABLE, cause=Cause.NO_CLAIMS)
    return ScoreState(Status.ERROR, cause=ErrorKind.ABSENT_IN_FILE)


def unsupported_claims(found: ClaimSet) -> tuple[int, list[str]]:
    """Claims of the answer that faithfulness counts: how many, and those that no context entails.

    >>> words = (Entailment.NEUTRAL,), (Entailment.ENTAILED,)
    >>> unsupported_claims(ClaimSet(answer=("a", "b"), answer_by_context=words))
    (2, ['a'])
    """
    rows, width = found.answer_by_context or (), width_of(found)
    right: Row = found.answer_by_reference or (Entailment.NEUTRAL,) * len(rows)
    counted = [
        (claim, Entailment.ENTAILED in row)
        for claim, word, row in zip(found.answer or (), right, rows, strict=True)
        if word is not None and len(row) == width and None not in row
    ]
    return len(counted), [claim for claim, is_supported in counted if not is_supported]


def width_of(found: ClaimSet) -> int:
    """Length of the longest row of verdicts about contexts."""
    rows = (*(found.answer_by_context or ()), *(found.reference_by_context or ()))
    return max(map(len, rows), default=0)


def useful_states(found: ClaimSet, n_contexts: int) -> list[ScoreState]:
    """Per context, whether it entails a claim of the reference; [] if nobody looked.

    One verdict that says so is enough; without one, all of them have to be there.
    """
    rows = found.reference_by_context
    if not rows:
        return []
    states = []
    for place in range(n_contexts):
        column = [row[place] if place < len(row) else None for row in rows]
        if Entailment.ENTAILED in column:
            states.append(ScoreState(Status.VALUE, 1.0))
        elif None in column:
            states.append(ScoreState(Status.ERROR, cause=ErrorKind.ABSENT_IN_FILE))
        else:
            states.append(ScoreState(Status.VALUE, 0.0))
    return states


class ClaimCounts(NamedTuple):
    """How many claims a sample has, and how many of the answer's are of each kind.

    ``n_open`` claims of the answer are of no kind: a verdict is missing, or nothing was retrieved.
    """

    n_answer: int
    n_reference: int
    n_open: int
    right_supported: int
    wrong_relevant: int
    wrong_irrelevant: int
    wrong_unsupported: int
    right_unsupported: int


def claim_counts(found: ClaimSet, n_contexts: int | None) -> ClaimCounts:
    """Claims of a sample by kind."""
    width = width_of(found) if n_contexts is None else n_contexts
    kinds = Counter(answer_kinds(found.labels(width)))
    n_answer = len(found.answer or found.answer_by_reference or found.answer_by_context or ())
    return ClaimCounts(
        n_answer,
        len(found.reference or found.reference_by_answer or found.reference_by_context or ()),
        n_answer - sum(n for kind, n in kinds.items() if kind is not None),
        **{kind.value: kinds[kind] for kind in ClaimKind},
    )
