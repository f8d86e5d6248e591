"""How well outcomes are predicted: a set whose best F1 is known, and real labels if they are here.

The real case is the label ``faithful`` of the runs of mtrag_human, from the offline judge's scores
and the domain tag; runs are pooled and questions kept together.
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import table as show

from core.metrics.prediction import Prediction
from core.metrics.predictor import Table, predict
from core.store import queries
from core.workflows.importing import Options, import_file
from core.workflows.judging import Request, judge_run
from core.workflows.predicting import PredictionRequest, predict_outcome
from core.workflows.setup import ensure_store

ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("RAGTRIAGE_TEST_DATA", "../shared")).resolve() / "data"


def known(n: int = 4_000) -> Table:
    """Outcome yes with 0.9 where a score is high, else with 0.2: the best mean F1 is 0.850."""
    rng = np.random.default_rng(11)
    high = rng.integers(0, 2, n)
    outcome = np.where(rng.random(n) < np.where(high == 1, 0.9, 0.2), "yes", "no")
    score = np.where(high == 1, rng.uniform(0.6, 1, n), rng.uniform(0, 0.5, n))
    return Table(
        np.column_stack([score, rng.normal(size=n)]),
        ("score", "noise"),
        np.empty((n, 0), dtype=object),
        (),
        tuple(outcome.tolist()),
        tuple(map(str, range(n))),
    )


def report(title: str, found: Prediction, seconds: float) -> None:
    if found.reason is not None or found.baseline is None:
        print(f"\n{title}: {found.reason}")
        return
    rows = []
    for model in (found.baseline, *found.models):
        cells = [f"{one.precision:.2f} {one.recall:.2f} {one.f1:.2f}" for one in model.classes]
        mean = f"{model.f1:.3f} ({model.low:.2f}-{model.high:.2f})"
        top = ", ".join(f"{name} {fall:.2f}" for name, fall, _ in model.importance[:3])
        rows.append([model.name, *cells, mean, top])
    names = [f"{name}: P R F1" for name, _ in found.class_counts]
    counts = ", ".join(f"{name} {n}" for name, n in found.class_counts)
    sizes = f"{found.n_train} to learn from, {found.n_test} held out ({counts})"
    show(
        f"{title}: {sizes}, {seconds:.0f} s",
        ["model", *names, "mean F1", "main features"],
        rows,
    )


def main() -> None:
    started = time.perf_counter()
    found = predict(known())
    report("generated, best mean F1 0.850", found, time.perf_counter() - started)
    file = DATA / "mtrag_human.jsonl"
    if not file.exists():
        print("\nthe real runs are not here (RAGTRIAGE_TEST_DATA)")
        return
    with tempfile.TemporaryDirectory() as folder:
        store, _ = ensure_store(Path(folder) / "store.duckdb")
        import_file(store, file, Options())
        with store.reading() as connection:
            run_ids = tuple(run.run_id for run in queries.runs(connection))
        for run_id in run_ids:
            judge_run(store, run_id, Request())
        for tags in ((), ("domain",)):
            started = time.perf_counter()
            found = predict_outcome(store, PredictionRequest(run_ids, "faithful", tags=tags))
            named = " and ".join(["offline scores", *tags])
            report(f"mtrag_human faithful from {named}", found, time.perf_counter() - started)


if __name__ == "__main__":
    main()
