"""Checks and last touches on a file that is staged: duplicates, scales, runs, settings."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from core.model import JudgeSpec
from core.records import Problem
from core.store.connection import sql
from core.store.judges import judge_id
from core.store.staging import StagedRun, Staging, parse_time

_OF_A_SAMPLE = (
    "tag", "context", "gold", "claim_set", "verdict", "label", "label_part", "sample",
)  # fmt: skip


def _run(staging: Staging, name: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
    staging.flush()
    statement = sql(f"statements/staged/{name}.sql")
    return staging.connection.execute(statement, parameters).fetchall()


def duplicate_ids(staging: Staging) -> list[Problem]:
    """A problem for every row whose (run, sample_id) an earlier row has already."""
    return [
        Problem(row, f"sample_id {sample_id!r} is in row {first} of the same run already.")
        for row, sample_id, first in _run(staging, "duplicates")
    ]


def known_ids(staging: Staging, known: Collection[str]) -> list[Problem]:
    """A problem for every row whose sample_id is among those of the run that is appended to."""
    return [
        Problem(row, f"sample_id {sample_id!r} is in the run already.")
        for row, sample_id in _run(staging, "ids")
        if sample_id in known
    ]


def drop_rows(staging: Staging, rows: Iterable[int]) -> None:
    """Take rows back out (with ``--skip-bad-rows``), and count anew what is left."""
    _run(staging, "dropped", rows=sorted(set(rows)))
    for table in _OF_A_SAMPLE:
        _run(staging, f"drop/{table}")
    counts = {run_id: row for run_id, *row in _run(staging, "counts")}
    for run in staging.runs.values():
        n_samples, n_contexts, n_gold, has_answers = counts.get(run.run_id, (0, 0, 0, False))
        run.n_samples, run.n_contexts, run.n_gold = n_samples, n_contexts, n_gold
        run.has_answers = has_answers


def filled(staging: Staging) -> list[StagedRun]:
    """Runs that have samples."""
    return [run for run in staging.runs.values() if run.n_samples]


def order_verdicts(staging: Staging) -> None:
    """Number verdicts by when they were made, where the file says so: the newest counts."""
    for run in staging.runs.values():
        if run.has_judged_times:
            _run(staging, "order_verdicts", run_id=run.run_id)


def contexts_per_sample(staging: Staging, run_id: str) -> dict[str, float] | None:
    """Smallest, median and largest number of contexts of the samples of a run, and their n.

    Only samples whose contexts are recorded count; an empty list counts as 0. None where no sample
    records any.
    """
    (row,) = _run(staging, "contexts_per_sample", run_id=run_id)
    return dict(zip(("min", "median", "max", "n"), row, strict=True)) if row[-1] else None


def metric_ranges(staging: Staging, run_id: str) -> list[tuple[str, float | None, float | None]]:
    """(metric, smallest, largest value) of every metric with imported verdicts in the run."""
    return [(metric, low, high) for metric, low, high in _run(staging, "ranges", run_id=run_id)]


def add_metric(
    staging: Staging, run_id: str, metric: str, scale: Mapping[str, Any], *, is_declared: bool
) -> None:
    """Stage the scale of a metric: lo, hi, direction, and the file's own cut."""
    _run(
        staging,
        "add_metric",
        run_id=run_id,
        metric=metric,
        lo=scale["lo"],
        hi=scale["hi"],
        direction=scale["direction"],
        cut=scale["cut"],
        is_declared=is_declared,
    )


def add_choice(
    staging: Staging, run_id: str, number: int, axis: str, metric: str, judge: JudgeSpec
) -> None:
    """Stage the judge selection that the file carries for one axis."""
    staging.add_judge(judge)
    _run(
        staging,
        "add_choice",
        run_id=run_id,
        number=number,
        axis=axis,
        metric=metric,
        judge_id=judge_id(judge),
        now=staging.now,
    )


def add_threshold(
    staging: Staging, run_id: str, number: int, metric: str, judge: JudgeSpec, cut: float
) -> None:
    """Stage a cut that was set for the run where the file comes from."""
    staging.add_judge(judge)
    _run(
        staging,
        "add_threshold",
        run_id=run_id,
        number=number,
        metric=metric,
        judge_id=judge_id(judge),
        cut=cut,
        now=staging.now,
    )


def finish_runs(staging: Staging, file_name: str, file_sha256: str) -> None:
    """Stage one run row for every new run that has samples."""
    for run in filled(staging):
        if run.is_appended:
            continue
        info = run.info
        staging.connection.execute(
            sql("statements/add_run.sql"),
            {
                "run_id": run.run_id,
                "name": info.name,
                "dataset": info.dataset,
                "tool": info.tool,
                "tool_version": info.tool_version,
                "created_at": parse_time(info.created_at),
                "imported_at": staging.now,
                "file_name": file_name,
                "file_sha256": file_sha256,
                "n_samples": run.n_samples,
                "has_contexts": run.n_contexts > 0,
                "has_answers": run.has_answers,
                "config": info.config,
                "note": info.note,
            },
        )
