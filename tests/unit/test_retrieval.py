"""Ranking metrics of one sample, and figures of a run, against hand calculation."""

from math import log2

import pytest

from core.metrics.hits import ALL, HitPolicy, Hits, find_hits
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
from core.metrics.retrieval_figures import RetrievalFigures, retrieval_figures
from core.metrics.retrieval_table import RetrievalTable, table_from_hits, table_from_matches
from core.model import Cause, Context, Gold


def _one(contexts: str, *gold: Gold) -> Hits:
    """Hits of a sample whose contexts are the documents named by single letters."""
    listed = [Context(rank, None, doc_id) for rank, doc_id in enumerate(contexts, 1)]
    return find_hits(listed, gold)


def _rows(*rows: str, n_pieces: int = 1) -> RetrievalTable:
    """Table of hit rows such as 101; every hit holds the same one piece."""
    matches = [
        (row, place, row * n_pieces)
        for row, marks in enumerate(rows)
        for place, mark in enumerate(marks, 1)
        if mark == "1"
    ]
    owner = [row for row in range(len(rows)) for _ in range(n_pieces)]
    return table_from_matches([len(row) for row in rows], owner, [1.0] * len(owner), matches)


# METRICS 4.2
PUBLISHED = _rows("100", "110", "000", "010", "111")


def _values(figures: object) -> list[float]:
    assert isinstance(figures, dict)
    return [rate.value for rate in figures.values()]


# --- one sample -----------------------------------------------------------------------------------


def test_map_of_ranks_1_and_3_depends_on_what_was_never_retrieved() -> None:
    # METRICS 4.2: (1/1 + 2/3) / 4 and (1/1 + 2/3) / 2
    assert map_trec([1, 0, 1], 4) == pytest.approx(0.4167, abs=5e-5)
    assert map_retrieved([1, 0, 1]) == pytest.approx(0.8333, abs=5e-5)


def test_ndcg_of_the_published_gains() -> None:
    gains = [3, 2, 3, 0, 1, 2]
    # 3/1 + 2/1.5850 + 3/2 + 0 + 1/2.5850 + 2/2.8074 = 6.8611; ideal 3 3 2 2 1 0: 7.1410
    dcg = 3 + 2 / log2(3) + 3 / 2 + 1 / log2(6) + 2 / log2(7)
    best = 3 + 3 / log2(3) + 2 / 2 + 2 / log2(5) + 1 / log2(6)
    assert (dcg, best) == (pytest.approx(6.8611, abs=5e-5), pytest.approx(7.1410, abs=5e-5))
    assert ndcg_at_k(gains, gains, 6) == pytest.approx(dcg / best)
    assert ndcg_at_k(gains, gains, 6) == pytest.approx(0.9608, abs=5e-5)
    assert ndcg_exp_at_k(gains, gains, 6) == pytest.approx(0.9488, abs=5e-5)


def test_ndcg_counts_what_was_never_retrieved_in_its_ideal() -> None:
    # found 1 at rank 2: 1/log2(3) = .6309; ideal of two: 1 + .6309
    assert ndcg_at_k([0, 1], [1, 1], 2) == pytest.approx(0.6309 / 1.6309, abs=1e-4)


def test_ndcg_is_0_without_a_find_and_undefined_without_anything_to_find() -> None:
    assert ndcg_at_k([0, 0], [1], 2) == 0.0
    assert ndcg_at_k([0, 0], [], 2) is None
    assert ndcg_at_k([0], [0, 0], 1) is None


def test_recall_and_map_are_undefined_without_anything_relevant() -> None:
    assert recall_at_k([0, 0], 0, 2) is None
    assert map_trec([], 0) is None


def test_repeated_hits_never_give_more_than_all() -> None:
    assert recall_at_k([1, 1, 1], 1, 3) == 1.0
    assert map_trec([1, 1, 1], 1) == 1.0
    assert map_trec([0, 1, 1], 1) == 0.5


def test_nothing_retrieved_is_a_miss_everywhere() -> None:
    assert (hit_at_k([], 3), precision_at_k([], 3), recall_at_k([], 2, 3)) == (0, 0.0, 0.0)
    assert (mrr([]), map_trec([], 2), map_retrieved([]), ndcg_at_k([], [1], 3)) == (0, 0, 0, 0)


def test_grades_count_as_relevant_from_above_0() -> None:
    assert (hit_at_k([0, 0.5], 2), hit_at_k([0, -1], 2)) == (1, 0)
    assert precision_at_k([3, 0, 2], 3) == pytest.approx(2 / 3)


@pytest.mark.parametrize("k", [0, -1])
def test_k_counts_from_1(k: int) -> None:
    for metric in (hit_at_k, precision_at_k):
        with pytest.raises(ValueError, match="first rank is 1"):
            metric([1], k)
    with pytest.raises(ValueError, match="first rank is 1"):
        recall_at_k([1], 1, k)
    with pytest.raises(ValueError, match="first rank is 1"):
        PUBLISHED.cut(k)


