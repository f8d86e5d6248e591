"""What stands on pages and in reports for the axes, the states of a score, and their causes."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.diagnosis.modes import Side
from core.model import Axis, Cause, ErrorKind, JudgeKind, Status

NOT_SCORED = "not_scored"
"""State of a sample for which no verdict exists at all."""


@dataclass(frozen=True, slots=True)
class AxisSpec:
    """One axis: its name and the question that its score answers."""

    id: Axis
    name: str
    short: str
    question: str


@dataclass(frozen=True, slots=True)
class StateSpec:
    """One state of a score in words, and what aggregates do with it."""

    id: str
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class CauseSpec:
    """One cause of a missing score: a few words for lists, and a sentence that explains them."""

    id: str
    words: str
    meaning: str


AXES: Mapping[Axis, AxisSpec] = MappingProxyType(
    {
        spec.id: spec
        for spec in (
            AxisSpec(
                Axis.CONTEXT_RELEVANCE,
                "Context relevance",
                "CR",
                "Do the retrieved contexts hold what the question asks for?",
            ),
            AxisSpec(
                Axis.GROUNDEDNESS,
                "Groundedness",
                "G",
                "Is everything the answer says supported by the contexts?",
            ),
            AxisSpec(
                Axis.ANSWER_RELEVANCE,
                "Answer relevance",
                "AR",
                "Does the answer address the question?",
            ),
            AxisSpec(
                Axis.ADHERENCE,
                "Adherence",
                "A",
                "Does the answer as a whole keep to the contexts?",
            ),
            AxisSpec(Axis.REFUSAL, "Refusal", "R", "Does the answer decline to answer?"),
            AxisSpec(
                Axis.CORRECTNESS,
                "Correctness",
                "C",
                "Does the answer agree with the reference?",
            ),
        )
    }
)

STATES: Mapping[str, StateSpec] = MappingProxyType(
    {
        spec.id: spec
        for spec in (
            StateSpec(
                Status.VALUE,
                "Value",
                "A finite number. Means and shares are over values alone, and say over how many.",
            ),
            StateSpec(
                Status.NOT_APPLICABLE,
                "Not applicable",
                "The metric is not defined for this sample, with the cause. It is counted beside "
                "the figure, never as 0 and never as a pass.",
            ),
            StateSpec(
                Status.ERROR,
                "Error",
                "A verdict was tried and failed, or the file's cell is empty or unreadable. Where "
                "fewer than 95 % are settled, the worst and the best case are shown as well.",
            ),
            StateSpec(
                NOT_SCORED,
                "Not scored",
                "Nobody has judged the sample on this axis: no verdict exists at all.",
            ),
        )
    }
)

CAUSES: Mapping[Cause, CauseSpec] = MappingProxyType(
    {
        Cause(spec.id): spec
        for spec in (
            CauseSpec(
                Cause.NO_CONTEXTS,
                "nothing was retrieved",
                "The sample's list of contexts is empty. Groundedness needs contexts; context "
                "relevance is low by rule and hits count as missed.",
            ),
            CauseSpec(
                Cause.NO_CLAIMS,
                "the answer makes no claim",
                "There is nothing in the answer that contexts could support or contradict.",
            ),
            CauseSpec(
                Cause.REFUSAL,
                "the answer is a refusal",
                "The system declined to answer, so there is nothing to ground; the refusal branch "
                "decides the mode.",
            ),
            CauseSpec(
                Cause.NO_REFERENCE,
                "there is no reference",
                "The metric compares with an expected answer, and the sample has none.",
            ),
            CauseSpec(
                Cause.ONE_CLASS,
                "all labels are alike",
                "A curve or an agreement needs at least one label of either kind.",
            ),
            CauseSpec(
                Cause.CONTEXTS_NOT_RECORDED,
                "the file does not record contexts",
                "No sample of the run has a context. Scores that the file brings still stand.",
            ),
            CauseSpec(
                Cause.NO_ANSWERS,
                "the run has no answers",
                "No sample of the run has an answer: only retrieval can be looked at.",
            ),
            CauseSpec(
                Cause.NO_GOLD,
                "there is no gold evidence",
                "Nobody said which passage should have been found, so hits are not assessed.",
            ),
            CauseSpec(
                Cause.EMPTY,
                "the answer is empty",
                "The run has answers but this one is empty; that counts as a refusal.",
            ),
        )
    }
)

ERRORS: Mapping[ErrorKind, CauseSpec] = MappingProxyType(
    {
        ErrorKind(spec.id): spec
        for spec in (
            CauseSpec(
                ErrorKind.TIMEOUT,
                "the judge timed out",
                "No reply within the time limit. Long answers time out more often, so what is "
                "missing is no random part.",
            ),
            CauseSpec(
                ErrorKind.RATE_LIMIT,
                "the provider's rate limit",
                "The provider took no more calls, also after waiting and trying again.",
            ),
            CauseSpec(
                ErrorKind.AUTH,
                "the key was refused",
                "The provider did not accept the key; the batch stopped there.",
            ),
            CauseSpec(
                ErrorKind.PROVIDER_ERROR,
                "the provider failed",
                "The provider answered with an error of its own.",
            ),
            CauseSpec(
                ErrorKind.CONTEXT_LENGTH,
                "too long for the judge",
                "Question, contexts and answer do not fit into the judge's window. Nothing is cut "
                "off silently.",
            ),
            CauseSpec(
                ErrorKind.OUTPUT_TRUNCATED,
                "the judge's reply was cut off",
                "The reply ended at its length limit before it was complete.",
            ),
            CauseSpec(
                ErrorKind.INVALID_JSON,
                "the judge's reply was no JSON",
                "The reply does not hold exactly one JSON object, also after one repair.",
            ),
            CauseSpec(
                ErrorKind.SCHEMA,
                "the judge's reply did not fit",
                "The reply is JSON but lacks a field, has a wrong type, or leaves the scale.",
            ),
            CauseSpec(
                ErrorKind.INCONSISTENT,
                "the repeats contradict each other",
                "The votes of several repeats are tied, or score and listed claims do not fit.",
            ),
            CauseSpec(
                ErrorKind.JUDGE_REFUSED,
                "the judge declined",
                "The model refused to give a verdict.",
            ),
            CauseSpec(
                ErrorKind.EMPTY,
                "the judge's reply was empty",
                "The judge answered with nothing.",
            ),
            CauseSpec(
                ErrorKind.CANCELLED,
                "it was cancelled",
                "Somebody stopped the batch while this verdict was being made.",
            ),
            CauseSpec(
                ErrorKind.BUDGET,
                "the budget was used up",
                "The batch reached its cost limit before this sample.",
            ),
            CauseSpec(
                ErrorKind.ABSENT_IN_FILE,
                "the cell in the file is empty",
                "The file has the column, and here it is empty, null, NaN or infinite. The file "
                "does not say whether the judge failed or there was nothing to score.",
            ),
            CauseSpec(
                ErrorKind.UNPARSABLE,
                "the cell in the file is no number",
                "The cell holds text that cannot be read as a score; the text is kept.",
            ),
            CauseSpec(
                ErrorKind.REPORTED_BY_FILE,
                "the file reports an error",
                "The tool that wrote the file noted an error in place of a score.",
            ),
        )
    }
)

SIDES: Mapping[Side, str] = MappingProxyType(
    {
        Side.WORKS: "Success",
        Side.RETRIEVAL: "Retrieval side",
        Side.GENERATION: "Generation side",
        Side.REFUSAL: "Refusals",
        Side.UNKNOWN: "Undetermined",
    }
)
"""Names of the families of modes, in the order of pages and reports."""

JUDGE_KINDS: Mapping[JudgeKind, str] = MappingProxyType(
    {
        JudgeKind.IMPORTED: "from the file",
        JudgeKind.OFFLINE: "on this machine; measures similarity, cannot see contradictions",
        JudgeKind.LLM: "a language model",
    }
)

CUT_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "address": "set in this view",
        "run": "stored for this run",
        "registry": "the default",
        "none": "no cut: the scale of the score is unknown",
    }
)


def cause_in_words(name: str) -> str:
    """A cause, or "status:cause", or a bare state, in a few words.

    >>> cause_in_words("error:timeout"), cause_in_words("not_scored")
    ('error: the judge timed out', 'nobody has scored it')
    >>> cause_in_words("not_applicable:empty"), cause_in_words("error:empty")
    ('not applicable: the answer is empty', "error: the judge's reply was empty")
    """
    if name == NOT_SCORED:
        return "nobody has scored it"
    status, separator, kind = name.partition(":")
    if not separator:
        return _words(name, is_error=name not in set(Cause))
    text = _words(kind, is_error=status == Status.ERROR)
    return f"error: {text}" if status == Status.ERROR else f"not applicable: {text}"


def missing_in_words(n: int, status: str, cause: str | None) -> str:
    """What follows a count of ``n`` samples that have no score for one reason.

    >>> missing_in_words(2, "error", "timeout"), missing_in_words(1, "error", "timeout")
    ('errors: the judge timed out', 'error: the judge timed out')
    >>> missing_in_words(9, "not_scored", None), missing_in_words(9, "not_applicable", "empty")
    ('not scored', 'not applicable: the answer is empty')
    """
    if status == NOT_SCORED:
        return "not scored"
    text = cause_in_words(f"{status}:{cause}" if cause else status)
    return text.replace("error:", "errors:", 1) if n != 1 and status == Status.ERROR else text


def _words(name: str, *, is_error: bool) -> str:
    if is_error and name in set(ErrorKind):
        return ERRORS[ErrorKind(name)].words
    if name in set(Cause):
        return CAUSES[Cause(name)].words
    return name.replace("_", " ")
