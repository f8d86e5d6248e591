"""What jobs with a worker process of their own share: its start, its life, its end in words."""

import subprocess
import sys
import time

from core.errors import RagTriageError
from core.store.connection import Store
from core.workflows.jobs import is_alive

_START_SECONDS = 120.0
# A worker outlives the page that started it; letting go of its handle before it ends is a warning.
_started: list[subprocess.Popen[bytes]] = []


def start_worker(module: str, store: Store, job_id: str) -> int:
    """Run a module with the store's path and a job's id as arguments; returns the process id."""
    _started[:] = [one for one in _started if one.poll() is None]
    worker = subprocess.Popen(
        [sys.executable, "-m", module, str(store.path), job_id],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _started.append(worker)
    return worker.pid


def is_gone(pid: int, started: float) -> bool:
    """True if a worker has ended, or never came to write its process id, which it does first."""
    return not is_alive(pid) if pid else time.time() - started > _START_SECONDS


def failure(error: Exception) -> str:
    """Why a worker failed, for people; of an unforeseen error only the kind is safe to say."""
    if isinstance(error, RagTriageError):
        return str(error)
    return f"The worker failed ({type(error).__name__})."
