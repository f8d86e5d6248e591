"""What each failure mode and each flag means, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from core.model import Flag, Mode


class Side(StrEnum):
    """Where to repair: the family that a mode belongs to."""

    WORKS = "works"
    GENERATION = "generation"
    RETRIEVAL = "retrieval"
    REFUSAL = "refusal"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """What a mode counts as in pass rates; open modes are in no rate's denominator."""

    PASS = "pass"
    FAIL = "fail"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ModeSpec:
    """One mode in words.

    ``code`` shows context relevance, groundedness, answer relevance as dots, filled for high.
    ``severity`` counts from 1, the worst; a hallucination that is known to be wrong ranks higher
    (``severity_of``).
    """

    id: Mode
    name: str
    code: str
    side: Side
    outcome: Outcome
    severity: int
    rule: str
    meaning: str
    fixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlagSpec:
    """One flag in words; ``code`` is its short mark where it has one."""

    id: Flag
    name: str
    meaning: str
    code: str = ""


# A confabulation has severity 1 and pipeline_failure 3: between them stands the hallucination
# whose answer is known to be wrong.
WRONG_HALLUCINATION_SEVERITY = 2

_MODES = (
    ModeSpec(
        Mode.SUCCESS,
        "Success",
        "●●●",
        Side.WORKS,
        Outcome.PASS,
        severity=14,
        rule="CR high, G high, AR high",
        meaning="The evidence was found, the answer rests on it and addresses the question. "
        "The triad cannot see a wrong source or a misread passage.",
        fixes=("Spot-check some of these against a reference or a person.",),
    ),
    ModeSpec(
        Mode.HALLUCINATION,
        "Hallucination",
        "●○●",
        Side.GENERATION,
        Outcome.FAIL,
        severity=5,
        rule="CR high, G low, AR high",
        meaning="Good evidence was there, but the answer says things that it does not support.",
        fixes=(
            "Tell the model to use nothing but the contexts.",
            "Ask for a citation behind every claim.",
            "Lower the temperature or try a stronger model.",
            "Read the unsupported claims: they show what the model adds on its own.",
        ),
    ),
    ModeSpec(
        Mode.GENERATION_BREAKDOWN,
        "Generation breakdown",
        "●○○",
        Side.GENERATION,
        Outcome.FAIL,
        severity=6,
        rule="CR high, G low, AR low",
        meaning="Good evidence was there; the answer neither uses it nor addresses the question.",
        fixes=(
            "Check that the contexts reached the prompt: template, truncation, window size.",
            "Look for instructions hidden in the contexts.",
            "Look for a wrong language, or empty or garbled output.",
            "Try a larger model.",
        ),
    ),
    ModeSpec(
        Mode.OFF_TARGET_ANSWER,
        "Off-target answer",
        "●●○",
        Side.GENERATION,
        Outcome.FAIL,
        severity=9,
        rule="CR high, G high, AR low",
        meaning="Evidence and grounding are fine, but another question was answered.",
        fixes=(
            "Check first whether the answer is a refusal that was not recognised.",
            "Repeat the question after the contexts.",
            "Ask for the direct answer in the first sentence.",
            "Shorten or reorder the contexts; split questions of several parts.",
        ),
    ),
    ModeSpec(
        Mode.CONFABULATION,
        "Fluent confabulation",
        "○○●✗",
        Side.RETRIEVAL,
        Outcome.FAIL,
        severity=1,
        rule="CR low, G low, AR high, answer incorrect",
        meaning="Nothing useful was found and the model made up a fitting answer. It is wrong.",
        fixes=(
            "Repair retrieval as for a retrieval failure.",
            "Let the system decline when no context helps.",
        ),
    ),
    ModeSpec(
        Mode.PIPELINE_FAILURE,
        "Pipeline failure",
        "○○○",
        Side.RETRIEVAL,
        Outcome.FAIL,
        severity=3,
        rule="CR low, G low, AR low",
        meaning="Retrieval and answer both failed.",
        fixes=("Repair retrieval first, then measure again before touching the prompt.",),
    ),
    ModeSpec(
        Mode.UNGROUNDED_ANSWER,
        "Ungrounded answer (unverified)",
        "○○●?",
        Side.RETRIEVAL,
        Outcome.FAIL,
        severity=4,
        rule="CR low, G low, AR high, correctness unknown",
        meaning="Nothing useful was found, yet there is a fitting answer. Whether it is a lucky "
        "guess or invented cannot be told without a reference or a label.",
        fixes=(
            "Label some of these, or give references, to tell luck from invention.",
            "Repair retrieval as for a retrieval failure.",
            "Let the system decline when no context helps.",
        ),
    ),
    ModeSpec(
        Mode.RETRIEVAL_FAILURE,
        "Retrieval failure",
        "○●○",
        Side.RETRIEVAL,
        Outcome.FAIL,
        severity=7,
        rule="CR low, G high, AR low",
        meaning="The wrong texts were found and summarised faithfully.",
        fixes=(
            "Look at how documents are split, and at the embedding model.",
            "Try keyword and vector search together, and rewriting the query.",
            "Check the filters; check that the corpus holds the answer at all.",
        ),
    ),
    ModeSpec(
        Mode.LUCKY_GUESS,
        "Lucky guess",
        "○○●✓",
        Side.RETRIEVAL,
        Outcome.FAIL,
        severity=8,
        rule="CR low, G low, AR high, answer correct",
        meaning="Nothing useful was found; the model knew the answer from its training. "
        "Right this time, with nothing behind it.",
        fixes=(
            "Repair retrieval as for a retrieval failure.",
            "Let the system decline when no context helps.",
            "Do not count these as success.",
        ),
    ),
    ModeSpec(
        Mode.SCORE_CONFLICT,
        "Answered from weak context",
        "○●●",
        Side.RETRIEVAL,
        Outcome.FAIL,
        severity=11,
        rule="CR low, G high, AR high",
        meaning="The scores nearly contradict each other: a fitting answer that rests on the "
        "contexts suggests that these were useful.",
        fixes=(
            "Judge the sample again and look at its best context.",
            "If one good context drowns among others: rerank, or retrieve fewer.",
            "If the context is about another entity, year or version: filter by metadata.",
            "If the judge is lenient on groundedness or strict on relevance: move the cut.",
        ),
    ),
    ModeSpec(
        Mode.OVER_REFUSAL,
        "Over-refusal",
        "R✗",
        Side.REFUSAL,
        Outcome.FAIL,
        severity=10,
        rule="refusal, CR high or labelled answerable",
        meaning="The evidence was there and the system declined all the same.",
        fixes=(
            "Loosen the rule that lets the system decline.",
            "Check length and order of the contexts.",
        ),
    ),
    ModeSpec(
        Mode.REFUSAL_UNVERIFIED,
        "Refusal (unverified)",
        "R?",
        Side.REFUSAL,
        Outcome.OPEN,
        severity=13,
        rule="refusal, CR unknown, no label",
        meaning="The system declined; whether it should have is not known.",
        fixes=("Judge context relevance, or label whether the question can be answered.",),
    ),
    ModeSpec(
        Mode.CORRECT_REFUSAL,
        "Correct refusal",
        "R✓",
        Side.REFUSAL,
        Outcome.PASS,
        severity=15,
        rule="refusal, CR low or labelled unanswerable",
        meaning="Nothing useful was found, and the system said so.",
        fixes=("Where the corpus should have held the answer (retrieval gap): repair retrieval.",),
    ),
    ModeSpec(
        Mode.UNDETERMINED,
        "Undetermined",
        "···",
        Side.UNKNOWN,
        Outcome.OPEN,
        severity=12,
        rule="a score of CR, G or AR is missing, or has no cut",
        meaning="At least one of the three scores is missing or has no cut, so several modes "
        "remain possible.",
        fixes=("See why the score is missing; judge what failed again.",),
    ),
)

