"""The finding of the page Answers."""

import pytest

from core import figures as numbers
from core.diagnosis.answer_finding import answer_finding
from core.diagnosis.outcomes import AnswerOutcome


def counts(right: int, wrong: int, refused: int = 0, unknown: int = 0) -> dict[AnswerOutcome, int]:
    return dict(zip(AnswerOutcome, (right, wrong, refused, unknown), strict=True))


def test_right_answers_and_who_says_so() -> None:
    by = {"label": counts(40, 10), "exact": counts(15, 6), "none": counts(0, 0, 0, 4)}
    found = answer_finding(counts(55, 16, 8, 4), by, numbers, has_answers=True)
    # 55 of 83 = 66.3 %
    assert found.bold.startswith("55 of 83 answers are correct (66\u202f%")
    assert found.rest == (
        "16 incorrect, 8 refused, 4 not known to be either. Settled by a person's label for 50 of "
        "them."
    )


@pytest.mark.parametrize(
    ("outcomes", "has_answers", "bold"),
    [
        (counts(0, 0), True, "No sample in view."),
        (counts(0, 0, 0, 5), False, "This run records no answers."),
        (counts(0, 0, 2, 3), True, "Whether the 5 answers are right is not known."),
    ],
)
def test_what_cannot_be_said(
    outcomes: dict[AnswerOutcome, int], has_answers: bool, bold: str
) -> None:
    assert answer_finding(outcomes, {}, numbers, has_answers=has_answers).bold == bold


def test_one_source_for_all() -> None:
    found = answer_finding(counts(2, 0), {"label": counts(2, 0)}, numbers, has_answers=True)
    assert found.rest == "Settled by a person's label for all of them."
    found = answer_finding(counts(1, 0), {"label": counts(1, 0)}, numbers, has_answers=True)
    assert found.rest == "Settled by a person's label."
