"""Moving a checked staging database into the store: all of it in one transaction, or nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import BadInputError
from core.records import Notice, Problem
from core.store import queries
from core.store.connection import Connection, Store, sql, transaction
from core.store.staged import filled
from core.store.staging import StagedRun, Staging
from core.store.writes import log, refresh_wide, rename, unique_name

_TABLES = (
    "run", "sample", "tag", "context", "gold", "claim_set", "judge", "run_metric", "selection",
    "threshold",
)  # fmt: skip
_UNLESS_APPENDED = ("verdict", "label", "label_part")


@dataclass(frozen=True, slots=True)
class Source:
    """The file that an import comes from; ``import_id`` names this reading of it."""

    import_id: str
    file_name: str
    file_sha256: str
    format: str
    now: datetime


def take_in(
    store: Store, staging: Staging, source: Source, found: Iterable[Problem | Notice]
) -> Mapping[str, Any] | None:
    """Take the staged runs in; returns the earlier import where another process was faster.

    Raises:
        BadInputError: a run that was to be appended to has changed meanwhile.
    """
    staging.detach()
    runs = filled(staging)
    with store.exclusive() as connection:
        # A path cannot be a parameter of ATTACH; the quoting is DuckDB's own.
        quoted = str(staging.path).replace("'", "''")
        connection.execute(f"attach '{quoted}' as staging (read_only)")
        try:
            with transaction(connection):
                earlier = _earlier(connection, runs, source.file_sha256)
                if earlier is None:
                    _copy(connection, runs)
                    _record(connection, runs, source, found)
        finally:
            connection.execute("detach staging")
    return earlier


def earlier_import(
    connection: Connection, file_sha256: str, run_id: str | None = None
) -> Mapping[str, Any] | None:
    """The first import of the same bytes whose runs are all there (or that filled ``run_id``)."""
    for row in queries.imports_of(connection, file_sha256):
        if run_id in row["run_ids"] if run_id else len(row["run_ids"]) == row["n_runs"]:
            return row
    return None


def _earlier(
    connection: Connection, runs: list[StagedRun], file_sha256: str
) -> Mapping[str, Any] | None:
    stored = {run.run_id for run in queries.runs(connection)}
    for run in runs:
        if run.is_appended:
            if queries.next_position(connection, run.run_id) != run.first:
                raise BadInputError(
                    f"Run {run.info.name!r} has changed while the file was read; nothing was "
                    "stored. Import it again."
                )
        elif run.run_id in stored:
            earlier = earlier_import(connection, file_sha256, run.run_id)
            if earlier is not None:
                return earlier
            raise BadInputError(f"A run with the id {run.run_id} is in the store already.")
    return None


def _copy(connection: Connection, runs: list[StagedRun]) -> None:
    connection.execute(sql("statements/take_in/forget_metrics.sql"))
    for table in _TABLES:
        connection.execute(sql(f"statements/take_in/{table}.sql"))
    appended = {"appended": [run.run_id for run in runs if run.is_appended]}
    for table in _UNLESS_APPENDED:
        connection.execute(sql(f"statements/take_in/{table}.sql"), appended)
    for run in runs:
        if run.is_appended:
            growth = {
                "run_id": run.run_id,
                "n_samples": run.n_samples,
                "has_contexts": run.n_contexts > 0,
                "has_answers": run.has_answers,
            }
            connection.execute(sql("statements/grow_run.sql"), growth)
            log(connection, "append", run_id=run.run_id, new=f"{run.n_samples} samples")
        else:
            name = unique_name(connection, run.run_id, run.info.name)
            rename(connection, run.run_id, name)
            log(connection, "import", run_id=run.run_id, new=f"{name} ({run.n_samples} samples)")
            for criterion in run.info.opened_tests:
                # Seen is seen: an export and import does not close a test part again.
                reason = "opened before it was exported"
                log(connection, "test opened", run_id=run.run_id, new=criterion, reason=reason)
        refresh_wide(connection, run.run_id)


def _record(
    connection: Connection,
    runs: list[StagedRun],
    source: Source,
    found: Iterable[Problem | Notice],
) -> None:
    parameters = {
        "import_id": source.import_id,
        "file_name": source.file_name,
        "file_sha256": source.file_sha256,
        "format": source.format,
        "now": source.now,
        "run_ids": [run.run_id for run in runs],
    }
    connection.execute(sql("statements/add_import.sql"), parameters)
    for item in found:
        row = {
            "import_id": source.import_id,
            "row_no": item.row,
            "kind": "problem" if isinstance(item, Problem) else "notice",
            "message": item.problem if isinstance(item, Problem) else item.notice,
            "n": 1 if isinstance(item, Problem) else item.n,
        }
        connection.execute(sql("statements/add_import_problem.sql"), row)
