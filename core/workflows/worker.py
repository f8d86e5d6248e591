"""The process that judges: it is given jobs one after another by files, and ends when idle."""

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from core.errors import RagTriageError
from core.judge.settings import LlmSettings
from core.store.connection import Store
from core.workflows import jobs
from core.workflows.connecting import try_connection
from core.workflows.job_files import jobs_folder, read_json
from core.workflows.judge_request import Outcome, Progress, Request
from core.workflows.judging import judge_run

IDLE_VARIABLE = "RAGTRIAGE_WORKER_IDLE"
"""Seconds that a worker waits for another job."""
_IDLE_SECONDS = 300.0
_NICE = 5
_POLL_SECONDS = 0.05
_GIVEN_PATIENCE = 10.0
_WRITE_SECONDS = 0.4


def main(arguments: Sequence[str]) -> None:
    """Entry of the worker process: the store, and the process that started it."""
    path, starter = arguments
    with contextlib.suppress(AttributeError, OSError):
        # A click on the page goes before what people wait for anyway.
        os.nice(_NICE)
    store = Store(path)
    job_id = _given(store, _GIVEN_PATIENCE)
    while job_id is not None:
        work(store, job_id)
        job_id = _next(store, int(starter))


def _given(store: Store, patience: float) -> str | None:
    """Id of the job that this worker is given, None if nothing comes."""
    path = jobs.given_path(jobs_folder(store), os.getpid())
    end = time.monotonic() + patience
    while time.monotonic() < end:
        document = read_json(path)
        if document is not None:
            path.unlink(missing_ok=True)
            return str(document["job_id"])
        time.sleep(_POLL_SECONDS)
    return None


def _next(store: Store, starter: int) -> str | None:
    """Offer this worker and wait; None when it is time to end."""
    folder = jobs_folder(store)
    idle = jobs.idle_path(folder, starter, os.getpid())
    idle.touch()
    end = time.monotonic() + float(os.environ.get(IDLE_VARIABLE, _IDLE_SECONDS))
    while time.monotonic() < end and jobs.is_alive(starter):
        if not idle.exists():
            return _given(store, _GIVEN_PATIENCE)
        time.sleep(_POLL_SECONDS)
    try:
        idle.unlink()
    except FileNotFoundError:
        # Somebody has just taken it.
        return _given(store, _GIVEN_PATIENCE)
    return None


def work(store: Store, job_id: str) -> jobs.JobStatus:
    """Do one job, reporting several times a second."""
    status = jobs.read(store, job_id) or jobs.JobStatus(job_id, "", "starting")
    status = replace(status, state="running", started=time.time(), pid=os.getpid())
    jobs.write(store, status)
    try:
        document = read_json(jobs.request_path(store, job_id))
        if document is None:
            raise RagTriageError("What was to be judged is not known any more.")
        judge = jobs.judge_from_json(document["judge"])
        if document["kind"] == "test":
            assert isinstance(judge, LlmSettings)
            found = try_connection(judge)
            status = replace(status, state="done", result=found.as_json(), message=found.message)
        else:
            reporter = _Reporter(store, status)
            outcome = judge_run(
                store,
                document["run_id"],
                Request.from_json(document["request"]),
                judge,
                reporter.report,
            )
            status = _ended(reporter.status, outcome)
    except RagTriageError as error:
        status = replace(status, state="failed", message=str(error))
    except Exception as error:
        # The page must learn that the worker is gone; only the error's kind is safe to say.
        status = replace(
            status, state="failed", message=f"The worker failed ({type(error).__name__})."
        )
    finally:
        if status.is_active:
            status = replace(status, state="failed", message="The worker was ended.")
        jobs.write(store, replace(status, ended=time.time(), note="", waiting_until=0.0))
        jobs.cancel_path(store, job_id).unlink(missing_ok=True)
    return status


def _ended(status: jobs.JobStatus, outcome: Outcome) -> jobs.JobStatus:
    state = "done"
    if outcome.stopped is not None:
        state = "cancelled" if outcome.is_cancelled else "failed"
    return replace(
        status,
        state=state,
        done=outcome.done,
        failed=outcome.failed,
        verdicts=outcome.verdicts,
        cost=outcome.cost,
        calls=outcome.calls,
        cached=outcome.cached,
        retries=outcome.retries,
        errors=outcome.errors,
        message=outcome.message,
    )


class _Reporter:
    """Writes the status file, but not more often than anybody could read it."""

    def __init__(self, store: Store, status: jobs.JobStatus) -> None:
        self.status = status
        self._store = store
        self._written = 0.0

    def report(self, now: Progress) -> bool:
        """Note the progress; False if the job was asked to stop."""
        self.status = replace(
            self.status,
            done=now.done,
            failed=now.failed,
            total=now.total,
            verdicts=now.verdicts,
            cost=now.cost,
            calls=now.calls,
            cached=now.cached,
            retries=now.retries,
            waiting_until=now.waiting,
            note=now.note,
        )
        if time.monotonic() - self._written >= _WRITE_SECONDS:
            jobs.write(self._store, self.status)
            self._written = time.monotonic()
        return not jobs.cancel_path(self._store, self.status.job_id).exists()


if __name__ == "__main__":
    main(sys.argv[1:])
