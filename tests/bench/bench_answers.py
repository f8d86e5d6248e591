"""Answers of a run: comparing them once, and what the page then reads."""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import measure
import numpy as np

from core.workflows.answers import load_answers, score_slices, score_view
from core.workflows.comparing_answers import compare_answers
from core.workflows.importing import Options, import_file
from core.workflows.review import View
from core.workflows.setup import ensure_store

SIZES = (10_000, 100_000)
N_WORDS = 20_000


def written(folder: Path, n: int) -> Path:
    """Answers of 60 and references of 20 words that share some, with a label for half of them."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{number:x}" for number in range(N_WORDS)])
    path = folder / "answers.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for i in range(n):
            drawn = words[np.minimum(rng.zipf(1.3, 80), N_WORDS) - 1]
            row = {
                "sample_id": f"s{i}",
                "question": f"Question {i}?",
                "answer": " ".join(drawn[:60]),
                "reference": " ".join(drawn[50:70]),
                "contexts": [],
                "tags": {"topic": f"t{i % 12}"},
                **({"labels": {"correct": i % 3 > 0}} if i % 2 else {}),
            }
            out.write(json.dumps(row) + "\n")
    return path


def ms(read: Callable[[], object]) -> float:
    """Fastest of three, in ms."""
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        read()
        taken.append(time.perf_counter() - started)
    return min(taken) * 1_000


def measured(n: int) -> tuple[str, ...]:
    """The line of one size."""
    with tempfile.TemporaryDirectory() as name:
        store, _ = ensure_store(Path(name) / "answers.duckdb")
        run_id = import_file(store, written(Path(name), n), Options()).runs[0].run_id
        started = time.perf_counter()
        compare_answers(store, run_id)
        seconds = time.perf_counter() - started
        page = ms(lambda: load_answers(store, run_id, View()))
        score = ms(lambda: score_view(store, run_id, View(), "token_f1"))
        slices = ms(lambda: score_slices(store, run_id, View(), "token_f1", "topic"))
    return (
        *(f"{n:,}", f"{seconds:,.1f}", f"{seconds / n * 1_000:.2f}"),
        *(f"{one:,.0f}" for one in (page, score, slices)),
    )


def main(sizes: tuple[int, ...]) -> None:
    """Print one line per size."""
    measure.table(
        "Comparing answers with references, and reading the page Answers",
        ("samples", "compared, s", "ms a sample", "page, ms", "one score, ms", "slices, ms"),
        [measured(n) for n in sizes],
    )


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]) or SIZES)
