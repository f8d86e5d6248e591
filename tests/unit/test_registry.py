from math import isinf

import pytest

from core.metrics.registry import (
    AXIS_PREFERENCE,
    METRICS,
    axis_of,
    canonical_id,
    resolve_scale,
    spec_for,
)
from core.metrics.spec import Aggregate, CutRule, normalised
from core.model import Axis, Direction, Scale

TRIAD_AND_ASTRID = """
    context_relevance_rubric context_relevance_ratio context_relevance_binary
    context_relevance_dual groundedness_rubric faithfulness faithfulness_contradiction
    conversational_faithfulness refusal refusal_accuracy answer_relevance_rubric
    answer_relevancy_embed answer_relevancy_statements adherence
""".split()
REFERENCE_BASED = """
    context_precision context_utilization_ragas context_recall noise_sensitivity_rel
    noise_sensitivity_irr factual_correctness geval_correctness
""".split()


RETRIEVAL = """
    hit_at_k precision_at_k recall_at_k mrr map_trec map_retrieved ndcg_at_k ndcg_exp_at_k
    context_hit_rate no_hit_rate exclusive_hit_rate pairwise_redundancy text_redundancy
    hit_count_dist near_duplicates
    erag erag_hit_at_k erag_precision_at_k erag_ndcg_at_k erag_mrr erag_map
""".split()
ANSWERS_AND_CLAIMS = """
    exact_match token_f1 rouge_l list_component_f1 semantic_similarity precision recall f1
    claim_recall context_precision_chunks context_utilization hallucination self_knowledge
    supported_precision context_useful choice_match answer_words answer_similarity_embed
""".split()


def test_registry_holds_the_catalogue_and_the_axis_names() -> None:
    assert set(METRICS) == {
        *TRIAD_AND_ASTRID,
        *REFERENCE_BASED,
        *RETRIEVAL,
        *ANSWERS_AND_CLAIMS,
        *(str(axis) for axis in Axis),
    }


def test_every_definition_is_complete() -> None:
    for metric, spec in METRICS.items():
        assert spec.id == metric
        assert all((spec.name, spec.one_sentence, spec.formula, spec.source, spec.undefined_when))
        assert spec.one_sentence.endswith("?")
        assert spec.needs
        assert spec.lo < spec.hi
        # Only what has no end has no cut, and no scale either.
        assert (spec.cut_rule is CutRule.NONE) == (not spec.scale.is_known) == isinf(spec.hi)


def test_names_are_distinct() -> None:
    names = [spec.name for spec in METRICS.values()]
    assert len(set(names)) == len(names)


def test_preference_lists_are_those_of_the_rules() -> None:
    assert AXIS_PREFERENCE[Axis.CONTEXT_RELEVANCE] == (
        "context_relevance_rubric",
        "context_relevance_ratio",
        "context_relevance_dual",
        "context_relevance_binary",
        "context_relevance",
    )
    assert AXIS_PREFERENCE[Axis.GROUNDEDNESS] == (
        "groundedness_rubric",
        "faithfulness",
        "conversational_faithfulness",
        "faithfulness_contradiction",
        "groundedness",
    )
    assert AXIS_PREFERENCE[Axis.ANSWER_RELEVANCE] == (
        "answer_relevance_rubric",
        "answer_relevancy_statements",
        "answer_relevancy_embed",
        "answer_relevance",
    )


def test_a_metric_feeds_the_axis_in_whose_list_it_stands_and_no_other() -> None:
    listed = {metric: axis for axis, metrics in AXIS_PREFERENCE.items() for metric in metrics}
    assert {metric: axis_of(metric) for metric in METRICS} == {
        metric: listed.get(metric) for metric in METRICS
    }


@pytest.mark.parametrize(
    "name",
    # names that occur in real files and are neither a canonical id nor an axis name
    ["ragas_faithfulness", "token_overlap", "Faithfulness", "gpt_groundedness", ""],
)
def test_names_of_a_files_own_feed_no_axis(name: str) -> None:
    assert axis_of(name) is None
    assert spec_for(name) is None


@pytest.mark.parametrize(
    "metric", ["context_precision", "context_recall", "correctness", "factual_correctness"]
)
def test_reference_metrics_never_feed_the_triad(metric: str) -> None:
    assert axis_of(metric) not in (
        Axis.CONTEXT_RELEVANCE,
        Axis.GROUNDEDNESS,
        Axis.ANSWER_RELEVANCE,
    )


