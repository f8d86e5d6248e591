"""Importing a file: read and check all of it beside the store, then take it in at once."""

import hashlib
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from core.errors import BadInputError, RagTriageError
from core.records import Notice, Problem
from core.store import queries, samples, staged, taking_in, writes
from core.store.connection import Connection, Store
from core.store.judges import FILE_JUDGE
from core.store.staging import Staging
from core.workflows.import_options import MAX_SIZE, Options, Progress, importer_for
from core.workflows.import_reading import FileReading, Target
from core.workflows.import_scales import known_scales, stage_settings
from core.workflows.reports import FileReport, RunPreview, label_json, metric_json
from core.workflows.unpacking import unpacked

__all__ = ["MAX_SIZE", "Options", "import_file", "try_import"]


def try_import(
    store: Store, path: Path, options: Options | None = None, progress: Progress | None = None
) -> FileReport:
    """Like ``import_file``, but what is wrong with the file as a whole is a problem of its report.

    So one bad file of several does not hide what became of the others.
    """
    try:
        return import_file(store, path, options, progress)
    except (RagTriageError, OSError) as error:
        report = FileReport(str(path))
        report.problems.append(Problem(None, str(error)))
        return report


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
    check_file(store, path, name, options.max_size)
    if options.mapping is not None and options.mapping.join is not None:
        raise BadInputError(
            "This map adds scores to the samples of a stored run: name it with --join RUN."
        )
    shown = str(path) if options.display_name is None else name
    with unpacked(store, path, name, options.max_size) as plain:
        return _import(store, plain, name, shown, options, progress)


def _import(
    store: Store, path: Path, name: str, shown: str, options: Options, progress: Progress | None
) -> FileReport:
    recognised = importer_for(path, options, name)
    importer = recognised.importer
    file_sha256 = file_hash(path)
    report = FileReport(shown, importer.format, importer.title, recognised.why)
    with store.reading() as connection:
        target = _target(connection, options.append_to)
        target_id = target.run.run_id if target else None
        earlier = taking_in.earlier_import(connection, file_sha256, target_id)
        stored_runs = {run.run_id for run in queries.runs(connection)}
        scales = known_scales(connection, target_id) if target_id else {}
    if earlier is not None:
        report.duplicate_of = _duplicate(earlier)
        if not options.is_dry_run:
            return report
        # A preview shows the file all the same.
        stored_runs = set()
    source = taking_in.Source(
        import_id=hashlib.sha256(f"{file_sha256}{writes.now_utc()}".encode()).hexdigest()[:12],
        file_name=name,
        file_sha256=file_sha256,
        format=importer.format,
        now=writes.now_utc(),
    )
    with Staging(store.path, source.now, FILE_JUDGE) as staging:
        reading = FileReading(staging, source, options, target, stored_runs)
        reading.read(importer, path, progress)
        report.columns = importer.columns
        reading.close(store)
        report.problems, notices = reading.problems, reading.notices
        report.problems += staged.duplicate_ids(staging)
        if target is not None:
            report.problems += staged.known_ids(staging, _ids(store, target.run.run_id))
        if options.skip_bad_rows:
            bad = [problem.row for problem in report.problems if problem.row is not None]
            staged.drop_rows(staging, bad)
        if not staged.filled(staging):
            if not report.problems:
                raise BadInputError(f"{name} holds no samples: there is nothing to import.")
            report.notices = notices.as_list()
            return report
        stage_settings(staging, scales, notices)
        staged.finish_runs(staging, name, file_sha256)
        report.notices = notices.as_list()
        report.runs = _previews(store, staging)
        if options.is_dry_run or report.has_blocking_problems(options):
            return report
        found: list[Problem | Notice] = [*report.problems, *report.notices]
        earlier = taking_in.take_in(store, staging, source, found)
    if earlier is not None:
        report.duplicate_of = _duplicate(earlier)
        return report
    report.is_stored = True
    _take_final_names(store, report)
    return report


def check_file(store: Store, path: Path, name: str, max_size: int) -> None:
    """Refuse a file that is not there, too large, or larger than the free space allows.

    Raises:
        BadInputError: the message says which.
    """
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


def file_hash(path: Path) -> str:
    """SHA-256 of the bytes of a file, in hex."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _duplicate(earlier: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "file": earlier["file_name"],
        "imported_at": _iso(earlier["imported_at"]),
        "run_ids": earlier["run_ids"],
    }


def _iso(time: datetime) -> str:
    return f"{time.isoformat(timespec='seconds')}Z"


def _target(connection: Connection, wanted: str | None) -> Target | None:
    if wanted is None:
        return None
    run = queries.find_run(connection, wanted)
    return Target(run, queries.next_position(connection, run.run_id))


def _ids(store: Store, run_id: str) -> set[str]:
    with store.reading() as connection:
        return {sample_id for _, sample_id in samples.all_positions(connection, run_id)}


def _previews(store: Store, staging: Staging) -> list[RunPreview]:
    with store.reading() as connection:
        taken = {run.name for run in queries.runs(connection)}
    previews = []
    for run in staged.filled(staging):
        name = run.info.name
        if not run.is_appended:
            name = writes.free_name(name, taken)
        taken.add(name)
        found = RunPreview(run.run_id, name, run.n_samples, run.n_contexts, run.n_gold)
        found.contexts_per_sample = staged.contexts_per_sample(staging, run.run_id)
        found.metrics = metric_json(staging.connection, run.run_id, run.n_samples)
        found.labels = label_json(staging.connection, run.run_id)
        previews.append(found)
    return previews


def _take_final_names(store: Store, report: FileReport) -> None:
    """A name that another run came to bear meanwhile was changed when the file entered."""
    with store.reading() as connection:
        names = {run.run_id: run.name for run in queries.runs(connection)}
    for run in report.runs:
        run.name = names.get(run.run_id, run.name)
