"""Which cut between low and high applies to a score, and where it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType
from typing import Literal, Protocol

from core.errors import BadInputError
from core.metrics.registry import spec_for
from core.metrics.spec import CutRule
from core.model import SLACK, Direction, JudgeKind, Scale

CutSource = Literal["address", "run", "registry", "none"]

# The 4 of a 1 to 5 rubric is the first level that is good as it stands; the 0.70 of a ratio is
# the cut of RAG-X. They are not the same share of their scales, on purpose.
DEFAULT_CUTS: Mapping[CutRule, float] = MappingProxyType(
    {
        CutRule.RUBRIC: 4.0,
        CutRule.RATIO: 0.70,
        CutRule.GRADE: 2.0,
        CutRule.QUARTER: 0.75,
        CutRule.BINARY: 1.0,
        CutRule.COSINE: 0.70,
    }
)

BORDERLINE = 0.05
"""Half width of the uncertain band around a cut, as a share of the scale."""

_RULE_OF_SCALE: Mapping[tuple[float, float], CutRule] = MappingProxyType(
    {
        (1.0, 5.0): CutRule.RUBRIC,
        (0.0, 1.0): CutRule.RATIO,
        (0.0, 3.0): CutRule.GRADE,
        (-1.0, 1.0): CutRule.COSINE,
    }
)


class ShippedCut(Protocol):
    """A cut that comes with one of our judges, chosen on labelled data."""

    @property
    def value(self) -> float:
        """The cut in the judge's own scale."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A score on the good side of ``value``, or at it, is high; without a value nothing is.

    ``value``, ``lo`` and ``hi`` are in the metric's own units.
    """

    value: float | None
    direction: Direction
    lo: float | None
    hi: float | None
    source: CutSource
    rule: CutRule = CutRule.NONE

    @property
    def band(self) -> float | None:
        """Distance from the cut within which a score is borderline; None for scores in steps.

        On a scale in steps (rubric, binary) a score at the cut is no close call: there only
        repeats that fall on both sides of the cut make a sample borderline.
        """
        if self.rule not in (CutRule.RATIO, CutRule.COSINE) or self.lo is None or self.hi is None:
            return None
        return BORDERLINE * (self.hi - self.lo)


def cut_rule(metric: str, scale: Scale) -> CutRule:
    """Rule of the default cut: the metric's own on its own scale, else by the scale's ends.

    >>> cut_rule("context_relevance_dual", Scale(0, 1))
    <CutRule.QUARTER: 'quarter'>
    >>> cut_rule("groundedness", Scale(1, 5)), cut_rule("my_score", Scale(0, 10))
    (<CutRule.RUBRIC: 'rubric'>, <CutRule.NONE: 'none'>)
    """
    if scale.lo is None or scale.hi is None:
        return CutRule.NONE
    spec = spec_for(metric)
    if spec is not None and (spec.lo, spec.hi) == (scale.lo, scale.hi):
        return spec.cut_rule
    return _RULE_OF_SCALE.get((scale.lo, scale.hi), CutRule.NONE)


def resolve_cut(
    metric: str,
    scale: Scale | None,
    judge_kind: JudgeKind | str,
    judge_model: str,
    run_cut: float | None = None,
    override: float | None = None,
    judge_cuts: Mapping[str, Mapping[str, ShippedCut]] | None = None,
) -> Cut:
    """Cut of a metric of one judge: address or ``--set``, else the run's, else the default.

    Args:
        metric: canonical id, axis name, or a file's own name.
        scale: scale of the scores; None for a metric of ours on the scale of its definition.
        judge_kind: imported, offline or llm.
        judge_model: model of the judge, such as ``lexical-v1``.
        run_cut: cut stored for this run and metric.
        override: cut of the address or the command line.
        judge_cuts: shipped cuts by judge model, then by metric; they are defaults of our own
            judges and never apply to imported scores.

    Raises:
        BadInputError: a given cut is not a finite number.

    >>> resolve_cut("groundedness_rubric", None, "llm", "some-model").value
    4.0
    >>> resolve_cut("noise", Scale(0, 1, Direction.LOWER), "imported", "file").value
    0.3
    """
    if scale is None:
        spec = spec_for(metric)
        scale = spec.scale if spec else Scale(None, None)
    rule = cut_rule(metric, scale)
    source: CutSource
    if override is not None:
        value, source = override, "address"
    elif run_cut is not None:
        value, source = run_cut, "run"
    else:
        shipped = None
        if judge_cuts and judge_kind != JudgeKind.IMPORTED:
            shipped = judge_cuts.get(judge_model, {}).get(metric)
        default = shipped.value if shipped else _default(rule, scale)
        if default is None:
            return Cut(None, scale.direction, scale.lo, scale.hi, "none", rule)
        value, source = default, "registry"
    if not isfinite(value):
        raise BadInputError(f"The cut of {metric} is {value}; it must be a finite number.")
    return Cut(float(value), scale.direction, scale.lo, scale.hi, source, rule)


def _default(rule: CutRule, scale: Scale) -> float | None:
    cut = DEFAULT_CUTS.get(rule)
    if cut is None or scale.lo is None or scale.hi is None:
        return None
    if scale.direction is Direction.LOWER:
        # 1 - 0.7 is 0.30000000000000004; a file that says 0.3 means the same number.
        return round(scale.hi + scale.lo - cut, 12)
    return cut


def is_high(value: float | None, cut: Cut) -> bool | None:
    """True if a score is on the good side of its cut or at it; None without score or cut.

    "High" means good: for a metric where lower is better that is a score at or below the cut.

    >>> cut = resolve_cut("faithfulness", None, "imported", "ragas")
    >>> is_high(0.7, cut), is_high(2 / 3, cut), is_high(None, cut)
    (True, False, None)
    """
    if value is None or cut.value is None:
        return None
    if cut.direction is Direction.LOWER:
        return value <= cut.value + SLACK
    return value >= cut.value - SLACK


def is_borderline(value: float | None, cut: Cut) -> bool:
    """True if a score lies within the uncertain band around its cut.

    >>> cut = resolve_cut("faithfulness", None, "imported", "ragas")
    >>> is_borderline(0.75, cut), is_borderline(0.76, cut)
    (True, False)
    """
    if value is None or cut.value is None or cut.band is None:
        return False
    return abs(value - cut.value) <= cut.band + 1e-12
