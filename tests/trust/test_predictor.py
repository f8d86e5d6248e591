"""The outcome predictor on sets whose best F1 is known, and where it refuses."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from core.metrics.prediction import Prediction, class_score
from core.metrics.predictor import LEAST_PER_CLASS, Stopped, Table, predict, why_not


def table(
    outcome: np.ndarray,
    numbers: np.ndarray,
    texts: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> Table:
    n = len(outcome)
    given = np.empty((n, 0), dtype=object) if texts is None else texts
    ids = np.arange(n) if groups is None else groups
    return Table(
        numbers=numbers,
        number_names=tuple(f"number {i}" for i in range(numbers.shape[1])),
        texts=given,
        text_names=tuple(f"text {i}" for i in range(given.shape[1])),
        outcome=tuple(str(name) for name in outcome),
        groups=tuple(f"q{i}" for i in ids),
    )


@pytest.fixture(scope="module")
def known() -> tuple[Table, Prediction]:
    """Outcome yes with 0.9 where a score is high, with 0.2 where it is low; the rest is noise.

    No rule does better than to follow the score. With high and low equally frequent that is, per
    sample: yes found 0.45, yes missed 0.10, no called yes 0.05, no found 0.40. F1 of yes is
    0.9 / (0.9 + 0.05 + 0.10) = 0.857, of no 0.8 / (0.8 + 0.10 + 0.05) = 0.842, their mean 0.850.
    """
    rng = np.random.default_rng(11)
    n = 1_200
    high = rng.integers(0, 2, n)
    outcome = np.where(rng.random(n) < np.where(high == 1, 0.9, 0.2), "yes", "no")
    score = np.where(high == 1, rng.uniform(0.6, 1, n), rng.uniform(0, 0.5, n))
    noise = rng.normal(size=n)
    given = table(outcome, np.column_stack([score, noise]))
    return given, predict(given)


def test_best_f1_of_a_known_set_is_reached_and_not_passed(
    known: tuple[Table, Prediction],
) -> None:
    _, found = known
    assert [model.name for model in found.models] == [
        "Random forest", "Support vectors", "Naive Bayes", "Multi-layer perceptron",
    ]  # fmt: skip
    assert (found.n_train, found.n_test) == (900, 300)
    for model in found.models:
        # The standard error of the mean F1 over 300 held-out samples is 0.021.
        assert 0.850 - 3 * 0.021 < model.f1 < 0.850 + 3 * 0.021, model.name
        assert model.low is not None
        assert model.low < model.f1 < model.high  # type: ignore[operator]
        assert model.importance[0][0] == "number 0"
        assert abs({name: mean for name, mean, _ in model.importance}["number 1"]) < 0.05


def test_the_baseline_says_the_most_frequent_class(known: tuple[Table, Prediction]) -> None:
    given, found = known
    baseline = found.baseline
    assert baseline is not None
    assert baseline.name == "always yes"
    n_yes = next(one.n for one in baseline.classes if one.name == "yes")
    # F1 of yes is 2 n_yes / (300 + n_yes), of no 0.
    assert baseline.f1 == pytest.approx(n_yes / (300 + n_yes))
    assert found.class_counts == (
        ("no", given.outcome.count("no")),
        ("yes", given.outcome.count("yes")),
    )


def test_the_seed_fixes_every_number(known: tuple[Table, Prediction]) -> None:
    given, _ = known
    small = Table(
        given.numbers[:100], given.number_names, given.texts[:100], (),
        given.outcome[:100], given.groups[:100],
    )  # fmt: skip
    one, again, other = predict(small, seed=3), predict(small, seed=3), predict(small, seed=4)
    assert one == again
    assert [m.f1 for m in one.models] != [m.f1 for m in other.models]


def test_a_tag_and_missing_scores_carry_what_they_know() -> None:
    # The tag decides the outcome; the score is missing exactly where the outcome is "no".
    rng = np.random.default_rng(2)
    outcome = np.where(rng.random(240) < 0.4, "no", "yes")
    tag = np.where(outcome == "no", "out of scope", "in scope").astype(object)[:, None]
    score = np.where(outcome == "no", np.nan, 0.5)[:, None]
    by_tag = predict(table(outcome, np.empty((240, 0)), tag))
    by_gap = predict(table(outcome, score))
    assert [model.f1 for model in by_tag.models] == [1.0] * 4
    assert [model.f1 for model in by_gap.models] == [1.0] * 4
    assert by_tag.models[0].importance[0][0] == "text 0"


def test_a_question_never_stands_in_both_parts() -> None:
    # Each question occurs four times with one outcome and a mark of its own. A split by rows could
    # learn the marks by heart and be right throughout; by questions they tell nothing.
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(100), 4)
    per_question = np.where(rng.random(100) < 0.5, "a", "b")
    mark = rng.normal(size=(100, 1))[groups]
    found = predict(table(per_question[groups], mark, groups=groups))
    for model in found.models:
        assert model.f1 < 0.75, model.name


def test_three_classes_are_scored_each_for_itself() -> None:
    rng = np.random.default_rng(8)
    level = rng.integers(0, 3, 300)
    outcome = np.array(["none", "slight", "harm"])[level]
    found = predict(table(outcome, (level + rng.normal(0, 0.1, 300))[:, None]))
    best = found.best
    assert best is not None
    assert [one.name for one in best.classes] == ["harm", "none", "slight"]
    assert best.f1 > 0.95


@pytest.mark.parametrize(
    ("outcome", "groups", "reason"),
    [
        ([], None, "no sample has the outcome"),
        (["yes"] * 60, None, "all 60 samples have the outcome yes"),
        (["yes"] * 60 + ["no"] * 19, None, "only 19 samples have the outcome no; at least 20"),
        (["a", "b", "c", "d"] * 30, None, "the outcome has 4 classes, more than 3"),
        (["yes"] * 60 + ["no"] * 40, list(range(60)) + [99] * 40, "only 40 samples of 1 questions"),
    ],
)
def test_too_little_to_learn_from_is_refused_in_words(
    outcome: list[str], groups: list[int] | None, reason: str
) -> None:
    numbers = np.zeros((len(outcome), 1))
    ids = None if groups is None else np.array(groups)
    found = predict(table(np.array(outcome), numbers, groups=ids))
    assert found.models == ()
    assert reason in str(found.reason)


def test_least_per_class_is_enough() -> None:
    outcome = ["yes"] * LEAST_PER_CLASS + ["no"] * LEAST_PER_CLASS
    assert why_not(outcome, [str(i) for i in range(len(outcome))]) is None


def test_nothing_to_predict_from_is_refused() -> None:
    found = predict(table(np.array(["a", "b"] * 30), np.empty((60, 0))))
    assert found.reason == "there is no feature to predict from"


def test_progress_is_told_and_can_stop() -> None:
    told = []

    def progress(done: int, total: int, name: str) -> bool:
        told.append((done, total, name))
        return done < 1

    given = table(np.array(["a", "b"] * 40), np.zeros((80, 1)))
    with pytest.raises(Stopped):
        predict(given, progress=progress)
    assert told == [(0, 4, "Random forest"), (1, 4, "Support vectors")]


def testclass_scores_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    truth, said = (rng.integers(0, 3, 90) for _ in range(2))
    precisions, recalls, f1s = (
        measure(truth, said, average=None) for measure in (precision_score, recall_score, f1_score)
    )
    for code, name in enumerate("abc"):
        found = class_score(name, code, truth, said)
        assert found.precision == pytest.approx(precisions[code])
        assert found.recall == pytest.approx(recalls[code])
        assert found.f1 == pytest.approx(f1s[code])
    assert class_score("d", 3, truth, said).f1 == 0.0


def test_classes_may_be_named_by_numbers() -> None:
    outcome = np.array(["0", "1"] * 40)
    found = predict(table(outcome, (outcome == "1").astype(float)[:, None]))
    assert [model.f1 for model in found.models] == [1.0] * 4
