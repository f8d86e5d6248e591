"""Every axis, state, cause and side has its words."""

import pytest

from core.diagnosis.filter_words import term_in_words
from core.diagnosis.modes import Side
from core.diagnosis.vocabulary import (
    AXES,
    CAUSES,
    ERRORS,
    JUDGE_KINDS,
    SIDES,
    STATES,
    CauseSpec,
    StateSpec,
    cause_in_words,
)
from core.model import Axis, Cause, ErrorKind, JudgeKind, Status


def test_nothing_is_left_without_words() -> None:
    assert set(AXES) == set(Axis)
    assert set(CAUSES) == set(Cause)
    assert set(ERRORS) == set(ErrorKind)
    assert set(SIDES) == set(Side)
    assert set(JUDGE_KINDS) == set(JudgeKind)
    assert set(STATES) == {*Status, "not_scored"}


@pytest.mark.parametrize("spec", [*CAUSES.values(), *ERRORS.values(), *STATES.values()])
def test_meanings_are_sentences(spec: CauseSpec | StateSpec) -> None:
    meaning: str = spec.meaning
    assert meaning[0].isupper()
    assert meaning.endswith(".")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("not_scored", "nobody has scored it"),
        ("error:rate_limit", "error: the provider's rate limit"),
        ("not_applicable:no_gold", "not applicable: there is no gold evidence"),
        # "empty" is a cause of the answer and a failure of the judge.
        ("not_applicable:empty", "not applicable: the answer is empty"),
        ("error:empty", "error: the judge's reply was empty"),
        ("error:some_new_kind", "error: some new kind"),
        ("no_contexts", "nothing was retrieved"),
    ],
)
def test_causes_in_words(name: str, words: str) -> None:
    assert cause_in_words(name) == words


def test_raters_of_a_filter_in_words() -> None:
    assert term_in_words("raters.useful=differ") == "useful: raters differ"
    assert term_in_words("raters.useful=equal") == "useful: raters agree"
