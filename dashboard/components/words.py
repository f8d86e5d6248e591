"""Names and short sentences for what the store calls by an id."""

import hashlib
from collections.abc import Iterable

from core.diagnosis.modes import FLAGS, MODES
from core.diagnosis.thresholds import Cut
from core.model import Axis, Cause, Direction, ErrorKind, Flag, JudgeKind, Mode
from dashboard.theme import escape_line

_AXES = {
    Axis.CONTEXT_RELEVANCE: "Context relevance",
    Axis.GROUNDEDNESS: "Groundedness",
    Axis.ANSWER_RELEVANCE: "Answer relevance",
    Axis.ADHERENCE: "Adherence",
    Axis.REFUSAL: "Refusal",
    Axis.CORRECTNESS: "Correctness",
}
_AXIS_HELP = {
    Axis.CONTEXT_RELEVANCE: "Do the retrieved contexts hold what the question asks for?",
    Axis.GROUNDEDNESS: "Is everything the answer says supported by the contexts?",
    Axis.ANSWER_RELEVANCE: "Does the answer address the question?",
    Axis.ADHERENCE: "Does the answer as a whole keep to the contexts?",
    Axis.REFUSAL: "Does the answer decline to answer?",
    Axis.CORRECTNESS: "Does the answer agree with the reference?",
}
_CAUSES: dict[str, str] = {
    Cause.NO_CONTEXTS: "nothing was retrieved",
    Cause.NO_CLAIMS: "the answer makes no claim",
    Cause.REFUSAL: "the answer is a refusal",
    Cause.NO_REFERENCE: "there is no reference",
    Cause.ONE_CLASS: "all labels are alike",
    Cause.CONTEXTS_NOT_RECORDED: "the file does not record contexts",
    Cause.NO_ANSWERS: "the run has no answers",
    Cause.NO_GOLD: "there is no gold evidence",
    Cause.EMPTY: "the answer is empty",
    ErrorKind.TIMEOUT: "the judge timed out",
    ErrorKind.RATE_LIMIT: "the provider's rate limit",
    ErrorKind.AUTH: "the key was refused",
    ErrorKind.PROVIDER_ERROR: "the provider failed",
    ErrorKind.CONTEXT_LENGTH: "too long for the judge",
    ErrorKind.OUTPUT_TRUNCATED: "the judge's reply was cut off",
    ErrorKind.INVALID_JSON: "the judge's reply was no JSON",
    ErrorKind.SCHEMA: "the judge's reply did not fit",
    ErrorKind.INCONSISTENT: "the repeats contradict each other",
    ErrorKind.JUDGE_REFUSED: "the judge declined",
    ErrorKind.CANCELLED: "it was cancelled",
    ErrorKind.BUDGET: "the budget was used up",
    ErrorKind.ABSENT_IN_FILE: "the cell in the file is empty",
    ErrorKind.UNPARSABLE: "the cell in the file is no number",
    ErrorKind.REPORTED_BY_FILE: "the file reports an error",
}
_KINDS = {
    JudgeKind.IMPORTED: "from the file",
    JudgeKind.OFFLINE: "on this machine; measures similarity, cannot see contradictions",
    JudgeKind.LLM: "a language model",
}
_SOURCES = {
    "address": "set in this view",
    "run": "stored for this run",
    "registry": "the default",
    "none": "no cut: the scale of the score is unknown",
}


def axis(found: Axis) -> str:
    """Name of an axis."""
    return _AXES[found]


def axis_help(found: Axis) -> str:
    """The question that an axis answers."""
    return _AXIS_HELP[found]


def cause(name: str) -> str:
    """A cause or "status:cause" in words.

    >>> cause("error:timeout"), cause("not_scored")
    ('error: the judge timed out', 'nobody has scored it')
    """
    if name == "not_scored":
        return "nobody has scored it"
    status, separator, kind = name.partition(":")
    if not separator:
        return _CAUSES.get(name, name.replace("_", " "))
    text = _CAUSES.get(kind, kind.replace("_", " "))
    return f"error: {text}" if status == "error" else f"not applicable: {text}"


def judge_kind(kind: JudgeKind) -> str:
    """Where a judge's verdicts come from."""
    return _KINDS[kind]


def term(text: str) -> str:
    """A filter term as a short label.

    >>> term("mode=retrieval_failure"), term("tag.domain=fiqa")
    ('Retrieval failure', 'domain: fiqa')
    """
    name, _, value = text.partition("=")
    if name == "mode" and value in set(Mode):
        return MODES[Mode(value)].name
    if name == "flag" and value in set(Flag):
        return FLAGS[Flag(value)].name
    if name == "cause":
        return cause(value)
    if name == "text":
        return f"“{value}”"
    return f"{name.partition('.')[2] or name}: {value}"


def cut_sentence(found: Axis, cut: Cut) -> str:
    """One markdown line that says which scores count as high."""
    if cut.value is None:
        return f"**{axis(found)}** :gray[{_SOURCES['none']}]"
    side = "at or below" if cut.direction is Direction.LOWER else "at or above"
    return (
        f"**{axis(found)}** is high {side} **{escape_line(f'{cut.value:g}')}** "
        f":gray[{_SOURCES[cut.source]}]"
    )


def fingerprint(ids: Iterable[str]) -> str:
    """A short name of a list of ids in its order: another list has another one.

    >>> fingerprint(["a", "b"]) == fingerprint(["b", "a"]), fingerprint(["ab"]) == fingerprint("ab")
    (False, False)
    """
    return hashlib.sha256("\0".join(ids).encode()).hexdigest()[:8]
