import pytest

from core.metrics.correctness import UNKNOWN, CorrectSource, correctness, settle

QUESTION = "Which drug lowers glucose? A) aspirin B) metformin"


def test_the_first_source_that_says_something_decides() -> None:
    said = {"label": 0, "choice": 1, "exact": 1, "list_f1": 1.0, "judged": 1}
    order = []
    while said:
        found = settle(**said)  # type: ignore[arg-type]
        order.append((found.source, found.value))
        said.pop(next(iter(said)))
    assert order == [
        (CorrectSource.LABEL, 0),
        (CorrectSource.CHOICE, 1),
        (CorrectSource.EXACT, 1),
        (CorrectSource.LIST, 1),
        (CorrectSource.JUDGE, 1),
    ]
    assert settle() == UNKNOWN


def test_other_words_do_not_show_that_an_answer_is_wrong() -> None:
    assert settle(exact=0, list_f1=0.2) == UNKNOWN
    assert settle(exact=0, list_f1=0.2, judged=0).source is CorrectSource.JUDGE


@pytest.mark.parametrize(("f1", "expected"), [(0.70, 1), (0.69, None)])
def test_lists_are_the_same_from_seventy_per_cent(f1: float, expected: int | None) -> None:
    assert settle(list_f1=f1).value == expected


def test_a_label_wins_over_the_same_text() -> None:
    found = correctness("Paris", ["Paris"], label=0)
    assert (found.value, found.source) == (0, CorrectSource.LABEL)


def test_the_letter_wins_over_the_text() -> None:
    found = correctness("A) aspirin", ["B"], question=QUESTION, judged=1)
    assert (found.value, found.source) == (0, CorrectSource.CHOICE)
    found = correctness("Metformin", ["B"], question=QUESTION)
    assert (found.value, found.source) == (1, CorrectSource.CHOICE)


def test_the_reference_may_be_the_text_of_an_option() -> None:
    assert correctness("(B)", ["metformin"], question=QUESTION).value == 1


def test_a_name_with_an_initial_is_no_letter() -> None:
    assert correctness("A. Brown", ["A. Smith"], question="Who wrote it?") == UNKNOWN


def test_aliases_are_references() -> None:
    found = correctness("NYC", ["New York City", "NYC"])
    assert (found.value, found.source) == (1, CorrectSource.EXACT)


def test_a_reference_is_a_list_from_two_items() -> None:
    found = correctness("smoking, age and weight", ["age, weight, smoking"])
    assert (found.value, found.source) == (1, CorrectSource.LIST)
    # one item each: "80 km range" would match "80 km" by half of its words
    assert correctness("80 km range", ["80 km"]) == UNKNOWN


def test_without_a_reference_the_judge_or_nothing_decides() -> None:
    assert correctness("text", []) == UNKNOWN
    assert correctness("text", [], judged=0).value == 0


def test_a_run_without_answers_has_labels_at_most() -> None:
    assert correctness(None, ["x"]) == UNKNOWN
    assert correctness(None, ["x"], label=1).source is CorrectSource.LABEL


def test_an_empty_answer_is_right_where_nothing_is_expected() -> None:
    assert correctness("", ["Paris"]) == UNKNOWN
    assert correctness("", [""]).value == 1
