"""eRAG: gains per context, aggregated like relevance grades; ir-measures says the same."""

from math import log2

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, nDCG

from core.metrics.context_gains import GainFigures, gain_figures


def figures_of(lists: list[list[float | None]], k: int | None = None) -> GainFigures:
    rows = [
        (sample, place, gain)
        for sample, gains in enumerate(lists)
        for place, gain in enumerate(gains, 1)
        if gain is not None
    ]
    columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    return gain_figures(*columns, [len(gains) for gains in lists], k)


def test_worked_case() -> None:
    found = figures_of([[0, 1, 0.5], [1, 0, 0], [0, 0, 0]])
    assert (found.n, found.n_incomplete, found.depth) == (3, 0, 3)
    # Rank means: (0 + 1 + 0) / 3, (1 + 0 + 0) / 3, (0.5 + 0 + 0) / 3
    assert [found.gain_by_rank[k].value for k in (1, 2, 3)] == pytest.approx([1 / 3, 1 / 3, 1 / 6])
    assert [found.hit_at_k[k].k for k in (1, 2, 3)] == [1, 2, 2]
    # Useful among the first 2: one, one, none: (1/2 + 1/2 + 0) / 3
    assert found.precision[2].value == pytest.approx(1 / 3)
    # First useful at ranks 2, 1, none: (1/2 + 1 + 0) / 3
    assert found.mrr.value == pytest.approx(0.5)
    # (1/2 + 2/3) / 2 = 7/12; 1; 0
    assert found.map_retrieved.value == pytest.approx((7 / 12 + 1 + 0) / 3)
    # DCG (1/log2 3 + 0.5/2) of the best (1 + 0.5/log2 3); 1; 0
    first = (1 / log2(3) + 0.5 / 2) / (1 + 0.5 / log2(3))
    assert found.ndcg[3].value == pytest.approx((first + 1 + 0) / 3)


def test_samples_without_a_gain_for_each_context_are_counted_beside() -> None:
    found = figures_of([[1, None], [0, 1], [None, None]])
    assert (found.n, found.n_incomplete) == (1, 1)
    assert found.mrr.value == 0.5


def test_lists_of_different_length_miss_where_they_have_nothing() -> None:
    found = figures_of([[1], [0, 1]])
    assert found.gain_by_rank[2].n == 1
    # 1 of 2 and 1 of 2, though the first list ends at rank 1
    assert found.precision[2].value == 0.5


def test_nothing_is_undefined_with_a_reason() -> None:
    found = figures_of([])
    assert found.n == 0
    assert found.mrr.value is None
    assert found.mrr.reason == "no sample has a gain for each of its contexts"
    assert found.as_json()["hit_at_k"] == {}
    assert figures_of([[1.0]], k=3).precision[3].value == pytest.approx(1 / 3)


@given(
    st.lists(
        st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=6), min_size=1, max_size=6
    )
)
def test_the_same_as_ir_measures(lists: list[list[int]]) -> None:
    found = figures_of([[float(gain) for gain in gains] for gains in lists])
    qrels = {
        str(sample): {str(place): gain for place, gain in enumerate(gains)}
        for sample, gains in enumerate(lists)
    }
    run = {
        str(sample): {str(place): float(-place) for place in range(len(gains))}
        for sample, gains in enumerate(lists)
    }
    measures = [RR, AP, P @ 2, nDCG @ 3]
    got = {str(m): [] for m in measures}
    for one in ir_measures.iter_calc(measures, qrels, run):
        got[str(one.measure)].append(one.value)
    expected = [float(np.mean(got[str(m)])) for m in measures]
    ours = [found.mrr.value, found.map_retrieved.value]
    depth = found.depth
    ours += [
        figures_of(lists, k=2).precision[2].value,
        figures_of(lists, k=max(3, depth)).ndcg[3].value,
    ]
    assert ours == pytest.approx(expected, abs=1e-9)
