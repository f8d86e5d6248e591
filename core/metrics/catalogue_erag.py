"""eRAG: how well the generator answers from each context alone, aggregated like relevance."""

from core.metrics.spec import Aggregate, CutRule, MetricSpec, Need

_ERAG = "eRAG (Salemi and Zamani 2024, arXiv 2404.13781)"
_NEEDS = (Need.QUESTION, Need.CONTEXT, Need.REFERENCE)
_MISSING = "the file brings no erag value for one of the sample's contexts"


def _spec(id_: str, name: str, sentence: str, formula: str, notes: str) -> MetricSpec:
    return MetricSpec(
        id=id_,
        name=name,
        one_sentence=sentence,
        formula=formula,
        source=_ERAG,
        needs=_NEEDS,
        lo=0,
        hi=1,
        undefined_when=_MISSING,
        cut_rule=CutRule.RATIO,
        aggregate=Aggregate.MEAN,
        notes=notes,
    )


ERAG = (
    _spec(
        "erag",
        "eRAG gain of a context",
        "How good is the answer when the generator sees this one text alone?",
        "g_i = E(M(question, {context i}), reference)",
        "It takes one more generation per context and is therefore never made here: run the "
        "generator offline, score each answer against the reference (exact match, F1, a judge) "
        'and bring one verdict per context in the neutral format: {"metric": "erag", '
        '"context_rank": 2, "value": 0.5}. Other names that begin with erag work alike.',
    ),
    _spec(
        "erag_hit_at_k",
        "eRAG hit rate at k",
        "Is any of the first k texts enough for a useful answer?",
        "1 if g_i > 0 for some i up to k, else 0; for a run the mean",
        "Over the samples that have a gain for each of their contexts.",
    ),
    _spec(
        "erag_precision_at_k",
        "eRAG precision at k",
        "Which part of the first k texts helps the generator?",
        "contexts with g_i > 0 among the first k / k",
        "Divided by k even where fewer were retrieved.",
    ),
    _spec(
        "erag_ndcg_at_k",
        "eRAG nDCG at k",
        "Do the texts that help most stand first?",
        "DCG = sum of g_i / log2(i + 1); divided by that of the best order of what was retrieved",
        "Linear gain. A sample in which no context helps counts as 0.",
    ),
    _spec(
        "erag_mrr",
        "eRAG mean reciprocal rank",
        "How far up stands the first text that helps?",
        "1 / rank of the first context with g_i > 0, 0 without one; for a run the mean",
        "",
    ),
    _spec(
        "erag_map",
        "eRAG MAP",
        "Do all texts that help stand high up?",
        "sum over ranks k with g_k > 0 of P@k / contexts with g > 0",
        "What was never retrieved is unknown and costs nothing.",
    ),
)