def test_a_negative_number_of_relevant_documents_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 relevant"):
        map_trec([1], -1)


# --- a run ----------------------------------------------------------------------------------------


def test_figures_of_the_published_hit_rows() -> None:
    figures = retrieval_figures(PUBLISHED)
    assert _values(figures.context_hit_rate) == [0.6, 0.6, 0.2]
    assert _values(figures.hit_at_k) == [0.6, 0.8, 0.8]
    assert figures.no_hit_rate.value == pytest.approx(0.2)
    assert _values(figures.exclusive_hit_rate) == [0.2, 0.2, 0.0]
    assert {pair: rate.value for pair, rate in figures.pairwise_redundancy.items()} == {
        (1, 2): 0.4,
        (1, 3): 0.2,
        (2, 3): 0.2,
    }
    assert figures.mrr.value == pytest.approx(0.7)  # (1 + 1 + 0 + 1/2 + 1) / 5
    # 0 hits: 000; 1: 100, 010; 2: 110; 3: 111
    assert _values(figures.hit_count_dist) == [0.2, 0.4, 0.2, 0.2]


def test_shares_bear_wilson_intervals_and_means_bootstrap_intervals() -> None:
    figures = retrieval_figures(PUBLISHED)
    hit = figures.hit_at_k[1]
    assert (hit.n, hit.k) == (5, 3)
    assert (hit.low, hit.high) == (pytest.approx(0.2307, abs=5e-5), pytest.approx(0.8824, abs=5e-5))
    assert figures.mrr.n == 5
    assert figures.mrr.low is not None
    assert 0 <= figures.mrr.low < 0.7
    assert retrieval_figures(PUBLISHED, seed=0) == figures


def test_precision_divides_by_k_even_where_fewer_were_retrieved() -> None:
    figures = retrieval_figures(_rows("1", "10"), k=4)
    # 1/4 and 1/4
    assert figures.precision[4].value == 0.25


def test_a_short_list_stays_in_the_denominator_but_not_in_usefulness() -> None:
    figures = retrieval_figures(_rows("0", "01", "11"))
    assert figures.context_hit_rate[2].value == pytest.approx(2 / 3)
    assert (figures.useful_by_rank[2].value, figures.useful_by_rank[2].n) == (1.0, 2)


def test_depth_cuts_every_figure() -> None:
    figures = retrieval_figures(_rows("001", "100"), k=2)
    assert figures.no_hit_rate.value == 0.5
    assert figures.hit_at_k[2].value == 0.5
    assert figures.mrr.value == 0.5
    assert sorted(figures.hit_at_k) == [1, 2]


def test_ranks_beyond_the_longest_list_repeat_the_last_figure() -> None:
    figures = retrieval_figures(_rows("01"), k=4)
    assert _values(figures.hit_at_k) == [0.0, 1.0, 1.0, 1.0]
    assert _values(figures.context_hit_rate) == [0.0, 1.0, 0.0, 0.0]
    assert figures.useful_by_rank[4].value is None


def test_a_document_retrieved_twice_counts_once() -> None:
    table = table_from_hits([_one("aab", Gold("a"), Gold("b"))])
    figures = retrieval_figures(table)
    assert _values(figures.recall) == [0.5, 0.5, 1.0]
    assert _values(figures.precision) == pytest.approx([1, 1 / 2, 2 / 3])
    # P@1 · 1 + P@3 · 1 = 1 + 2/3, over two pieces
    assert figures.map_trec.value == pytest.approx((1 + 2 / 3) / 2)
    # joint hits are about the evidence standing there twice, so there the repetition counts
    assert figures.pairwise_redundancy[1, 2].value == 1.0


def test_the_same_evidence_in_two_documents_is_recalled_once() -> None:
    contexts = [Context(1, "due in May", "x"), Context(2, "it is due in May", "y")]
    table = table_from_hits([find_hits(contexts, [Gold(text="due in May"), Gold(text="3 euros")])])
    figures = retrieval_figures(table)
    assert _values(figures.recall) == [0.5, 0.5]
    assert _values(figures.precision) == [1.0, 1.0]


def test_groups_are_recalled_by_any_member() -> None:
    gold = [Gold("a", group="1"), Gold("b", group="1"), Gold("c", group="2")]
    figures = retrieval_figures(table_from_hits([_one("abx", *gold)]))
    assert _values(figures.recall) == [0.5, 0.5, 0.5]
    assert _values(figures.hit_all_at_k) == [0.0, 0.0, 0.0]


def test_all_the_evidence_is_asked_for_only_where_there_are_several_pieces() -> None:
    table = table_from_hits([_one("ab", Gold("a"), Gold("b")), _one("ab", Gold("a"))])
    figures = retrieval_figures(table)
    assert [(rate.k, rate.n) for rate in figures.hit_all_at_k.values()] == [(0, 1), (1, 1)]
    assert retrieval_figures(_rows("1")).hit_all_at_k[1].value is None


