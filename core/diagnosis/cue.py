"""Context use: from hit, adherence, correctness and refusal of a sample to its quadrants.

The four are low, high or unknown, so that the whole is a table of 81 rows; a query computes a
sample's code and joins it. Source: CUE of RAG-X (arXiv 2603.03541); the extended table is ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from core.diagnosis.quadrants import EXTENDED, PUBLISHED, Extended, Published
from core.diagnosis.triad import Tri

N_CUE_PATTERNS = 3**4


class CuePattern(NamedTuple):
    """What is known about a sample's use of its contexts, each 1, 0 or None.

    Its code has these as digits to base 3, the first most significant; digit 2 is unknown.
    """

    hit: Tri = None
    adherence: Tri = None
    correct: Tri = None
    refusal: Tri = None

    @property
    def code(self) -> int:
        """Number of the pattern, 0 to 80.

        >>> CuePattern(1, 1, None, 0).code   # ((1·3+1)·3+2)·3+0
        42
        """
        code = 0
        for value in self:
            code = code * 3 + (2 if value is None else value)
        return code

    @classmethod
    def from_code(cls, code: int) -> "CuePattern":
        """Pattern of a number from 0 to 80.

        Raises:
            ValueError: the number is no code.
        """
        if not 0 <= code < N_CUE_PATTERNS:
            raise ValueError(f"{code} is no code of context use: 0 to {N_CUE_PATTERNS - 1}")
        values: list[Tri] = []
        for _ in cls._fields:
            code, digit = divmod(code, 3)
            values.append(None if digit == 2 else digit)
        return cls(*reversed(values))


@dataclass(frozen=True, slots=True)
class ContextUse:
    """Both quadrants of a pattern.

    ``possible`` holds every decided extended quadrant that the missing values could still lead
    to; where nothing relevant is missing it is ``extended`` alone.
    """

    published: Published
    extended: Extended
    possible: frozenset[Extended]


def assign_quadrants(pattern: CuePattern) -> ContextUse:
    """Quadrants of one pattern; a refusal is looked at first, and unknown counts as answered.

    >>> found = assign_quadrants(CuePattern(hit=0, adherence=0, correct=0, refusal=0))
    >>> found.published.value, found.extended.value
    ('correct_rejection', 'ungrounded_error')
    """
    return CUE_TABLE[pattern.code]


_PUBLISHED: dict[tuple[Tri, Tri], Published] = {
    (1, 1): Published.EFFECTIVE_USE,
    (1, 0): Published.INFORMATION_BLINDNESS,
    (0, 1): Published.LUCKY_GUESS,
    (0, 0): Published.CORRECT_REJECTION,
}
_EXTENDED: dict[tuple[Tri, Tri, Tri], Extended] = {
    (1, 1, 1): Extended.EFFECTIVE_USE,
    (1, 1, 0): Extended.MISREAD_EVIDENCE,
    (1, 1, None): Extended.EFFECTIVE_USE_UNKNOWN,
    (1, 0, 1): Extended.PARAMETRIC_BYPASS,
    (1, 0, 0): Extended.INFORMATION_BLINDNESS,
    (1, 0, None): Extended.INFORMATION_BLINDNESS_UNKNOWN,
    (0, 1, 1): Extended.LUCKY_GUESS_ATTRIBUTED,
    (0, 1, 0): Extended.MISLED_BY_CONTEXT,
    (0, 1, None): Extended.LUCKY_GUESS_UNKNOWN,
    (0, 0, 1): Extended.LUCKY_GUESS_PARAMETRIC,
    (0, 0, 0): Extended.UNGROUNDED_ERROR,
    (0, 0, None): Extended.CORRECT_REJECTION_UNKNOWN,
}
OPEN = frozenset(
    {
        Extended.UNDETERMINED,
        Extended.EFFECTIVE_USE_UNKNOWN,
        Extended.INFORMATION_BLINDNESS_UNKNOWN,
        Extended.LUCKY_GUESS_UNKNOWN,
        Extended.CORRECT_REJECTION_UNKNOWN,
    }
)
"""Extended quadrants that say that something is missing."""


def _extended(pattern: CuePattern) -> Extended:
    if pattern.refusal == 1 and pattern.hit is not None:
        return Extended.OVER_REFUSAL if pattern.hit else Extended.CORRECT_REJECTION
    if pattern.refusal == 1:
        return Extended.UNDETERMINED
    return _EXTENDED.get(pattern[:3], Extended.UNDETERMINED)


@cache
def _reachable(pattern: CuePattern) -> frozenset[Extended]:
    found = {_extended(pattern)} - OPEN
    for name, value in zip(pattern._fields, pattern, strict=True):
        if value is None:
            for known in (0, 1):
                found |= _reachable(pattern._replace(**{name: known}))
    return frozenset(found)


def _context_use(pattern: CuePattern) -> ContextUse:
    extended = _extended(pattern)
    return ContextUse(
        _PUBLISHED.get(pattern[:2], Published.UNDETERMINED),
        extended,
        _reachable(pattern) if extended in OPEN else frozenset({extended}),
    )


CUE_TABLE: tuple[ContextUse, ...] = tuple(
    _context_use(CuePattern.from_code(code)) for code in range(N_CUE_PATTERNS)
)
"""Quadrants of every pattern, by code."""


def codes_for_published(quadrants: Iterable[Published | str]) -> list[int]:
    """Codes of all patterns in one of these published quadrants, in order.

    Raises:
        ValueError: a name is no published quadrant.
    """
    wanted = {Published(quadrant) for quadrant in quadrants}
    return [code for code, found in enumerate(CUE_TABLE) if found.published in wanted]


def codes_for_extended(quadrants: Iterable[Extended | str]) -> list[int]:
    """Codes of all patterns in one of these extended quadrants, in order.

    Raises:
        ValueError: a name is no extended quadrant.
    """
    wanted = {Extended(quadrant) for quadrant in quadrants}
    return [code for code, found in enumerate(CUE_TABLE) if found.extended in wanted]


CUE_ROW_FIELDS = ("code", "published", "extended", "side")


def cue_table_rows() -> list[tuple[int, str, str, str]]:
    """The table as rows of plain values (``CUE_ROW_FIELDS``), to be joined in a query."""
    return [
        (code, str(found.published), str(found.extended), str(EXTENDED[found.extended].side))
        for code, found in enumerate(CUE_TABLE)
    ]


__all__ = [
    "CUE_ROW_FIELDS",
    "CUE_TABLE",
    "EXTENDED",
    "N_CUE_PATTERNS",
    "OPEN",
    "PUBLISHED",
    "ContextUse",
    "CuePattern",
    "Extended",
    "Published",
    "assign_quadrants",
    "codes_for_extended",
    "codes_for_published",
    "cue_table_rows",
]
