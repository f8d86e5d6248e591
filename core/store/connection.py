"""One store file, many threads and processes: the gate, and handles that live for one burst.

DuckDB lets in one writing process or any number of reading ones, and refuses to mix the two
within a process. A burst of reads opens the file, fetches its results and closes it again;
a write opens, commits and closes. A writer that waits holds a lock on ``<store>.writer``, and
readers look at that lock before they open, so that pages which poll cannot starve a writer.
"""

import contextlib
import os
import re
import threading
import time
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import duckdb
import portalocker

from core.errors import StoreBusyError, StoreDamagedError

WAIT_SECONDS = 10.0
_RETRY_SECONDS = 0.004
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


class _Gate:
    """In one process: many readers or one writer; a waiting writer goes before new readers."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers = 0
        self._writing = False
        self._waiting = 0

    @contextlib.contextmanager
    def reading(self, deadline: float) -> Iterator[None]:
        with self._condition:
            free = self._condition.wait_for(
                lambda: not self._writing and not self._waiting, deadline - time.monotonic()
            )
            if not free:
                raise StoreBusyError(_busy_message("this process", "read"))
            self._readers += 1
        try:
            yield
        finally:
            with self._condition:
                self._readers -= 1
                self._condition.notify_all()

    @contextlib.contextmanager
    def writing(self, deadline: float) -> Iterator[None]:
        with self._condition:
            self._waiting += 1
            try:
                free = self._condition.wait_for(
                    lambda: not self._writing and not self._readers, deadline - time.monotonic()
                )
                if not free:
                    raise StoreBusyError(_busy_message("this process", "write"))
                self._writing = True
            finally:
                self._waiting -= 1
                self._condition.notify_all()
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._condition.notify_all()


_gates: dict[Path, _Gate] = {}
_gates_lock = threading.Lock()


def _gate(path: Path) -> _Gate:
    with _gates_lock:
        return _gates.setdefault(path, _Gate())


def _busy_message(holder: str, wish: str) -> str:
    return (
        f"The store is held by {holder}, and a {wish} waited {WAIT_SECONDS:.0f} s for it. "
        "Nothing was changed. Try again when that work has finished, or use another store "
        "with --store PATH."
    )


def _holder(error: Exception) -> str:
    match = re.search(r"PID (\d+)", str(error))
    return f"process {match[1]}" if match else "another process"


def _config(path: Path, memory: str) -> dict[str, Any]:
    return {**_SHARED_CONFIG, "memory_limit": memory, "temp_directory": f"{path}.tmp"}


class Store:
    """A store file. Instances are cheap and may be made anywhere; they keep nothing open."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).resolve()

    @contextlib.contextmanager
    def reading(self, wait: float = WAIT_SECONDS) -> Iterator[Connection]:
        """A read-only connection for one burst of queries; fetch everything before it closes.

        Raises:
            StoreBusyError: a writer held the store for longer than ``wait`` seconds.
            StoreDamagedError: the file is no store.
        """
        deadline = time.monotonic() + wait
        with (
            _gate(self.path).reading(deadline),
            contextlib.closing(self._open_reader(deadline)) as connection,
        ):
            connection.execute(sql("views/macros.sql"))
            yield connection

    @contextlib.contextmanager
    def writing(self, wait: float = WAIT_SECONDS, memory: str = "1GB") -> Iterator[Connection]:
        """A connection inside one transaction: committed at the end, rolled back on any error.

        Raises:
            StoreBusyError: other processes held the store for longer than ``wait`` seconds.
            StoreDamagedError: the file is no store.
        """
        with self.exclusive(wait, memory) as connection:
            connection.execute("begin transaction")
            try:
                yield connection
            except BaseException:
                with contextlib.suppress(duckdb.Error):
                    connection.execute("rollback")
                raise
            connection.execute("commit")

    @contextlib.contextmanager
    def exclusive(self, wait: float = WAIT_SECONDS, memory: str = "1GB") -> Iterator[Connection]:
        """Like ``writing`` but without a transaction around it, for migrations and attachments."""
        deadline = time.monotonic() + wait
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with (
            _gate(self.path).writing(deadline),
            self._writer_lock(deadline),
            contextlib.closing(self._open_writer(deadline, memory)) as connection,
        ):
            connection.execute(sql("views/macros.sql"))
            yield connection

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

    @property
    def _lock_path(self) -> Path:
        return Path(f"{self.path}.writer")

    @contextlib.contextmanager
    def _writer_lock(self, deadline: float) -> Iterator[None]:
        with self._lock_path.open("a+", encoding="utf-8") as handle:
            self._wait_for_lock(handle, deadline)
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
            try:
                yield
            finally:
                portalocker.unlock(handle)

    def _wait_for_lock(self, handle: IO[str], deadline: float) -> None:
        while True:
            try:
                portalocker.lock(handle, portalocker.LOCK_EX | portalocker.LOCK_NB)
                return
            except portalocker.LockException:
                if time.monotonic() > deadline:
                    handle.seek(0)
                    pid = handle.read().strip()
                    holder = f"process {pid}" if pid else "another process"
                    raise StoreBusyError(_busy_message(holder, "write")) from None
                time.sleep(_RETRY_SECONDS)

    def _is_writer_waiting(self) -> bool:
        try:
            with self._lock_path.open("r", encoding="utf-8") as handle:
                portalocker.lock(handle, portalocker.LOCK_SH | portalocker.LOCK_NB)
                portalocker.unlock(handle)
        except FileNotFoundError:
            return False
        except portalocker.LockException:
            return True
        return False

    def _open_reader(self, deadline: float) -> Connection:
        while True:
            holder = "a writing process"
            if not self._is_writer_waiting():
                try:
                    return duckdb.connect(
                        str(self.path), read_only=True, config=_config(self.path, "512MB")
                    )
                except duckdb.IOException as error:
                    holder = _holder(error)
                    self._raise_unless_locked(error)
            if time.monotonic() > deadline:
                raise StoreBusyError(_busy_message(holder, "read"))
            time.sleep(_RETRY_SECONDS)

    def _open_writer(self, deadline: float, memory: str) -> Connection:
        while True:
            try:
                return duckdb.connect(str(self.path), config=_config(self.path, memory))
            except duckdb.IOException as error:
                self._raise_unless_locked(error)
                if time.monotonic() > deadline:
                    raise StoreBusyError(_busy_message(_holder(error), "write")) from None
            time.sleep(_RETRY_SECONDS)

    def _raise_unless_locked(self, error: duckdb.Error) -> None:
        if "lock" in str(error).lower():
            return
        raise StoreDamagedError(
            f"{self.path} cannot be opened as a store: {str(error).splitlines()[0]}. "
            "Move the file away to start a new store, or name another one with --store PATH."
        ) from error
