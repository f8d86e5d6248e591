"""From counted patterns to the figures of a run: modes, refusals, flags and headline rates."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.diagnosis.modes import MODES, REFUSAL_MODES, TRIAD_MODES, Outcome, Side
from core.diagnosis.triad import TABLE, Pattern
from core.metrics.intervals import Rate, undefined_rate, wilson
from core.model import Flag, Mode

NO_SCORED_SAMPLE = "no sample could be diagnosed"
NO_SAMPLE = "no sample"
NO_CORRECTNESS = "correctness is known for no sample"
NO_ANSWERED = "no answered sample has known correctness"


class PatternCount(NamedTuple):
    """``n`` samples with the same pattern code and the same flags beside it."""

    code: int
    n: int
    noisy: bool = False
    borderline: bool = False
    partial: bool = False
    partial_refusal: bool = False
    unstable: bool = False
    proxy_hit: bool = False
    adherence_proxy: bool = False


_COUNTED_FLAGS: tuple[tuple[str, Flag], ...] = (
    ("noisy", Flag.NOISY_RETRIEVAL),
    ("borderline", Flag.BORDERLINE),
    ("partial", Flag.PARTIAL),
    ("partial_refusal", Flag.PARTIAL_REFUSAL),
    ("unstable", Flag.UNSTABLE_JUDGE),
    ("proxy_hit", Flag.PROXY_HIT),
    ("adherence_proxy", Flag.ADHERENCE_PROXY),
)
_SUMMARY_FLAGS = (
    Flag.MISSED_REFUSAL,
    Flag.RETRIEVAL_GAP,
    *(flag for _, flag in _COUNTED_FLAGS),
)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a set of samples; every mode and every flag has its entry, also at 0.

    ``correct``, ``incorrect`` and ``refused`` exclude each other: a refusal is refused whatever
    its correctness. ``contradictions`` are successes whose answer is known to be wrong.
    """

    n: int
    modes: Mapping[Mode, int]
    flags: Mapping[Flag, int]
    correct: int
    incorrect: int
    refused: int
    contradictions: int

    @property
    def triad(self) -> dict[Mode, int]:
        """Counts of the triad's modes, with the Low/Low/High split and undetermined."""
        return {mode: self.modes[mode] for mode in TRIAD_MODES}

    @property
    def refusals(self) -> dict[Mode, int]:
        """Counts of the refusal branch; with ``triad`` they add up to n."""
        return {mode: self.modes[mode] for mode in REFUSAL_MODES}

    @property
    def sides(self) -> dict[Side, int]:
        """Counts by side to repair; they add up to n, the refusal side holding all refusals."""
        counts = dict.fromkeys(Side, 0)
        for mode, n in self.modes.items():
            counts[MODES[mode].side] += n
        return counts

    def of(self, outcome: Outcome) -> int:
        """Number of samples that count as pass, as fail, or as open."""
        return sum(n for mode, n in self.modes.items() if MODES[mode].outcome is outcome)

    def failing(self, side: Side) -> int:
        """Number of failing samples on one side."""
        return sum(
            n
            for mode, n in self.modes.items()
            if MODES[mode].side is side and MODES[mode].outcome is Outcome.FAIL
        )

    @property
    def scored(self) -> int:
        """Samples with a decided mode: n without the open ones, the denominator of pass rates."""
        return self.n - self.of(Outcome.OPEN)

    @property
    def coverage(self) -> Rate:
        """Share of samples with a decided mode."""
        return wilson(self.scored, self.n, NO_SAMPLE)

    @property
    def pass_rate(self) -> Rate:
        """Passing samples of those with a decided mode."""
        return wilson(self.of(Outcome.PASS), self.scored, NO_SCORED_SAMPLE)

    @property
    def fail_rate(self) -> Rate:
        """Failing samples of those with a decided mode."""
        return wilson(self.of(Outcome.FAIL), self.scored, NO_SCORED_SAMPLE)

    @property
    def accuracy(self) -> Rate:
        """Correct samples of those known to be correct, incorrect or refused.

        Undefined where no answer's correctness is known: refusals alone say nothing about it.
        """
        if self.correct + self.incorrect == 0:
            return undefined_rate(NO_CORRECTNESS)
        return wilson(self.correct, self.correct + self.incorrect + self.refused)

    @property
    def accuracy_answered(self) -> Rate:
        """Correct samples of the answered ones with known correctness."""
        return wilson(self.correct, self.correct + self.incorrect, NO_ANSWERED)

    def as_json(self) -> dict[str, Any]:
        """The document of ``ragtriage diagnose``."""
        return {
            "n": self.n,
            "coverage": self.coverage.as_json(),
            "triad": {str(mode): n for mode, n in self.triad.items()},
            "refusals": {str(mode): n for mode, n in self.refusals.items()},
            "flags": {str(flag): n for flag, n in self.flags.items()},
            "headline": {
                "success": self.modes[Mode.SUCCESS],
                "pass": self.of(Outcome.PASS),
                "fail": self.of(Outcome.FAIL),
                "open": self.of(Outcome.OPEN),
                "correct": self.correct,
                "incorrect": self.incorrect,
                "refused": self.refused,
                "pass_rate": self.pass_rate.as_json(),
                "accuracy": self.accuracy.as_json(),
                "accuracy_answered": self.accuracy_answered.as_json(),
            },
        }


def summarise(rows: Iterable[PatternCount]) -> Summary:
    """Add up counted patterns.

    >>> summary = summarise([PatternCount(Pattern(1, 1, 1, 0).code, 3), PatternCount(728, 1)])
    >>> summary.n, summary.modes[Mode.SUCCESS], summary.pass_rate.n
    (4, 3, 3)
    """
    modes: Counter[Mode] = Counter()
    flags: Counter[Flag] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        diagnosis = TABLE[row.code]
        pattern = Pattern.from_code(row.code)
        modes[diagnosis.mode] += row.n
        for flag in diagnosis.flags:
            flags[flag] += row.n
        for name, flag in _COUNTED_FLAGS:
            if getattr(row, name):
                flags[flag] += row.n
        total["n"] += row.n
        if pattern.refusal == 1:
            total["refused"] += row.n
        elif pattern.correct is not None:
            total["correct" if pattern.correct else "incorrect"] += row.n
        if diagnosis.mode is Mode.SUCCESS and pattern.correct == 0:
            total["contradictions"] += row.n
    return Summary(
        n=total["n"],
        modes={mode: modes[mode] for mode in Mode},
        flags={flag: flags[flag] for flag in _SUMMARY_FLAGS},
        correct=total["correct"],
        incorrect=total["incorrect"],
        refused=total["refused"],
        contradictions=total["contradictions"],
    )
