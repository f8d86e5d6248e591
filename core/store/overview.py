"""What the overview of a run asks beyond its patterns; reads the samples of ``matching.match``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.store.connection import Connection, sql
from core.store.run_sql import fetch_records, fetch_rows


@dataclass(frozen=True, slots=True)
class SliceCount:
    """Matched samples with one value of one tag; ``scored`` of the ``n`` are decided."""

    name: str
    value: str
    n: int
    scored: int
    failing: int


@dataclass(frozen=True, slots=True)
class LatencyAndCost:
    """Latency in seconds and cost in USD of the system's answers; None where nothing is recorded.

    ``n_latency`` and ``n_cost`` samples have the figure.
    """

    n_latency: int
    p50: float | None
    p95: float | None
    n_cost: int
    cost: float | None


def slice_counts(
    connection: Connection,
    run_id: str,
    *,
    fail_codes: Sequence[int],
    open_codes: Sequence[int],
    least: int,
    most: int,
) -> list[SliceCount]:
    """Matched samples by all tag values with at least ``least`` decided samples.

    A tag with more than ``most`` values in the run makes no slices.
    """
    rows = fetch_rows(
        connection,
        "slice_counts",
        run_id=run_id,
        fail_codes=list(fail_codes),
        open_codes=list(open_codes),
        least=least,
        most=most,
    )
    return [SliceCount(*row) for row in rows]


def slice_patterns(
    connection: Connection, run_id: str, slices: Sequence[SliceCount]
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """(code, n) of the matched samples of some slices, by tag and value."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    rows = fetch_rows(
        connection,
        "slice_patterns",
        run_id=run_id,
        names=[one.name for one in slices],
        values=[one.value for one in slices],
    )
    for name, value, code, n in rows:
        found.setdefault((name, value), []).append((code, n))
    return found


def tags_left_out(connection: Connection, run_id: str, most: int) -> list[str]:
    """Tags of a run with more than ``most`` values."""
    return [name for (name,) in fetch_rows(connection, "tags_left_out", run_id=run_id, most=most)]


def undecided_causes(
    connection: Connection, run_id: str, codes: Sequence[int]
) -> list[tuple[str, str | None, int]]:
    """(status, cause, samples) of missing triad scores of the matched samples with these codes."""
    rows = fetch_rows(connection, "undecided_causes", run_id=run_id, codes=list(codes))
    return [(status, cause, n) for status, cause, n in rows]


def binary_labels(
    connection: Connection, run_id: str, names: Sequence[str]
) -> list[tuple[str, int]]:
    """(criterion, labels) of those among ``names`` that are plain 0 and 1, in their order."""
    rows = fetch_rows(connection, "binary_labels", run_id=run_id, names=list(names))
    return [(criterion, n) for criterion, n in rows]


def scores_and_labels(
    connection: Connection, run_id: str, criterion: str, *, with_test: bool
) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Groundedness and a binary label of the matched samples that have both, in step.

    ``with_test`` also reads the test part of the label's split, if it is split.
    """
    columns: dict[str, Any] = connection.execute(
        sql("queries/scores_and_labels.sql"),
        {"run_id": run_id, "criterion": criterion, "is_open": with_test},
    ).fetchnumpy()
    return np.asarray(columns["score"], np.float64), np.asarray(columns["label"], np.int8)


def repeats_of(
    connection: Connection, run_id: str, metrics: Sequence[str], judge_ids: Sequence[str]
) -> int:
    """Largest number of repeats among these verdicts; 0 if there are none."""
    rows = fetch_rows(
        connection, "repeats_of", run_id=run_id, metrics=list(metrics), judge_ids=list(judge_ids)
    )
    return int(rows[0][0])


def latency_and_cost(connection: Connection, run_id: str) -> LatencyAndCost:
    """Median and 95th percentile of the latency and the sum of the cost of the matched samples."""
    return LatencyAndCost(**fetch_records(connection, "latency_and_cost", run_id=run_id)[0])
