"""What came of a question: correct, incorrect, refused or unknown, and whether declining was right.

Both follow from a sample's pattern, so that a filter and a count are a list of codes.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from core.diagnosis.triad import N_PATTERNS, Pattern
from core.metrics.refusal import RefusalCounts, should_refuse


class AnswerOutcome(StrEnum):
    """A refusal is refused whatever its correctness; the four exclude each other."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class RefusalCell(StrEnum):
    """What the system did, and what it should have done; unknown if either is not known."""

    ANSWERED_ANSWERABLE = "answered_answerable"
    REFUSED_ANSWERABLE = "refused_answerable"
    ANSWERED_UNANSWERABLE = "answered_unanswerable"
    REFUSED_UNANSWERABLE = "refused_unanswerable"
    UNKNOWN = "unknown"


OUTCOME_NAMES: Mapping[AnswerOutcome, str] = MappingProxyType(
    {
        AnswerOutcome.CORRECT: "Correct",
        AnswerOutcome.INCORRECT: "Incorrect",
        AnswerOutcome.REFUSED: "Refused",
        AnswerOutcome.UNKNOWN: "Correctness unknown",
    }
)

REFUSAL_NAMES: Mapping[RefusalCell, str] = MappingProxyType(
    {
        RefusalCell.ANSWERED_ANSWERABLE: "Answered, rightly",
        RefusalCell.REFUSED_ANSWERABLE: "Refused, should answer",
        RefusalCell.ANSWERED_UNANSWERABLE: "Answered, should refuse",
        RefusalCell.REFUSED_UNANSWERABLE: "Refused, rightly",
        RefusalCell.UNKNOWN: "Refusal not decided",
    }
)

#: Who settled correctness, the most trusted first; none where nobody did.
SOURCE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "label": "A person's label",
        "choice": "The option chosen",
        "exact": "The same text",
        "list": "The same list",
        "judge": "The judge",
        "none": "Nobody",
    }
)


class RefusalTable(NamedTuple):
    """Samples by what was done and should have been done, and on which ground that was known.

    ``by_label`` and ``by_relevance`` add up to the samples of ``counts``; ``unknown`` are beside.
    """

    counts: RefusalCounts
    by_label: int
    by_relevance: int
    unknown: int

    def of(self, cell: RefusalCell) -> int:
        """Samples of one cell."""
        if cell is RefusalCell.UNKNOWN:
            return self.unknown
        n: int = getattr(self.counts, cell.value)
        return n


def outcome_of(code: int) -> AnswerOutcome:
    """Outcome of the samples with a pattern code.

    >>> outcome_of(Pattern(refusal=1, correct=1).code), outcome_of(Pattern(correct=0).code)
    (<AnswerOutcome.REFUSED: 'refused'>, <AnswerOutcome.INCORRECT: 'incorrect'>)
    """
    pattern = Pattern.from_code(code)
    if pattern.refusal == 1:
        return AnswerOutcome.REFUSED
    if pattern.correct is None:
        return AnswerOutcome.UNKNOWN
    return AnswerOutcome.CORRECT if pattern.correct else AnswerOutcome.INCORRECT


def refusal_cell(code: int) -> RefusalCell:
    """Cell of the samples with a pattern code; a label goes before context relevance.

    Source: ASTRID, Findings of ACL 2025, section 3.2.2.

    >>> refusal_cell(Pattern(context_relevance=1, refusal=1, answerable=0).code)
    <RefusalCell.REFUSED_UNANSWERABLE: 'refused_unanswerable'>
    """
    pattern = Pattern.from_code(code)
    high = pattern.context_relevance
    should = should_refuse(pattern.answerable, is_cr_high=None if high is None else high == 1)
    if pattern.refusal is None or should is None:
        return RefusalCell.UNKNOWN
    did = "refused" if pattern.refusal else "answered"
    return RefusalCell(f"{did}_{'unanswerable' if should else 'answerable'}")


def outcome_counts(patterns: Iterable[tuple[int, int]]) -> dict[AnswerOutcome, int]:
    """Samples by outcome from (code, n); every outcome has its entry."""
    counts = dict.fromkeys(AnswerOutcome, 0)
    for code, n in patterns:
        counts[outcome_of(code)] += n
    return counts


def refusal_table(patterns: Iterable[tuple[int, int]]) -> RefusalTable:
    """Samples by refusal and by what should have been, from (code, n)."""
    counts = dict.fromkeys(RefusalCell, 0)
    by_label = by_relevance = 0
    for code, n in patterns:
        cell = refusal_cell(code)
        counts[cell] += n
        if cell is RefusalCell.UNKNOWN:
            continue
        if Pattern.from_code(code).answerable is None:
            by_relevance += n
        else:
            by_label += n
    unknown = counts.pop(RefusalCell.UNKNOWN)
    table = RefusalCounts(**{cell.value: n for cell, n in counts.items()})
    return RefusalTable(table, by_label, by_relevance, unknown)


def codes_for_outcomes(wanted: Iterable[AnswerOutcome | str]) -> list[int]:
    """Codes of all patterns with one of these outcomes, in order.

    Raises:
        ValueError: a name is no outcome.
    """
    names = {AnswerOutcome(one) for one in wanted}
    return [code for code in range(N_PATTERNS) if outcome_of(code) in names]


def codes_for_refusals(wanted: Iterable[RefusalCell | str]) -> list[int]:
    """Codes of all patterns in one of these cells, in order.

    Raises:
        ValueError: a name is no cell.
    """
    cells = {RefusalCell(one) for one in wanted}
    return [code for code in range(N_PATTERNS) if refusal_cell(code) in cells]
