"""The words of the product as types: states, axes, modes, and the records that layers exchange."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Axis(StrEnum):
    """What a score can say about a sample; the first three make the triad."""

    CONTEXT_RELEVANCE = "context_relevance"
    GROUNDEDNESS = "groundedness"
    ANSWER_RELEVANCE = "answer_relevance"
    ADHERENCE = "adherence"
    REFUSAL = "refusal"
    CORRECTNESS = "correctness"


TRIAD = (Axis.CONTEXT_RELEVANCE, Axis.GROUNDEDNESS, Axis.ANSWER_RELEVANCE)


class Status(StrEnum):
    """State of a verdict. No verdict at all is "not scored" and has no row."""

    VALUE = "value"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


class Cause(StrEnum):
    """Why a metric is not applicable (or, for refusal, why it is 1 by rule)."""

    NO_CONTEXTS = "no_contexts"
    NO_CLAIMS = "no_claims"
    REFUSAL = "refusal"
    NO_REFERENCE = "no_reference"
    ONE_CLASS = "one_class"
    CONTEXTS_NOT_RECORDED = "contexts_not_recorded"
    NO_ANSWERS = "no_answers"
    NO_GOLD = "no_gold"
    EMPTY = "empty"


class ErrorKind(StrEnum):
    """Why a verdict could not be made or read."""

    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"
    AUTH = "auth"
    PROVIDER_ERROR = "provider_error"
    CONTEXT_LENGTH = "context_length"
    OUTPUT_TRUNCATED = "output_truncated"
    INVALID_JSON = "invalid_json"
    SCHEMA = "schema"
    INCONSISTENT = "inconsistent"
    JUDGE_REFUSED = "judge_refused"
    EMPTY = "empty"
    CANCELLED = "cancelled"
    BUDGET = "budget"
    ABSENT_IN_FILE = "absent_in_file"
    UNPARSABLE = "unparsable"
    REPORTED_BY_FILE = "reported_by_file"


class JudgeKind(StrEnum):
    """Where a verdict comes from."""

    IMPORTED = "imported"
    OFFLINE = "offline"
    LLM = "llm"


class Mode(StrEnum):
    """A cell of the triad or of the refusal branch."""

    SUCCESS = "success"
    OFF_TARGET_ANSWER = "off_target_answer"
    HALLUCINATION = "hallucination"
    GENERATION_BREAKDOWN = "generation_breakdown"
    SCORE_CONFLICT = "score_conflict"
    RETRIEVAL_FAILURE = "retrieval_failure"
    LUCKY_GUESS = "lucky_guess"
    CONFABULATION = "confabulation"
    UNGROUNDED_ANSWER = "ungrounded_answer"
    PIPELINE_FAILURE = "pipeline_failure"
    CORRECT_REFUSAL = "correct_refusal"
    OVER_REFUSAL = "over_refusal"
    REFUSAL_UNVERIFIED = "refusal_unverified"
    UNDETERMINED = "undetermined"


class Flag(StrEnum):
    """A remark beside the mode; a sample can bear several."""

    MISSED_REFUSAL = "missed_refusal"
    RETRIEVAL_GAP = "retrieval_gap"
    NOISY_RETRIEVAL = "noisy_retrieval"
    BORDERLINE = "borderline"
    PARTIAL = "partial"
    PARTIAL_REFUSAL = "partial_refusal"
    UNSTABLE_JUDGE = "unstable_judge"
    PROXY_HIT = "proxy_hit"
    ADHERENCE_PROXY = "adherence_proxy"
    INCOMPLETE_VERDICTS = "incomplete_verdicts"
    INCONSISTENT_VERDICTS = "inconsistent_verdicts"


class Direction(StrEnum):
    """Whether a larger score is better or worse."""

    HIGHER = "higher"
    LOWER = "lower"


#: A score this little short of a cut is at it: a perfect score is often computed as 0.9999999999.
SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Scale:
    """Range and direction of a metric's scores, in the metric's own units."""

    lo: float | None
    hi: float | None
    direction: Direction = Direction.HIGHER

    @property
    def is_known(self) -> bool:
        """True if both ends are known; without them there is no default cut."""
        return self.lo is not None and self.hi is not None


@dataclass(frozen=True, slots=True)
class Context:
    """One retrieved context; rank counts from 1."""

    rank: int
    text: str | None
    doc_id: str | None = None
    score: float | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """One piece of evidence that should have been retrieved, by id, by text, or both."""

    doc_id: str | None = None
    text: str | None = None
    grade: float | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class SampleText:
    """What a judge may read of one sample.

    ``contexts`` is None when the run recorded none at all, and empty when nothing was retrieved;
    ``answer`` is None when the run recorded no answers, and "" when the system said nothing.
    ``history`` holds the earlier turns of a conversation; ``cut_texts`` names those of "answer" and
    "context" that were cut before the file was saved.
    """

    position: int
    sample_id: str
    question: str
    answer: str | None
    contexts: Sequence[Context] | None
    references: Sequence[str] = ()
    refused: bool | None = None
    history: Sequence[str] = ()
    cut_texts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """Identity of a judge: the same spec always gives the same judge id."""

    kind: JudgeKind
    model: str
    prompt_id: str | None = None
    prompt_sha256: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    definition_version: str = "1"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One result of one judge about one sample (``context_rank`` None) or one of its contexts.

    Exactly one of these holds: status value and a finite ``value``; status not_applicable or
    error and a ``cause`` (a Cause or an ErrorKind) without a value. A value may carry a cause too
    where a rule gave it (refusal of an empty answer). ``latency`` is in seconds, ``cost`` in USD.
    """

    position: int
    metric: str
    status: Status
    value: float | None = None
    cause: str | None = None
    reasoning: str | None = None
    detail: Mapping[str, Any] | None = None
    raw: str | None = None
    context_rank: int | None = None
    repeat: int = 0
    latency: float | None = None
    cost: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a judge model and what came of it.

    ``prompt`` is the JSON text of the messages as they were sent, ``reply`` the text as it came;
    a key in either is blanked out. ``step`` is the prompt's id and version. ``latency`` is in
    seconds, ``cost`` in USD and None where the price is unknown.
    """

    step: str
    prompt: str
    request_sha256: str
    reply: str | None = None
    context_rank: int | None = None
    finish_reason: str | None = None
    error_kind: str | None = None
    error: str | None = None
    is_cached: bool = False
    latency: float | None = None
    cost: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with its judge and the requests that led to it."""

    judge: JudgeSpec
    verdict: Verdict
    calls: Sequence[Call] = ()
