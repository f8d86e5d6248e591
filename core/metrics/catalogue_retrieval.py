"""The metrics of what the retriever found: one entry each. None of them feeds an axis.

They are computed from gold evidence, never judged; a sample without gold evidence is in none of
them, one for which nothing was retrieved misses in all.
"""

from functools import partial

from core.metrics.spec import Aggregate, Alias, CutRule, MetricSpec, Need
from core.model import Direction

_NEEDS = (Need.CONTEXTS, Need.GOLD)
_NO_GOLD = "the sample has no gold evidence; the run recorded no contexts"
_IR = "Manning, Raghavan, Schütze (2008), Introduction to Information Retrieval, ch. 8"
_RAGX = "RAG-X (arXiv 2603.03541)"

_yes_or_no = partial(
    MetricSpec, needs=_NEEDS, lo=0, hi=1, undefined_when=_NO_GOLD,
    cut_rule=CutRule.BINARY, aggregate=Aggregate.MAJORITY,
)  # fmt: skip
_share = partial(
    MetricSpec, needs=_NEEDS, lo=0, hi=1, undefined_when=_NO_GOLD,
    cut_rule=CutRule.RATIO, aggregate=Aggregate.MEAN,
)  # fmt: skip

RANKING = (
    _yes_or_no(
        id="hit_at_k",
        name="Hit rate at k",
        one_sentence="Is the evidence among the first k retrieved texts?",
        formula="1 if any of the first k contexts holds evidence, else 0; for a run the mean",
        source=f"Success at k; over all contexts {_RAGX} calls it recall and context hit rate",
        notes="Any piece of evidence is enough unless the run's hit policy asks for all or for a "
        "share. It never falls as k grows.",
    ),
    _share(
        id="precision_at_k",
        name="Precision at k",
        one_sentence="Which part of the first k retrieved texts holds evidence?",
        formula="relevant contexts among the first k / k",
        source=_IR,
        notes="Divided by k even where fewer were retrieved, as trec_eval does; a document "
        "retrieved twice counts once.",
    ),
    _share(
        id="recall_at_k",
        name="Recall at k",
        one_sentence="Which part of all the evidence is among the first k retrieved texts?",
        formula="pieces of evidence in the first k contexts / all pieces of evidence",
        source=_IR,
        notes="A group of which any member will do is one piece. Never above 1.",
    ),
    _share(
        id="mrr",
        name="Mean reciprocal rank",
        one_sentence="How far up does the first text with evidence stand?",
        formula="1 / rank of the first hit, 0 without one; for a run the mean",
        source=_IR,
        aliases=(Alias("trec", "recip_rank", is_sure=True), Alias("autorag", "retrieval_mrr")),
        notes="Ranks as stored, never sorted anew by the retriever's scores.",
    ),
    _share(
        id="map_trec",
        name="MAP over all evidence",
        one_sentence="Does all of the evidence stand high up, none of it missing?",
        formula="(1 / R) sum over ranks k with new evidence of P@k, R = all pieces of evidence",
        source="Voorhees and Harman (2005), TREC, ch. 3",
        aliases=(Alias("trec", "map"),),
        notes="Evidence that was never retrieved costs: ranks 1 and 3 of four pieces give 0.42.",
    ),
    _share(
        id="map_retrieved",
        name="MAP over the retrieved evidence",
        one_sentence="Do the texts with evidence stand above those without?",
        formula="sum_k (P@k v_k) / sum_k v_k, with v_k = 1 if context k is relevant",
        source=f"{_RAGX}, MAP; the formula of context precision",
        notes="Evidence that was never retrieved costs nothing: ranks 1 and 3 give 0.83 however "
        "many pieces there are. 0 without a hit.",
    ),
    _share(
        id="ndcg_at_k",
        name="nDCG at k",
        one_sentence="How near does the order of the first k texts come to the best one?",
        formula="DCG = sum_i g_i / log2(i + 1); DCG / DCG of all evidence, best first",
        source="Järvelin and Kekäläinen (2002), TOIS 20; linear gain as in trec_eval",
        notes="g is the grade of the gold item, 1 where it has none; a context gains by evidence "
        "that no earlier one holds.",
    ),
    _share(
        id="ndcg_exp_at_k",
        name="nDCG at k, exponential gain",
        one_sentence="How near does the order come to the best one, high grades weighing more?",
        formula="as nDCG with 2^g - 1 in place of g",
        source="Burges et al. (2005), ICML",
        notes="The same as nDCG where no grades are given.",
    ),
)

DIAGNOSTICS = (
    _yes_or_no(
        id="context_hit_rate",
        name="Context-k hit rate",
        one_sentence="How often does the text at this very rank hold evidence?",
        formula="mean of h(k), h(k) = 1 if the context at rank k holds evidence",
        source=f"{_RAGX}, Context-k Hit Rate",
        notes="One rank alone, not the first k together: it may fall and rise with k.",
    ),
    _yes_or_no(
        id="no_hit_rate",
        name="No-hit rate",
        one_sentence="How often does no retrieved text hold evidence?",
        formula="mean of 1 - hit over all contexts",
        source=_RAGX,
        direction=Direction.LOWER,
        notes="Lower is better. With the exclusive hit rates of all ranks and the share with two "
        "hits or more it adds up to 1.",
    ),
    _yes_or_no(
        id="exclusive_hit_rate",
        name="Exclusive hit rate",
        one_sentence="How often is this rank the only one whose text holds evidence?",
        formula="mean of 1 if h(k) = 1 and h(j) = 0 at every other rank j",
        source=f"{_RAGX}, EHR@k",
        notes="High: one source carries the answer. Low beside a high hit rate: the evidence is "
        "there several times.",
    ),
    _yes_or_no(
        id="pairwise_redundancy",
        name="Joint hits of two ranks",
        one_sentence="How often do the texts at two ranks both hold evidence?",
        formula="mean of 1 if h(i) = 1 and h(j) = 1, over all samples",
        source=f"{_RAGX}, pairwise redundancy",
        direction=Direction.LOWER,
        notes="About evidence, not about wording: for that see text redundancy.",
    ),
    _yes_or_no(
        id="hit_count_dist",
        name="Number of hits",
        one_sentence="How often do exactly m of the retrieved texts hold evidence?",
        formula="share of the samples with exactly m hits, m from 0",
        source=_RAGX,
        notes="Adds up to 1 over m.",
    ),
    MetricSpec(
        id="text_redundancy",
        name="Text redundancy",
        one_sentence="How much do the retrieved texts repeat one another's words?",
        formula="mean over pairs of contexts of shared tokens / tokens of either",
        source="Definition of this product (Jaccard index of token sets)",
        needs=(Need.CONTEXTS,),
        lo=0,
        hi=1,
        undefined_when="fewer than two contexts have text",
        cut_rule=CutRule.RATIO,
        aggregate=Aggregate.MEAN,
        direction=Direction.LOWER,
        notes="Needs no gold. For a run the mean over samples, so that long lists weigh no more.",
    ),
    MetricSpec(
        id="near_duplicates",
        name="Near duplicates",
        one_sentence="How often are two of the retrieved texts nearly the same?",
        formula="1 if the most similar pair shares at least 80 % of its tokens, else 0",
        source="Definition of this product",
        needs=(Need.CONTEXTS,),
        lo=0,
        hi=1,
        undefined_when="fewer than two contexts have text",
        cut_rule=CutRule.BINARY,
        aggregate=Aggregate.MAJORITY,
        direction=Direction.LOWER,
        notes="Needs no gold.",
    ),
)
