"""The sentence above Calibration: what a score is worth, in every case that can come up."""

from collections.abc import Callable
from typing import Any

import pytest

from core.diagnosis.findings import Finding
from core.metrics.agreement import Agreement
from core.store.connection import Store
from core.workflows.calibrating import rank
from core.workflows.labelled_scores import Question, read
from core.workflows.trust_findings import _so_what, calibration_finding

Import = Callable[..., list[str]]
Find = Callable[..., Finding]


@pytest.fixture
def find(imported: Import, fresh_store: Store) -> Find:
    """The finding over n good and n bad answers, of which some are on the wrong side of 0.7."""

    def finding(
        n_good: int,
        n_bad: int,
        low_good: int = 0,
        high_bad: int = 0,
        label: str = "ok",
        cut: float | None = 0.7,
    ) -> Finding:
        scores = [0.2] * low_good + [0.9] * (n_good - low_good)
        scores += [0.9] * high_bad + [0.2] * (n_bad - high_bad)
        rows: list[dict[str, Any]] = [
            {
                "run": "one",
                "sample_id": str(i),
                "question": "Why?",
                "answer": "So.",
                "scores": {"quality": score},
                "labels": {label: int(i < n_good)},
            }
            for i, score in enumerate(scores)
        ]
        imported(*rows)
        paired = read(fresh_store, ["one"], Question("quality", label))
        return calibration_finding(paired, rank(paired, resamples=20).auc, cut, "quality")

    return finding


def test_catches_and_false_alarms_are_counted(find: Find) -> None:
    found = find(92, 48, low_good=12, high_bad=13)
    assert found.bold == (
        "At a cut of 0.7 quality catches 35 of 48 answers with ok = 0 and raises 12 false alarms "
        "among 92 with ok = 1."
    )
    # TPR 80/92 = 0.87, TNR 35/48 = 0.73.
    assert found.rest.endswith("Good enough to sort the queue, not to gate a release.")


def test_one_false_alarm_is_singular(find: Find) -> None:
    assert "raises 1 false alarm among 20" in find(20, 20, low_good=1).bold


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        # TNR 10/20.
        ((40, 20, 4, 10), "One side is missed too often to rely on this cut."),
        # 19 of 20 each: the Wilson interval begins at 0.76.
        ((20, 20, 1, 1), "Good enough to gate a release if more labels bear it out."),
        # 290 of 300 each: it begins at 0.94.
        ((300, 300, 10, 10), "well enough to gate a release on data like these."),
        ((40, 4, 0, 0), "With so few labels of one side read the counts, not the rates."),
    ],
)
def test_verdict_follows_both_rates_and_their_intervals(
    counts: tuple[int, int, int, int], verdict: str, find: Find
) -> None:
    assert find(*counts).rest.endswith(verdict)


def test_a_label_that_is_no_quality_is_neither_caught_nor_an_alarm(find: Find) -> None:
    found = find(20, 20, low_good=2, label="refused")
    assert found.bold == (
        "At a cut of 0.7 quality is low for 20 of 20 answers with refused = 0, and for 2 of 20 "
        "with refused = 1."
    )


def test_one_class_and_no_cut_say_what_is_missing(find: Find) -> None:
    assert find(5, 0).bold == "All 5 labels say ok = 1: a curve needs at least one ok = 0."


def test_without_a_cut_the_area_stands_alone(find: Find) -> None:
    found = find(20, 20, low_good=2, cut=None)
    # (18·20 + 2·20/2) / 400
    assert found.bold.startswith("AUC 0.95 (")
    assert "it has no cut yet" in found.rest


def test_nothing_in_both_says_so(imported: Import, fresh_store: Store) -> None:
    imported(
        {"run": "one", "sample_id": "a", "question": "Why?", "scores": {"quality": 0.5}},
        {"run": "one", "sample_id": "b", "question": "Why?", "labels": {"ok": 1}},
    )
    paired = read(fresh_store, ["one"], Question("quality", "ok"))
    found = calibration_finding(paired, rank(paired).auc, 0.7, "quality")
    assert found.bold == "No sample in view has both quality and a usable label ok."


def agreement(low: float | None, high: float | None, n_paired: int = 40) -> Agreement:
    middle = 0.5 if low is None or high is None else (low + high) / 2
    return Agreement("AC1", middle, low, high, n=n_paired, n_paired=n_paired)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (agreement(0.14, 0.27), "Talk the criterion over"),
        (agreement(0.4, 0.9), "The interval is wide"),
        (agreement(None, None), "The interval is wide"),
        (agreement(0.65, 0.85), "Read the samples on which they differ"),
        (agreement(0.82, 0.95), "Firm enough to measure a judge against"),
        (agreement(0.82, 0.95, n_paired=4), "So few cannot tell"),
    ],
)
def test_agreement_says_what_follows_for_a_judge(found: Agreement, said: str) -> None:
    assert _so_what(found).startswith(said)
