"""The comparisons of ``overlap-v1``: what each says, and when it says nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.judge import overlap
from core.judge.overlap import COMPARISONS, METRICS, compare_answer, judge_sample
from core.metrics.similarity import TfidfSimilarity
from core.model import SampleText, Status, Verdict

FIT = TfidfSimilarity.fit(["the red lamp", "the blue lamp", "a horn", "退款期限是十四天"])


def compared(answer: str, *references: str, question: str = "Which lamp?") -> dict[str, Verdict]:
    made = compare_answer(7, question, answer, references, FIT)
    assert {verdict.position for verdict in made} == {7}
    return {verdict.metric: verdict for verdict in made}


def test_one_answer_by_every_measure() -> None:
    found = compared("the red bike lamp", "a red lamp")
    assert found["exact_match"].value == 0
    assert found["token_f1"].value == 0.8  # P 2/3 (red bike lamp), R 2/2 (red lamp)
    # LCS "red lamp" = 2 of 4 and of 3 tokens, articles count: 2 · 2 / (4 + 3)
    assert found["rouge_l"].value == pytest.approx(4 / 7, abs=1e-6)
    # one item each; red, lamp of red, bike, lamp: 2/3 of the words, so the same item
    assert found["list_component_f1"].value == 1
    similarity = found["semantic_similarity"].value
    assert similarity is not None
    assert 0 < similarity < 1
    assert found["answer_words"].value == 4
    assert "choice_match" not in found


def test_the_best_of_several_references_counts() -> None:
    found = compared("the red lamp", "a horn", "red lamp")
    assert (found["exact_match"].value, found["token_f1"].value) == (1, 1)


def test_without_a_reference_only_the_length_is_known() -> None:
    found = compared("two words")
    assert found.pop("answer_words").value == 2
    assert set(found) == set(COMPARISONS) - {"choice_match"}
    assert {(one.status, one.cause) for one in found.values()} == {
        (Status.NOT_APPLICABLE, "no_reference")
    }


def test_without_answers_nothing_applies() -> None:
    made = judge_sample(SampleText(0, "s", "Why?", None, None, ("so",)), FIT)
    assert [one.metric for one in made] == list(METRICS)
    assert {(one.status, one.cause) for one in made} == {(Status.NOT_APPLICABLE, "no_answers")}


@pytest.mark.parametrize(
    ("answer", "reference", "exact", "f1"),
    [
        ("", "", 1, 1),  # both empty: the same
        ("", "x", 0, 0),
        ("x", "", 0, 0),
        ("1577", "1,577.00", 1, 1),  # a number is one whatever its digits are grouped by
        ("42 days", "42", 0, 2 / 3),  # P 1/2, R 1
        ("Die Frist beträgt 14 Tage", "14 Tage", 0, 4 / 7),  # P 2/5, R 2/2
        ("مدة الاسترجاع ١٤ يوما", "١٤ يوما", 0, 2 / 3),  # P 2/4, R 2/2
    ],
)
def test_empty_texts_numbers_and_scripts(
    answer: str, reference: str, exact: int, f1: float
) -> None:
    found = compared(answer, reference)
    assert found["exact_match"].value == exact
    assert found["token_f1"].value == pytest.approx(f1, abs=1e-6)


def test_chinese_is_compared_sign_by_sign_not_as_one_word() -> None:
    found = compared("退款期限是十四天", "退款期限是七天")
    f1 = found["token_f1"].value
    assert f1 is not None
    assert 0.5 < f1 < 1
    assert found["answer_words"].value == 8


def test_a_text_without_a_word_has_no_similarity() -> None:
    found = compared("?!", "…")
    assert found["semantic_similarity"].cause == "empty"


@pytest.mark.parametrize(
    ("answer", "reference", "settles"),
    [
        ("smoking and obesity", "obesity, smoking", True),
        # 1 of 1 and 1 of 2: F1 2/3, below 0.70
        ("smoking", "obesity, smoking", False),
        # one item is no list, however alike
        ("smoking", "smoking", False),
    ],
)
def test_only_the_same_list_settles_correctness(answer: str, reference: str, settles: bool) -> None:
    verdict = compared(answer, reference)["list_component_f1"]
    assert (verdict.detail == {"settles": True}) == settles


@pytest.mark.parametrize(("answer", "value"), [("(b)", 1), ("The answer is A.", 0)])
def test_the_letter_chosen(answer: str, value: int) -> None:
    question = "Which? A) aspirin B) metformin"
    assert compared(answer, "B", question=question)["choice_match"].value == value


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_every_value_lies_in_its_range(answer: str, references: list[str]) -> None:
    for verdict in compare_answer(0, "?", answer, references, FIT):
        if verdict.status is Status.VALUE:
            assert verdict.value is not None
            assert verdict.value >= 0
            assert verdict.value <= 1 or verdict.metric == "answer_words"
        else:
            assert verdict.value is None
            assert verdict.cause in ("no_reference", "empty")


@given(st.text(min_size=1, max_size=80))
def test_an_answer_equals_itself(text: str) -> None:
    found = compared(text, text)
    assert found["exact_match"].value == 1
    for metric in ("token_f1", "rouge_l"):
        assert found[metric].value == 1


def test_the_judge_says_how_it_compares() -> None:
    assert overlap.SPEC.params["list_at"] == 0.70