MODES: Mapping[Mode, ModeSpec] = MappingProxyType({spec.id: spec for spec in _MODES})
"""All modes in the order of the pages: by side, within a side the worst first."""

REFUSAL_MODES = (Mode.CORRECT_REFUSAL, Mode.OVER_REFUSAL, Mode.REFUSAL_UNVERIFIED)
TRIAD_MODES = tuple(mode for mode in Mode if mode not in REFUSAL_MODES)
"""The modes of the triad with its split and undetermined; with the refusals they add up to n."""

_FLAGS = (
    FlagSpec(
        Flag.MISSED_REFUSAL,
        "Missed refusal",
        "Labelled unanswerable, but answered: the system should have declined.",
        "!R",
    ),
    FlagSpec(
        Flag.RETRIEVAL_GAP,
        "Retrieval gap",
        "Declined rightly for want of evidence, but labelled answerable: retrieval missed it.",
    ),
    FlagSpec(
        Flag.NOISY_RETRIEVAL,
        "Noisy retrieval",
        "At least one context helps, but fewer than half do.",
    ),
    FlagSpec(
        Flag.BORDERLINE,
        "Borderline",
        "A score lies so close to its cut, or its repeats on both sides of it, that the mode "
        "could as well be the neighbouring one.",
    ),
    FlagSpec(
        Flag.PARTIAL,
        "Partly scored",
        "Some contexts could not be scored; the score rests on the others.",
    ),
    FlagSpec(
        Flag.PARTIAL_REFUSAL,
        "Partial refusal",
        "The answer declines in part and answers in part; it counts as answered.",
    ),
    FlagSpec(
        Flag.UNSTABLE_JUDGE,
        "Unstable judge",
        "The judge's repeats disagree: no score has half of the votes.",
    ),
    FlagSpec(
        Flag.PROXY_HIT,
        "Hit by proxy",
        "Whether a context holds the evidence was settled by the reference answer or by a judge, "
        "not by gold evidence.",
    ),
    FlagSpec(
        Flag.ADHERENCE_PROXY,
        "Adherence by proxy",
        "The run has no adherence score; groundedness stands in for it.",
    ),
    FlagSpec(
        Flag.INCOMPLETE_VERDICTS,
        "Incomplete verdicts",
        "The judge left out some of the sentences it was asked about.",
    ),
    FlagSpec(
        Flag.INCONSISTENT_VERDICTS,
        "Inconsistent verdicts",
        "The judge's score and its list of claims contradict each other.",
    ),
)

FLAGS: Mapping[Flag, FlagSpec] = MappingProxyType({spec.id: spec for spec in _FLAGS})


def severity_of(mode: Mode, correct: int | None = None) -> int:
    """Rank of a mode from 1, the worst; ``correct`` is 1, 0 or None where not known.

    >>> severity_of(Mode.HALLUCINATION, correct=0), severity_of(Mode.HALLUCINATION)
    (2, 5)
    """
    if mode is Mode.HALLUCINATION and correct == 0:
        return WRONG_HALLUCINATION_SEVERITY
    return MODES[mode].severity


def modes_of(outcome: Outcome) -> tuple[Mode, ...]:
    """Modes that count as pass, as fail, or as open."""
    return tuple(spec.id for spec in _MODES if spec.outcome is outcome)
