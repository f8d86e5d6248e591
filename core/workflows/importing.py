"""Importing a file: read and check all of it beside the store, then take it in at once."""

import hashlib
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest.base import Importer
from core.ingest.export_fields import FieldError, parse_judge
from core.ingest.formats import recognise
from core.judge.offline import SPEC as OFFLINE
from core.judge.offline import refusal_verdict
from core.metrics.registry import axis_of, resolve_scale
from core.model import Axis, Direction, JudgeKind, Scale
from core.records import Notices, ParsedRun, ParsedSample, ParsedVerdict, Problem
from core.store import queries, samples, writes
from core.store.connection import Store
from core.store.judges import FILE_JUDGE
from core.store.staging import Staging
from core.store.values import json_text
from core.workflows.reports import FileReport, RunPreview, label_json, metric_json

MAX_SIZE = 2 * 1024**3
_PROGRESS_SECONDS = 0.2
Progress = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is to be imported."""

    format: str | None = None
    run_name: str | None = None
    append_to: str | None = None
    is_dry_run: bool = False
    skip_bad_rows: bool = False
    max_size: int = MAX_SIZE
    display_name: str | None = None


def import_file(
    store: Store, path: Path, options: Options | None = None, progress: Progress | None = None
) -> FileReport:
    """Import one file or, with ``is_dry_run``, only say what it holds.

    Args:
        store: an existing store (see ``workflows.setup``).
        path: the file; its content decides the format.
        options: see ``Options``.
        progress: called with (rows read, share of the file read) a few times a second.

    Raises:
        BadInputError: no such file, too large, empty, of no known format, nothing to import, or
            options that do not fit it. Rows that cannot be stored are no error here: they are
            listed in the report, and nothing is stored unless ``skip_bad_rows`` is set.
    """
    options = options or Options()
    name = options.display_name or path.name
    _check_file(store, path, name, options.max_size)
    importer = recognise(path, options.format)
    file_sha256 = _sha256(path)
    report = FileReport(str(path) if options.display_name is None else name, importer.format)
    if options.append_to is None:
        report.duplicate_of = _earlier_import(store, file_sha256)
        if report.duplicate_of and not options.is_dry_run:
            return report
    now = writes.now_utc()
    notices = Notices()
    with Staging(store.path, now, FILE_JUDGE) as staging:
        _stage(staging, importer, path, file_sha256, options, notices, report, progress, store)
        report.problems += staging.duplicate_ids()
        if options.append_to is not None:
            report.problems += _known_ids(store, staging)
        if options.skip_bad_rows:
            staging.drop_rows(problem.row for problem in report.problems if problem.row is not None)
        if not any(run.n_samples > run.n_before for run in staging.runs.values()):
            if not report.problems:
                raise BadInputError(f"{name} holds no samples: there is nothing to import.")
            report.notices = notices.as_list()
            return report
        _finish(staging, name, file_sha256, notices)
        report.notices = notices.as_list()
        report.runs = _previews(staging, store)
        whole_file = [problem for problem in report.problems if problem.row is None]
        if options.is_dry_run or whole_file or (report.problems and not options.skip_bad_rows):
            return report
        writes.take_in(
            store,
            staging,
            import_id=hashlib.sha256(f"{file_sha256}{now.isoformat()}".encode()).hexdigest()[:12],
            file_name=name,
            file_sha256=file_sha256,
            format_name=importer.format,
            found=[*report.problems, *report.notices],
            now=now,
        )
    report.is_stored = True
    _take_final_names(store, report)
    return report


def _check_file(store: Store, path: Path, name: str, max_size: int) -> None:
    if not path.is_file():
        raise BadInputError(f"There is no file {path}.")
    size = path.stat().st_size
    if size > max_size:
        raise BadInputError(
            f"{name} has {size:,} bytes, more than the limit of {max_size:,}. "
            "Raise it with --max-size, or split the file."
        )
    # Staging and store each hold about as much as the file; a full disk damages what is there.
    free = shutil.disk_usage(store.path.parent).free
    if free < 3 * size + 64 * 1024**2:
        raise BadInputError(
            f"Importing {name} needs about {3 * size // 1024**2 + 64} MB beside the store, and "
            f"only {free // 1024**2} MB are free. Make room, or name another store with --store."
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _earlier_import(store: Store, file_sha256: str) -> dict[str, Any] | None:
    with store.reading() as connection:
        found = queries.imports_of(connection, file_sha256)
    if not found:
        return None
    first = found[0]
    return {
        "file": first["file_name"],
        "imported_at": _iso(first["imported_at"]),
        "run_ids": first["run_ids"],
    }


def _iso(time_: datetime) -> str:
    return f"{time_.isoformat(timespec='seconds')}Z"


def run_id_of(file_sha256: str, run: str) -> str:
    """Id of a run: the same file gives the same ids, and so the same links, everywhere."""
    return hashlib.sha256(f"{file_sha256}\0{run}".encode()).hexdigest()[:12]


def _stage(
    staging: Staging,
    importer: Importer,
    path: Path,
    file_sha256: str,
    options: Options,
    notices: Notices,
    report: FileReport,
    progress: Progress | None,
    store: Store,
) -> None:
    rows, spoken, size = 0, time.monotonic(), max(1, path.stat().st_size)
    for item in importer.read(path, notices):
        if isinstance(item, Problem):
            report.problems.append(item)
            continue
        if isinstance(item, ParsedRun):
            key = item.key
            if options.append_to is not None:
                if key not in staging.runs:
                    _one_run_only(staging, options.append_to, "--append")
                    _append_to(staging, store, key, options.append_to)
                continue
            if options.run_name is not None:
                if key not in staging.runs:
                    _one_run_only(staging, options.run_name, "--run")
                item.name = options.run_name
            staging.add_run(run_id_of(file_sha256, key), key, item)
            continue
        if item.sample_id is None:
            notices.add(item.row, "The row has no sample_id; one was made from its question.")
        staging.add(item, _pattern_refusal(item))
        rows += 1
        if progress is not None and time.monotonic() - spoken > _PROGRESS_SECONDS:
            spoken = time.monotonic()
            progress(rows, min(1.0, importer.bytes_read / size))


def _one_run_only(staging: Staging, wanted: str, option: str) -> None:
    if staging.runs:
        first = next(iter(staging.runs.values())).info.name
        raise BadInputError(
            f"{option} {wanted} takes a file with one run, and this one has several "
            f"(the first is {first!r}). Import it without {option}."
        )


def _append_to(staging: Staging, store: Store, key: str, wanted: str) -> None:
    with store.reading() as connection:
        run = queries.find_run(connection, wanted)
        verdict_no = writes.next_number(connection, "verdict", run.run_id)
        label_no = writes.next_number(connection, "label", run.run_id)
    staging.append_to(key, run.run_id, (run.n_samples, verdict_no, label_no))


def _known_ids(store: Store, staging: Staging) -> list[Problem]:
    run = next(iter(staging.runs.values()))
    with store.reading() as connection:
        known = {sample_id for _, sample_id in samples.all_positions(connection, run.run_id)}
    rows = staging.connection.execute("select source_row, sample_id from sample").fetchall()
    return [
        Problem(row, f"sample_id {sample_id!r} is in the run already.")
        for row, sample_id in rows
        if sample_id in known
    ]


def _pattern_refusal(sample: ParsedSample) -> tuple[ParsedVerdict, ...]:
    """The refusal verdict that every sample gets, so that diagnosis works before any judge ran."""
    for verdict in sample.verdicts:
        if verdict.metric == Axis.REFUSAL and verdict.judge.kind is JudgeKind.OFFLINE:
            return ()
    found = refusal_verdict(0, sample.answer)
    return (
        ParsedVerdict(
            metric=found.metric,
            judge=OFFLINE,
            repeat=0,
            status=found.status.value,
            value=found.value,
            cause=found.cause,
            reasoning=found.reasoning,
            detail=json_text(found.detail),
            raw=None,
            context_rank=None,
            judged_at=None,
            latency=None,
            cost=None,
            tokens=None,
        ),
    )


def _finish(staging: Staging, name: str, file_sha256: str, notices: Notices) -> None:
    for run in staging.runs.values():
        if not run.has_answers and not run.is_appended:
            staging.drop_verdicts(run.run_id, Axis.REFUSAL.value, OFFLINE)
        if run.is_appended:
            continue
        for metric, low, high in staging.metric_ranges(run.run_id):
            declared = run.info.metrics.get(metric)
            scale = _scale(metric, declared, low, high, notices)
            staging.add_metric(
                run.run_id,
                metric,
                {
                    "lo": scale.lo,
                    "hi": scale.hi,
                    "direction": scale.direction.value,
                    "cut": (declared or {}).get("cut"),
                },
                declared=declared is not None,
            )
        _add_choices(staging, run.run_id, run.info.selection)
    staging.finish_runs(name, file_sha256)


def _scale(
    metric: str,
    declared: Mapping[str, Any] | None,
    low: float | None,
    high: float | None,
    notices: Notices,
) -> Scale:
    said = None
    if declared is not None:
        said = Scale(declared["lo"], declared["hi"], Direction(declared["direction"]))
    in_unit = low is not None and high is not None and low >= 0 and high <= 1
    scale = resolve_scale(metric, said, all_in_unit=in_unit)
    if low is None or high is None or scale.lo is None or scale.hi is None:
        return scale
    # Float noise such as 0.9999999999 or 1.0000000000000002 is no other scale.
    if low >= scale.lo - 1e-6 and high <= scale.hi + 1e-6:
        return scale
    notices.add(
        None,
        f"Scores of {metric} run from {low:g} to {high:g}, outside {scale.lo:g} to {scale.hi:g}: "
        "its scale is taken as unknown, so it has no cut.",
    )
    return Scale(None, None, scale.direction)


def _add_choices(staging: Staging, run_id: str, selection: Mapping[str, Any]) -> None:
    for number, (axis, choice) in enumerate(selection.items(), 1):
        if (
            axis not in set(Axis)
            or not isinstance(choice, dict)
            or axis_of(choice.get("metric", "")) is None
        ):
            continue
        try:
            judge = parse_judge(choice.get("judge"))
        except FieldError:
            continue
        staging.add_choice(run_id, number, axis, choice["metric"], judge)


def _previews(staging: Staging, store: Store) -> list[RunPreview]:
    previews = []
    for run in staging.runs.values():
        n_new = run.n_samples - run.n_before
        if not n_new:
            continue
        found = RunPreview(run.run_id, run.info.name, n_new, run.n_contexts, run.n_gold)
        found.metrics = metric_json(staging.connection, run.run_id, n_new)
        found.labels = label_json(staging.connection, run.run_id)
        previews.append(found)
    return previews


def _take_final_names(store: Store, report: FileReport) -> None:
    """A name that another run bore already was changed when the file entered the store."""
    with store.reading() as connection:
        names = {run.run_id: run.name for run in queries.runs(connection)}
    for run in report.runs:
        run.name = names.get(run.run_id, run.name)
