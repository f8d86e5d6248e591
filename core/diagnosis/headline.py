"""The rates that stand first on the overview of a run, and how they changed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from core.diagnosis.modes import MODES, Outcome
from core.diagnosis.summary import NO_SCORED_SAMPLE, Summary
from core.diagnosis.triad import TABLE, Pattern
from core.metrics.intervals import (
    Difference,
    Rate,
    bounds,
    difference,
    paired_difference,
    wilson,
)
from core.model import Mode

LEAST_COVERAGE = 0.95
"""Below this share of decided samples the worst and the best case are shown as well."""

NO_REFUSAL = "no sample was refused"
NO_DECIDED_REFUSAL = "whether a refusal is right is known for none"


class HeadlineId(StrEnum):
    """The headline rates in the order of the page."""

    SUCCESS = "success"
    PASS = "pass"
    CORRECT = "correct"
    REFUSALS = "refusals"
    COVERAGE = "coverage"


@dataclass(frozen=True, slots=True)
class HeadlineSpec:
    """One headline rate in words: its name, what its denominator counts, what it means."""

    id: HeadlineId
    name: str
    counted: str
    meaning: str


HEADLINES: Mapping[HeadlineId, HeadlineSpec] = MappingProxyType(
    {
        spec.id: spec
        for spec in (
            HeadlineSpec(
                HeadlineId.SUCCESS,
                "Success",
                "decided",
                "Context relevance, groundedness and answer relevance all high.",
            ),
            HeadlineSpec(
                HeadlineId.PASS,
                "Pass",
                "decided",
                "Success, or a refusal where nothing useful was found or nothing can be answered.",
            ),
            HeadlineSpec(
                HeadlineId.CORRECT,
                "Correct",
                "known outcomes",
                "Agrees with the reference: by a person's label if there is one, else by the "
                "judge. A refusal is not correct. Samples of unknown outcome are not counted.",
            ),
            HeadlineSpec(
                HeadlineId.REFUSALS,
                "Refusals right",
                "decided refusals",
                "Refusals where nothing useful was found or nothing can be answered, of all "
                "refusals that could be settled either way.",
            ),
            HeadlineSpec(
                HeadlineId.COVERAGE,
                "Coverage",
                "samples decided",
                "Samples whose scores settle a mode. The others are in no rate.",
            ),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Change:
    """Candidate minus baseline, in -1..1: of the two rates shown, with a 95 % interval.

    The interval is that of the ``n_pairs`` samples which both runs have and which count in both.
    With fewer pairs than half of the smaller denominator it is that of two separate sets of
    samples, and ``n_pairs`` is 0.
    """

    value: float
    interval: Difference
    n_pairs: int

    @property
    def is_clear(self) -> bool:
        """True if the interval excludes zero."""
        return self.interval.is_clear


@dataclass(frozen=True, slots=True)
class Headline:
    """One rate of the run; ``cases`` are the worst and the best case where too few are decided."""

    id: HeadlineId
    rate: Rate
    cases: tuple[float, float] | None = None
    baseline: Rate | None = None
    change: Change | None = None


def rate_of(which: HeadlineId, summary: Summary) -> Rate:
    """One headline rate of a set of samples."""
    if which is HeadlineId.SUCCESS:
        return wilson(summary.modes[Mode.SUCCESS], summary.scored, NO_SCORED_SAMPLE)
    if which is HeadlineId.PASS:
        return summary.pass_rate
    if which is HeadlineId.CORRECT:
        return summary.accuracy
    if which is HeadlineId.COVERAGE:
        return summary.coverage
    right, wrong = summary.modes[Mode.CORRECT_REFUSAL], summary.modes[Mode.OVER_REFUSAL]
    is_open = summary.modes[Mode.REFUSAL_UNVERIFIED] > 0
    return wilson(right, right + wrong, NO_DECIDED_REFUSAL if is_open else NO_REFUSAL)


def headlines(
    summary: Summary,
    baseline: Summary | None = None,
    paired: Iterable[tuple[int, int, int]] = (),
) -> tuple[Headline, ...]:
    """All headline rates, with their change against a baseline.

    Args:
        summary: the samples in view.
        baseline: the baseline's samples in the same view.
        paired: (baseline code, code, n) of the samples that both runs have.
    """
    pairs = list(paired)
    found = []
    for which in HeadlineId:
        rate = rate_of(which, summary)
        then = None if baseline is None else rate_of(which, baseline)
        found.append(
            Headline(
                which,
                rate,
                cases=_cases(which, rate, summary),
                baseline=then,
                change=None if then is None else _change(which, rate, then, pairs),
            )
        )
    return tuple(found)


def _cases(which: HeadlineId, rate: Rate, summary: Summary) -> tuple[float, float] | None:
    if which not in (HeadlineId.SUCCESS, HeadlineId.PASS) or summary.n == 0:
        return None
    if summary.scored >= LEAST_COVERAGE * summary.n:
        return None
    return bounds(rate.k, summary.scored, summary.of(Outcome.OPEN))


def _change(
    which: HeadlineId, rate: Rate, then: Rate, pairs: Iterable[tuple[int, int, int]]
) -> Change | None:
    if rate.value is None or then.value is None:
        return None
    reads = _READS[which]
    counts = {(was, now): 0 for was in (False, True) for now in (False, True)}
    for old, new, n in pairs:
        was, now = reads(old), reads(new)
        if was is not None and now is not None:
            counts[was, now] += n
    n_pairs = sum(counts.values())
    interval = None
    if 2 * n_pairs >= min(rate.n, then.n):
        interval = paired_difference(
            both=counts[True, True],
            only_new=counts[False, True],
            only_old=counts[True, False],
            neither=counts[False, False],
        )
    if interval is None:
        n_pairs = 0
        interval = difference(int(rate.k), rate.n, int(then.k), then.n)
    return None if interval is None else Change(rate.value - then.value, interval, n_pairs)


def _success(code: int) -> bool | None:
    mode = TABLE[code].mode
    return None if MODES[mode].outcome is Outcome.OPEN else mode is Mode.SUCCESS


def _passes(code: int) -> bool | None:
    outcome = MODES[TABLE[code].mode].outcome
    return None if outcome is Outcome.OPEN else outcome is Outcome.PASS


def _correct(code: int) -> bool | None:
    pattern = Pattern.from_code(code)
    if pattern.refusal == 1:
        return False
    return None if pattern.correct is None else pattern.correct == 1


def _refuses_rightly(code: int) -> bool | None:
    mode = TABLE[code].mode
    if mode not in (Mode.CORRECT_REFUSAL, Mode.OVER_REFUSAL):
        return None
    return mode is Mode.CORRECT_REFUSAL


def _decided(code: int) -> bool:
    return MODES[TABLE[code].mode].outcome is not Outcome.OPEN


_READS: dict[HeadlineId, Callable[[int], bool | None]] = {
    HeadlineId.SUCCESS: _success,
    HeadlineId.PASS: _passes,
    HeadlineId.CORRECT: _correct,
    HeadlineId.REFUSALS: _refuses_rightly,
    HeadlineId.COVERAGE: _decided,
}
"""Of a pattern code: whether the sample has the property, None if it is not in the denominator."""
