"""Creating a store, and bringing an older one up to date by append-only migrations."""

import re
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import duckdb

from core.errors import StoreDamagedError, StoreVersionError
from core.store.connection import Connection, Store, sql

_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name and the file that holds it."""

    version: int
    name: str
    path: str


@dataclass(slots=True)
class Ensured:
    """What ``ensure`` did: created the store, applied migrations, or had to say something."""

    created: bool = False
    applied: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def migrations() -> list[Migration]:
    """All migrations of this version of the code, in order."""
    found = []
    for entry in (files("core.store") / "migrations").iterdir():
        match = _NAME.fullmatch(entry.name)
        if match:
            found.append(Migration(int(match[1]), match[2], f"migrations/{entry.name}"))
    return sorted(found, key=lambda step: step.version)


def ensure(store: Store, steps: list[Migration] | None = None) -> Ensured:
    """Create or migrate the store at its path; harmless when there is nothing to do.

    Raises:
        StoreVersionError: the store was written by a newer version; it is left untouched.
        StoreDamagedError: the file is no store.
    """
    steps = migrations() if steps is None else steps
    done = Ensured(created=not store.path.exists())
    remove_stale_files(store)
    _quarantine_damaged_log(store, done)
    if not done.created:
        with store.reading() as connection:
            version = applied_version(connection)
        if version == steps[-1].version:
            return done
        if version > steps[-1].version:
            raise StoreVersionError(
                f"{store.path} has schema version {version}, and this version of RAG Triage knows "
                f"{steps[-1].version}. Update RAG Triage, or name another store with --store PATH. "
                "The store was not changed."
            )
    with store.exclusive() as connection:
        # Another process may have created or migrated the store while this one waited.
        version = applied_version(connection)
        if 0 < version < steps[-1].version:
            connection.execute("checkpoint")
            backup = store.path.with_name(f"{store.path.name}.v{version}.backup")
            shutil.copy2(store.path, backup)
            done.messages.append(f"The store was copied to {backup.name} before its migration.")
        done.created = done.created and version == 0
        for step in steps:
            if step.version > version:
                _apply(connection, step)
                done.applied.append(step.name)
        # A schema change that only the log holds cannot be replayed after a crash (duckdb#22044).
        connection.execute("checkpoint")
    return done


def applied_version(connection: Connection) -> int:
    """Number of the newest migration in a store; 0 for an empty file."""
    tables = {
        name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()
    }
    if "migration" not in tables:
        if tables:
            raise StoreDamagedError(
                "The file is a DuckDB database but no RAG Triage store. Name another file with "
                "--store PATH."
            )
        return 0
    rows = connection.execute("select coalesce(max(version), 0) from migration").fetchall()
    return int(rows[0][0])


def _apply(connection: Connection, step: Migration) -> None:
    connection.execute("begin transaction")
    try:
        connection.execute(
            "create table if not exists migration "
            "(version integer not null, name varchar not null, applied_at timestamp not null)"
        )
        connection.execute(sql(step.path))
        connection.execute(
            "insert into migration values ($version, $name, $applied_at)",
            {
                "version": step.version,
                "name": step.name,
                "applied_at": datetime.now(UTC).replace(tzinfo=None),
            },
        )
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def _quarantine_damaged_log(store: Store, done: Ensured) -> None:
    """Move an unreadable write-ahead log aside, so that one torn write does not lock people out."""
    log = Path(f"{store.path}.wal")
    if done.created or not log.exists():
        return
    try:
        with store.exclusive() as connection:
            connection.execute("checkpoint")
    except (StoreDamagedError, duckdb.Error):
        aside = log.with_name(f"{log.name}.unreadable-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        log.rename(aside)
        try:
            with store.reading():
                pass
        except StoreDamagedError:
            aside.rename(log)
            raise
        done.messages.append(
            f"The store's write-ahead log could not be read and was moved to {aside.name}. "
            "What was written last before a crash may be missing; everything else is here."
        )


def remove_stale_files(store: Store) -> None:
    """Delete staging files that a killed import left behind; a running one keeps its lock file."""
    from core.store.staging import is_abandoned

    for path in store.path.parent.glob(f"{store.path.name}.staging-*"):
        if is_abandoned(path):
            with suppress(OSError):
                path.unlink()
