"""One store file, many threads and processes: the gate, and handles that live for one burst.

DuckDB lets in one writing process or any number of reading ones, and refuses to mix the two
within a process. A burst of reads opens the file, fetches its results and closes it again;
a write opens, commits and closes. A writer holds a lock on ``<store>.writer`` from the moment it
begins to wait, and readers look at that lock before they open, so that pages which poll cannot
starve a writer. Within a process the gate also counts readers, because there DuckDB reports a
mixture as an error rather than as a lock.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import duckdb
import portalocker

from core.errors import NotFoundError, RagTriageError, StoreDamagedError, StoreVersionError
from core.store.gate import Deadline, gate_of, held, this_process

WAIT_SECONDS = 10.0
_SHARED_CONFIG: dict[str, Any] = {
    "threads": 2,
    # Without these two an unknown function makes DuckDB look for an extension on the network.
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

Connection = duckdb.DuckDBPyConnection


@cache
def sql(name: str) -> str:
    """Text of one SQL file of the store, named by its path below core/store."""
    return (files("core.store") / name).read_text(encoding="utf-8")


def config(memory: str, temp: Path) -> dict[str, Any]:
    """Settings of every connection: bounded memory, spilling to ``temp``, no network."""
    return {**_SHARED_CONFIG, "memory_limit": memory, "temp_directory": str(temp)}


class Store:
    """A store file. Instances are cheap and may be made anywhere; they keep nothing open."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).resolve()

    @contextlib.contextmanager
    def reading(self, wait: float | None = None) -> Iterator[Connection]:
        """A read-only connection for one burst of queries; fetch everything before it closes.

        A burst within a burst of the same thread shares the open file.

        Raises:
            StoreBusyError: a writer held the store for longer than ``wait`` seconds.
            StoreDamagedError: the file is no store, or cannot be read.
            NotFoundError: there is no file.
        """
        self._refuse_within_write()
        burst = held.bursts.get(self.path)
        if burst is not None and self.path not in held.reading:
            burst.enter_context(self._held_open(wait))
        outer = held.reading.get(self.path)
        if outer is not None:
            with _plain_errors(self.path), contextlib.closing(outer.cursor()) as connection:
                yield _prepared(connection)
            return
        with self._held_open(wait) as connection:
            yield _prepared(connection)

    @contextlib.contextmanager
    def burst(self) -> Iterator[None]:
        """Let the reads of this thread share one opening, made when the first of them comes.

        Reads that turn out to be needless then neither open the file nor wait for a writer.
        """
        self._refuse_within_write()
        if self.path in held.bursts or self.path in held.reading:
            yield
            return
        with contextlib.ExitStack() as burst:
            held.bursts[self.path] = burst
            try:
                yield
            finally:
                del held.bursts[self.path]

    @contextlib.contextmanager
    def _held_open(self, wait: float | None) -> Iterator[Connection]:
        with (
            self._opened_to_read(Deadline("read", _patience(wait))) as connection,
            _plain_errors(self.path),
        ):
            held.reading[self.path] = connection
            try:
                yield connection
            finally:
                del held.reading[self.path]

    @contextlib.contextmanager
    def writing(self, wait: float | None = None, memory: str = "1GB") -> Iterator[Connection]:
        """A connection inside one transaction: committed at the end, rolled back on any error.

        Raises:
            StoreBusyError: others held the store for longer than ``wait`` seconds.
            StoreDamagedError: the file is no store, or cannot be read.
        """
        with self.exclusive(wait, memory) as connection, transaction(connection):
            yield connection

    @contextlib.contextmanager
    def exclusive(self, wait: float | None = None, memory: str = "1GB") -> Iterator[Connection]:
        """Like ``writing`` but without a transaction around it, for attachments."""
        deadline = Deadline("write", _patience(wait))
        with self._locked(deadline), self._opened(deadline, memory) as connection:
            yield connection

    @contextlib.contextmanager
    def locked(self, wait: float | None = None) -> Iterator[None]:
        """Keep every other reader and writer out, with the file still closed.

        Raises:
            StoreBusyError: others held the store for longer than ``wait`` seconds.
        """
        with self._locked(Deadline("write", _patience(wait))):
            yield

    @contextlib.contextmanager
    def opened(self) -> Iterator[Connection]:
        """A writing connection; only within ``locked``."""
        with self._opened(Deadline("write", WAIT_SECONDS), "1GB") as connection:
            yield connection

    @contextlib.contextmanager
    def _locked(self, deadline: Deadline) -> Iterator[None]:
        self._refuse_within_write()
        if self.path in held.reading:
            raise RuntimeError("a write within a burst of reads of one thread waits for itself")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The lock comes first: with it taken no new reader starts, here or elsewhere.
        with self._writer_lock(deadline), gate_of(self.path).writing(deadline):
            held.writing.add(self.path)
            try:
                yield
            finally:
                held.writing.discard(self.path)

    @contextlib.contextmanager
    def _opened(self, deadline: Deadline, memory: str) -> Iterator[Connection]:
        with (
            contextlib.closing(self._open_writer(deadline, memory)) as connection,
            _plain_errors(self.path),
        ):
            yield _prepared(connection)

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """Changes whenever any process has written to the store: times and sizes of its files."""
        stamps = []
        for name in (str(self.path), f"{self.path}.wal"):
            try:
                found = Path(name).stat()
                stamps.append((found.st_mtime_ns, found.st_size))
            except FileNotFoundError:
                stamps.append((0, 0))
        return tuple(stamps)

    def n_own_writes(self) -> int:
        """How often this process has held the store to write."""
        return gate_of(self.path).n_writes

    def _refuse_within_write(self) -> None:
        if self.path in held.writing:
            raise RuntimeError("a thread that writes to the store has to use its own connection")

    @property
    def _lock_path(self) -> Path:
        return Path(f"{self.path}.writer")

    @property
    def _temp(self) -> Path:
        # Of each process its own: DuckDB's names in it are the same everywhere.
        return Path(f"{self.path}.tmp-{os.getpid()}")

    @contextlib.contextmanager
    def _writer_lock(self, deadline: Deadline) -> Iterator[None]:
        with self._lock_path.open("a+", encoding="utf-8") as handle:
            while True:
                try:
                    portalocker.lock(handle, portalocker.LOCK_EX | portalocker.LOCK_NB)
                    break
                except portalocker.LockException:
                    deadline.pause(_holder_in(handle))
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
            try:
                yield
            finally:
                portalocker.unlock(handle)

    def _writer(self) -> str | None:
        """Who writes or waits to write, None if nobody does."""
        try:
            with self._lock_path.open("r", encoding="utf-8") as handle:
                try:
                    portalocker.lock(handle, portalocker.LOCK_SH | portalocker.LOCK_NB)
                except portalocker.LockException:
                    return _holder_in(handle)
                portalocker.unlock(handle)
        except FileNotFoundError:
            return None
        return None

    @contextlib.contextmanager
    def _opened_to_read(self, deadline: Deadline) -> Iterator[Connection]:
        while True:
            holder = self._writer()
            if holder is None:
                with gate_of(self.path).reading(deadline):
                    try:
                        connection = self._connect("512MB", read_only=True)
                    except duckdb.Error as error:
                        holder = _locking_process(error, self.path)
                    else:
                        with contextlib.closing(connection):
                            yield connection
                        return
            deadline.pause(holder)

    def _open_writer(self, deadline: Deadline, memory: str) -> Connection:
        while True:
            try:
                return self._connect(memory, read_only=False)
            except duckdb.Error as error:
                deadline.pause(_locking_process(error, self.path))

    def _connect(self, memory: str, *, read_only: bool) -> Connection:
        return duckdb.connect(
            str(self.path), read_only=read_only, config=config(memory, self._temp)
        )


