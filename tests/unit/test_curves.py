"""ROC and PR curves against scikit-learn, brute force and the figures of real runs."""

import json

import numpy as np
import pytest

from core.metrics.curves import (
    average_precision,
    bootstrap_auc,
    confusion,
    delong_difference,
    roc_points,
    threshold_for_tpr,
    youden,
)
from core.metrics.roc import auc_delong


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 2, 300)
    return np.round(rng.normal(labels, 1.2), 1), labels


def test_curve_and_average_precision_agree_with_scikit_learn(sample):
    from sklearn.metrics import average_precision_score, roc_curve

    scores, labels = sample
    fpr, tpr, thresholds = roc_curve(labels, scores, drop_intermediate=False)
    curve = roc_points(scores, labels)
    assert curve.fpr == pytest.approx(fpr)
    assert curve.tpr == pytest.approx(tpr)
    assert curve.thresholds[1:] == pytest.approx(thresholds[1:])
    expected = average_precision_score(labels, scores)
    assert average_precision(scores, labels) == pytest.approx(expected)


def test_thinning_keeps_the_ends_and_stays_on_the_curve():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 20_000)
    scores = rng.normal(labels, 1)
    whole, thin = roc_points(scores, labels), roc_points(scores, labels, max_points=2_000)
    assert len(thin.tpr) <= 2_001
    assert (thin.fpr[0], thin.tpr[0], thin.fpr[-1], thin.tpr[-1]) == (0, 0, 1, 1)
    assert set(zip(thin.fpr, thin.tpr, strict=True)) <= set(zip(whole.fpr, whole.tpr, strict=True))


def test_youden_of_the_worked_case():
    # Four of each class on a 1 to 5 scale: at >= 4 TPR is 3/4 and FPR 1/4.
    curve = roc_points([5, 4, 4, 2, 4, 3, 2, 1], [1, 1, 1, 1, 0, 0, 0, 0])
    assert youden(curve) == (4.0, 0.75, 0.25)


def test_youden_prefers_the_higher_threshold_among_equals():
    # After 3: TPR 1/2, FPR 0; after 2 and 1: TPR 1, FPR 1/2: both gains are 1/2.
    curve = roc_points([3, 1, 2, 0], [1, 1, 0, 0])
    assert youden(curve)[0] == 3.0


def test_target_tpr_takes_the_highest_threshold_that_reaches_it():
    curve = roc_points([0.9, 0.7, 0.5, 0.3], [1, 0, 1, 0])
    assert threshold_for_tpr(curve, 0.5) == (0.9, 0.5, 0.0)
    assert threshold_for_tpr(curve, 1.0) == (0.5, 1.0, 0.5)


def test_one_class_gives_no_curve():
    assert roc_points([0.1, 0.2], [1, 1]) is None
    assert average_precision([0.1, 0.2], [0, 0]) is None
    assert bootstrap_auc([0.1, 0.2], [1, 1]).reason is not None


def test_confusion_is_always_two_by_two():
    found = confusion([0.2, 0.9], [1, 1], 0.5)
    assert (found.true_positive, found.false_negative, found.false_positive) == (1, 1, 0)
    assert found.tnr.value is None
    assert found.tnr.reason == "no sample is on the other side of the label"


def test_bootstrap_holds_the_area_and_repeats(sample):
    scores, labels = sample
    one, two = bootstrap_auc(scores, labels), bootstrap_auc(scores, labels)
    area = auc_delong(scores, labels)
    assert one == two
    assert one.low < area.value < one.high
    assert one.low == pytest.approx(area.low, abs=0.02)
    assert one.high == pytest.approx(area.high, abs=0.02)


def test_bootstrap_by_question_is_wider_where_repeats_say_the_same():
    rng = np.random.default_rng(2)
    labels = np.repeat(rng.integers(0, 2, 60), 5)
    scores = np.repeat(rng.normal(0, 1, 60), 5) + labels
    questions = [f"q{i // 5}" for i in range(300)]
    alone, clustered = bootstrap_auc(scores, labels), bootstrap_auc(scores, labels, questions)
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)


def test_paired_difference_agrees_with_the_areas_and_with_a_permutation_test(sample):
    scores, labels = sample
    rng = np.random.default_rng(1)
    other = scores + rng.normal(0, 1.5, len(scores))
    found = delong_difference(scores, other, labels)
    areas = auc_delong(scores, labels).value - auc_delong(other, labels).value
    assert found.value == pytest.approx(areas)
    # Swapping the two scores of a sample at random is as likely under "no difference".
    ranked = [np.argsort(np.argsort(x)).astype(float) for x in (scores, other)]
    observed = auc_delong(ranked[0], labels).value - auc_delong(ranked[1], labels).value
    at_least = 0
    for _ in range(400):
        swap = rng.random(len(labels)) < 0.5
        a, b = np.where(swap, ranked[1], ranked[0]), np.where(swap, ranked[0], ranked[1])
        drawn = auc_delong(a, labels).value - auc_delong(b, labels).value
        at_least += abs(drawn) >= abs(observed) - 1e-12
    assert found.p == pytest.approx(at_least / 400, abs=0.06)


def test_a_score_does_not_differ_from_itself(sample):
    scores, labels = sample
    assert delong_difference(scores, scores, labels).reason == "both scores order the samples alike"


@pytest.mark.parametrize("name", ["begin_wow", "mtrag_human", "delucionqa"])
def test_areas_average_precision_and_youden_points_of_real_runs(data_dir, name):
    oracle = json.loads((data_dir / "oracles.json").read_text())[name]["runs"]
    rows: dict[str, list[dict]] = {}
    for line in (data_dir / f"{name}.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows.setdefault(row["run"], []).append(row)
        rows.setdefault("(all)", []).append(row)
    n_checked = 0
    for run, expected in oracle.items():
        for pair, figures in expected.get("roc", {}).items():
            label, score = pair.split("~")
            both = [r for r in rows[run] if label in r["labels"] and score in r["scores"]]
            y = [r["labels"][label] for r in both]
            x = [r["scores"][score] for r in both]
            curve = roc_points(x, y)
            threshold, tpr, fpr = youden(curve)
            assert auc_delong(x, y).value == pytest.approx(figures["auc"], abs=1e-6)
            assert average_precision(x, y) == pytest.approx(figures["average_precision"], abs=1e-6)
            assert (tpr, fpr) == pytest.approx(
                (figures["youden_tpr"], figures["youden_fpr"]), abs=1e-6
            )
            wanted = figures["youden_threshold"]
            assert threshold == (
                None if wanted == float("inf") else pytest.approx(wanted, abs=1e-6)
            )
            n_checked += 1
    assert n_checked >= 5
