"""The one home of the rules: from what is known about a sample to its mode.

All that the rules look at is a pattern of six values, each low, high or unknown. There are 729
patterns, so the whole of diagnosis is a table; a query computes a sample's code and joins it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from core.diagnosis.modes import MODES, severity_of
from core.model import Flag, Mode

Tri = int | None
"""1 for high or yes, 0 for low or no, None for unknown."""

N_PATTERNS = 3**6
RETRIEVAL_HINT = "retrieval side suspect"


class Pattern(NamedTuple):
    """What is known about a sample, each 1, 0 or None.

    Its code has these as digits to base 3, the first most significant; digit 2 is unknown.
    """

    context_relevance: Tri = None
    groundedness: Tri = None
    answer_relevance: Tri = None
    refusal: Tri = None
    correct: Tri = None
    answerable: Tri = None

    @property
    def code(self) -> int:
        """Number of the pattern, 0 to 728.

        >>> Pattern(1, 1, 1, 0, None, None).code   # ((((1·3+1)·3+1)·3+0)·3+2)·3+2
        359
        """
        code = 0
        for value in self:
            code = code * 3 + (2 if value is None else value)
        return code

    @classmethod
    def from_code(cls, code: int) -> "Pattern":
        """Pattern of a number from 0 to 728.

        Raises:
            ValueError: the number is no code.
        """
        if not 0 <= code < N_PATTERNS:
            raise ValueError(f"{code} is no pattern code: these go from 0 to {N_PATTERNS - 1}")
        values: list[Tri] = []
        for _ in cls._fields:
            code, digit = divmod(code, 3)
            values.append(None if digit == 2 else digit)
        return cls(*reversed(values))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Mode of a pattern and what follows from it.

    ``possible`` is the mode itself where that is decided; for the two open modes it holds every
    mode that the missing values could still lead to. ``severity`` counts from 1, the worst.
    """

    mode: Mode
    possible: frozenset[Mode]
    flags: frozenset[Flag]
    severity: int
    hint: str | None = None


def diagnose(pattern: Pattern) -> Diagnosis:
    """Diagnosis of one pattern; refusals are looked at before the triad.

    >>> diagnose(Pattern(1, 0, 1, refusal=0)).mode
    <Mode.HALLUCINATION: 'hallucination'>
    >>> sorted(diagnose(Pattern(0, None, 1, refusal=0, correct=1)).possible)
    [<Mode.LUCKY_GUESS: 'lucky_guess'>, <Mode.SCORE_CONFLICT: 'score_conflict'>]
    """
    return TABLE[pattern.code]


def _mode(pattern: Pattern) -> Mode:
    if pattern.refusal == 1:
        return _refusal_mode(pattern.context_relevance, pattern.answerable)
    triad = pattern[:3]
    if None in triad:
        return Mode.UNDETERMINED
    if triad == (0, 0, 1):
        return _SPLIT_BY_CORRECTNESS[pattern.correct]
    return _TRIAD[triad]


def _refusal_mode(context_relevance: Tri, answerable: Tri) -> Mode:
    if context_relevance == 0 or answerable == 0:
        return Mode.CORRECT_REFUSAL
    if context_relevance == 1 or answerable == 1:
        return Mode.OVER_REFUSAL
    return Mode.REFUSAL_UNVERIFIED


_TRIAD: dict[tuple[Tri, ...], Mode] = {
    (1, 1, 1): Mode.SUCCESS,
    (1, 1, 0): Mode.OFF_TARGET_ANSWER,
    (1, 0, 1): Mode.HALLUCINATION,
    (1, 0, 0): Mode.GENERATION_BREAKDOWN,
    (0, 1, 1): Mode.SCORE_CONFLICT,
    (0, 1, 0): Mode.RETRIEVAL_FAILURE,
    (0, 0, 0): Mode.PIPELINE_FAILURE,
}
_SPLIT_BY_CORRECTNESS: dict[Tri, Mode] = {
    1: Mode.LUCKY_GUESS,
    0: Mode.CONFABULATION,
    None: Mode.UNGROUNDED_ANSWER,
}


@cache
def _reachable(pattern: Pattern) -> frozenset[Mode]:
    """Decided modes, and an unverified refusal, of the pattern and of all its completions."""
    modes = {_mode(pattern)} - {Mode.UNDETERMINED}
    for name, value in zip(pattern._fields, pattern, strict=True):
        if value is None:
            for known in (0, 1):
                modes |= _reachable(pattern._replace(**{name: known}))
    return frozenset(modes)


def _flags(pattern: Pattern, mode: Mode) -> frozenset[Flag]:
    if pattern.refusal == 0 and pattern.answerable == 0:
        return frozenset({Flag.MISSED_REFUSAL})
    if mode is Mode.CORRECT_REFUSAL and pattern.context_relevance == 0 and pattern.answerable == 1:
        return frozenset({Flag.RETRIEVAL_GAP})
    return frozenset()


def _diagnosis(pattern: Pattern) -> Diagnosis:
    mode = _mode(pattern)
    if mode is Mode.UNDETERMINED:
        possible = _reachable(pattern)
    elif mode is Mode.REFUSAL_UNVERIFIED:
        possible = _reachable(pattern) - {mode}
    else:
        possible = frozenset({mode})
    is_suspect = mode is Mode.UNDETERMINED and pattern.context_relevance == 0
    return Diagnosis(
        mode,
        possible,
        _flags(pattern, mode),
        severity_of(mode, pattern.correct),
        RETRIEVAL_HINT if is_suspect else None,
    )


TABLE: tuple[Diagnosis, ...] = tuple(
    _diagnosis(Pattern.from_code(code)) for code in range(N_PATTERNS)
)
"""Diagnosis of every pattern, by code."""


def codes_for(modes: Iterable[Mode | str]) -> list[int]:
    """Codes of all patterns with one of these modes, in order.

    Raises:
        ValueError: a name is no mode.
    """
    wanted = {Mode(mode) for mode in modes}
    return [code for code, diagnosis in enumerate(TABLE) if diagnosis.mode in wanted]


def codes_with_flag(flag: Flag | str) -> list[int]:
    """Codes of all patterns that bear a flag; empty for flags that no pattern decides."""
    return [code for code, diagnosis in enumerate(TABLE) if Flag(flag) in diagnosis.flags]


def severity_by_code() -> list[int]:
    """Severity of every pattern, by code."""
    return [diagnosis.severity for diagnosis in TABLE]


ROW_FIELDS = (
    "code",
    "mode",
    "side",
    "outcome",
    "severity",
    "is_missed_refusal",
    "is_retrieval_gap",
)


def table_rows() -> list[tuple[int, str, str, str, int, bool, bool]]:
    """The table as rows of plain values (``ROW_FIELDS``), to be joined in a query."""
    return [
        (
            code,
            str(diagnosis.mode),
            str(MODES[diagnosis.mode].side),
            str(MODES[diagnosis.mode].outcome),
            diagnosis.severity,
            Flag.MISSED_REFUSAL in diagnosis.flags,
            Flag.RETRIEVAL_GAP in diagnosis.flags,
        )
        for code, diagnosis in enumerate(TABLE)
    ]
