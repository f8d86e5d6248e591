"""Paired areas against a permutation test, and the figures of real runs."""

import json

import numpy as np
import pytest

from core.metrics.curves import delong_difference
from core.metrics.operating import all_cuts, average_precision_of, best_youden, confusion_at
from core.metrics.roc import auc_delong


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 2, 300)
    return np.round(rng.normal(labels, 1.2), 1), labels


def test_confusion_is_always_two_by_two():
    found = confusion_at([0.2, 0.9], [1, 1], 0.5)
    assert (found.true_positive, found.false_negative, found.false_positive) == (1, 1, 0)
    assert found.tnr.value is None
    assert found.tnr.reason == "no sample is on the other side of the label"


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
            cuts = all_cuts(x, y)
            best = best_youden(cuts)
            assert auc_delong(x, y).value == pytest.approx(figures["auc"], abs=1e-6)
            assert average_precision_of(cuts) == pytest.approx(
                figures["average_precision"], abs=1e-6
            )
            assert (best.tpr, best.fpr) == pytest.approx(
                (figures["youden_tpr"], figures["youden_fpr"]), abs=1e-6
            )
            wanted = figures["youden_threshold"]
            assert best.threshold == (
                None if wanted == float("inf") else pytest.approx(wanted, abs=1e-6)
            )
            n_checked += 1
    assert n_checked >= 5
