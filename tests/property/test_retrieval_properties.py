"""What holds for every ranking, and what other implementations say about it."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from core.metrics.hits import Hits, find_hits
from core.metrics.retrieval import (
    hit_at_k,
    map_retrieved,
    map_trec,
    mrr,
    ndcg_at_k,
    ndcg_exp_at_k,
    precision_at_k,
    recall_at_k,
)
from core.metrics.retrieval_figures import retrieval_figures
from core.metrics.retrieval_table import RetrievalTable, table_from_hits
from core.model import Context, Gold

DOCUMENTS = "abcdefghij"

rankings = st.lists(st.sampled_from(DOCUMENTS), max_size=8)
grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(1, 4), min_size=1, max_size=6)
groups = st.sampled_from([None, "one", "two"])
cases = st.lists(
    st.tuples(rankings, grades, st.lists(groups, min_size=6, max_size=6)), min_size=1, max_size=12
)


def _hits(ranking: list[str], gold: dict[str, int], of_group: list[str | None]) -> Hits:
    contexts = [Context(rank, None, doc_id) for rank, doc_id in enumerate(ranking, 1)]
    items = [
        Gold(doc_id, grade=grade, group=group)
        for (doc_id, grade), group in zip(gold.items(), of_group, strict=False)
    ]
    return find_hits(contexts, items)


def _table(samples: list[tuple[list[str], dict[str, int], list[str | None]]]) -> RetrievalTable:
    return table_from_hits([_hits(*sample) for sample in samples])


@given(cases)
def test_hits_add_up_by_their_number(
    samples: list[tuple[list[str], dict[str, int], list[str | None]]],
) -> None:
    figures = retrieval_figures(_table(samples))
    exclusive = sum(rate.k for rate in figures.exclusive_hit_rate.values())
    several = sum(rate.k for m, rate in figures.hit_count_dist.items() if m >= 2)
    # no hit, exactly one and at least two: all samples
    assert figures.no_hit_rate.k + exclusive + several == figures.n
    assert sum(rate.k for rate in figures.hit_count_dist.values()) == figures.n
    assert figures.no_hit_rate.k + figures.hit_at_k[figures.depth].k == figures.n
    # hits counted by rank and by sample are the same hits; pairs of m hits are m (m - 1) / 2
    by_rank = sum(rate.k for rate in figures.context_hit_rate.values())
    assert by_rank == sum(m * rate.k for m, rate in figures.hit_count_dist.items())
    pairs = sum(rate.k for rate in figures.pairwise_redundancy.values())
    assert pairs == sum(m * (m - 1) / 2 * rate.k for m, rate in figures.hit_count_dist.items())


@given(cases)
def test_figures_stay_in_range_and_grow_with_k(
    samples: list[tuple[list[str], dict[str, int], list[str | None]]],
) -> None:
    table = _table(samples)
    before_hit, before_recall = np.zeros(table.n), np.zeros(table.n)
    for k in range(1, 10):
        hit, recall = table.hit_at_k(k), table.recall_at_k(k)
        assert (before_hit <= hit).all()
        assert (before_recall <= recall).all()
        assert (recall <= 1).all()
        for values in (table.precision_at_k(k), table.ndcg_at_k(k)):
            assert (values >= 0).all()
            assert (values <= 1 + 1e-12).all()
        before_hit, before_recall = hit, recall
    assert (table.map_trec() <= 1 + 1e-12).all()


@given(cases)
def test_what_was_never_retrieved_only_costs(
    samples: list[tuple[list[str], dict[str, int], list[str | None]]],
) -> None:
    table = _table([(ranking, gold, [None] * 6) for ranking, gold, _ in samples])
    assert (table.map_trec() <= table.map_retrieved() + 1e-12).all()


@given(cases, st.integers(1, 10))
def test_arrays_agree_with_the_metric_of_each_sample(
    samples: list[tuple[list[str], dict[str, int], list[str | None]]], k: int
) -> None:
    ungrouped = [(ranking, gold, [None] * 6) for ranking, gold, _ in samples]
    table = _table(ungrouped)
    for row, (ranking, gold, _) in enumerate(ungrouped):
        gains = [
            0 if doc_id in ranking[:place] else gold.get(doc_id, 0)
            for place, doc_id in enumerate(ranking)
        ]
        ideal = list(gold.values())
        expected = {
            "hit": float(hit_at_k(gains, k)),
            "precision": precision_at_k(gains, k),
            "recall": recall_at_k(gains, len(gold), k),
            "mrr": mrr(gains),
            "map_trec": map_trec(gains, len(gold)),
            "map_retrieved": map_retrieved(gains),
            "ndcg": ndcg_at_k(gains, ideal, k),
            "ndcg_exp": ndcg_exp_at_k(gains, ideal, k),
        }
        found = {
            "hit": table.hit_at_k(k)[row],
            "precision": table.precision_at_k(k)[row],
            "recall": table.recall_at_k(k)[row],
            "mrr": table.mrr()[row],
            "map_trec": table.map_trec()[row],
            "map_retrieved": table.map_retrieved()[row],
            "ndcg": table.ndcg_at_k(k)[row],
            "ndcg_exp": table.ndcg_at_k(k, is_exponential=True)[row],
        }
        assert found == pytest.approx(expected)


@given(cases)
def test_order_of_the_samples_does_not_matter(
    samples: list[tuple[list[str], dict[str, int], list[str | None]]],
) -> None:
    forth, back = retrieval_figures(_table(samples)), retrieval_figures(_table(samples[::-1]))
    assert forth.as_json()["hit_at_k"] == back.as_json()["hit_at_k"]
    assert forth.mrr == back.mrr


distinct = st.lists(st.sampled_from(DOCUMENTS), max_size=8, unique=True)


@given(st.lists(st.tuples(distinct, grades), min_size=1, max_size=6), st.integers(1, 8))
def test_ir_measures_agrees(samples: list[tuple[list[str], dict[str, int]]], k: int) -> None:
    measures = {
        "hit": ir_measures.Success @ k,
        "precision": ir_measures.P @ k,
        "recall": ir_measures.R @ k,
        "mrr": ir_measures.RR,
        "map_trec": ir_measures.AP,
        "ndcg": ir_measures.nDCG @ k,
    }
    # Falling scores, since it sorts by score; a query without a context has no row there.
    table = _table([(ranking, gold, [None] * 6) for ranking, gold in samples if ranking])
    qrels = {str(row): gold for row, (_, gold) in enumerate(samples) if samples[row][0]}
    run = {
        str(row): {doc_id: float(100 - place) for place, doc_id in enumerate(ranking)}
        for row, (ranking, _) in enumerate(samples)
        if ranking
    }
    if not run:
        return
    theirs = ir_measures.calc_aggregate(list(measures.values()), qrels, run)
    figures = retrieval_figures(table, k)
    deep = retrieval_figures(table)
    ours = {
        "hit": figures.hit_at_k[k].value,
        "precision": figures.precision[k].value,
        "recall": figures.recall[k].value,
        "mrr": deep.mrr.value,
        "map_trec": deep.map_trec.value,
        "ndcg": figures.ndcg[k].value,
    }
    assert ours == pytest.approx({name: theirs[one] for name, one in measures.items()}, abs=1e-9)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=12).filter(any), st.integers(1, 12))
def test_scikit_learn_agrees_on_ndcg(gains: list[int], k: int) -> None:
    falling = [[float(-place) for place in range(len(gains))]]
    theirs = ndcg_score([gains], falling, k=k)
    assert ndcg_at_k(gains, gains, k) == pytest.approx(theirs)
    exponential = [[2.0**gain - 1 for gain in gains]]
    assert ndcg_exp_at_k(gains, gains, k) == pytest.approx(ndcg_score(exponential, falling, k=k))


binary = st.lists(st.integers(0, 1), max_size=10)


@given(binary, st.integers(1, 10))
def test_gains_of_0_and_1_make_both_ndcg_the_same(gains: list[int], k: int) -> None:
    ideal = [1] * max(1, sum(gains))
    assert ndcg_at_k(gains, ideal, k) == pytest.approx(ndcg_exp_at_k(gains, ideal, k))


@given(binary, st.integers(0, 9))
def test_moving_a_relevant_context_up_never_costs(gains: list[int], at: int) -> None:
    if at + 1 >= len(gains) or not (gains[at] == 0 and gains[at + 1] == 1):
        return
    better = [*gains[:at], 1, 0, *gains[at + 2 :]]
    ideal = [1] * sum(gains)
    assert mrr(better) >= mrr(gains)
    assert map_retrieved(better) > map_retrieved(gains)
    for k in range(1, len(gains) + 1):
        assert (ndcg_at_k(better, ideal, k) or 0) >= (ndcg_at_k(gains, ideal, k) or 0) - 1e-12
