import pytest

from core.metrics.choices import choice_letter, options_of

QUESTION = "Which drug lowers glucose?\nA) aspirin\nB) metformin\nC) heparin"


@pytest.mark.parametrize(
    "text",
    [
        "B",
        " b) ",
        "(B)",
        "B.",
        "**B**",
        "[B]",
        "B) metformin",
        "B. metformin",
        "B: metformin",
        "**B)** metformin",
        "The answer is B.",
        "The correct answer is (B), because it lowers glucose.",
        "Answer: B",
        "answer: **B**",
        "Option B is correct.",
        "The correct option is B.",
        "I would choose B.",
        "Die richtige Antwort ist B.",
        "La réponse est B.",
        "Option A is wrong; the answer is B.",
    ],
)
def test_the_letter_of_an_answer_is_found(text: str) -> None:
    assert choice_letter(text) == "B"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A patient should take it.",
        "A",
        "Vitamin B is needed.",
        "The answer is a drug.",
        "B and C",
        "Answer: B and C",
        "The answer is A. No, the answer is B.",
        "B, C",
        "Both are right.",
        "Beta blockers",
        "metformin",
    ],
)
def test_what_chooses_no_single_letter_gives_none(text: str) -> None:
    assert choice_letter(text) == ("A" if text == "A" else None)


def test_the_text_of_an_option_stands_for_its_letter() -> None:
    options = options_of(QUESTION)
    assert options == {"A": "aspirin", "B": "metformin", "C": "heparin"}
    assert choice_letter("Metformin.", options) == "B"
    assert choice_letter("insulin", options) is None
    assert choice_letter("same", {"A": "same", "B": "Same"}) is None
    assert choice_letter("", {"A": "", "B": "x"}) is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which? A. one B. two", {"A": "one", "B": "two"}),
        ("Which? (A) one, (B) two", {"A": "one", "B": "two"}),
        ("Who was A. Smith?", {}),
        ("B) two C) three", {}),
        ("What is vitamin B?", {}),
    ],
)
def test_options_are_read_from_the_question(question: str, expected: dict[str, str]) -> None:
    assert options_of(question) == expected


def test_a_name_is_no_letter_where_strict() -> None:
    assert choice_letter("A. Smith wrote it", is_strict=True) is None
    assert choice_letter("A) Smith wrote it", is_strict=True) == "A"


def test_a_million_blanks_are_read_as_one() -> None:
    assert choice_letter("The answer" + " \n" * 500_000 + "B") == "B"
    assert choice_letter("The answer" + " " * 1_000_000) is None
