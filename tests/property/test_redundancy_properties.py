from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.hits import duplicate_of, jaccard
from core.metrics.redundancy import redundancy_by_sample, redundancy_of_texts
from core.model import Context
from core.text import tokens

words = st.lists(st.sampled_from(["a", "b", "c", "Dd", "ü", "好", "-", "x1"]), max_size=6)
texts = st.one_of(st.none(), st.text(max_size=12), words.map(" ".join))
samples = st.lists(st.lists(texts, max_size=13), max_size=6)


@given(samples)
def test_arrays_agree_with_a_loop_over_sets(found: list[list[str | None]]) -> None:
    pairs = redundancy_of_texts([list(enumerate(sample, 1)) for sample in found])
    expected = [
        (number, i, j, jaccard(one, other))
        for number, sample in enumerate(found)
        for (i, one), (j, other) in combinations(
            ((rank, frozenset(tokens(text or ""))) for rank, text in enumerate(sample, 1)), 2
        )
        if one and other
    ]
    columns = (pairs.samples, pairs.first, pairs.second, pairs.jaccard)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == [
        pytest.approx(row) for row in expected
    ]


@given(st.lists(words.map(" ".join), min_size=2, max_size=8))
def test_a_sample_has_a_near_duplicate_where_a_context_repeats_another(sample: list[str]) -> None:
    if not all(map(tokens, sample)):
        return
    pairs = redundancy_of_texts([list(enumerate(sample, 1))])
    contexts = [Context(rank, text) for rank, text in enumerate(sample, 1)]
    largest = redundancy_by_sample(pairs).largest
    assert (largest >= 0.8).tolist() == [any(duplicate_of(contexts))]
