"""What the page Overview asks of a store, as a whole and query by query.

Wanted on two cores: each query below 100 ms at 100,000 samples and below 500 ms at 1,000,000.
Times are medians in milliseconds after a first call.
"""

import sys
from collections.abc import Callable
from typing import Any

import generate
import measure

from core.diagnosis.modes import Outcome, modes_of
from core.diagnosis.triad import codes_for
from core.filters import from_terms
from core.metrics.roc import auc_delong
from core.model import TRIAD, Mode
from core.store import derived, matching
from core.store import overview as reads
from core.store.connection import Connection, Store
from core.workflows import overview, review

SIZES = (10_000, 100_000, 1_000_000)
PLAIN = review.View()
TAGGED = review.View(wanted=from_terms(["tag.domain=travel"]))
LABEL = "correct"

Figures = dict[str, str]


def figures_of(n: int) -> Figures:
    """All figures of one size; run in a process of its own."""
    path, run_id, baseline_id = generate.store(n, with_text=n <= 100_000)
    store = Store(path)
    figures = {
        "overview": _ms(lambda: overview.overview(store, run_id, PLAIN)),
        "overview, one tag": _ms(lambda: overview.overview(store, run_id, TAGGED)),
        "overview with baseline": _ms(lambda: overview.overview(store, run_id, PLAIN, baseline_id)),
    }
    with store.reading() as connection:
        settings = review.settings(connection, run_id, PLAIN)
        review.match(connection, settings, PLAIN)
        figures |= {name: _ms(query) for name, query in _queries(connection, settings).items()}
    figures["peak MB of all this"] = f"{measure.peak_mb():,.0f}"
    return figures


def _queries(connection: Connection, settings: review.Settings) -> dict[str, Callable[[], Any]]:
    run_id = settings.run.run_id
    chosen = [settings.choices[axis] for axis in TRIAD if axis in settings.choices]
    slices = reads.slice_counts(
        connection, run_id, fail_codes=_codes(Outcome.FAIL), open_codes=_codes(Outcome.OPEN),
        least=overview.LEAST_IN_SLICE, most=overview.MOST_TAG_VALUES,
    )  # fmt: skip
    scores, labels = reads.scores_and_labels(connection, run_id, LABEL, with_test=True)
    return {
        "· slices of all tags": lambda: reads.slice_counts(
            connection, run_id, fail_codes=_codes(Outcome.FAIL), open_codes=_codes(Outcome.OPEN),
            least=overview.LEAST_IN_SLICE, most=overview.MOST_TAG_VALUES,
        ),
        "· modes of the worst": lambda: reads.slice_patterns(connection, run_id, slices[:8]),
        "· tags left out": lambda: reads.tags_left_out(connection, run_id, 200),
        "· why undecided": lambda: reads.undecided_causes(
            connection, run_id, codes_for([Mode.UNDETERMINED])
        ),
        "· binary labels": lambda: reads.binary_labels(connection, run_id, [LABEL]),
        "· scores beside a label": lambda: reads.scores_and_labels(
            connection, run_id, LABEL, with_test=False
        ),
        "· contradictions": lambda: matching.joint_counts(connection),
        "· hits not looked at": lambda: derived.matched_underived(connection, run_id),
        "· AUC with DeLong": lambda: auc_delong(scores, labels),
        "· repeats": lambda: reads.repeats_of(
            connection, run_id, [c.metric for c in chosen], [c.judge_id for c in chosen]
        ),
        "· latency and cost": lambda: reads.latency_and_cost(connection, run_id),
    }  # fmt: skip


def _codes(outcome: Outcome) -> list[int]:
    return codes_for(modes_of(outcome))


def _ms(function: Callable[[], Any]) -> str:
    return f"{measure.best_ms(function):,.1f}"


def main(sizes: tuple[int, ...]) -> None:
    """Print one column per size."""
    columns = []
    for n in sizes:
        generate.store(n, with_text=n <= 100_000)
        columns.append(measure.in_own_process(figures_of, n).result)
    names = list(dict.fromkeys(name for figures in columns for name in figures))
    measure.table(
        "Overview (milliseconds)",
        ("samples", *(f"{n:,}" for n in sizes)),
        [(name, *(figures.get(name, "") for figures in columns)) for name in names],
    )


if __name__ == "__main__":
    measure.serve(globals())
    main(tuple(int(size) for size in sys.argv[1:]) or SIZES)
