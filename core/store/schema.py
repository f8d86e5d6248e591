"""Creating a store, and bringing an older one up to date by append-only migrations."""

import contextlib
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import duckdb

from core.errors import BadInputError, StoreDamagedError, StoreVersionError
from core.store.connection import Connection, Store, config, sql, transaction
from core.store.leftovers import remove_leftovers

_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name and its statements."""

    version: int
    name: str
    statements: str


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
            statements = sql(f"migrations/{entry.name}")
            found.append(Migration(int(match[1]), match[2], statements))
    return sorted(found, key=lambda step: step.version)


def ensure(store: Store, steps: list[Migration] | None = None) -> Ensured:
    """Create or migrate the store at its path; harmless when there is nothing to do.

    Raises:
        StoreVersionError: the store was written by a newer version; it is left untouched.
        StoreDamagedError: the file is no store, or a migration failed; nothing was changed.
        StoreBusyError: another process held the store for too long.
    """
    steps = migrations() if steps is None else steps
    done = Ensured()
    remove_leftovers(store.path)
    if _is_nothing(store.path):
        with store.locked():
            if _is_nothing(store.path):
                _create(store.path, steps, done)
    if _log(store.path).exists():
        with store.locked():
            _recover(store, done)
    with store.reading() as connection:
        version = applied_version(connection)
    if version > steps[-1].version:
        raise StoreVersionError(
            f"{store.path} has schema version {version}, and this version of RAG Triage knows "
            f"{steps[-1].version}. Update RAG Triage, or name another store with --store PATH. "
            "The store was not changed."
        )
    if version < steps[-1].version:
        with store.locked():
            _migrate(store, steps, done)
    return done


def applied_version(connection: Connection) -> int:
    """Number of the newest migration in a store; 0 for an empty file.

    Raises:
        StoreDamagedError: a DuckDB database of something else.
    """
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


def _is_nothing(path: Path) -> bool:
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _log(path: Path) -> Path:
    return Path(f"{path}.wal")


def _create(path: Path, steps: list[Migration], done: Ensured) -> None:
    """Make the store under another name, so that a half-made one never stands in its place."""
    unfinished = Path(f"{path}.unfinished")
    for name in (unfinished, _log(unfinished)):
        name.unlink(missing_ok=True)
    settings = config("512MB", Path(f"{unfinished}.tmp"))
    with contextlib.closing(duckdb.connect(str(unfinished), config=settings)) as connection:
        _apply(connection, steps, done)
    _set_aside(_log(path), "belongs to a store that is gone", done)
    unfinished.replace(path)
    done.created = True


def _apply(connection: Connection, steps: list[Migration], done: Ensured) -> None:
    for step in steps:
        with transaction(connection):
            connection.execute(
                "create table if not exists migration "
                "(version integer not null, name varchar not null, applied_at timestamp not null)"
            )
            connection.execute(step.statements)
            connection.execute(
                "insert into migration values ($version, $name, $applied_at)",
                {
                    "version": step.version,
                    "name": step.name,
                    "applied_at": datetime.now(UTC).replace(tzinfo=None),
                },
            )
        done.applied.append(step.name)
    # A schema change that only the log holds cannot be replayed after a crash (duckdb#22044).
    connection.execute("checkpoint")


def _migrate(store: Store, steps: list[Migration], done: Ensured) -> None:
    with store.opened() as connection:
        version = applied_version(connection)
        connection.execute("checkpoint")
    missing = [step for step in steps if step.version > version]
    if not missing:
        # Another process was faster.
        return
    backup = store.path.with_name(f"{store.path.name}.v{version}.backup")
    if version > 0:
        # With the file closed: closing a second handle on it would take DuckDB's lock away.
        _back_up(store.path, backup)
        done.messages.append(f"The store was copied to {backup.name} before its migration.")
    with store.opened() as connection, _failure_in_words(store.path, version):
        _apply(connection, missing, done)


@contextlib.contextmanager
def _failure_in_words(path: Path, version: int) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise StoreDamagedError(
            f"{path} could not be brought from schema version {version} to this version of RAG "
            f"Triage: {str(error).splitlines()[0]} The failed step was taken back."
        ) from error


def _back_up(path: Path, backup: Path) -> None:
    size = path.stat().st_size
    free = shutil.disk_usage(path.parent).free
    # The migration may write every table anew.
    if free < 2 * size + 64 * 1024**2:
        raise BadInputError(
            f"Bringing {path} up to date needs about {2 * size // 1024**2 + 64} MB beside it, and "
            f"only {free // 1024**2} MB are free. Make room and try again; nothing was changed."
        )
    partial = backup.with_name(f"{backup.name}.partial")
    shutil.copy2(path, partial)
    partial.replace(backup)


def _recover(store: Store, done: Ensured) -> None:
    """Take in the write-ahead log that a killed process left, or set it aside if it is no use."""
    log = _log(store.path)
    if not log.exists():
        return
    # DuckDB passes over what it cannot read in a log, and then deletes it.
    copy = _free_name(log, "copy") if log.stat().st_size else None
    if copy is not None:
        shutil.copy2(log, copy)
    try:
        with store.opened() as connection:
            connection.execute("checkpoint")
    except BaseException as error:
        if copy is not None:
            copy.unlink()
        if not isinstance(error, StoreDamagedError):
            raise
        _quarantine(store, log, done)
        return
    if copy is not None:
        done.messages.append(
            "The store was not closed properly the last time. What its write-ahead log held was "
            f"taken in; a copy of the log is {copy.name}."
        )


def _quarantine(store: Store, log: Path, done: Ensured) -> None:
    aside = _free_name(log, "unreadable")
    log.rename(aside)
    try:
        with store.opened():
            pass
    except StoreDamagedError:
        # The log is not what is wrong.
        aside.rename(log)
        raise
    done.messages.append(
        f"The store's write-ahead log could not be read and was moved to {aside.name}. What was "
        "written last before a crash may be missing; everything else is here."
    )


def _set_aside(log: Path, why: str, done: Ensured) -> None:
    if log.exists():
        aside = _free_name(log, "unreadable")
        log.rename(aside)
        done.messages.append(f"{log.name} {why}; it was moved to {aside.name}.")


def _free_name(log: Path, mark: str) -> Path:
    stem = f"{log.name}.{mark}-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    names = (log.with_name(stem if n == 1 else f"{stem}-{n}") for n in range(1, 10_000))
    return next(name for name in names if not name.exists())
