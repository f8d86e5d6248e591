"""Where the triad and context use disagree about a sample, what that likely means, and what first.

The triad needs no gold: context relevance is a judgement where a hit is measured, and groundedness
and adherence are two measurements of the same thing. So a disagreement tells of a blind spot, a
strict or lenient judge, or bad gold; it is the queue that is worth reading first.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache
from types import MappingProxyType

from core.diagnosis.cue import CuePattern
from core.diagnosis.triad import N_PATTERNS, Pattern, Tri, diagnose
from core.model import Flag, Mode


class Urgency(IntEnum):
    """Order of the queue; the last asks for a new judgement, not for reading."""

    FIRST = 1
    SECOND = 2
    THIRD = 3
    LAST = 4
    REJUDGE = 5


class ContradictionId(StrEnum):
    """A kind of disagreement, in the order of the queue."""

    WRONG_SUCCESS = "wrong_success"
    CONFABULATED = "confabulated"
    CREDITED_WITHOUT_SUPPORT = "credited_without_support"
    RELEVANT_WITHOUT_HIT = "relevant_without_hit"
    SUPPORTED_WITHOUT_CREDIT = "supported_without_credit"
    HIT_WITHOUT_RELEVANCE = "hit_without_relevance"
    CORRECT_BUT_OFF_TARGET = "correct_but_off_target"
    REFUSAL_IN_DOUBT = "refusal_in_doubt"
    SMALL_TALK = "small_talk"
    MEASUREMENT = "measurement"


class Evidence(StrEnum):
    """Something that no pattern holds and some contradictions look at."""

    SMALL_TALK = "small_talk"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ContradictionSpec:
    """One kind of disagreement in words: what is seen, how to read it, what to do."""

    id: ContradictionId
    urgency: Urgency
    name: str
    rule: str
    reading: str
    step: str


_SPECS = (
    ContradictionSpec(
        ContradictionId.WRONG_SUCCESS,
        Urgency.FIRST,
        "Success, but wrong",
        "triad success, answer incorrect",
        "All three scores are high and the answer is wrong: a wrong or outdated source, a misread "
        "passage, or bad gold. The triad cannot see this.",
        "Compare the answer with the reference and the context it rests on.",
    ),
    ContradictionSpec(
        ContradictionId.CONFABULATED,
        Urgency.FIRST,
        "Fluent and invented",
        "CR low, G low, AR high, answer incorrect",
        "Nothing useful was found, and a fitting answer was made up. It reads well and is wrong.",
        "Read what was retrieved; let the system decline where nothing helps.",
    ),
    ContradictionSpec(
        ContradictionId.CREDITED_WITHOUT_SUPPORT,
        Urgency.SECOND,
        "Adherent, but not grounded",
        "adherence high, G low",
        "The judge of the whole answer credits the contexts, the one that looks at its claims does "
        "not. The judgement by claims is the safer one.",
        "Read the unsupported claims.",
    ),
    ContradictionSpec(
        ContradictionId.RELEVANT_WITHOUT_HIT,
        Urgency.SECOND,
        "Relevant, but no hit",
        "no hit, CR high",
        "The contexts are on topic and lack the answer (relevant is not sufficient), or the hit "
        "function missed other wording of it.",
        "Look for the answer in the contexts; if it is there, add its wording to the gold.",
    ),
    ContradictionSpec(
        ContradictionId.SUPPORTED_WITHOUT_CREDIT,
        Urgency.THIRD,
        "Grounded, but not adherent",
        "adherence low, G high",
        "The answer has few or trivial claims, or the judge of the whole answer is strict.",
        "Count the claims; compare both reasons.",
    ),
    ContradictionSpec(
        ContradictionId.HIT_WITHOUT_RELEVANCE,
        Urgency.THIRD,
        "Hit, but not relevant",
        "hit, CR low",
        "The evidence is there and drowns among other contexts, the judge is strict, or the hit "
        "rests on a text that occurs by accident.",
        "Look at the context that was hit and at its own score.",
    ),
    ContradictionSpec(
        ContradictionId.CORRECT_BUT_OFF_TARGET,
        Urgency.THIRD,
        "Correct, but off target",
        "answer correct, AR low",
        "The judge of answer relevance is strict, or correctness was granted too easily.",
        "Check what correctness rests on.",
    ),
    ContradictionSpec(
        ContradictionId.REFUSAL_IN_DOUBT,
        Urgency.THIRD,
        "Refusal in doubt",
        "refusal, AR high or G low",
        "A refusal answers no question and claims nothing: so it is none, or the judge erred.",
        "Read the answer; label whether it refuses.",
    ),
    ContradictionSpec(
        ContradictionId.SMALL_TALK,
        Urgency.LAST,
        "Small talk",
        "conversational faithfulness 1 without an informative sentence, G low",
        "The answer informs about nothing: conversational faithfulness is 1 for want of a sentence "
        "to check, and groundedness looked at the small talk.",
        "Take groundedness for what it is here; no repair.",
    ),
    ContradictionSpec(
        ContradictionId.MEASUREMENT,
        Urgency.REJUDGE,
        "Uncertain measurement",
        "repeats disagree, a score at its cut, contexts left out, or a verdict failed",
        "What differs is the measurement, not the system.",
        "Judge again before reading on.",
    ),
)

CONTRADICTIONS: Mapping[ContradictionId, ContradictionSpec] = MappingProxyType(
    {spec.id: spec for spec in _SPECS}
)
"""All kinds in the order of the queue."""

_DOUBTFUL = frozenset({Flag.UNSTABLE_JUDGE, Flag.BORDERLINE, Flag.PARTIAL})

Rule = Callable[[Pattern, CuePattern], bool]


def _is_wrong_success(triad: Pattern, _: CuePattern) -> bool:
    return diagnose(triad).mode is Mode.SUCCESS and triad.correct == 0


def _is_confabulated(triad: Pattern, _: CuePattern) -> bool:
    return diagnose(triad).mode is Mode.CONFABULATION


def _answered(rule: Rule) -> Rule:
    """For refusals these scores say little; they have a rule of their own."""
    return lambda triad, cue: triad.refusal != 1 and rule(triad, cue)


_RULES: Mapping[ContradictionId, Rule] = MappingProxyType(
    {
        ContradictionId.WRONG_SUCCESS: _is_wrong_success,
        ContradictionId.CONFABULATED: _is_confabulated,
        ContradictionId.CREDITED_WITHOUT_SUPPORT: _answered(
            lambda triad, cue: cue.adherence == 1 and triad.groundedness == 0
        ),
        ContradictionId.RELEVANT_WITHOUT_HIT: lambda triad, cue: (
            cue.hit == 0 and triad.context_relevance == 1
        ),
        ContradictionId.SUPPORTED_WITHOUT_CREDIT: _answered(
            lambda triad, cue: cue.adherence == 0 and triad.groundedness == 1
        ),
        ContradictionId.HIT_WITHOUT_RELEVANCE: lambda triad, cue: (
            cue.hit == 1 and triad.context_relevance == 0
        ),
        ContradictionId.CORRECT_BUT_OFF_TARGET: _answered(
            lambda triad, _: triad.correct == 1 and triad.answer_relevance == 0
        ),
        ContradictionId.REFUSAL_IN_DOUBT: lambda triad, _: (
            triad.refusal == 1 and (triad.answer_relevance == 1 or triad.groundedness == 0)
        ),
    }
)


@cache
def _of_patterns(triad: Pattern, cue: CuePattern) -> tuple[ContradictionId, ...]:
    return tuple(which for which, rule in _RULES.items() if rule(triad, cue))


def contradictions(
    triad: Pattern,
    cue: CuePattern,
    flags: Collection[Flag] = (),
    evidence: Collection[Evidence] = (),
) -> tuple[ContradictionSpec, ...]:
    """Disagreements about one sample, the most urgent first.

    Args:
        triad: what the triad and the refusal branch know.
        cue: what context use knows; correctness and refusal are those of ``triad``.
        flags: flags of the sample; an unstable, borderline or partly scored one is judged again.
        evidence: ``small_talk`` if conversational faithfulness is 1 because the answer has no
            informative sentence, ``error`` if a verdict of the triad or of adherence failed.

    >>> found = contradictions(Pattern(1, 1, 1, 0, correct=0), CuePattern(0, 1, 0, 0))
    >>> [one.id.value for one in found]
    ['wrong_success', 'relevant_without_hit']
    """
    found = list(_of_patterns(triad, cue))
    if Evidence.SMALL_TALK in evidence and triad.groundedness == 0:
        found.append(ContradictionId.SMALL_TALK)
    if Evidence.ERROR in evidence or not _DOUBTFUL.isdisjoint(flags):
        found.append(ContradictionId.MEASUREMENT)
    return tuple(CONTRADICTIONS[which] for which in found)


# --- for queries ----------------------------------------------------------------------------------

N_JOINT = N_PATTERNS * 9


def joint_code(triad: Pattern, hit: Tri, adherence: Tri) -> int:
    """Number of what both know together, 0 to 6560: the triad's code · 9 + hit · 3 + adherence.

    Digit 2 stands for unknown, as in both codes.

    >>> joint_code(Pattern(), None, None)
    6560
    """
    digits = [2 if value is None else value for value in (hit, adherence)]
    return triad.code * 9 + digits[0] * 3 + digits[1]


def from_joint_code(code: int) -> tuple[Pattern, CuePattern]:
    """Both patterns of a number from 0 to 6560.

    Raises:
        ValueError: the number is no code.
    """
    rest, digits = divmod(code, 9)
    triad = Pattern.from_code(rest)
    hit, adherence = (None if digit == 2 else digit for digit in divmod(digits, 3))
    return triad, CuePattern(hit, adherence, triad.correct, triad.refusal)


@cache
def contradictions_by_code() -> tuple[tuple[ContradictionId, ...], ...]:
    """Disagreements of every joint code; those that need flags or evidence are not among them."""
    return tuple(_of_patterns(*from_joint_code(code)) for code in range(N_JOINT))


def codes_with(contradictions_wanted: Iterable[ContradictionId | str]) -> list[int]:
    """Joint codes that have at least one of these disagreements, in order.

    Raises:
        ValueError: a name is no contradiction.
    """
    wanted = {ContradictionId(one) for one in contradictions_wanted}
    return [
        code for code, found in enumerate(contradictions_by_code()) if not wanted.isdisjoint(found)
    ]


def count_contradictions(
    counts: Iterable[tuple[int, int]],
) -> tuple[tuple[tuple[ContradictionSpec, int], ...], int]:
    """Samples of every kind that occurs, in the order of the queue, and samples with any of them.

    ``counts`` are (joint code, samples). A sample can be of several kinds.

    >>> hit_but_low = joint_code(Pattern(0, 1, 1, 0), hit=1, adherence=1)
    >>> kinds, n = count_contradictions([(hit_but_low, 3), (6560, 2)])
    >>> [(spec.id.value, k) for spec, k in kinds], n
    ([('hit_without_relevance', 3)], 3)
    """
    by_code = contradictions_by_code()
    totals: dict[ContradictionId, int] = {}
    n_any = 0
    for code, n in counts:
        n_any += n if by_code[code] else 0
        for which in by_code[code]:
            totals[which] = totals.get(which, 0) + n
    kinds = ((spec, totals[which]) for which, spec in CONTRADICTIONS.items() if totals.get(which))
    return tuple(kinds), n_any


QueueKey = tuple[int, int, float, str]


def queue_key(
    found: Collection[ContradictionSpec], severity: int, distance: float | None, sample_id: str
) -> QueueKey:
    """Sort key of a sample in the queue: urgency, severity, nearness to a cut, id.

    ``distance`` is that of the score nearest to its cut, as a share of its scale; None where no
    score has a cut, which comes last. Samples without a disagreement come after all others.
    """
    urgency = min((one.urgency for one in found), default=Urgency.REJUDGE + 1)
    return int(urgency), severity, float("inf") if distance is None else abs(distance), sample_id
