"""Unsupported claims are found again in the answer, whatever a verdict's detail looks like."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.components.sample_text import Unsupported, context_scores, unsupported

ANSWER = "It is red. It flies. It is red."
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
claims = st.lists(json_values | st.fixed_dictionaries({"start": json_values, "end": json_values}))


def test_spans_are_taken_as_they_are_given() -> None:
    # "It flies." stands at 11 to 20.
    detail = {"unsupported": [{"start": 11, "end": 20, "text": "It flies.", "support": 0.1}]}

    assert unsupported(ANSWER, detail) == Unsupported(((11, 20),), ("It flies.",), ())


def test_claim_in_the_words_of_the_answer_is_found_there() -> None:
    assert unsupported(ANSWER, {"unsupported_claims": ["It flies."]}).spans == ((11, 20),)


def test_claim_in_other_words_is_listed_apart_and_marks_nothing() -> None:
    found = unsupported(ANSWER, {"unsupported_claims": ["The thing can fly."]})

    assert found == Unsupported((), (), ("The thing can fly.",))


@pytest.mark.parametrize("span", [(5, 99), (-1, 3), (7, 7), (9, 2), (31, 40)])
def test_span_of_another_text_marks_nothing_but_is_not_lost(span: tuple[int, int]) -> None:
    detail = {"unsupported": [{"start": span[0], "end": span[1], "text": "Of an older answer."}]}

    assert unsupported(ANSWER, detail) == Unsupported((), (), ("Of an older answer.",))


def test_span_of_another_text_whose_words_stand_in_the_answer_marks_them() -> None:
    detail = {"unsupported": [{"start": 50, "end": 59, "text": "It flies."}]}

    assert unsupported(ANSWER, detail).spans == ((11, 20),)


@pytest.mark.parametrize(
    "detail",
    [None, [], "text", 7, {}, {"unsupported": None}, {"unsupported": "x"}, {"unsupported": [None]},
     {"unsupported": [{"start": "1", "end": "2"}]}, {"unsupported_claims": ["", "  ", 3, None]}],
)  # fmt: skip
def test_detail_that_says_nothing_marks_nothing(detail: Any) -> None:
    assert unsupported(ANSWER, detail) == Unsupported((), (), ())


@given(st.fixed_dictionaries({}, optional={"unsupported": claims, "unsupported_claims": claims}))
def test_any_detail_of_a_file_gives_spans_within_the_answer(detail: dict[str, Any]) -> None:
    found = unsupported(ANSWER, detail)

    assert [ANSWER[start:end] for start, end in found.spans] == list(found.claims)
    assert all(0 <= start < end <= len(ANSWER) for start, end in found.spans)


@given(json_values)
def test_any_detail_of_a_file_can_be_asked_for_scores_of_contexts(detail: Any) -> None:
    assert all(isinstance(rank, int) for rank in context_scores(detail))


def test_scores_of_contexts_by_rank() -> None:
    detail = {"contexts": [{"rank": 2, "score": 1}, {"rank": 1, "score": None}, {"rank": "3"}, 4]}

    assert context_scores(detail) == {2: 1.0}
