"""Names and short sentences for what the store calls by an id."""

import hashlib
from collections.abc import Iterable

from core.diagnosis.filter_words import term_in_words
from core.diagnosis.thresholds import Cut
from core.diagnosis.vocabulary import (
    AXES,
    CUT_SOURCES,
    JUDGE_KINDS,
    cause_in_words,
    missing_in_words,
)
from core.metrics.intervals import Rate
from core.model import Axis, Direction, JudgeKind
from dashboard.theme import escape_line, number, rate_of

cause = cause_in_words
missing = missing_in_words
term = term_in_words
share_cell = rate_of


_TERM_SHOWN = 36  # characters; a longer pill would hide its own cross


def short_term(text: str) -> str:
    """A filter term as a label for a place without room.

    >>> short_term("tag.domain=fiqa"), len(short_term("text=" + "long " * 60))
    ('domain: fiqa', 36)
    """
    label = term(text)
    return label if len(label) <= _TERM_SHOWN else f"{label[: _TERM_SHOWN - 1]}…"


def axis(found: Axis) -> str:
    """Name of an axis."""
    return AXES[found].name


def axis_help(found: Axis) -> str:
    """The question that an axis answers."""
    return AXES[found].question


def judge_kind(kind: JudgeKind) -> str:
    """Where a judge's verdicts come from."""
    return JUDGE_KINDS[kind]


def cut_sentence(found: Axis, cut: Cut, *, is_scored: bool = True) -> str:
    """One markdown line that says which scores count as high."""
    if cut.value is None:
        why = CUT_SOURCES["none"] if is_scored else "no cut: nobody has scored it"
        return f"**{axis(found)}** :gray[{why}]"
    side = "at or below" if cut.direction is Direction.LOWER else "at or above"
    return (
        f"**{axis(found)}** is high {side} **{escape_line(f'{cut.value:g}')}** "
        f":gray[{CUT_SOURCES[cut.source]}]"
    )


def fingerprint(ids: Iterable[str]) -> str:
    """A short name of a list of ids in its order: another list has another one.

    >>> fingerprint(["a", "b"]) == fingerprint(["b", "a"]), fingerprint(["ab"]) == fingerprint("ab")
    (False, False)
    """
    return hashlib.sha256("\0".join(ids).encode()).hexdigest()[:8]


def mean_cell(rate: Rate) -> str:
    """A mean with its interval, as a cell of a table."""
    if rate.value is None or rate.low is None or rate.high is None:
        return number(rate.value)
    return f"{number(rate.value)} ({number(rate.low)}–{number(rate.high)})"
