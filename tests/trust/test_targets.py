"""Which side of a label is which: binary labels, ratings with a cut, categories, and refusals."""

import numpy as np
import pytest

from core.errors import BadInputError
from core.store.calibration import Answer, Rater, ScoredLabels
from core.workflows.targets import resolve_target


def answers(criterion: str, *given: tuple[float | None, str | None]) -> list[Answer]:
    return [Answer(criterion, value, category, 1) for value, category in given]


def labels(*given: float | None, category: tuple[int, ...] = ()) -> ScoredLabels:
    n = len(given)
    return ScoredLabels(
        position=np.arange(n),
        score=np.zeros(n),
        label=np.array([np.nan if value is None else value for value in given]),
        category=np.array(category or [0] * n, np.int32),
        is_labelled=np.ones(n, bool),
        question=np.arange(n, dtype=np.uint64),
        part=np.zeros(n, np.int8),
        n_kept=n,
        unscored=(),
    )


BINARY = answers("ok", (0.0, None), (1.0, None), (1.0, "yes"), (None, "defer"))
RATING = answers("clarity", (1.0, None), (2.5, None), (4.0, None))


def test_label_1_is_positive_and_other_answers_belong_to_neither_side() -> None:
    found = resolve_target(BINARY, [], "ok")
    assert (found.kind, found.positive, found.event) == ("binary", 1.0, 1)
    assert (found.good, found.bad) == (("1", "yes"), ("0",))
    assert found.names == ("ok = 1", "ok = 0")
    # "defer" has no number, 3 is no yes or no.
    assert found.sides(labels(1, 0, None, 3)).tolist() == [1, 0, -1, -1]


@pytest.mark.parametrize(("positive", "event"), [("0", 0), ("1", 1), ("yes", 1)])
def test_positive_0_turns_the_event_but_not_the_sides(positive: str, event: int) -> None:
    found = resolve_target(BINARY, [], "ok", positive=positive)
    assert found.event == event
    assert found.event_name == ("ok = 1" if event else "ok = 0")
    assert found.sides(labels(1, 0)).tolist() == [1, 0]


def test_rating_is_cut_where_the_user_says() -> None:
    found = resolve_target(RATING, [], "clarity", label_cut=2.5)
    assert (found.kind, found.event, found.cut) == ("rating", 1, 2.5)
    assert (found.good, found.bad) == (("2.5", "4"), ("1",))
    assert found.names == ("clarity ≥ 2.5", "clarity < 2.5")
    assert found.sides(labels(2.4, 2.5, None)).tolist() == [0, 1, -1]
    assert resolve_target(RATING, [], "clarity", label_cut=2.5, positive="0").event == 0


def test_category_is_compared_with_all_others() -> None:
    given = answers("verdict", (None, "good"), (None, "bad"), (None, "unclear"))
    found = resolve_target(given, [], "verdict", positive="good")
    assert (found.kind, found.good, found.bad) == ("category", ("good",), ("bad", "unclear"))
    # In alphabetical order: bad is 1, good 2, unclear 3; 0 is a tie between raters.
    sides = found.sides(labels(None, None, None, None, category=(1, 2, 3, 0)))
    assert sides.tolist() == [0, 1, 0, -1]


def test_two_numbers_that_are_not_0_and_1_need_the_positive_one_by_value() -> None:
    given = answers("grade", (1.0, None), (2.0, None))
    found = resolve_target(given, [], "grade", positive="2")
    assert found.sides(labels(1, 2, None)).tolist() == [0, 1, -1]
    assert found.names == ("grade = 2", "grade = 1")


def test_raters_are_counted_without_those_of_contexts() -> None:
    raters = [
        Rater("ok", "a", False, 3, 3),
        Rater("ok", "b", False, 3, 3),
        Rater("ok", "c", True, 3, 3),
        Rater("other", "d", False, 3, 3),
    ]
    assert resolve_target(BINARY, raters, "ok").n_raters == 2


@pytest.mark.parametrize(
    ("criterion", "options", "message"),
    [
        ("nope", {}, "No sample has a label 'nope'. Labels here: ok, clarity, verdict"),
        ("ok", {"positive": "2"}, "'2' cannot be its positive side"),
        ("clarity", {}, "values 1, 2.5, 4: say from which one on"),
        ("clarity", {"positive": "4"}, "values 1, 2.5, 4: say from which one on"),
        ("clarity", {"label_cut": 2.0, "positive": "high"}, "not 'high'"),
        ("clarity", {"label_cut": float("nan")}, "must be a finite number"),
        ("verdict", {}, "is no yes or no. Its answers: bad, good. Name the positive one"),
        ("verdict", {"positive": "best"}, "has no answer 'best'"),
        ("verdict", {"label_cut": 2.0}, "has no numbers that could be cut"),
    ],
)
def test_what_cannot_be_compared_says_what_there_is(
    criterion: str, options: dict[str, object], message: str
) -> None:
    everything = [*BINARY, *RATING, *answers("verdict", (None, "good"), (None, "bad"))]
    with pytest.raises(BadInputError) as error:
        resolve_target(everything, [], criterion, **options)  # type: ignore[arg-type]
    assert message in str(error.value)