def _patience(wait: float | None) -> float:
    return WAIT_SECONDS if wait is None else wait


@contextlib.contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Commit at the end, roll back on any error."""
    connection.execute("begin transaction")
    try:
        yield
    except BaseException:
        # Where the error has ended the transaction already there is nothing to take back.
        with contextlib.suppress(duckdb.Error):
            connection.execute("rollback")
        raise
    connection.execute("commit")


def _prepared(connection: Connection) -> Connection:
    connection.execute(sql("views/macros.sql"))
    return connection


def _holder_in(handle: IO[str]) -> str:
    handle.seek(0)
    pid = handle.read().strip()
    if pid == str(os.getpid()):
        return this_process()
    return f"process {pid}" if pid.isdigit() else "another process"


def _locking_process(error: duckdb.Error, path: Path) -> str:
    """The process that keeps the file from being opened.

    Raises:
        NotFoundError: there is no such file.
        StoreVersionError: a newer DuckDB has written it.
        StoreDamagedError: it cannot be opened for any other reason than a lock.
    """
    text = str(error)
    if "Could not set lock" in text:
        match = re.search(r"PID (\d+)", text)
        return f"process {match[1]}" if match else "another process"
    if not path.exists():
        raise NotFoundError(f"There is no store {path}.") from error
    if "created with a newer version" in text:
        raise StoreVersionError(
            f"{path} was written by a newer version of DuckDB than the installed "
            f"{duckdb.__version__} ({text.splitlines()[0]}). Update RAG Triage, or name another "
            "store with --store PATH. The store was not changed."
        ) from error
    raise _damaged(path, error) from error


def _damaged(path: Path, error: duckdb.Error) -> StoreDamagedError:
    return StoreDamagedError(
        f"{path} cannot be read as a store: {str(error).splitlines()[0]} "
        "Move the file away to start a new store, or name another one with --store PATH."
    )


@contextlib.contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    """Say what a person can do about an error of the machine, not of a statement."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise RagTriageError(
            f"The memory or the disk space beside {path} is not enough for this: "
            f"{str(error).splitlines()[0]} Nothing was changed."
        ) from error
    except duckdb.IOException as error:
        raise RagTriageError(
            f"Reading or writing {path} failed: {str(error).splitlines()[0]} "
            "What was not finished was not stored."
        ) from error
    except duckdb.Error as error:
        if "Corrupt database" not in str(error):
            raise
        raise _damaged(path, error) from error