@pytest.mark.parametrize(
    ("name", "tool", "expected"),
    [
        ("faithfulness", None, "faithfulness"),
        ("groundedness", None, "groundedness"),
        ("nv_context_relevance", None, "context_relevance_dual"),
        ("gpt_groundedness", None, "groundedness_rubric"),
        ("Contextual Relevancy", None, "context_relevance_ratio"),
        ("llm_context_precision_with_reference", None, "context_precision"),
        # the same name in different tools
        ("context_relevance", None, "context_relevance"),
        ("context_relevance", "ragas", "context_relevance_dual"),
        ("context_relevancy", "ragas", "context_relevance_ratio"),
        ("faithfulness", "ragas", "faithfulness"),
        ("faithfulness", "mlflow", "groundedness_rubric"),
        ("Faithfulness", "deepeval", "faithfulness_contradiction"),
        ("answer_relevancy", "ragas", "answer_relevancy_embed"),
        ("Answer Relevancy", "deepeval", "answer_relevancy_statements"),
        ("groundedness", "azure", "groundedness_rubric"),
        # not sure, or not known
        ("answer_relevancy", None, None),
        ("Faithfulness", None, None),
        ("relevance", None, None),
        ("relevance", "mlflow", None),
        ("ragas_faithfulness", None, None),
        ("context_precision", "ragchecker", "context_precision_chunks"),
        ("context_utilization", "ragchecker", "context_utilization"),
        ("context_utilization", "ragas", "context_utilization_ragas"),
        ("hallucination", "ragchecker", "hallucination"),
        ("Hallucination", None, None),
        ("map", "trec", "map_trec"),
        ("map", None, None),
    ],
)
def test_canonical_id_only_where_the_meaning_is_sure(
    name: str, tool: str | None, expected: str | None
) -> None:
    assert canonical_id(name, tool) == expected


def test_no_alias_is_sure_twice_and_none_is_an_id_of_ours() -> None:
    sure = [a.name for spec in METRICS.values() for a in spec.aliases if a.is_sure]
    by_tool = [(a.tool, a.name) for spec in METRICS.values() for a in spec.aliases]
    assert len(set(sure)) == len(sure)
    assert len(set(by_tool)) == len(by_tool)
    assert not set(sure) & set(METRICS)


def test_repeats_are_aggregated_by_the_kind_of_scale() -> None:
    assert METRICS["groundedness_rubric"].aggregate is Aggregate.MEDIAN
    assert METRICS["refusal"].aggregate is Aggregate.MAJORITY
    assert METRICS["faithfulness"].aggregate is Aggregate.MEAN


def test_what_is_better_when_lower() -> None:
    lower = {m for m, spec in METRICS.items() if spec.direction is Direction.LOWER}
    assert lower == {
        "noise_sensitivity_rel",
        "noise_sensitivity_irr",
        "hallucination",
        "self_knowledge",
        "no_hit_rate",
        "pairwise_redundancy",
        "text_redundancy",
        "near_duplicates",
    }


@pytest.mark.parametrize(
    ("metric", "declared", "all_in_unit", "expected"),
    [
        ("my_score", Scale(0, 10), True, Scale(0, 10)),
        ("my_score", None, True, Scale(0, 1)),
        ("my_score", None, False, Scale(None, None)),
        ("my_score", Scale(None, None, Direction.LOWER), True, Scale(0, 1, Direction.LOWER)),
        ("groundedness_rubric", None, True, Scale(1, 5)),
        ("groundedness_rubric", Scale(0, 1), True, Scale(0, 1)),
        ("groundedness", None, True, Scale(0, 1)),
        ("groundedness", None, False, Scale(None, None)),
    ],
)
def test_scale_is_declared_else_defined_else_read_from_the_values(
    metric: str, declared: Scale | None, all_in_unit: bool, expected: Scale
) -> None:
    assert resolve_scale(metric, declared, all_in_unit) == expected


def test_a_mean_groundedness_of_4_2_is_normalised_to_0_8() -> None:
    assert normalised(4.2, 1, 5) == pytest.approx(0.80)  # (4.2 - 1) / 4


@pytest.mark.parametrize(("lo", "hi"), [(1, 1), (5, 1), (0, float("inf"))])
def test_normalised_refuses_what_is_no_scale(lo: float, hi: float) -> None:
    with pytest.raises(ValueError, match="no scale"):
        normalised(1, lo, hi)
