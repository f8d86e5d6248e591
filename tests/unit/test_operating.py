"""Cuts, operating points and bins, by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    precision_score,
    roc_curve,
)

from core.metrics.curves import Confusion
from core.metrics.operating import (
    Point,
    Rule,
    all_cuts,
    average_precision_of,
    best_youden,
    cheapest,
    confusion_at,
    confusion_kappa,
    f1_interval,
    first_with_tpr,
    histograms,
    mean_cost,
    reliability,
)

# METRICS 4.5: the best cut is >= 4 with TPR 3/4 and FPR 1/4.
LABELS = [1, 1, 1, 1, 0, 0, 0, 0]
SCORES = [5.0, 4.0, 4.0, 2.0, 4.0, 3.0, 2.0, 1.0]
labelled = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 1)), min_size=2, max_size=60
).filter(lambda rows: len({label for _, label in rows}) == 2)


def columns(rows: list[tuple[int, int]]) -> tuple[list[float], list[int]]:
    return [float(score) for score, _ in rows], [label for _, label in rows]


def test_youden_of_the_published_example() -> None:
    cuts = all_cuts(SCORES, LABELS)
    assert cuts is not None
    assert best_youden(cuts) == Point(4.0, 0.75, 0.25)


def test_the_other_side_as_event_turns_the_rates_and_keeps_the_cut() -> None:
    # Flagged is below 4: of the four samples labelled 0 those are 3, 2, 1; of the others the 2.
    cuts = all_cuts(SCORES, LABELS, Rule(event=0))
    assert cuts is not None
    assert (cuts.n, cuts.n_event) == (8, 4)
    assert best_youden(cuts) == Point(4.0, 0.75, 0.25)
    assert confusion_at(SCORES, LABELS, 4, Rule(event=0)) == Confusion(3, 1, 1, 3)


def test_equal_gains_go_to_the_cut_with_fewer_false_alarms() -> None:
    # TPR - FPR is 1/2 at >= 3 (1/2 - 0) and at >= 1 (1 - 1/2).
    cuts = all_cuts([3, 1, 2, 0], [1, 1, 0, 0])
    assert cuts is not None
    assert best_youden(cuts) == Point(3.0, 0.5, 0.0)


def test_a_score_that_is_no_better_than_flagging_nothing_has_no_best_cut() -> None:
    cuts = all_cuts([1, 2], [1, 0])
    assert cuts is not None
    assert best_youden(cuts) == Point(None, 0.0, 0.0)


def test_a_lower_is_better_score_counts_as_high_at_its_cut_or_below() -> None:
    # Good (label 1) have 0.1 and 0.3, bad has 0.5; at 0.3 both good ones are high.
    found = confusion_at([0.1, 0.3, 0.5], [1, 1, 0], 0.3, Rule(sign=-1))
    assert found == Confusion(2, 0, 0, 1)
    cuts = all_cuts([0.1, 0.3, 0.5], [1, 1, 0], Rule(sign=-1))
    assert cuts is not None
    assert best_youden(cuts) == Point(0.3, 1.0, 0.0)


def test_the_strictest_cut_that_reaches_a_target_rate() -> None:
    # TPR is 1/4 at 5, 3/4 at 4, 3/4 at 3, 1 at 2.
    cuts = all_cuts(SCORES, LABELS)
    assert cuts is not None
    assert first_with_tpr(cuts, 0.75).threshold == 4
    assert first_with_tpr(cuts, 0.76) == Point(2.0, 1.0, 0.75)
    assert first_with_tpr(cuts, 1.0).threshold == 2


def test_the_cheapest_cut_follows_the_price_of_a_miss() -> None:
    cuts = all_cuts(SCORES, LABELS)
    assert cuts is not None
    # At 4: 1 miss + 1 alarm; at 2: 0 misses + 3 alarms; at 5: 3 misses + 0 alarms.
    assert cheapest(cuts, miss=1, false_alarm=1).threshold == 4
    assert cheapest(cuts, miss=5, false_alarm=1).threshold == 2
    assert cheapest(cuts, miss=1, false_alarm=10).threshold == 5
    assert mean_cost(confusion_at(SCORES, LABELS, 4), miss=5, false_alarm=1) == 6 / 8


def test_matrix_has_four_cells_whatever_the_labels() -> None:
    assert confusion_at([0.2, 0.9], [1, 1], 0.5) == Confusion(1, 1, 0, 0)
    assert confusion_at([], [], 0.5) == Confusion(0, 0, 0, 0)
    assert all_cuts([0.2, 0.9], [1, 1]) is None
    assert f1_interval(Confusion(0, 0, 0, 5)).value is None
    assert mean_cost(Confusion(0, 0, 0, 0), 1, 1) is None


def test_f1_and_kappa_of_a_matrix_agree_with_scikit_learn() -> None:
    truth = [1] * 45 + [1] * 5 + [0] * 12 + [0] * 38
    said = [1] * 45 + [0] * 5 + [1] * 12 + [0] * 38
    matrix = Confusion(45, 5, 12, 38)

    f1, kappa = f1_interval(matrix), confusion_kappa(matrix)

    assert confusion_matrix(truth, said).ravel().tolist() == [38, 12, 5, 45]
    assert f1.value == pytest.approx(f1_score(truth, said))
    assert kappa.value == pytest.approx(cohen_kappa_score(truth, said))
    assert f1.low is not None
    assert f1.low < 90 / 107 < f1.high  # type: ignore[operator]


def test_reliability_bins_by_hand() -> None:
    bins = reliability([0.0, 0.15, 0.19, 0.95, 1.0], [0, 0, 1, 1, 1], n_bins=10)
    assert len(bins) == 10
    assert (bins[0].share.k, bins[0].share.n) == (0, 1)
    # 0.15 and 0.19 lie in the step from 0.1: mean 0.17, one of two bears the label.
    assert bins[1].mean_score == pytest.approx(0.17)
    assert bins[1].share.value == 0.5
    assert bins[5].share.value is None
    assert bins[5].share.reason == "no score in this step"
    assert bins[9].share.n == 2


def test_histograms_count_both_labels_and_keep_the_ends() -> None:
    labels = np.array([1, 0, 1, 1], dtype=np.int8)
    assert histograms([0.0, 0.5, 1.0, 0.99], labels, 0, 1, 2) == ((1, 2), (0, 1))
    assert histograms([3.0, 3.0], labels[:2], 3, 3, 2) == ((1, 0), (1, 0))


@given(labelled)
def test_both_events_tell_the_same_story(rows: list[tuple[int, int]]) -> None:
    scores, labels = columns(rows)
    good, bad = (all_cuts(scores, labels, Rule(event=event)) for event in (1, 0))
    assert good is not None
    assert bad is not None
    assert np.allclose(good.tpr, 1 - bad.fpr[::-1])
    for cut in {*scores}:
        one = confusion_at(scores, labels, cut)
        other = confusion_at(scores, labels, cut, Rule(event=0))
        assert one.n == other.n == len(rows)
        assert one.tpr.value == other.tnr.value
        predicted = [int(score >= cut) for score in scores]
        cells = confusion_matrix(labels, predicted, labels=[1, 0]).ravel().tolist()
        assert [one.true_positive, one.false_negative, one.false_positive, one.true_negative] == (
            cells
        )


@given(labelled, st.sampled_from([1, 0]))
def test_average_precision_is_that_of_scikit_learn(rows: list[tuple[int, int]], event: int) -> None:
    scores, labels = (np.asarray(column) for column in columns(rows))
    cuts = all_cuts(scores, labels, Rule(event=event))
    assert cuts is not None
    sign = 1 if event else -1
    expected = average_precision_score(labels == event, sign * scores)
    assert average_precision_of(cuts) == pytest.approx(expected)


@given(labelled)
def test_all_cuts_are_the_curve_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    scores, labels = columns(rows)
    cuts = all_cuts(scores, labels)
    assert cuts is not None
    fpr, tpr, thresholds = roc_curve(labels, scores, drop_intermediate=False)
    assert cuts.tpr == pytest.approx(tpr)
    assert cuts.fpr == pytest.approx(fpr)
    # Theirs starts at infinity, ours says that nothing counts as high there.
    assert cuts.thresholds[1:] == pytest.approx(thresholds[1:])
    assert cuts.at(0).threshold is None
    best = best_youden(cuts)
    assert best.tpr - best.fpr == pytest.approx(max(tpr - fpr))
    precision = [
        precision_score(labels, [int(score >= cut) for score in scores])
        for cut in cuts.thresholds[1:]
    ]
    assert [cuts.precision(i) for i in range(1, len(cuts.tpr))] == pytest.approx(precision)


@given(labelled, st.integers(2, 5))
def test_thinning_keeps_both_ends_and_the_limit(rows: list[tuple[int, int]], limit: int) -> None:
    cuts = all_cuts(*columns(rows))
    assert cuts is not None
    kept = list(cuts.thinned(limit))
    assert len(kept) == min(limit, len(cuts.tpr))
    assert (kept[0], kept[-1]) == (0, len(cuts.tpr) - 1)
