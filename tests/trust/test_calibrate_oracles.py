"""Published areas of the real runs through the whole path, and a small twin that always runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from core.store.connection import Store
from core.workflows.calibrating import Calibration, at_cut, rank
from core.workflows.calibration_json import calibration_json
from core.workflows.importing import Options, import_file
from core.workflows.labelled_scores import Question, read
from core.workflows.setup import ensure_store

FILES = ("begin_wow", "mtrag_human", "delucionqa")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Store:
    store, _ = ensure_store(tmp_path_factory.mktemp("oracles") / "store.duckdb")
    for name in FILES:
        assert import_file(store, data_dir / f"{name}.jsonl", Options()).is_stored
    return store


@pytest.fixture(scope="module")
def oracles(data_dir: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data_dir / "oracles.json").read_text(encoding="utf-8"))
    return found


def document(store: Store, runs: list[str], score: str, label: str) -> dict[str, Any]:
    paired = read(store, runs, Question(score=score, label=label))
    # The bootstrap is not what is checked here, and 150 full ones would take minutes.
    found = calibration_json(Calibration(paired, rank(paired, resamples=20), at_cut(paired)))
    json.dumps(found, allow_nan=False)
    return found


def check(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert (found["n"], found["n_positive"]) == (expected["n"], expected["positives"])
    assert found["auc"] == pytest.approx(expected["auc"], abs=5e-7)
    assert found["average_precision"] == pytest.approx(expected["average_precision"], abs=5e-7)
    best = found["youden"]
    assert best["tpr"] == pytest.approx(expected["youden_tpr"], abs=5e-7)
    assert best["fpr"] == pytest.approx(expected["youden_fpr"], abs=5e-7)
    if np.isinf(expected["youden_threshold"]):
        assert best["threshold"] is None
        assert best["reason"] == "no cut beats flagging nothing"
    else:
        assert best["threshold"] == pytest.approx(expected["youden_threshold"], abs=5e-7)


@pytest.mark.parametrize("file", FILES)
def test_every_area_of_every_run(file: str, store: Store, oracles: dict[str, Any]) -> None:
    runs = oracles[file]["runs"]
    n_checked = 0
    for run, facts in runs.items():
        names = [name for name in runs if name != "(all)"] if run == "(all)" else [run]
        for pair, expected in facts.get("roc", {}).items():
            if "auc" not in expected:
                continue
            label, score = pair.split("~")
            check(document(store, names, score, label), expected)
            n_checked += 1
    assert n_checked >= 10


def test_twin_of_the_oracles(imported: Callable[..., list[str]], fresh_store: Store) -> None:
    # Scores in tenths, so that they tie; one sample lacks the label and one the score.
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 60)
    scores = np.round(np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1), 1)
    rows: list[dict[str, Any]] = [
        {
            "run": "twin",
            "sample_id": str(i),
            "question": f"Question {i}?",
            "answer": "Yes.",
            "scores": {"overlap": float(score)},
            "labels": {"ok": int(label)},
        }
        for i, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]
    del rows[3]["labels"]
    rows[4]["scores"] = {}
    imported(*rows)
    kept = [i for i in range(60) if i not in (3, 4)]

    found = document(fresh_store, ["twin"], "overlap", "ok")

    assert (found["n"], found["n_dropped"]) == (58, 2)
    assert found["auc"] == pytest.approx(roc_auc_score(labels[kept], scores[kept]))
    assert found["average_precision"] == pytest.approx(
        average_precision_score(labels[kept], scores[kept])
    )
