import pytest

from core.metrics.hits import duplicate_of, find_hits, jaccard
from core.model import Cause, Context, Gold


def _texts(*texts: str | None) -> list[Context]:
    return [Context(rank, text) for rank, text in enumerate(texts, 1)]


def _ids(*ids: str | None) -> list[Context]:
    return [Context(rank, "same text", doc_id) for rank, doc_id in enumerate(ids, 1)]


def test_gold_ids_are_found_by_id() -> None:
    hits = find_hits(_ids("a", "b", "c"), [Gold("c"), Gold("x")])
    assert hits.basis == "gold_id"
    assert hits.stages == (None, None, "gold_id")
    assert hits.first == 3


def test_the_bases_are_never_mixed() -> None:
    # the text of the first context holds the gold text, but ids decide
    contexts = [Context(1, "the range is 80 km", "a"), Context(2, "other", "b")]
    hits = find_hits(contexts, [Gold("b", "80 km")])
    assert hits.stages == (None, "gold_id")


def test_gold_text_serves_where_the_contexts_have_no_ids() -> None:
    hits = find_hits(_texts("nothing here", "its range is 80 km."), [Gold("b", "range is 80 km")])
    assert hits.basis == "gold_text"
    assert hits.stages == (None, "substring")


def test_gold_text_serves_where_only_some_contexts_have_ids() -> None:
    contexts = [Context(1, "x", "b"), Context(2, "80 km", None)]
    assert find_hits(contexts, [Gold("b", "80 km")]).stages == (None, "substring")
    # without a text the ids that there are must do
    assert find_hits(contexts, [Gold("b")]).stages == ("gold_id", None)


def test_ids_without_texts_against_contexts_without_ids_are_undefined() -> None:
    hits = find_hits(_texts("some text"), [Gold("b")])
    assert (hits.basis, hits.stages, hits.cause) == (None, (), Cause.NO_GOLD)


def test_text_matches_on_token_boundaries() -> None:
    female = _texts("Female 65 years and older")
    # "male 65 years and older" is a raw substring but not a run of tokens;
    # 4 of its 5 distinct tokens occur, so the recall stage fires at exactly .80
    assert find_hits(female, [Gold(text="male 65 years and older")]).stages == ("token_recall",)
    # 2 of 3 = .67
    assert find_hits(female, [Gold(text="male 65 years")]).stages == (None,)


def test_text_matches_whatever_its_case_width_and_punctuation() -> None:
    assert find_hits(_texts("RANGE:  ８０ km!"), [Gold(text="range 80 km")]).stages == (
        "substring",
    )


def test_scattered_tokens_match_by_recall_from_four_fifths() -> None:
    gold = [Gold(text="alpha beta gamma delta epsilon")]
    four, three = _texts("delta x beta y alpha z gamma", "delta x beta y alpha")
    assert find_hits([four, three], gold).stages == ("token_recall", None)


def test_any_piece_of_evidence_is_enough() -> None:
    gold = [Gold(text="first fact"), Gold(text="second fact")]
    assert find_hits(_texts("the second fact", "none"), gold).stages == ("substring", None)


def test_nothing_retrieved_is_a_miss_and_not_recorded_is_undefined() -> None:
    miss = find_hits([], [Gold("a")])
    assert (miss.basis, miss.stages, miss.first, miss.cause) == ("gold_id", (), None, None)
    unknown = find_hits(None, [Gold("a")])
    assert (unknown.basis, unknown.cause) == (None, Cause.CONTEXTS_NOT_RECORDED)


@pytest.mark.parametrize("gold", [[], [Gold(text="?!")], [Gold(text="")]])
def test_without_usable_evidence_hits_are_undefined(gold: list[Gold]) -> None:
    assert find_hits(_texts("text"), gold).cause is Cause.NO_GOLD


def test_a_context_without_text_is_no_hit() -> None:
    assert find_hits(_texts(None, "..."), [Gold(text="word")]).stages == (None, None)


def test_duplicates_name_the_first_rank_they_repeat() -> None:
    contexts = _texts("a b c d", "x y z", "a b c d", "A, B, C; D")
    assert duplicate_of(contexts) == [None, None, 1, 1]


def test_duplicates_from_a_jaccard_index_of_four_fifths() -> None:
    # {a b c d e} and {a b c d}: 4 / 5 = .80; {a b c d e} and {a b c d f}: 4 / 6 = .67
    assert duplicate_of(_texts("a b c d e", "a b c d")) == [None, 1]
    assert duplicate_of(_texts("a b c d e", "a b c d f")) == [None, None]


def test_equal_texts_without_tokens_are_duplicates_and_missing_texts_are_not() -> None:
    assert duplicate_of(_texts("***", "***", "---")) == [None, 1, None]
    assert duplicate_of(_texts(None, None, "", "")) == [None, None, None, None]


def test_jaccard_of_nothing_is_zero() -> None:
    assert jaccard(frozenset(), frozenset()) == 0.0
