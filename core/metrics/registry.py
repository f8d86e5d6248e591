"""All metrics by id, what they can feed, and what other tools call them."""

from collections.abc import Mapping
from types import MappingProxyType

from core.metrics.catalogue import (
    ADHERENCE_AND_REFUSAL,
    ANSWER_RELEVANCE,
    CONTEXT_RELEVANCE,
    GROUNDEDNESS,
)
from core.metrics.catalogue_answers import CLAIM_LEVEL, WITHOUT_JUDGE
from core.metrics.catalogue_erag import ERAG
from core.metrics.catalogue_reference import REFERENCE_BASED
from core.metrics.catalogue_retrieval import DIAGNOSTICS, RANKING
from core.metrics.spec import Aggregate, Alias, CutRule, MetricSpec, Need
from core.model import Axis, Scale

__all__ = [
    "AXIS_PREFERENCE",
    "FAMILIES",
    "METRICS",
    "Aggregate",
    "Alias",
    "CutRule",
    "MetricSpec",
    "Need",
    "axis_of",
    "canonical_id",
    "resolve_scale",
    "spec_for",
]

_TRIAD = (*CONTEXT_RELEVANCE, *GROUNDEDNESS, *ANSWER_RELEVANCE, *ADHERENCE_AND_REFUSAL)
# What feeds no axis, by what it is about.
_BESIDE: Mapping[str, tuple[MetricSpec, ...]] = MappingProxyType(
    {
        "Judged against the expected answer": REFERENCE_BASED,
        "Retrieval by rank": RANKING,
        "Retrieval: hits and repetition": DIAGNOSTICS,
        "Retrieval: worth of each context to the generator": ERAG,
        "Answers without a judge": WITHOUT_JUDGE,
        "Claim by claim": CLAIM_LEVEL,
    }
)
METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    {spec.id: spec for specs in (_TRIAD, *_BESIDE.values()) for spec in specs}
)
#: What each metric that feeds no axis is about, in words.
FAMILIES: Mapping[str, str] = MappingProxyType(
    {spec.id: family for family, specs in _BESIDE.items() for spec in specs}
)

# Among metrics of one run the first that is there feeds the axis.
AXIS_PREFERENCE: Mapping[Axis, tuple[str, ...]] = MappingProxyType(
    {
        Axis.CONTEXT_RELEVANCE: (
            "context_relevance_rubric",
            "context_relevance_ratio",
            "context_relevance_dual",
            "context_relevance_binary",
            "context_relevance",
        ),
        Axis.GROUNDEDNESS: (
            "groundedness_rubric",
            "faithfulness",
            "conversational_faithfulness",
            "faithfulness_contradiction",
            "groundedness",
        ),
        Axis.ANSWER_RELEVANCE: (
            "answer_relevance_rubric",
            "answer_relevancy_statements",
            "answer_relevancy_embed",
            "answer_relevance",
        ),
        Axis.ADHERENCE: ("adherence",),
        Axis.REFUSAL: ("refusal",),
        Axis.CORRECTNESS: ("correctness",),
    }
)

_AXIS_NAMES = frozenset(str(axis) for axis in Axis)
_SURE = {
    alias.name: spec.id for spec in METRICS.values() for alias in spec.aliases if alias.is_sure
}
_BY_TOOL = {
    (alias.tool, alias.name): spec.id for spec in METRICS.values() for alias in spec.aliases
}


def spec_for(name: str) -> MetricSpec | None:
    """Definition of a canonical id or axis name; None for a name of the file's own."""
    return METRICS.get(name)


def axis_of(metric: str) -> Axis | None:
    """Axis that a metric can feed; None for every name that is no canonical id or axis name.

    >>> axis_of("faithfulness"), axis_of("context_precision"), axis_of("ragas_faithfulness")
    (<Axis.GROUNDEDNESS: 'groundedness'>, None, None)
    """
    spec = METRICS.get(metric)
    return spec.axis if spec else None


def canonical_id(name: str, tool: str | None = None) -> str | None:
    """Our id for a metric's name in a file, or None if it cannot be told for sure.

    An importer that knows which tool wrote the file says so: many names mean different things
    in different tools, and then the tool's meaning wins over an id of ours with the same name.
    The neutral format has no tool; there a name that is not ours keeps its name and feeds no axis.

    >>> canonical_id("faithfulness"), canonical_id("faithfulness", tool="mlflow")
    ('faithfulness', 'groundedness_rubric')
    >>> canonical_id("answer_relevancy") is None
    True
    >>> canonical_id("answer_relevancy", tool="ragas")
    'answer_relevancy_embed'
    """
    if tool is not None and (tool, name) in _BY_TOOL:
        return _BY_TOOL[tool, name]
    if name in METRICS:
        return name
    return _SURE.get(name)


def resolve_scale(metric: str, declared: Scale | None = None, all_in_unit: bool = False) -> Scale:
    """Scale of an imported metric: declared in the file, else by definition, else by its values.

    Not for our own judges, whose scores are on ``spec.scale``. Only a canonical id has a scale by
    definition. A metric named like an axis may be on any
    scale in a file, so there, as for unknown names, values that all lie in 0..1 make it 0..1.

    >>> resolve_scale("groundedness_rubric").hi
    5
    >>> resolve_scale("groundedness").is_known
    False
    """
    if declared is not None and declared.is_known:
        return declared
    spec = METRICS.get(metric)
    if spec is not None and metric not in _AXIS_NAMES:
        return spec.scale
    if all_in_unit:
        return Scale(0.0, 1.0) if declared is None else Scale(0.0, 1.0, declared.direction)
    return Scale(None, None) if declared is None else declared
