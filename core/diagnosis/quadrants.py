"""What each quadrant of context use means, and what to do about it.

The published table crosses two questions: was the evidence retrieved (hit), and does the answer
keep to what was retrieved (adherence)? Correctness and refusal do not enter there, so that a
confident wrong answer without evidence stands under "correct rejection". The extended table asks
for these two as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from core.diagnosis.modes import Side
from core.model import Mode


class Published(StrEnum):
    """A quadrant of the published table."""

    EFFECTIVE_USE = "effective_use"
    INFORMATION_BLINDNESS = "information_blindness"
    LUCKY_GUESS = "lucky_guess"
    CORRECT_REJECTION = "correct_rejection"
    UNDETERMINED = "undetermined"


class Extended(StrEnum):
    """A quadrant of the extended table; ``*_unknown`` where correctness is not known."""

    EFFECTIVE_USE = "effective_use"
    EFFECTIVE_USE_UNKNOWN = "effective_use_unknown"
    MISREAD_EVIDENCE = "misread_evidence"
    INFORMATION_BLINDNESS = "information_blindness"
    PARAMETRIC_BYPASS = "parametric_bypass"
    INFORMATION_BLINDNESS_UNKNOWN = "information_blindness_unknown"
    UNGROUNDED_ERROR = "ungrounded_error"
    MISLED_BY_CONTEXT = "misled_by_context"
    LUCKY_GUESS_PARAMETRIC = "lucky_guess_parametric"
    LUCKY_GUESS_ATTRIBUTED = "lucky_guess_attributed"
    LUCKY_GUESS_UNKNOWN = "lucky_guess_unknown"
    CORRECT_REJECTION_UNKNOWN = "correct_rejection_unknown"
    OVER_REFUSAL = "over_refusal"
    CORRECT_REJECTION = "correct_rejection"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class PublishedSpec:
    """A published quadrant in words; ``code`` shows hit and adherence, filled for yes."""

    id: Published
    name: str
    code: str
    rule: str
    meaning: str
    fixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtendedSpec:
    """An extended quadrant in words.

    ``code`` adds to the published one ✓, ✗ or ? for correctness, or R for a refusal.
    ``published`` is the published quadrant that it is a part of; for refusals that is so only
    where adherence is low. ``typical`` are the modes that such samples mostly have.
    """

    id: Extended
    name: str
    code: str
    side: Side
    published: Published
    rule: str
    meaning: str
    fixes: tuple[str, ...]
    typical: tuple[Mode, ...] = ()


_RETRIEVAL = (
    "Repair retrieval: coverage of the corpus, splitting, embedding model, query rewriting.",
    "Let the system decline when no context holds the answer.",
)
_GENERATION = (
    "Ask for the answer from the contexts alone, with a citation behind each claim.",
    "Check order and length of the contexts: evidence in the middle is overlooked.",
    "Try a stronger model.",
)
_CHECK_HIT = "Check the hit first: it may rest on a trivial text, or a paraphrase was missed."

_PUBLISHED = (
    PublishedSpec(
        Published.EFFECTIVE_USE,
        "Effective use",
        "■■",
        "hit, adherence high",
        "The evidence was retrieved and the answer keeps to the contexts. It may still be wrong.",
        ("Spot-check some of these against a reference or a person.",),
    ),
    PublishedSpec(
        Published.INFORMATION_BLINDNESS,
        "Information blindness",
        "■□",
        "hit, adherence low",
        "The evidence was retrieved, but the answer does not keep to the contexts.",
        _GENERATION,
    ),
    PublishedSpec(
        Published.LUCKY_GUESS,
        "Lucky guess",
        "□■",
        "no hit, adherence high",
        "The evidence was not retrieved, yet the answer keeps to the contexts: right by luck, or "
        "loyal to the wrong texts.",
        _RETRIEVAL,
    ),
    PublishedSpec(
        Published.CORRECT_REJECTION,
        "Correct rejection",
        "□□",
        "no hit, adherence low",
        "The evidence was not retrieved and the answer does not keep to the contexts. Meant for "
        "refusals, but an invented answer stands here too.",
        _RETRIEVAL,
    ),
    PublishedSpec(
        Published.UNDETERMINED,
        "Undetermined",
        "··",
        "hit or adherence is missing",
        "Without gold evidence there is no hit, without a score no adherence.",
        ("See which of the two is missing; add gold evidence or judge adherence.",),
    ),
)

_EXTENDED = (
    ExtendedSpec(
        Extended.EFFECTIVE_USE,
        "Effective use",
        "■■✓",
        Side.WORKS,
        Published.EFFECTIVE_USE,
        "hit, adherence high, correct",
        "The evidence was retrieved and used, and the answer is right: success with a reason.",
        ("Spot-check some of these against a person.",),
        (Mode.SUCCESS,),
    ),
    ExtendedSpec(
        Extended.EFFECTIVE_USE_UNKNOWN,
        "Effective use (correctness unknown)",
        "■■?",
        Side.UNKNOWN,
        Published.EFFECTIVE_USE,
        "hit, adherence high, correctness unknown",
        "The evidence was retrieved and used. Whether the answer is right is not known.",
        ("Label some of these, or give references.",),
        (Mode.SUCCESS,),
    ),
    ExtendedSpec(
        Extended.MISREAD_EVIDENCE,
        "Evidence misread",
        "■■✗",
        Side.GENERATION,
        Published.EFFECTIVE_USE,
        "hit, adherence high, incorrect",
        "The evidence was retrieved and the answer keeps to the contexts, but it is wrong: it "
        "misread the evidence or followed another context, or the gold is wrong.",
        (
            "Compare the answer with the context that holds the evidence.",
            "Retrieve fewer contexts, or rerank, so that similar ones do not compete.",
            "Try a stronger model; check the reference.",
        ),
        (Mode.SUCCESS, Mode.OFF_TARGET_ANSWER),
    ),
    ExtendedSpec(
        Extended.INFORMATION_BLINDNESS,
        "Information blindness",
        "■□✗",
        Side.GENERATION,
        Published.INFORMATION_BLINDNESS,
        "hit, adherence low, incorrect",
        "The evidence was retrieved; the answer ignores it and is wrong.",
        _GENERATION,
        (Mode.HALLUCINATION, Mode.GENERATION_BREAKDOWN),
    ),
    ExtendedSpec(
        Extended.PARAMETRIC_BYPASS,
        "Right, evidence unused",
        "■□✓",
        Side.GENERATION,
        Published.INFORMATION_BLINDNESS,
        "hit, adherence low, correct",
        "The evidence was retrieved, but the answer is right without it.",
        (_CHECK_HIT, *_GENERATION[:2]),
        (Mode.HALLUCINATION,),
    ),
    ExtendedSpec(
        Extended.INFORMATION_BLINDNESS_UNKNOWN,
        "Information blindness (correctness unknown)",
        "■□?",
        Side.GENERATION,
        Published.INFORMATION_BLINDNESS,
        "hit, adherence low, correctness unknown",
        "The evidence was retrieved and not used. Whether the answer is right is not known.",
        _GENERATION,
        (Mode.HALLUCINATION, Mode.GENERATION_BREAKDOWN),
    ),
    ExtendedSpec(
        Extended.UNGROUNDED_ERROR,
        "Wrong, unsupported, not a refusal",
        "□□✗",
        Side.RETRIEVAL,
        Published.CORRECT_REJECTION,
        "no hit, adherence low, incorrect",
        "Nothing useful was retrieved and the system made up an answer that is wrong.",
        _RETRIEVAL,
        (Mode.CONFABULATION, Mode.PIPELINE_FAILURE, Mode.HALLUCINATION),
    ),
    ExtendedSpec(
        Extended.MISLED_BY_CONTEXT,
        "Loyal to wrong evidence",
        "□■✗",
        Side.RETRIEVAL,
        Published.LUCKY_GUESS,
        "no hit, adherence high, incorrect",
        "The wrong texts were retrieved and the answer follows them.",
        (*_RETRIEVAL, "Filter by entity, year or version where contexts are about another one."),
        (Mode.RETRIEVAL_FAILURE, Mode.SUCCESS),
    ),
    ExtendedSpec(
        Extended.LUCKY_GUESS_PARAMETRIC,
        "Lucky guess from memory",
        "□□✓",
        Side.RETRIEVAL,
        Published.CORRECT_REJECTION,
        "no hit, adherence low, correct",
        "Nothing useful was retrieved; the model knew the answer from its training.",
        _RETRIEVAL,
        (Mode.LUCKY_GUESS,),
    ),
    ExtendedSpec(
        Extended.LUCKY_GUESS_ATTRIBUTED,
        "Lucky guess, judge credits context",
        "□■✓",
        Side.RETRIEVAL,
        Published.LUCKY_GUESS,
        "no hit, adherence high, correct",
        "The evidence was not retrieved and the answer is right; the judge finds it in the "
        "contexts all the same.",
        (_CHECK_HIT, *_RETRIEVAL),
        (Mode.SCORE_CONFLICT, Mode.LUCKY_GUESS),
    ),
    ExtendedSpec(
        Extended.LUCKY_GUESS_UNKNOWN,
        "Lucky guess (correctness unknown)",
        "□■?",
        Side.RETRIEVAL,
        Published.LUCKY_GUESS,
        "no hit, adherence high, correctness unknown",
        "The evidence was not retrieved and the answer follows other texts. Whether it is right is "
        "not known.",
        _RETRIEVAL,
        (Mode.RETRIEVAL_FAILURE, Mode.SCORE_CONFLICT),
    ),
    ExtendedSpec(
        Extended.CORRECT_REJECTION_UNKNOWN,
        "Correct rejection (correctness unknown)",
        "□□?",
        Side.RETRIEVAL,
        Published.CORRECT_REJECTION,
        "no hit, adherence low, not a refusal, correctness unknown",
        "Nothing useful was retrieved and the answer rests on nothing retrieved. It is no refusal, "
        "whatever the published name says.",
        _RETRIEVAL,
        (Mode.UNGROUNDED_ANSWER, Mode.PIPELINE_FAILURE),
    ),
    ExtendedSpec(
        Extended.OVER_REFUSAL,
        "Blind refusal",
        "■R✗",
        Side.REFUSAL,
        Published.INFORMATION_BLINDNESS,
        "refusal, hit",
        "The evidence was retrieved and the system declined all the same.",
        (
            "Loosen the rule that lets the system decline.",
            "Check length and order of the contexts.",
        ),
        (Mode.OVER_REFUSAL,),
    ),
    ExtendedSpec(
        Extended.CORRECT_REJECTION,
        "Correct rejection",
        "□R✓",
        Side.REFUSAL,
        Published.CORRECT_REJECTION,
        "refusal, no hit",
        "The evidence was not retrieved, and the system said that it does not know.",
        ("Where the corpus holds the answer: repair retrieval.",),
        (Mode.CORRECT_REFUSAL,),
    ),
    ExtendedSpec(
        Extended.UNDETERMINED,
        "Undetermined",
        "···",
        Side.UNKNOWN,
        Published.UNDETERMINED,
        "hit or adherence is missing",
        "Without gold evidence there is no hit; without a score no adherence, which only a refusal "
        "does not need.",
        ("See which of the two is missing; add gold evidence or judge adherence.",),
    ),
)

PUBLISHED: Mapping[Published, PublishedSpec] = MappingProxyType(
    {spec.id: spec for spec in _PUBLISHED}
)
"""The published quadrants in reading order."""

EXTENDED: Mapping[Extended, ExtendedSpec] = MappingProxyType({spec.id: spec for spec in _EXTENDED})
"""The extended quadrants in the order of the pages: by side, within a side the worst first."""
