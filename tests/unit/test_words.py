"""Every id has words, and none of them is the id."""

import pytest

from core.diagnosis.thresholds import Cut
from core.model import Axis, Cause, Direction, ErrorKind, Flag, JudgeKind, Mode, Status
from dashboard.components import words


def cut(value: float | None, direction: Direction, source: str) -> Cut:
    return Cut(value, direction, 0.0, 1.0, source)  # type: ignore[arg-type]


@pytest.mark.parametrize("axis", Axis)
def test_every_axis_has_a_name_and_a_question(axis: Axis) -> None:
    assert words.axis(axis)[0].isupper()
    assert "_" not in words.axis(axis)
    assert words.axis_help(axis).endswith("?")


@pytest.mark.parametrize("cause", [*Cause, *ErrorKind])
def test_every_cause_and_every_kind_of_error_is_said_in_words(cause: str) -> None:
    text = words.cause(cause)

    assert "_" not in text
    # Not the id with spaces in it: a sentence about what happened.
    assert text != str(cause).replace("_", " ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("not_scored", "nobody has scored it"),
        (f"{Status.ERROR}:timeout", "error: the judge timed out"),
        (f"{Status.NOT_APPLICABLE}:no_contexts", "not applicable: nothing was retrieved"),
        ("error:something_new", "error: something new"),
    ],
)
def test_cause_with_its_status(name: str, text: str) -> None:
    assert words.cause(name) == text


@pytest.mark.parametrize("kind", JudgeKind)
def test_every_kind_of_judge_is_said_in_words(kind: JudgeKind) -> None:
    assert "_" not in words.judge_kind(kind)
    assert words.judge_kind(kind) != str(kind)


@pytest.mark.parametrize("term", [*(f"mode={mode}" for mode in Mode), *(f"flag={f}" for f in Flag)])
def test_filters_by_mode_and_remark_bear_their_names(term: str) -> None:
    assert "=" not in words.term(term)
    assert "_" not in words.term(term)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("mode=success", "Success"),
        ("mode=none_such", "mode: none_such"),
        ("tag.domain=fiqa", "domain: fiqa"),
        ("tag.a.b=c=d", "a.b: c=d"),
        ("label.correct=0", "correct: 0"),
        ("cause=error:timeout", "error: the judge timed out"),
        ("text=two words", "“two words”"),
        ("evidence.rank=2", "Evidence at rank 2"),
        ("evidence.contexts=0..1", "Contexts with evidence: 0 to 1"),
        ("evidence.pieces=2..", "Pieces of evidence: from 2"),
        ("evidence.hit_depth=4..", "No hit within the first 3"),
        ("evidence.hit_depth=2..3", "Hit completed at rank 2 to 3"),
        ("evidence.full_depth=..3", "All evidence within the first 3"),
        ("same_words.1+2=0.8..", "Ranks 1 and 2 share words: from 0.8"),
        ("same_words.any=0.8..", "Two contexts share words: from 0.8"),
    ],
)
def test_filter_as_a_short_label(term: str, text: str) -> None:
    assert words.term(term) == text


def test_sentence_about_a_cut_names_side_and_source() -> None:
    found = words.cut_sentence(Axis.GROUNDEDNESS, cut(0.7, Direction.HIGHER, "run"))

    assert found.replace("\\", "") == (
        "**Groundedness** is high at or above **0.7** :gray[stored for this run]"
    )


def test_sentence_about_a_cut_where_less_is_better() -> None:
    found = words.cut_sentence(Axis.GROUNDEDNESS, cut(0.3, Direction.LOWER, "address"))

    assert "at or below" in found
    assert "set in this view" in found


def test_sentence_about_a_score_without_a_cut_says_why() -> None:
    found = words.cut_sentence(Axis.GROUNDEDNESS, cut(None, Direction.HIGHER, "none"))

    assert found == "**Groundedness** :gray[no cut: the scale of the score is unknown]"


def test_fingerprint_tells_orders_and_borders_apart() -> None:
    prints = {words.fingerprint(ids) for ids in (["a", "b"], ["b", "a"], ["ab"], ["a", "b", ""])}

    assert len(prints) == 4
