from math import isnan

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from core.metrics.similarity import TfidfSimilarity, semantic_similarity
from core.text import tokens

RUN = ["the red lamp", "the blue lamp", "the horn", "die rote Lampe", "退款期限"]
similarity = TfidfSimilarity.fit(RUN)


def test_the_same_words_give_1_and_no_shared_word_gives_0() -> None:
    assert similarity("the red lamp", "The RED lamp!") == pytest.approx(1.0)
    assert similarity("red", "blue") == 0.0


def test_rare_words_weigh_more_than_frequent_ones() -> None:
    rare, frequent = similarity("the horn", "horn"), similarity("the horn", "the")
    assert rare is not None
    assert frequent is not None
    assert rare > frequent


def test_word_order_and_negation_are_not_seen() -> None:
    assert similarity("lamp red", "red lamp") == pytest.approx(1.0)


@pytest.mark.parametrize(("one", "other"), [("", "lamp"), ("lamp", "?"), ("", "")])
def test_without_a_word_similarity_is_undefined(one: str, other: str) -> None:
    assert similarity(one, other) is None


def test_a_word_that_the_run_does_not_hold_weighs_as_the_rarest() -> None:
    # 5 texts: unseen ln(6 / 1) + 1 = 2.791759; horn, in one of them, ln(6 / 2) + 1 = 2.098612.
    # cosine = 2.098612 / sqrt(2.098612^2 + 2.791759^2) = 2.098612 / 3.492577
    assert similarity("zebra", "lamp") == 0.0
    assert similarity("horn zebra", "horn") == pytest.approx(0.600878, abs=1e-6)


def test_figures_are_those_of_scikit_learn() -> None:
    texts = ["the red lamp is red", "the blue lamp", "the horn, the horn", "die rote Lampe"]
    vectorizer = TfidfVectorizer(
        tokenizer=tokens, token_pattern=None, lowercase=False, sublinear_tf=True
    )
    vectors = vectorizer.fit_transform(texts)
    cosines = (vectors @ vectors.T).toarray()
    ours = TfidfSimilarity.fit(texts)
    found = [[ours(one, other) for other in texts] for one in texts]
    np.testing.assert_allclose(found, cosines, atol=1e-12)


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    answers, references = ["red lamp", "", "horn"], ["the red lamp", "x", "blue lamp"]
    found = similarity.of_many(answers, references)
    one_by_one = [similarity(*pair) for pair in zip(answers, references, strict=True)]
    assert [None if isnan(one) else one for one in found.tolist()] == one_by_one


def test_the_best_reference_counts() -> None:
    assert semantic_similarity(similarity, "horn", ["red", "horn"]) == pytest.approx(1.0)
    assert semantic_similarity(similarity, None, "horn") is None
    assert semantic_similarity(similarity, "horn", None) is None
    assert semantic_similarity(similarity, "horn", ["?"]) is None


def test_a_run_without_words_knows_no_similarity() -> None:
    assert TfidfSimilarity.fit(["", "!"])("a", "a") is None


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="1 answers and 2 references"):
        similarity.of_many(["a"], ["a", "b"])
