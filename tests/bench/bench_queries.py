"""What pages ask of a store: the matrix and its parts, one sample, lists, writes, judge, export.

Wanted on two cores: each query of the matrix below 100 ms at 100,000 samples and below 500 ms at
1,000,000; opening one sample below 50 ms at any size. Times are those of the fastest of nine calls
after a first one, in milliseconds, unless the row says "first".
"""

import itertools
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import generate
import measure

from core.filters import from_terms
from core.judge import offline
from core.model import TRIAD, Axis
from core.store import matching, queries, samples, writes
from core.store.connection import Store
from core.workflows import exporting, judging, listing, matrix, review, sample_views, view_choices

SIZES = (10_000, 100_000, 1_000_000)
TAGGED = review.View(wanted=from_terms(["tag.domain=travel"]))
MOVED = review.View(cuts=((Axis.GROUNDEDNESS, 0.83), (Axis.CONTEXT_RELEVANCE, 0.61)))
PLAIN = review.View()

Figures = dict[str, str]


def of_matrix(store: Store, run_id: str, baseline_id: str) -> Figures:
    """The failure-mode page from opening the store to closing it."""
    return {
        "open and close the store": _ms(lambda: _opened(store)),
        "matrix": _ms(lambda: matrix.matrix(store, run_id, PLAIN)),
        "matrix, one tag": _ms(lambda: matrix.matrix(store, run_id, TAGGED)),
        "matrix, cuts moved": _ms(lambda: matrix.matrix(store, run_id, MOVED)),
        "matrix with baseline": _ms(lambda: matrix.matrix(store, run_id, PLAIN, baseline_id)),
        "slices by one tag": _ms(lambda: matrix.tag_slices(store, run_id, PLAIN, "domain")),
        "choices of the filter": _ms(lambda: view_choices.filter_choices(store, run_id)),
    }


def _opened(store: Store) -> None:
    with store.reading() as connection:
        connection.execute("select 1").fetchall()


def parts(store: Store, run_id: str, baseline_id: str) -> Figures:
    """The queries behind the matrix, one by one on an open store."""
    with store.reading() as connection:
        settled = review.settings(connection, run_id, PLAIN)
        base = review.settings(connection, baseline_id, PLAIN)

        def matched(view: review.View, found: review.Settings = settled) -> None:
            review.match(connection, found, view)

        figures = {"· settings": _ms(lambda: review.settings(connection, run_id, PLAIN))}
        choices = queries.wide_choices(connection, run_id)
        figures["· rows for other judges"] = _ms(
            lambda: matching.use_selection(connection, run_id, choices)
        )
        connection.execute("drop view temp.wide")
        figures["· classify, one tag"] = _ms(lambda: matched(TAGGED))
        figures["· classify all"] = _ms(lambda: matched(PLAIN))
        counts: dict[str, Callable[[], Any]] = {
            "· count patterns": lambda: matching.pattern_counts(connection),
            "· coverage": lambda: matrix.axis_coverage(connection, run_id),
            "· one histogram": lambda: matching.score_histogram(
                connection, TRIAD[0].value, 0.0, 1.0, matrix.HISTOGRAM_BINS
            ),
            "· moved by cuts": lambda: matching.moved_counts(connection),
        }
        figures |= {name: _ms(function) for name, function in counts.items()}
        matched(PLAIN, base)
        matching.keep_baseline(connection)
        matched(PLAIN)
        figures["· paired with baseline"] = _ms(lambda: matching.paired_counts(connection))
    return figures


