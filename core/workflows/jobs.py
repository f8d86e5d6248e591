"""Judging in the background: a worker process that outlives the page that started it.

The worker writes its verdicts itself and reports by a small status file beside the store, never
through the store. A cancel is a file too; the worker looks for it after every batch.
"""

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from core.errors import RagTriageError
from core.store.connection import Store
from core.workflows.judging import Request, check_judge, judge_run

_KEPT_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How far a job has come; ``state`` is starting, running, done, cancelled, failed or lost."""

    job_id: str
    run_id: str
    state: str
    done: int = 0
    failed: int = 0
    total: int = 0
    started: float = 0.0
    pid: int = 0
    message: str = ""

    @property
    def is_active(self) -> bool:
        """True while the worker is at work."""
        return self.state in ("starting", "running")

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the pace so far; None before the first batch."""
        made = self.done + self.failed
        if not made or not self.is_active:
            return None
        return (time.time() - self.started) / made * (self.total - made)


def _folder(store: Store) -> Path:
    return Path(f"{store.path}.jobs")


def _status_path(store: Store, job_id: str) -> Path:
    return _folder(store) / f"{job_id}.json"


def _cancel_path(store: Store, job_id: str) -> Path:
    return _folder(store) / f"{job_id}.cancel"


def _write(store: Store, status: JobStatus) -> None:
    path = _status_path(store, status.job_id)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(status)), encoding="utf-8")
    partial.replace(path)


def start(store: Store, run_id: str, judge: str = "offline", which: str = "missing") -> JobStatus:
    """Start judging a run in a process of its own; a job of the run that is active is returned.

    Raises:
        BadInputError: there is no such judge.
    """
    check_judge(judge)
    for status in active(store):
        if status.run_id == run_id:
            return status
    _folder(store).mkdir(exist_ok=True)
    _forget_old(store)
    status = JobStatus(secrets.token_hex(6), run_id, "starting", started=time.time())
    worker = subprocess.Popen(
        [sys.executable, "-m", "core.workflows.jobs", str(store.path), status.job_id, run_id, judge, which],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    status = JobStatus(status.job_id, run_id, "starting", started=status.started, pid=worker.pid)
    if read(store, status.job_id) is None:
        _write(store, status)
    return status


def read(store: Store, job_id: str) -> JobStatus | None:
    """Status of a job; "lost" if its process is gone without a word. None if there is no such job."""
    try:
        found = JobStatus(**json.loads(_status_path(store, job_id).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    if found.is_active and found.pid and not _is_alive(found.pid):
        lost = "The worker ended without a word; what it had saved is kept."
        return JobStatus(**{**asdict(found), "state": "lost", "message": lost})
    return found


def active(store: Store) -> list[JobStatus]:
    """Jobs that are at work, the oldest first."""
    found = [read(store, path.stem) for path in _folder(store).glob("*.json")]
    return sorted((s for s in found if s is not None and s.is_active), key=lambda s: s.started)


def cancel(store: Store, job_id: str) -> None:
    """Ask a job to stop after its present batch; what it has saved is kept."""
    with suppress(FileNotFoundError):
        _cancel_path(store, job_id).touch()


def _is_alive(pid: int) -> bool:
    try:
        # A child that has ended stays a zombie until it is waited for.
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return False
    except ChildProcessError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _forget_old(store: Store) -> None:
    for path in _folder(store).iterdir():
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _KEPT_SECONDS:
                path.unlink()


def work(store: Store, job_id: str, run_id: str, judge: str, which: str) -> JobStatus:
    """The worker: judge, reporting after every batch."""
    status = JobStatus(job_id, run_id, "running", started=time.time(), pid=os.getpid())
    _write(store, status)

    def report(done: int, failed: int, total: int) -> bool:
        nonlocal status
        status = JobStatus(
            job_id, run_id, "running", done, failed, total, status.started, status.pid
        )
        _write(store, status)
        return not _cancel_path(store, job_id).exists()

    end, message = "done", ""
    try:
        outcome = judge_run(store, run_id, Request(which=which), check_judge(judge), report)
        end = "cancelled" if outcome.is_cancelled else "done"
    except RagTriageError as error:
        end, message = "failed", str(error)
    except Exception as error:
        # Whoever looks at the page must learn that the worker is gone; only the kind is safe to say.
        end, message = "failed", f"The worker failed ({type(error).__name__})."
        raise
    finally:
        status = JobStatus(**{**asdict(status), "state": end, "message": message})
        _write(store, status)
    return status


def main(arguments: Sequence[str]) -> None:
    """Entry of the worker process: store, job id, run id, judge, which."""
    path, job_id, run_id, judge, which = arguments
    work(Store(path), job_id, run_id, judge, which)


if __name__ == "__main__":
    main(sys.argv[1:])
