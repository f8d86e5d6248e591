"""Comparison of answers with references, against hand calculation."""

import pytest

from core.metrics.answers import (
    exact_match,
    list_component_f1,
    list_overlap,
    rouge_l,
    rouge_l_overlap,
    token_f1,
    token_overlap,
)
from core.metrics.item_lists import MAX_ITEMS, items_of, match_items
from core.metrics.lcs import lcs_length
from core.metrics.plain_text import plain

# --- exact match ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("The Nile.", "nile"),
        ("a  New\nYork", "New York"),
        ("U.S.", "us"),
        ("1,577", "1577"),
        ("$1577.00", "1577"),
        ("4,6 %", "4.6"),
        ("10–15", "10-15"),
        (">= 65", "≥ 65"),
        ("８０", "80"),
        ("你好。", "你好"),
        ("", ""),
        ("the", "The"),
    ],
)
def test_exact_match_sees_through_case_punctuation_and_articles(
    answer: str, reference: str
) -> None:
    assert exact_match(answer, reference) == 1


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("1.5", "15"),
        ("4,6", "46"),
        ("-5", "5"),
        ("< 65", "65"),
        ("10-15", "1015"),
        ("1/2", "12"),
        ("the", "a"),
        ("", "Nile"),
        ("Nile", ""),
        ("कि", "की"),
    ],
)
def test_exact_match_keeps_apart_what_differs(answer: str, reference: str) -> None:
    assert exact_match(answer, reference) == 0


def test_any_of_several_references_will_do() -> None:
    assert exact_match("NYC", ["New York City", "NYC"]) == 1
    # 1/1 and 1/3: F1 .5; 2/3 and 2/2: F1 .8
    assert token_f1("red bike lamp", ["lamp", "red lamp"]) == pytest.approx(0.8)


@pytest.mark.parametrize("metric", [exact_match, token_f1, rouge_l, list_component_f1])
def test_without_an_answer_or_a_reference_nothing_is_compared(metric: object) -> None:
    assert callable(metric)
    assert metric(None, "x") is None
    assert metric("x", None) is None
    assert metric("x", []) is None


@pytest.mark.parametrize("metric", [exact_match, token_f1, rouge_l])
def test_two_empty_texts_agree_and_one_empty_text_does_not(metric: object) -> None:
    assert callable(metric)
    assert (metric("", ""), metric("", "x"), metric("x", "")) == (1, 0, 0)


# --- token F1 and ROUGE-L -------------------------------------------------------------------------


def test_token_f1_counts_each_token_as_often_as_it_occurs() -> None:
    # answer: no no no; reference: no no yes: 2 shared, P 2/3, R 2/3
    assert token_overlap("no no no", "no no yes") == pytest.approx((2 / 3, 2 / 3, 2 / 3))


def test_token_f1_of_chinese_counts_characters() -> None:
    # 三 十 天 in 退 款 三 十 天: P 3/3, R 3/5
    assert token_f1("三十天", "退款三十天") == pytest.approx(0.75)


def test_rouge_l_of_the_published_case() -> None:
    # METRICS 4.2: the answer has 5 tokens, the reference 6, all 5 in order
    found = rouge_l_overlap("the cat on the mat", "the cat sat on the mat")
    assert found == pytest.approx((1, 0.8333, 0.9091), abs=5e-5)
    assert rouge_l("the cat sat on the mat", "the cat on the mat") == pytest.approx(
        0.9091, abs=5e-5
    )


def test_rouge_l_minds_the_order() -> None:
    assert rouge_l("b a", "a b") == 0.5
    assert token_f1("b c", "c b") == 1.0


def test_lcs_longer_than_a_block_of_bits() -> None:
    one = [str(number) for number in range(5_000)]
    assert lcs_length(one, one) == 5_000
    assert lcs_length(one, one[::-1]) == 1
    assert lcs_length(one, [word for word in one if int(word) % 3]) == 3_333


def test_a_very_long_answer_is_compared() -> None:
    assert rouge_l("word " * 200_000, "one word") == pytest.approx(2 / 200_002)


# --- lists ----------------------------------------------------------------------------------------


def test_list_f1_of_the_published_cases() -> None:
    # METRICS 4.2: 2 of 3 and 2 of 3
    assert list_component_f1(
        "smoking, hypertension, obesity", "age, smoking, hypertension"
    ) == pytest.approx(2 / 3)
    # METRICS 2.6: three wordings of one thing are matched once, so that F1 stays below 1
    found = list_overlap("smoking, heavy smoking, smoking history", "smoking")
    assert found == pytest.approx((1 / 3, 1, 0.5))


@pytest.mark.parametrize(
    "text",
    [
        "age, smoking, high blood pressure",
        "Age; smoking; high blood pressure.",
        "- age\n- smoking\n- high blood pressure",
        "1. age\n2) smoking\n(3) high blood pressure",
        "Alter, age, smoking and high blood pressure".removeprefix("Alter, "),
        "age, smoking, and high blood pressure, age",
        "age、smoking；high blood pressure",
    ],
)
def test_lists_are_read_in_every_form(text: str) -> None:
    expected = [{"age"}, {"smoking"}, {"high", "blood", "pressure"}]
    assert list(items_of(text)) == expected


def test_numbers_with_commas_are_one_item() -> None:
    assert list(items_of("1,577 and 2,000")) == [{"1577"}, {"2000"}]


@pytest.mark.parametrize("text", ["brandy, sand", "band-aid"])
def test_and_within_a_word_ends_nothing(text: str) -> None:
    assert all("brandy" in item or "sand" in item or "bandaid" in item for item in items_of(text))


def test_bullets_are_cut_off_at_the_start_only() -> None:
    assert list(items_of("vitamin b) rich food")) == [{"vitamin", "b", "rich", "food"}]


def test_different_numbers_and_negations_are_different_items() -> None:
    assert list_component_f1("type 1 diabetes", "type 2 diabetes") == 0.0
    assert list_component_f1("no fever", "fever") == 0.0
    # heavy smoking / smoking: 1 of 2 words
    assert list_component_f1("heavy smoking", "smoking") == 1.0


def test_as_many_items_as_possible_are_matched() -> None:
    ours = items_of("blood pressure, high blood pressure")
    theirs = items_of("high blood, blood pressure medicine")
    # "blood pressure" fits both, "high blood pressure" fits both: whichever way, two pairs
    assert len(match_items(ours, theirs)) == 2
    # "a b" could take the only partner of "a c": the search lets it have the other one
    ours, theirs = items_of("x y, x z"), items_of("x, y x w")
    assert sorted(match_items(ours, theirs)) == [(0, 1), (1, 0)]


def test_a_reference_without_an_item_is_no_list() -> None:
    assert list_component_f1("age", ["", "..."]) is None
    assert list_component_f1("", "age") == 0.0


def test_items_beyond_the_limit_are_not_read() -> None:
    assert len(items_of(", ".join(map(str, range(10_000))))) == MAX_ITEMS


# --- plain text -----------------------------------------------------------------------------------


def test_plain_text_of_plain_text_is_the_same() -> None:
    for text in ("The $1,577.00 (net)!", "≥ 65 years, -3.50", "A", "4,6 %", "2024-05-01"):
        assert plain(plain(text)) == plain(text)