def test_policy_of_a_table_is_that_of_its_samples() -> None:
    samples = [_one("axb", Gold("a"), Gold("b"), Gold("c")), _one("x", Gold("a"))]
    table = table_from_hits(samples)
    for policy in (HitPolicy(0.0), HitPolicy(0.5), ALL):
        for k in (1, 3):
            expected = [hits.is_hit(policy, k) for hits in samples]
            assert table.hit_at_k(k, policy).tolist() == expected


def test_graded_gold_weighs_in_ndcg() -> None:
    gold = [Gold("a", grade=1), Gold("b", grade=3)]
    figures = retrieval_figures(table_from_hits([_one("ab", *gold)]))
    # (1 + 3/log2(3)) / (3 + 1/log2(3)) = 2.8928 / 3.6309
    assert figures.ndcg[2].value == pytest.approx(0.7967, abs=5e-5)
    # (1 + 7/log2(3)) / (7 + 1/log2(3)) = 5.4165 / 7.6309
    assert figures.ndcg_exp[2].value == pytest.approx(0.7098, abs=5e-5)


def test_ideal_of_more_evidence_than_was_retrieved() -> None:
    figures = retrieval_figures(table_from_hits([_one("a", *map(Gold, "abc"))]), k=3)
    # 1 / (1 + 1/log2(3) + 1/2)
    assert figures.ndcg[3].value == pytest.approx(1 / 2.1309, abs=5e-5)


def test_one_context_with_all_the_evidence_is_full_recall_and_average_precision() -> None:
    contexts = [Context(1, "due in May, fee 3 euros")]
    gold = [Gold(text="due in May"), Gold(text="fee 3 euros")]
    figures = retrieval_figures(table_from_hits([find_hits(contexts, gold)]))
    assert (figures.recall[1].value, figures.map_trec.value) == (1.0, 1.0)


# --- what is not assessed -------------------------------------------------------------------------


def test_samples_without_gold_are_counted_and_never_a_zero() -> None:
    table = table_from_hits([_one("a", Gold("a")), _one("a"), find_hits(None, [Gold("a")])])
    figures = retrieval_figures(table)
    assert (figures.n, figures.n_no_gold, figures.n_contexts_not_recorded) == (1, 1, 1)
    assert figures.hit_at_k[1].value == 1.0


def test_an_empty_list_is_a_miss() -> None:
    figures = retrieval_figures(table_from_hits([_one("", Gold("a")), _one("a", Gold("a"))]))
    assert (figures.n, figures.hit_at_k[1].value, figures.mrr.value) == (2, 0.5, 0.5)


def test_only_empty_lists_are_all_misses() -> None:
    figures = retrieval_figures(table_from_hits([_one("", Gold("a")), _one("", Gold("a"))]))
    assert (figures.depth, figures.no_hit_rate.value, figures.map_trec.value) == (1, 1.0, 0.0)
    assert figures.ndcg[1].value == 0.0


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        ([], "no sample has gold evidence"),
        ([_one("a")], "no sample has gold evidence"),
        ([Hits(None, (), Cause.CONTEXTS_NOT_RECORDED)], "the run recorded no contexts"),
    ],
)
def test_nothing_assessed_is_undefined_with_its_reason(samples: list[Hits], reason: str) -> None:
    document = retrieval_figures(table_from_hits(samples)).as_json()
    assert document["n"] == 0
    for name in ("mrr", "map_trec", "no_hit_rate"):
        assert document[name] == {
            "value": None,
            "low": None,
            "high": None,
            "n": 0,
            "reason": reason,
        }
    assert document["hit_at_k"]["1"]["reason"] == reason


def test_json_is_keyed_by_k_and_by_pair_as_text() -> None:
    document = RetrievalFigures.as_json(retrieval_figures(PUBLISHED))
    for name in (
        "hit_at_k",
        "context_hit_rate",
        "exclusive_hit_rate",
        "precision",
        "recall",
        "ndcg",
    ):
        assert list(document[name]) == ["1", "2", "3"]
    assert list(document["pairwise_redundancy"]) == ["1,2", "1,3", "2,3"]
    assert "n_no_gold" not in document
    assert document["hit_at_k"]["1"]["n"] == 5


def test_more_than_a_hundred_contexts_are_no_trouble() -> None:
    figures = retrieval_figures(_rows("0" * 149 + "1"))
    assert figures.mrr.value == pytest.approx(1 / 150)
    assert (figures.hit_at_k[149].value, figures.hit_at_k[150].value) == (0.0, 1.0)


def test_a_table_refuses_samples_without_evidence_and_grades_that_are_none() -> None:
    with pytest.raises(ValueError, match="needs evidence"):
        table_from_matches([1, 1], [0], [1.0], [])
    with pytest.raises(ValueError, match="needs evidence"):
        table_from_matches([1], [0], [0.0], [])
