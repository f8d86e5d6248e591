from hypothesis import given
from hypothesis import strategies as st

from core.metrics import lcs
from core.metrics.answers import (
    exact_match,
    list_component_f1,
    list_overlap,
    rouge_l,
    rouge_l_overlap,
    token_f1,
    token_overlap,
)
from core.metrics.correctness import correctness
from core.metrics.item_lists import items_of, match_items

letters = st.lists(st.sampled_from("abcd"), max_size=30)
words = st.lists(
    st.sampled_from(["the", "red", "lamp", "no", "1", "2,5", "好", "and", ",", ";", "-", "Über"]),
    max_size=10,
).map(" ".join)
texts = st.one_of(words, st.text(max_size=20))


def _table(one: list[str], other: list[str]) -> int:
    """The textbook's table, row by row."""
    row = [0] * (len(other) + 1)
    for token in one:
        before = row
        row = [0]
        for place, there in enumerate(other):
            row.append(before[place] + 1 if token == there else max(before[place + 1], row[place]))
    return row[-1]


@given(letters, letters, st.integers(1, 9))
def test_lcs_in_blocks_of_bits_is_that_of_the_table(
    one: list[str], other: list[str], bits: int
) -> None:
    before = lcs._BITS
    lcs._BITS = bits
    try:
        assert lcs.lcs_length(one, other) == _table(one, other)
    finally:
        lcs._BITS = before


@given(texts, texts)
def test_scores_lie_in_0_to_1_and_the_same_text_gives_1(one: str, other: str) -> None:
    for metric in (exact_match, token_f1, rouge_l):
        score = metric(one, other)
        assert score is not None
        assert 0 <= score <= 1
        assert metric(one, one) == 1
    listed = list_component_f1(one, other)
    assert listed is None if not items_of(other) else listed is not None and 0 <= listed <= 1


@given(texts, texts)
def test_precision_and_recall_change_places_with_the_texts(one: str, other: str) -> None:
    for compare in (token_overlap, rouge_l_overlap, list_overlap):
        forth, back = compare(one, other), compare(other, one)
        assert (forth.precision, forth.recall) == (back.recall, back.precision)
        assert forth.f1 == back.f1


@given(texts, texts)
def test_no_item_is_matched_twice(one: str, other: str) -> None:
    pairs = match_items(items_of(one), items_of(other))
    assert len({i for i, _ in pairs}) == len(pairs) == len({j for _, j in pairs})


@given(texts, st.lists(texts, max_size=3))
def test_the_same_text_as_a_reference_is_never_wrong(text: str, others: list[str]) -> None:
    assert correctness(text, [*others, text]).value == 1
