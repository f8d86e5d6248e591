"""Speed of calibration at a million scores, and of agreement over 300,000 labels."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from generate import folder
from measure import remove_store
from measure import table as show
from sklearn.metrics import roc_auc_score

from core.metrics.operating import all_cuts
from core.metrics.roc import auc_delong
from core.store.connection import Store
from core.workflows.agreeing import agree
from core.workflows.calibrating import at_cut, rank
from core.workflows.labelled_scores import Question, read
from core.workflows.setup import ensure_store

N = 1_000_000
_ROUNDS = 5


def best(function: Callable[[], Any]) -> float:
    """Seconds of the fastest of some calls."""
    found = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        function()
        found.append(time.perf_counter() - started)
    return min(found)


def areas() -> None:
    rng = np.random.default_rng(0)
    labels = (rng.random(N) < 0.4).astype(np.int8)
    sets = {
        "all different": rng.normal(size=N) + labels,
        "three digits": np.round(np.clip(rng.beta(4, 2, N) + 0.1 * labels, 0, 1), 3),
        "rubric 1 to 5": np.clip(np.round(rng.normal(3, 1, N) + labels), 1, 5),
    }
    rows = []
    for name, scores in sets.items():
        ours = best(lambda scores=scores: auc_delong(scores, labels))  # type: ignore[misc]
        theirs = best(lambda scores=scores: roc_auc_score(labels, scores))  # type: ignore[misc]
        cuts = all_cuts(scores, labels)
        drawn = len(list(cuts.thinned())) if cuts is not None else 0
        difference = abs((auc_delong(scores, labels).value or 0) - roc_auc_score(labels, scores))
        rows.append(
            [name, f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}", f"{difference:.0e}",
             f"{drawn:,}"]
        )  # fmt: skip
    show(
        f"AUC of {N:,} scores",
        ["scores", "with DeLong, s", "roc_auc_score, s", "ratio", "difference", "points drawn"],
        rows,
    )


def million(path: Path) -> Store:
    """A run of a million scored and labelled samples, put into the store by statements."""
    store, _ = ensure_store(path)
    with store.writing(memory="4GB") as connection:
        connection.execute("select setseed(0.5)")
        connection.execute(
            f"insert into run by name select 'million' as run_id, 1 as data_version, 'million' as "
            f"name, now()::timestamp as imported_at, {N} as n_samples, true as has_contexts, true "
            "as has_answers"
        )
        connection.execute(
            "insert into judge values ('0123456789ab', 'imported', 'file', null, null, '{}', '1')"
        )
        connection.execute(
            "insert into verdict by name select 'million' as run_id, i + 1 as verdict_no, i as "
            "position, 'overlap' as metric, 0 as repeat, '0123456789ab' as judge_id, 'value' as "
            "status, random() as value, now()::timestamp as judged_at "
            f"from range({N}) as numbers(i)"
        )
        connection.execute(
            "insert into label by name select 'million' as run_id, i + 1 as label_no, i as "
            "position, 'faithful' as criterion, 'file' as rater, (i % 3 = 0)::double as value, "
            f"false as is_blind, now()::timestamp as labelled_at from range({N}) as numbers(i)"
        )
        connection.execute(
            "insert into sample by name select 'million' as run_id, i as position, 's' || i as "
            "sample_id, false as is_generated_id, '' as question, '' as answer, []::varchar[] as "
            f"reference_texts, true as is_contexts_recorded from range({N}) as numbers(i)"
        )
        connection.execute(
            "insert into wide by name select 'million' as run_id, i as position, 's' || i as "
            "sample_id, false as is_partial, false as is_partial_refusal, false as is_unstable, 0 "
            f"as n_contexts, 0 as n_gold from range({N}) as numbers(i)"
        )
    return store


def whole() -> None:
    path = folder() / "calibration.duckdb"
    remove_store(path)
    store = million(path)
    question = Question("overlap", "faithful")
    paired = read(store, ["million"], question)
    rows = [
        [
            "scores and labels from the store",
            f"{best(lambda: read(store, ['million'], question)):.2f}",
        ],
        ["area, curve, suggestions, correlations", f"{best(lambda: rank(paired)):.2f}"],
        ["matrix and corrected rate at another cut", f"{best(lambda: at_cut(paired, 0.4)):.3f}"],
    ]
    show(f"comparison of {paired.n:,} samples", ["step", "s"], rows)
    remove_store(path)


def agreement() -> None:
    """Three raters of 100,000 samples, with twelve slices and a judge beside."""
    path = folder() / "agreement.duckdb"
    remove_store(path)
    store = million(path)
    n = 100_000
    with store.writing(memory="4GB") as connection:
        for place, rater in enumerate(("one", "two", "three")):
            connection.execute(
                f"insert into label by name select 'million' as run_id, {N} + {place * n} + i + 1 "
                f"as label_no, i as position, 'quality' as criterion, '{rater}' as rater, "
                "1 + floor(hash(i) % 4 + random() * 2)::double as value, false as is_blind, "
                f"now()::timestamp as labelled_at from range({n}) as numbers(i)"
            )
        connection.execute(
            "insert into tag by name select 'million' as run_id, i as position, 'topic' as name, "
            f"'topic ' || (i % 12) as value from range({n}) as numbers(i)"
        )
    ask = partial(agree, store, "million", "quality")
    show(
        "agreement over 300,000 labels of a run of 1,000,000 samples",
        ["step", "s"],
        [
            ["coefficients", f"{best(ask):.2f}"],
            ["with slices and a judge", f"{best(partial(ask, tag='topic', score='overlap')):.2f}"],
        ],
    )
    remove_store(path)


if __name__ == "__main__":
    areas()
    whole()
    agreement()
