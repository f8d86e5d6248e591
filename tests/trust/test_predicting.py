"""Outcome prediction from the store: which samples and features, and the worker process."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.errors import BadInputError
from core.store import parts
from core.store.connection import Store
from core.workflows import prediction_jobs
from core.workflows.predicting import (
    PredictionRequest,
    predict_outcome,
    prediction_from_json,
    prediction_json,
    read_table,
)

Import = Callable[..., list[str]]


def rows(run: str, n: int = 60, first: int = 0) -> list[dict[str, Any]]:
    """Harm goes with low groundedness, in nine of ten samples."""
    rng = np.random.default_rng(first)
    found = []
    for i in range(first, first + n):
        is_low = bool(rng.random() < 0.5)
        is_harm = is_low != (rng.random() < 0.1)
        found.append(
            {
                "run": run,
                "sample_id": f"s{i}",
                "question": f"Question {i}?",
                "answer": "An answer.",
                "contexts": [{"text": "A context.", "rank": 1}],
                "scores": {
                    "groundedness_rubric": int(
                        rng.integers(1, 3) if is_low else rng.integers(4, 6)
                    ),
                    "answer_relevance_rubric": int(rng.integers(1, 6)),
                },
                "labels": {"harm": 1 + 3 * int(is_harm), "useful": "yes" if is_low else "no"},
                "tags": {"scope": "in" if i % 3 else "out", "id": str(i)},
            }
        )
    return found


@pytest.fixture
def runs(imported: Import) -> list[str]:
    return imported(*rows("one"), *rows("two"), *rows("three", first=60))


def test_table_holds_labelled_samples_of_all_runs_with_their_question(
    runs: list[str], fresh_store: Store
) -> None:
    request = PredictionRequest(
        tuple(runs),
        "harm",
        label_cut=3,
        scores=("groundedness", "answer_relevance", "context_relevance", "hit"),
        tags=("scope", "id", "nope"),
    )
    table, n_closed = read_table(fresh_store, request)

    assert n_closed == 0
    assert len(table.outcome) == 180
    assert set(table.outcome) == {"≥ 3", "< 3"}
    # Nobody scored context relevance and there is no gold; a tag that names each sample is none.
    assert table.names == ("groundedness", "answer_relevance", "scope")
    # The same sample id in two runs is one question.
    assert len(set(table.groups)) == 120
    assert table.groups.count("s0") == 2


def test_without_a_cut_every_answer_is_a_class(runs: list[str], fresh_store: Store) -> None:
    table, _ = read_table(fresh_store, PredictionRequest(tuple(runs), "harm"))
    assert set(table.outcome) == {"1", "4"}
    words, _ = read_table(fresh_store, PredictionRequest(tuple(runs), "useful"))
    assert set(words.outcome) == {"yes", "no"}


def test_a_closed_test_part_is_neither_learnt_from_nor_measured(
    runs: list[str], fresh_store: Store
) -> None:
    with fresh_store.writing() as connection:
        n_test = parts.deal(connection, runs[0], "harm")["test"]
    request = PredictionRequest(tuple(runs), "harm", label_cut=3)
    table, n_closed = read_table(fresh_store, request)
    assert (len(table.outcome), n_closed) == (180 - n_test, n_test)
    assert f"Left out: {n_test} samples of the closed test part of the labels." in (
        predict_outcome(fresh_store, request).notes
    )
    with fresh_store.writing() as connection:
        parts.open_test(connection, runs[0], "harm")
    assert len(read_table(fresh_store, request)[0].outcome) == 180


def test_prediction_is_better_than_the_majority_and_names_the_feature(
    runs: list[str], fresh_store: Store
) -> None:
    request = PredictionRequest(tuple(runs), "harm", label_cut=3, tags=("scope",))
    found = predict_outcome(fresh_store, request)

    assert found.best is not None
    assert found.baseline is not None
    # Nine of ten go with groundedness; always naming one class has a mean F1 below one half.
    assert found.best.f1 > 0.75
    assert found.baseline.f1 < 0.5
    assert found.best.importance[0][0] == "groundedness"
    assert prediction_from_json(prediction_json(found)) == found


def test_what_cannot_be_predicted_says_why(runs: list[str], fresh_store: Store) -> None:
    with pytest.raises(BadInputError, match="no score 'bleu'"):
        read_table(fresh_store, PredictionRequest(tuple(runs), "harm", scores=("bleu",)))
    with pytest.raises(BadInputError, match="No sample has a label 'nope'"):
        read_table(fresh_store, PredictionRequest(tuple(runs), "nope"))
    few = predict_outcome(fresh_store, PredictionRequest((runs[0],), "harm", label_cut=5))
    assert "all 60 samples have the outcome < 5" in str(few.reason)


def wait_for_end(store: Store, job_id: str) -> prediction_jobs.PredictionStatus:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        status = prediction_jobs.read(store, job_id)
        if status is not None and not status.is_active:
            return status
        time.sleep(0.1)
    raise AssertionError("the prediction did not end")


def test_worker_reports_its_result_and_a_second_click_starts_none(
    runs: list[str], fresh_store: Store
) -> None:
    request = PredictionRequest(tuple(runs), "harm", label_cut=3)

    started = prediction_jobs.start(fresh_store, request)
    again = prediction_jobs.start(fresh_store, request)
    status = wait_for_end(fresh_store, started.job_id)

    assert again.job_id == started.job_id
    assert (status.state, status.done, status.total) == ("done", 4, 4)
    assert status.result is not None
    assert len(status.result.models) == 4
    assert [one.job_id for one in prediction_jobs.recent(fresh_store)] == [started.job_id]


def test_worker_that_cannot_predict_says_why(runs: list[str], fresh_store: Store) -> None:
    started = prediction_jobs.start(fresh_store, PredictionRequest(tuple(runs), "nope"))
    status = wait_for_end(fresh_store, started.job_id)
    assert status.state == "failed"
    assert "No sample has a label 'nope'" in status.message


def test_cancelled_worker_stops_before_its_next_model(runs: list[str], fresh_store: Store) -> None:
    request = PredictionRequest(tuple(runs), "harm", label_cut=3)
    started = prediction_jobs.start(fresh_store, request)
    prediction_jobs.cancel(fresh_store, started.job_id)
    status = wait_for_end(fresh_store, started.job_id)
    assert status.state == "stopped"
    assert status.result is None


def test_worker_that_is_gone_is_lost(runs: list[str], fresh_store: Store) -> None:
    request = PredictionRequest(tuple(runs), "harm")
    started = prediction_jobs.start(fresh_store, request)
    wait_for_end(fresh_store, started.job_id)
    status = prediction_jobs.read(fresh_store, started.job_id)
    assert status is not None
    # No process has this id: it is above what the system gives out.
    prediction_jobs._write(fresh_store, replace(status, state="running", pid=2**22 + 1))
    lost = prediction_jobs.read(fresh_store, started.job_id)
    assert lost is not None
    assert lost.state == "lost"