def one_sample(store: Store, run_id: str, n: int) -> Figures:
    """Triage: opening samples, and the lists around them."""
    waiting = sample_views.queue(store, run_id, PLAIN)
    chosen = itertools.cycle(f"sample-{place * (n // 10):07d}" for place in range(10))
    return {
        "queue of a view (kept)": _ms(lambda: sample_views.queue(store, run_id, PLAIN)),
        "open one sample": _ms(
            lambda: sample_views.sample_view(store, run_id, PLAIN, next(chosen), waiting)
        ),
        "· its rows": _ms(lambda: _detail(store, run_id, n // 2)),
        "page of samples, first": _ms(lambda: sample_views.sample_rows(store, run_id, PLAIN, 50)),
        "page of samples, middle": _ms(
            lambda: sample_views.sample_rows(store, run_id, PLAIN, 50, offset=n // 2)
        ),
        "list of runs": _ms(lambda: listing.run_list(store)),
    }


def _detail(store: Store, run_id: str, position: int) -> None:
    with store.reading() as connection:
        samples.sample_detail(connection, run_id, position)


def writing(path: Path, run_id: str, n: int) -> Figures:
    """Saving a label and a verdict, in a copy of the store."""
    copy = path.with_name(f"written-{os.getpid()}-{path.name}")
    shutil.copyfile(path, copy)
    store = Store(copy)

    def save(criterion: str) -> None:
        with store.writing() as connection:
            writes.append_label(
                connection, run_id, f"sample-{n // 3:07d}", n // 3,
                criterion=criterion, rater="bench", value=1.0,
            )  # fmt: skip

    def rejudge() -> None:
        request = judging.Request(sample_ids=(f"sample-{n // 3:07d}",), which="all")
        judging.judge_run(store, run_id, request)

    figures = {
        "save a pass or fail": _ms(lambda: save("triage")),
        "save a label that counts": _ms(lambda: save("correct")),
        "re-judge one sample, first": f"{measure.first_ms(rejudge):,.0f}",
        "re-judge one sample": _ms(rejudge),
    }
    measure.remove_store(copy)
    return figures


def throughput(store: Store, run_id: str, n: int) -> Figures:
    """Samples a second of the offline judge, and of an export as JSON Lines."""
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        inputs = samples.judge_inputs(connection, run, range(0, n, max(1, n // 1_000)))
    weights = judging.term_weights(store, run_id, n)
    started = time.perf_counter()
    for sample in inputs:
        offline.judge_sample(sample, weights)
    judged = len(inputs) / (time.perf_counter() - started)
    target = generate.folder() / f"exported-{os.getpid()}.jsonl"
    started = time.perf_counter()
    exported = exporting.export(store, run_id, PLAIN, target)
    rate = exported / (time.perf_counter() - started)
    target.unlink()
    return {"judge offline, samples/s": f"{judged:,.0f}", "export, samples/s": f"{rate:,.0f}"}


def _ms(function: Callable[[], Any]) -> str:
    return f"{measure.best_ms(function):,.1f}"


def figures_of(n: int) -> Figures:
    """All figures of one size; run in a process of its own, so that its peak is theirs."""
    path, run_id, baseline_id = generate.store(n, with_text=n <= 100_000)
    store = Store(path)
    figures = {**of_matrix(store, run_id, baseline_id), **parts(store, run_id, baseline_id)}
    figures |= one_sample(store, run_id, n)
    figures["peak MB of all this"] = f"{measure.peak_mb():,.0f}"
    figures |= writing(path, run_id, n)
    figures |= throughput(store, run_id, n) if n <= 100_000 else {}
    figures["store, MB"] = f"{measure.files_mb(path):,.0f}"
    return figures


def main(sizes: tuple[int, ...]) -> None:
    """Print one column per size."""
    columns = []
    for n in sizes:
        generate.store(n, with_text=n <= 100_000)
        columns.append(measure.in_own_process(figures_of, n).result)
    names = list(dict.fromkeys(name for figures in columns for name in figures))
    measure.table(
        "Reading and writing a store (milliseconds unless it says otherwise)",
        ("samples", *(f"{n:,}" for n in sizes)),
        [(name, *(figures.get(name, "") for figures in columns)) for name in names],
    )


if __name__ == "__main__":
    measure.serve(globals())
    main(tuple(int(size) for size in sys.argv[1:]) or SIZES)
