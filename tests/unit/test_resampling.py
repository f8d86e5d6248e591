"""Bootstrap by counts: against the plain one, against DeLong, and the band around a curve."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from core.metrics.operating import all_cuts
from core.metrics.resampling import MAX_CELLS, bootstrap_auc, roc_band
from core.metrics.roc import auc_delong


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 2, 300)
    return np.round(rng.normal(labels, 1.2), 1), labels


def plain_bootstrap(scores: np.ndarray, labels: np.ndarray, resamples: int) -> np.ndarray:
    """Ends of the interval by drawing samples and measuring each draw with scikit-learn."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(labels), len(labels))
        found.append(roc_auc_score(labels[drawn], scores[drawn]))
    return np.percentile(found, [2.5, 97.5])


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


@pytest.mark.parametrize("digits", [0, 1, 9])
def test_drawing_counts_is_drawing_samples(digits: int) -> None:
    # Whole numbers are cells of their own; with nine digits 1,500 scores are joined to cells.
    rng = np.random.default_rng(4)
    labels = (rng.random(1_500) < 0.2).astype(int)
    scores = np.round(rng.normal(1.2 * labels, 1), digits)
    found = bootstrap_auc(scores, labels, resamples=4_000)
    # The ends of 600 draws vary by about a tenth of the interval's width.
    wanted = plain_bootstrap(scores, labels, 600)
    width = wanted[1] - wanted[0]
    assert found.low == pytest.approx(wanted[0], abs=0.2 * width)
    assert found.high == pytest.approx(wanted[1], abs=0.2 * width)


def test_cells_of_many_scores_keep_the_area() -> None:
    # Every sample counts once in the mean of the resamples, so they centre on the whole area.
    rng = np.random.default_rng(6)
    labels = (rng.random(60_000) < 0.01).astype(int)
    scores = rng.normal(labels, 1)
    assert len(np.unique(scores)) > 100 * MAX_CELLS
    area, found = auc_delong(scores, labels), bootstrap_auc(scores, labels)
    assert (found.low, found.high) == pytest.approx((area.low, area.high), abs=2e-3)
    assert found.resamples == 2_000


def test_repeated_questions_of_a_large_pool_are_drawn_less_often() -> None:
    rng = np.random.default_rng(7)
    n = 200_000
    labels = rng.integers(0, 2, n)
    scores = rng.normal(labels, 1)
    area = auc_delong(scores, labels)
    found = bootstrap_auc(scores, labels, np.arange(n) // 2)
    # 100 million drawn pairs at most, and never fewer than 200 resamples.
    assert found.resamples == 500
    assert (found.low, found.high) == pytest.approx((area.low, area.high), abs=5e-4)


def test_one_class_or_one_question_gives_no_interval() -> None:
    assert bootstrap_auc([0.1, 0.2], [1, 1]).reason is not None
    assert bootstrap_auc([0.1, 0.2], [1, 0], ["q", "q"]).reason is not None


def test_band_surrounds_the_curve_and_narrows_with_more_questions() -> None:
    rng = np.random.default_rng(1)
    labels = np.tile([0, 1], 200)
    scores = rng.normal(size=400) + labels
    cuts = all_cuts(scores, labels)
    assert cuts is not None
    wide, narrow = (roc_band(scores[:n], labels[:n]) for n in (80, 400))

    inside = [
        low <= np.interp(x, cuts.fpr, cuts.tpr) <= high
        for x, low, high in zip(narrow.fpr, narrow.low, narrow.high, strict=True)
    ]
    assert np.mean(inside) > 0.95
    width = [np.mean(np.subtract(band.high, band.low)) for band in (wide, narrow)]
    assert width[0] > 1.5 * width[1]


def test_band_draws_repeated_questions_together() -> None:
    rng = np.random.default_rng(1)
    labels = np.tile([0, 1], 40)
    scores = rng.normal(size=80) + labels
    repeated = np.tile(scores, 4), np.tile(labels, 4)
    naive = roc_band(*repeated)
    clustered = roc_band(*repeated, clusters=np.tile(np.arange(80), 4))
    width = [np.mean(np.subtract(band.high, band.low)) for band in (naive, clustered)]
    assert width[1] > 1.5 * width[0]


def test_no_band_where_there_is_nothing_to_tell_apart() -> None:
    assert roc_band([1, 2], [1, 1]).reason == "all labels are alike"
    assert roc_band([1, 2], [1, 1]).fpr == ()


def test_band_of_many_samples_with_few_of_one_label_is_not_thin() -> None:
    # 60 of 60,000 found or not: at a rate of one half the 95 % interval is some 25 points wide.
    rng = np.random.default_rng(8)
    labels = np.zeros(60_000, int)
    labels[:60] = 1
    scores = rng.normal(labels, 1)
    band = roc_band(scores, labels)
    cuts = all_cuts(scores, labels)
    assert cuts is not None
    middle = int(np.argmin(np.abs(np.interp(band.fpr, cuts.fpr, cuts.tpr) - 0.5)))
    assert band.high[middle] - band.low[middle] == pytest.approx(0.25, abs=0.06)
