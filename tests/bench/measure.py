"""What the scripts of this folder share: clocks, memory, tables of figures."""

import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

MB = 1024**2
_CHILD = "--child"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call in a process of its own gave and took; the peak is in MB."""

    result: Any
    seconds: float
    processor_seconds: float
    peak_mb: float


def in_own_process(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Call a function of the running script in a fresh process; results go through JSON.

    The script has to call ``serve`` before anything else.
    """
    command = [sys.executable, sys.argv[0], _CHILD, function.__name__, json.dumps(arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Outcome(**json.loads(done.stdout.splitlines()[-1]))


def serve(functions: Mapping[str, Any]) -> None:
    """In a process made by ``in_own_process``: call the function that is asked for, and exit."""
    if sys.argv[1:2] != [_CHILD]:
        return
    function, arguments = functions[sys.argv[2]], json.loads(sys.argv[3])
    started, processor = time.perf_counter(), time.process_time()
    result = function(*arguments)
    outcome = {
        "result": result,
        "seconds": time.perf_counter() - started,
        "processor_seconds": time.process_time() - processor,
        "peak_mb": peak_mb(),
    }
    print(json.dumps(outcome))
    sys.exit()


def peak_mb() -> float:
    """The most memory that this process has held, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (MB if sys.platform == "darwin" else 1024)


def first_ms(function: Callable[[], Any]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    function()
    return (time.perf_counter() - started) * 1000


def best_ms(function: Callable[[], Any], repeats: int = 9) -> float:
    """Milliseconds of the fastest call after a first one: what other work disturbs least."""
    function()
    return min(first_ms(function) for _ in range(repeats))


class MemoryWatch:
    """The most memory that a process and its children hold while the watch runs, in MB."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.peak_mb = 0.0

    def __enter__(self) -> "MemoryWatch":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            self.peak_mb = max(self.peak_mb, rss_mb(self._process))


def rss_mb(process: psutil.Process) -> float:
    """Resident memory of a process and its children, in MB."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += one.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total / MB


def files_mb(path: Path) -> float:
    """Size of a store with its log, in MB."""
    return sum(p.stat().st_size for p in path.parent.glob(f"{path.name}*")) / MB


def remove_store(path: Path) -> None:
    """Delete a store and the files beside it."""
    for part in path.parent.glob(f"{path.name}*"):
        part.unlink()


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print figures as an aligned table; the first column is text, the others are numbers."""
    listed = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in [list(header), *listed]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [list(header), ["-" * width for width in widths], *listed]:
        first, *others = (
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip(), flush=True)
