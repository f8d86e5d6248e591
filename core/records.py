"""What importers yield and the store takes in: samples, runs, and what was wrong with a file."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.model import JudgeSpec


class ParsedContext(NamedTuple):
    """One retrieved context; metadata is JSON text."""

    rank: int
    doc_id: str | None
    text: str | None
    score: float | None
    metadata: str | None


class ParsedGold(NamedTuple):
    """One piece of gold evidence; group names an "any of" set."""

    doc_id: str | None
    text: str | None
    grade: float | None
    group: str | None


class ParsedScore(NamedTuple):
    """One score of the file: a value, or an error with its kind and the text that stood there."""

    metric: str
    status: str
    value: float | None
    cause: str | None
    raw: str | None


class ParsedLabel(NamedTuple):
    """One label of the file itself (rater ``file``): a number or a category."""

    criterion: str
    value: float | None
    category: str | None


@dataclass(slots=True)
class ParsedVerdict:
    """A verdict with its judge, as our own export writes it; times are ISO 8601 texts."""

    metric: str
    judge: JudgeSpec
    repeat: int
    status: str
    value: float | None
    cause: str | None
    reasoning: str | None
    detail: str | None
    raw: str | None
    context_rank: int | None
    judged_at: str | None
    latency: float | None
    cost: float | None
    tokens: int | None


@dataclass(slots=True)
class ParsedHumanLabel:
    """A label with its rater, as our own export writes it."""

    criterion: str
    rater: str
    value: float | None
    category: str | None
    note: str | None
    tags: list[str]
    is_blind: bool
    rubric: str | None
    context_rank: int | None
    labelled_at: str | None


class ParsedClaims(NamedTuple):
    """Claims of answer and reference as JSON text, and how many of the answer's are of each kind.

    ``n_open`` are of none: a verdict is missing, or nothing was retrieved.
    """

    labels: str
    n_answer: int
    n_reference: int
    n_open: int
    n_right_supported: int
    n_wrong_relevant: int
    n_wrong_irrelevant: int
    n_wrong_unsupported: int
    n_right_unsupported: int


@dataclass(slots=True)
class ParsedSample:
    """One sample as read from a file, already clean text; ``row`` counts from 1 in the file.

    ``contexts`` is None where the file does not record them. JSON fields are JSON text.
    ``label_parts`` are (criterion, part of the split of its labels).
    """

    run: str
    row: int
    sample_id: str | None
    question: str
    answer: str
    references: list[str]
    contexts: list[ParsedContext] | None
    gold: list[ParsedGold]
    scores: list[ParsedScore]
    labels: list[ParsedLabel]
    tags: list[tuple[str, str]]
    history: str | None = None
    latency: float | None = None
    cost: float | None = None
    error: str | None = None
    extra: str | None = None
    verdicts: list[ParsedVerdict] = field(default_factory=list)
    human_labels: list[ParsedHumanLabel] = field(default_factory=list)
    label_parts: list[tuple[str, str]] = field(default_factory=list)
    claims: ParsedClaims | None = None


@dataclass(slots=True)
class ParsedRun:
    """What a file says about a run as a whole (``run_info`` of the neutral format).

    ``key`` is the run's name in the rows of the file, ``name`` the one it shall bear. ``splits``
    has the seed by which the labels of a criterion were dealt out, ``opened_tests`` the criteria
    whose test part has been looked at.
    """

    key: str
    name: str
    dataset: str | None = None
    tool: str | None = None
    tool_version: str | None = None
    created_at: str | None = None
    config: str | None = None
    note: str | None = None
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    selection: Mapping[str, Any] = field(default_factory=dict)
    thresholds: list[Any] = field(default_factory=list)
    splits: Mapping[str, int] = field(default_factory=dict)
    opened_tests: tuple[str, ...] = ()


class Problem(NamedTuple):
    """Why one row cannot be stored as it stands; row None concerns the whole file."""

    row: int | None
    problem: str


class Notice(NamedTuple):
    """A repair that lost no row, with the first row it was needed in and how often."""

    row: int | None
    notice: str
    n: int


class ColumnUse(NamedTuple):
    """What a column of a table was read as; name is the metric's, label's or tag's, if another.

    ``role`` is one of a map, or ``rater``.
    """

    column: str
    role: str
    name: str | None


Item = ParsedSample | ParsedRun | Problem


class Notices:
    """Collects repairs while a file is read: one line per kind of repair."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int | None, int]] = {}

    def add(self, row: int | None, notice: str, n: int = 1) -> None:
        """Count one more repair of this kind."""
        first, count = self._found.get(notice, (row, 0))
        self._found[notice] = (first, count + n)

    def as_list(self) -> list[Notice]:
        """All repairs in the order in which they were first needed."""
        return [Notice(row, text, n) for text, (row, n) in self._found.items()]


_BAD_CHARACTERS = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> tuple[str, int]:
    r"""Replace NUL and lone surrogates, which no store accepts, by U+FFFD; returns how many.

    >>> clean_text("a\x00b")
    ('a\ufffdb', 1)
    """
    return _BAD_CHARACTERS.subn("\ufffd", text)


def clean_value(value: Any) -> Any:
    """The same JSON value with every text in it clean, keys included."""
    if isinstance(value, str):
        return clean_text(value)[0]
    if isinstance(value, dict):
        return {clean_text(str(key))[0]: clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value


def generated_sample_id(question: str, position: int) -> str:
    """Id of a sample whose file gives none: a hash of its question and position."""
    digest = hashlib.sha256(f"{position}\0{question}".encode()).hexdigest()
    return f"generated-{digest[:12]}"
