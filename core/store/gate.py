"""Waiting for a store: the gate within one process, patience and its end, what a thread holds."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb

from core.errors import StoreBusyError

_RETRY_SECONDS = 0.004


class Gate:
    """In one process: many readers or one writer. Who goes first is settled by the lock file."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers = 0
        self._writing = False
        self.n_writes = 0

    @contextlib.contextmanager
    def reading(self, deadline: "Deadline") -> Iterator[None]:
        """Read beside other readers; StoreBusyError when the time is up."""
        with self._condition:
            if not self._condition.wait_for(lambda: not self._writing, deadline.left()):
                raise deadline.busy(this_process())
            self._readers += 1
        try:
            yield
        finally:
            with self._condition:
                self._readers -= 1
                self._condition.notify_all()

    @contextlib.contextmanager
    def writing(self, deadline: "Deadline") -> Iterator[None]:
        """Write alone (the lock file keeps other writers out); StoreBusyError at the time's end."""
        with self._condition:
            if not self._condition.wait_for(lambda: not self._readers, deadline.left()):
                raise deadline.busy(this_process())
            self._writing = True
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self.n_writes += 1
                self._condition.notify_all()


_gates: dict[Path, Gate] = {}
_gates_lock = threading.Lock()


def gate_of(path: Path) -> Gate:
    """The one gate of this process for a store."""
    with _gates_lock:
        return _gates.setdefault(path, Gate())


def this_process() -> str:
    """This process as a message names it."""
    return f"process {os.getpid()} (this one)"


class Deadline:
    """The end of somebody's patience, and what is said then."""

    def __init__(self, wish: str, wait: float) -> None:
        self._wish = wish
        self._wait = wait
        self._end = time.monotonic() + wait

    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def pause(self, holder: str) -> None:
        """Sleep a moment, or give up.

        Raises:
            StoreBusyError: the time is up; the message names the holder.
        """
        if not self.left():
            raise self.busy(holder)
        time.sleep(_RETRY_SECONDS)

    def busy(self, holder: str) -> StoreBusyError:
        """The error that says who holds the store and what to do."""
        return StoreBusyError(
            f"The store is held by {holder}, and a {self._wish} waited {self._wait:g} s for it. "
            "Nothing was changed. Try again when that work has finished, or use another store "
            "with --store PATH."
        )


class Held(threading.local):
    """What this thread holds: a thread that waited for itself would wait for ever."""

    def __init__(self) -> None:
        self.reading: dict[Path, duckdb.DuckDBPyConnection] = {}
        self.bursts: dict[Path, contextlib.ExitStack] = {}
        self.writing: set[Path] = set()


held = Held()
