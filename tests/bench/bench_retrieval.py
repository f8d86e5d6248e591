"""What the pages Retrieval and Context use read of a run of 100,000 samples with five contexts.

Wanted: all retrieval figures below 2 s the first time, in a process of its own, and what is read
of redundancy below 100 ms. Hits and redundancy were worked out before and are stored.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import generate
import measure

from core.metrics.redundancy import redundancy_figures
from core.store.derived import redundancy_pairs
from core.workflows import context_use, deriving, retrieving, review
from core.workflows.review import View
from core.workflows.setup import ensure_store

SIZES = (10_000, 100_000)


def figures(path: str, run_id: str) -> float:
    """Seconds of the first reading of all figures in this process."""
    store, _ = ensure_store(Path(path))
    started = time.perf_counter()
    retrieving.retrieval(store, run_id, View())
    return time.perf_counter() - started


def ms(read: Callable[[], object]) -> str:
    return f"{measure.best_ms(read):,.0f}"


def measured(n: int) -> tuple[str, ...]:
    """The line of one size."""
    with tempfile.TemporaryDirectory() as name:
        made, run_id, _ = generate.store(n)
        path = Path(shutil.copy(made, Path(name) / "retrieval.duckdb"))
        store, _ = ensure_store(path)
        started = time.perf_counter()
        deriving.derive(store, run_id)
        seconds = time.perf_counter() - started
        first = measure.in_own_process(figures, str(path), run_id).result

        again = ms(lambda: retrieving.retrieval(store, run_id, View()))
        cue = ms(lambda: context_use.context_use(store, run_id, View()))
        with review.matched(store, run_id, View()) as (connection, _):
            redundancy = ms(lambda: redundancy_figures(redundancy_pairs(connection, run_id)))
        return (f"{n:,}", f"{seconds:,.1f}", f"{first * 1000:,.0f}", again, redundancy, cue)


def main(sizes: tuple[int, ...]) -> None:
    """Print one line per size."""
    measure.table(
        "Hits and redundancy worked out once, and what pages then read",
        ("samples", "derived, s", "first, ms", "again, ms", "redundancy, ms", "CUE, ms"),
        [measured(n) for n in sizes],
    )


if __name__ == "__main__":
    measure.serve({"figures": figures})
    main(tuple(int(size) for size in sys.argv[1:]) or SIZES)
