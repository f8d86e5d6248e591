"""Which samples of a run are looked at: the same filter for every page, command and export.

As text a filter is a list of terms, in the address as on the command line: ``mode=hallucination``,
``flag=borderline``, ``tag.domain=fiqa``, ``label.correct=0``, ``cause=error:timeout``,
``score.groundedness=0.2..0.6``, ``text=invoice``.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from core.errors import BadInputError
from core.model import TRIAD, Axis, Flag, Mode

_TERM = re.compile(
    r"(?P<kind>mode|flag|cause|text|tag|label|score)(?:\.(?P<name>[^=]*))?=(?P<value>.*)", re.S
)

Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class SampleFilter:
    """Conditions that must all hold; within one condition any of its values will do.

    Attributes:
        modes: failure modes at the current cuts.
        flags: remarks that the sample must bear, all of them.
        tags: (name, value) pairs; values of one name are alternatives, names must all match.
        causes: "status:cause" of a triad score, or "not_scored".
        labels: "criterion=value", with "none" for samples that nobody labelled.
        text: part of the id, the question or the answer, upper and lower case alike.
        scores: (axis, low, high) ranges, both ends included; an open end is infinite.
    """

    modes: tuple[Mode, ...] = ()
    flags: tuple[Flag, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    causes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    text: str = ""
    scores: tuple[tuple[Axis, float, float], ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if every sample passes."""
        return self == SampleFilter()

    def terms(self) -> list[str]:
        """The filter as text; ``from_terms`` reads it back."""
        return [
            *(f"mode={mode.value}" for mode in self.modes),
            *(f"flag={flag.value}" for flag in self.flags),
            *(f"tag.{name}={value}" for name, value in self.tags),
            *(f"cause={cause}" for cause in self.causes),
            *(f"label.{label}" for label in self.labels),
            *(f"score.{axis.value}={_end(low)}..{_end(high)}" for axis, low, high in self.scores),
            *([f"text={self.text}"] if self.text else []),
        ]


def from_terms(terms: Iterable[str]) -> SampleFilter:
    """A filter from its terms.

    Raises:
        BadInputError: a term that is none; the message says what is possible.

    >>> from_terms(["mode=success", "tag.domain=fiqa"]).terms()
    ['mode=success', 'tag.domain=fiqa']
    """
    modes: list[Mode] = []
    flags: list[Flag] = []
    tags: list[tuple[str, str]] = []
    causes: list[str] = []
    labels: list[str] = []
    scores: list[tuple[Axis, float, float]] = []
    text = ""
    for term in dict.fromkeys(terms):
        match = _TERM.fullmatch(term)
        if match is None:
            raise BadInputError(
                f"{term!r} is no filter. Filters look like mode=hallucination, flag=borderline, "
                "tag.NAME=VALUE, label.CRITERION=1, cause=error:timeout, "
                "score.groundedness=0.2..0.6 or text=WORDS."
            )
        kind, name, value = match["kind"], match["name"] or "", match["value"]
        if kind == "mode":
            modes.append(_member(Mode, value))
        elif kind == "flag":
            flags.append(_member(Flag, value))
        elif kind == "cause":
            causes.append(value)
        elif kind == "text":
            text = value
        elif not name:
            raise BadInputError(f"{term!r} lacks a name: write {kind}.NAME=VALUE.")
        elif kind == "tag":
            tags.append((name, value))
        elif kind == "label":
            labels.append(f"{name}={value}")
        else:
            scores.append(_range(name, value))
    return SampleFilter(
        tuple(modes), tuple(flags), tuple(tags), tuple(causes), tuple(labels), text, tuple(scores)
    )


def _end(bound: float) -> str:
    return repr(bound) if math.isfinite(bound) else ""


def _member(words: type[Word], value: str) -> Word:
    try:
        return words(value)
    except ValueError:
        known = ", ".join(word.value for word in words)
        raise BadInputError(
            f"There is no {words.__name__.lower()} {value!r}; known: {known}."
        ) from None


def _range(name: str, value: str) -> tuple[Axis, float, float]:
    axes = {axis.value: axis for axis in TRIAD}
    low, separator, high = value.partition("..")
    try:
        bounds = float(low or -math.inf), float(high or math.inf)
    except ValueError:
        separator = ""
        bounds = 0.0, 0.0
    if name not in axes or not separator:
        raise BadInputError(
            f"score.{name}={value} must name {', '.join(axes)} and a range such as 0.2..0.6."
        )
    return axes[name], *bounds
