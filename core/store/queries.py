"""Questions about runs, judges, metrics and labels; each function runs one file of ``queries/``.

All take a connection of ``Store.reading`` and fetch everything before they return.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import NotFoundError
from core.metrics.registry import AXIS_PREFERENCE
from core.store.connection import Connection
from core.store.run_sql import fetch_records, fetch_rows, loaded


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run without its samples; times are naive UTC."""

    run_id: str
    data_version: int
    name: str
    dataset: str | None
    tool: str | None
    tool_version: str | None
    created_at: datetime | None
    imported_at: datetime
    file_name: str | None
    file_sha256: str | None
    n_samples: int
    has_contexts: bool
    has_answers: bool
    config: Mapping[str, Any] | None
    note: str | None
    judges: str | None

    def metric_called(self, name: str) -> str:
        """The metric that the run's file calls so; the name itself where it says nothing of it."""
        names = (self.config or {}).get("names_in_file")
        found = names.items() if isinstance(names, Mapping) else ()
        return next((metric for metric, in_file in found if in_file == name), name)


@dataclass(frozen=True, slots=True)
class MetricRow:
    """States and range of one metric of one judge over the samples of a run."""

    metric: str
    judge_id: str
    kind: str
    model: str
    n: int
    not_applicable: int
    error: int
    mean: float | None
    min: float | None
    max: float | None


def runs(connection: Connection) -> list[RunRow]:
    """All runs, the newest import first."""
    found = fetch_records(connection, "runs")
    for record in found:
        record["config"] = loaded(record["config"])
    return [RunRow(**record) for record in found]


def find_run(connection: Connection, wanted: str) -> RunRow:
    """A run by its id, or by its name where that is unique.

    Raises:
        NotFoundError: no such run, or several of that name; the message lists them.
    """
    everything = runs(connection)
    for run in everything:
        if run.run_id == wanted:
            return run
    named = [run for run in everything if run.name == wanted]
    if len(named) == 1:
        return named[0]
    if named:
        listed = ", ".join(f"{run.run_id} (imported {run.imported_at:%Y-%m-%d})" for run in named)
        raise NotFoundError(f"Several runs are named {wanted!r}; use an id: {listed}.")
    known = ", ".join(f"{run.run_id} ({run.name})" for run in everything[:10]) or "none"
    raise NotFoundError(f"There is no run {wanted!r} in the store. Its runs: {known}.")


def data_versions(connection: Connection) -> dict[str, int]:
    """Data version of every run."""
    return dict(fetch_rows(connection, "data_versions"))


def next_position(connection: Connection, run_id: str) -> int:
    """Position behind the last sample of a run; rows that were left out leave gaps before it."""
    return int(fetch_rows(connection, "next_position", run_id=run_id)[0][0])


def sample_count(connection: Connection, run_id: str) -> int:
    """Number of samples of a run."""
    return int(fetch_rows(connection, "sample_count", run_id=run_id)[0][0])


def candidates(connection: Connection, run_id: str) -> list[dict[str, Any]]:
    """Sets of verdicts that can serve an axis: metric, judge_id, kind, model, counts, newest_no."""
    metrics = [metric for names in AXIS_PREFERENCE.values() for metric in names]
    last = next_position(connection, run_id)
    return fetch_records(connection, "candidates", run_id=run_id, metrics=metrics, last=last)


def metric_summary(connection: Connection, run_id: str) -> list[MetricRow]:
    """Every metric and judge of a run with its states and range."""
    last = fetch_rows(connection, "last_judged", run_id=run_id)[0][0]
    rows = fetch_rows(connection, "metric_summary", run_id=run_id, last=last)
    return [MetricRow(*row) for row in rows]


def label_summary(connection: Connection, run_id: str) -> list[dict[str, Any]]:
    """Every criterion of a run: n, n_numeric, mean, min, max over the current labels."""
    return fetch_records(connection, "label_summary", run_id=run_id)


def metric_scales(connection: Connection, run_id: str) -> dict[str, dict[str, Any]]:
    """Scale of every metric that the run's file brought: lo, hi, direction, cut, is_declared."""
    found = fetch_records(connection, "metric_scales", run_id=run_id)
    return {record.pop("metric"): record for record in found}


def thresholds(connection: Connection, run_id: str) -> dict[tuple[str, str], float]:
    """Cuts that were set for a run, by (metric, judge_id)."""
    return {
        (metric, judge_id): cut
        for metric, judge_id, cut in fetch_rows(connection, "thresholds", run_id=run_id)
    }


def saved_choices(connection: Connection, run_id: str) -> dict[str, tuple[str, str]]:
    """Judge selection that was set for a run: axis -> (metric, judge_id)."""
    return {
        axis: (metric, judge_id)
        for axis, metric, judge_id in fetch_rows(connection, "saved_choices", run_id=run_id)
    }


def judge_models(connection: Connection) -> dict[str, str]:
    """Model of every judge by judge id."""
    return dict(fetch_rows(connection, "judge_models"))


def wide_choices(connection: Connection, run_id: str) -> list[tuple[str, str, str, str]]:
    """Selection that the wide rows of a run were made with: axis, metric, judge_id, aggregate."""
    return [(a, m, j, g) for a, m, j, g in fetch_rows(connection, "wide_choices", run_id=run_id)]


def tag_values(connection: Connection, run_id: str) -> list[tuple[str, str, int]]:
    """(name, value, samples) of all tags of a run."""
    return [(name, v, n) for name, v, n in fetch_rows(connection, "tag_values", run_id=run_id)]


def label_values(connection: Connection, run_id: str) -> list[tuple[str, str, int]]:
    """(criterion, value as in a filter, samples) of all current labels of a run."""
    return [(c, value, n) for c, value, n in fetch_rows(connection, "label_values", run_id=run_id)]


def imports_of(connection: Connection, file_sha256: str) -> list[dict[str, Any]]:
    """Imports of the same bytes: file_name, imported_at, n_runs filled, run_ids still there."""
    return fetch_records(connection, "imports_of", file_sha256=file_sha256)


def judges(connection: Connection) -> list[dict[str, Any]]:
    """All judges of the store; params is JSON text."""
    return fetch_records(connection, "judges")
