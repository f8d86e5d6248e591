"""What is known about a metric, as a type; the entries stand in the catalogue files."""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from core.model import Axis, Direction, Scale


class CutRule(StrEnum):
    """How a metric's default cut between low and high is found; the shape of its scale."""

    RUBRIC = "rubric"
    RATIO = "ratio"
    GRADE = "grade"
    QUARTER = "quarter"
    BINARY = "binary"
    COSINE = "cosine"
    NONE = "none"


class Aggregate(StrEnum):
    """How the votes of several repeats become one score."""

    MEDIAN = "median"
    MAJORITY = "majority"
    MEAN = "mean"


class Need(StrEnum):
    """An input that a metric reads."""

    QUESTION = "question"
    CONTEXT = "context"
    CONTEXTS = "contexts"
    ANSWER = "answer"
    REFERENCE = "reference"
    GOLD = "gold"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Alias:
    """The name that another tool gives to the same metric.

    ``is_sure`` tells that the name alone is enough; otherwise one must know the tool, because
    the same name stands for something else elsewhere.
    """

    tool: str
    name: str
    is_sure: bool = False


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """Definition of one metric, in words and in figures.

    ``one_sentence`` is for people who do not write code. ``lo`` and ``hi`` are in the metric's own
    units. ``axis`` is the axis that the metric can feed, or None.
    """

    id: str
    name: str
    one_sentence: str
    formula: str
    source: str
    needs: tuple[Need, ...]
    lo: float
    hi: float
    undefined_when: str
    cut_rule: CutRule
    aggregate: Aggregate
    axis: Axis | None = None
    aliases: tuple[Alias, ...] = ()
    direction: Direction = Direction.HIGHER
    notes: str = ""

    @property
    def scale(self) -> Scale:
        """Range and direction together; what has no upper end has no scale to cut."""
        if not isfinite(self.hi):
            return Scale(None, None, self.direction)
        return Scale(self.lo, self.hi, self.direction)


def normalised(score: float, lo: float, hi: float) -> float:
    """Score on 0..1: (score - lo) / (hi - lo).

    Raises:
        ValueError: an end is not finite or the scale is empty.

    >>> normalised(4, 1, 5)
    0.75
    """
    if not (isfinite(lo) and isfinite(hi)) or hi <= lo:
        raise ValueError(f"no scale from {lo} to {hi}")
    return (score - lo) / (hi - lo)
