from math import isclose

import pytest

from core.judge.correctness import compare, numbers
from core.judge.offline import fit, judge_sample
from core.model import SampleText, Verdict


def verdict(answer: str, references: tuple[str, ...], refused: bool | None = None) -> Verdict:
    text = SampleText(7, "s", "", answer, None, references, refused)
    return judge_sample(text, fit([]), ("correctness",))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1,577.00", [1577.0]),
        ("1.577,00 €", [1577.0]),
        ("4,6 % of 1.234.567", [4.6, 1234567.0]),
        ("FY2018: 3M", [2018.0, 3.0]),
        ("2015 300", [2015.0, 300.0]),
        ("٣ and 1\u202f000", [3.0, 1000.0]),
        ("none", []),
    ],
)
def test_numbers(text: str, expected: list[float]) -> None:
    assert [number.value for number in numbers(text)] == expected


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("the red LAMP!", "The red lamp", 1.0),  # the same words
        ("It is a lamp.", "red lamp", 0.5),  # 1 of 2 content words
        ("A green bell", "red lamp", 0.0),
        ("It was $1,577 million.", "$1577.00", 1.0),  # rounded as the reference is
        ("It was 1.577 billion.", "$1577.00", 1.0),  # another unit of thousands
        ("It was 1,578 million.", "$1577.00", 0.0),
        ("About 65.4 %", "65.4%", 1.0),
        ("A share of 0.654, in %: see there", "65.4%", 1.0),
        ("The lamp holds 3 bulbs", "3 lamps and 4 bulbs", 0.5),  # 1 of 2 numbers, 2 other words
        # Reference: yes, lamp, bell, lock, wick (yes is a stop word): 2 of 4 words, then the same
        # polarity adds 0.3 of what is missing; a contrary one leaves a quarter.
        ("Yes, lamp and bell", "Yes: lamp, bell, lock, wick", 0.65),
        ("No, lamp and bell", "Yes: lamp, bell, lock, wick", 0.125),
        ("I don't know.", "I cannot answer this question.", 1.0),
        ("I don't know.", "A red lamp", 0.0),
        ("A red lamp", "I don't know.", 0.0),
    ],
)
def test_correctness_against_one_reference(answer: str, reference: str, expected: float) -> None:
    assert isclose(compare(answer, reference).value, expected)


def test_correctness_takes_the_best_reference() -> None:
    found = verdict("A red lamp", ("green bell", " ", "red lamp"))
    assert found.value == 1.0
    assert found.detail is not None
    assert found.detail["reference"] == 2


def test_a_known_refusal_is_incorrect_whatever_words_it_holds() -> None:
    words_of_it = "The red lamp, I would rather not say."
    assert verdict(words_of_it, ("red lamp",)).value == 1.0
    assert verdict(words_of_it, ("red lamp",), refused=True).value == 0.0
