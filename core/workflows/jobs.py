"""Judging in the background: a worker process that outlives the page that started it.

The worker writes its verdicts itself and reports by a small status file beside the store, never
through the store. A cancel is a file too; the worker looks for it several times a second. A worker
that has finished waits a while for the next job, because loading the model library takes seconds.
"""

import contextlib
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from core.errors import BadInputError, NotFoundError
from core.judge.settings import LlmSettings
from core.store import calls, queries
from core.store.connection import Store
from core.workflows.job_files import forget_old, jobs_folder, lock, read_json, write_json
from core.workflows.judging import Judge, Request, check_judge

_START_PATIENCE = 10.0
_ACTIVE = ("starting", "running")


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How far a job has come; ``state`` is starting, running, done, cancelled, failed or lost.

    Attributes:
        done, failed, total: samples times repeats; only what is saved counts.
        started, ended, updated: seconds since the epoch, 0 where it has not happened.
        message: why it ended as it did, for people; "" if there is nothing to say.
        judge: name of the judge.
        metrics: what was asked for; empty for all axes.
        cost: USD so far, None where the price of some request is unknown.
        calls, cached, retries: requests made, answered from the store, made again.
        waiting_until: the provider has asked to wait until then, 0 if it has not.
        note: what it is waiting for, if it is.
        errors: verdicts that are errors, by kind; known when the job has ended.
        result: what a connection test has found; see ``connecting.ConnectionResult``.
        kind: "judge", or "test" for a connection test.
    """

    job_id: str
    run_id: str
    state: str
    done: int = 0
    failed: int = 0
    total: int = 0
    started: float = 0.0
    pid: int = 0
    message: str = ""
    kind: str = "judge"
    judge: str = ""
    metrics: tuple[str, ...] = ()
    verdicts: int = 0
    cost: float | None = 0.0
    calls: int = 0
    cached: int = 0
    retries: int = 0
    waiting_until: float = 0.0
    note: str = ""
    errors: Mapping[str, int] = field(default_factory=dict)
    result: Mapping[str, Any] | None = None
    ended: float = 0.0
    updated: float = 0.0

    @property
    def is_active(self) -> bool:
        """True while the worker is at work."""
        return self.state in _ACTIVE

    @property
    def can_continue(self) -> bool:
        """True if the job ended before everything was judged: ``resume`` does the rest."""
        is_short = self.total == 0 or self.done + self.failed < self.total
        return self.kind == "judge" and self.state in ("cancelled", "failed", "lost") and is_short

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the pace so far; None before the first batch."""
        made = self.done + self.failed
        if not made or not self.is_active:
            return None
        return (time.time() - self.started) / made * (self.total - made)

    @property
    def cost_at_end(self) -> float | None:
        """USD that it will have cost, by the pace so far; None if the price is not known."""
        made = self.done + self.failed
        if self.cost is None or not made:
            return None
        return self.cost / made * self.total

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "JobStatus":
        """The status of a document.

        Raises:
            TypeError: it is none.
        """
        known = {one.name for one in fields(cls)}
        values = {key: value for key, value in document.items() if key in known}
        values["metrics"] = tuple(values.get("metrics") or ())
        return cls(**values)


def status_path(store: Store, job_id: str) -> Path:
    """Where the status of a job stands."""
    return jobs_folder(store) / f"{job_id}.json"


def request_path(store: Store, job_id: str) -> Path:
    """Where stands what a job is to do; never a key."""
    return jobs_folder(store) / f"{job_id}.request"


def cancel_path(store: Store, job_id: str) -> Path:
    """The file whose being there asks the job to stop."""
    return jobs_folder(store) / f"{job_id}.cancel"


def idle_path(folder: Path, starter: int, worker: int) -> Path:
    """The file by which a worker offers itself to the process that has started it."""
    return folder / f"worker-{starter}-{worker}.idle"


def given_path(folder: Path, worker: int) -> Path:
    """The file by which a worker is given its next job."""
    return folder / f"worker-{worker}.given"


def start(
    store: Store,
    run_id: str,
    judge: str | Judge = "offline",
    which: str = "missing",
    *,
    request: Request | None = None,
) -> JobStatus:
    """Start judging a run in a process of its own; a job of the run that is active is returned.

    So a double click pays once. Settings are checked here as far as that needs no model library;
    what only the worker can find out ends the job with a message.

    Args:
        store: the store that holds the run.
        run_id: id of the run.
        judge: name of a judge, or the settings of a model.
        which: "missing", "failed" or "all"; passed over if ``request`` is given.
        request: all that can be said about what to judge.

    Raises:
        BadInputError: settings that cannot be used.
        NotFoundError: no such run.
    """
    chosen = check_judge(judge) if isinstance(judge, str) else judge
    if isinstance(chosen, LlmSettings):
        chosen.checked()
    wanted = (request or Request(which=which)).checked()
    with store.reading() as connection:
        run_id = queries.find_run(connection, run_id).run_id
        newest = calls.newest_verdict(connection, run_id)
    if wanted.which == "all" and wanted.since is None:
        wanted = replace(wanted, since=newest)
    return _start(store, run_id, "judge", chosen, wanted)


def start_test(store: Store, settings: LlmSettings) -> JobStatus:
    """Start a test of a model's settings by one small request; ``read`` it for its result.

    Raises:
        BadInputError: settings that cannot be used.
    """
    return _start(store, "", "test", settings.checked(), Request())


def resume(store: Store, job_id: str) -> JobStatus:
    """Go on with a job that has ended early; what it has done is not done again.

    Raises:
        NotFoundError: nothing is known of what the job was to do.
    """
    document = read_json(request_path(store, job_id))
    if document is None:
        raise NotFoundError("What this job was to do is not known any more. Start a new one.")
    judge = judge_from_json(document["judge"])
    return _start(store, document["run_id"], "judge", judge, Request.from_json(document["request"]))


def judge_to_json(judge: Judge) -> dict[str, Any]:
    """A document that ``judge_from_json`` reads."""
    if isinstance(judge, LlmSettings):
        return {"settings": judge.as_json()}
    return {"name": judge.model}


def judge_from_json(document: Mapping[str, Any]) -> Judge:
    """The judge of a document.

    Raises:
        BadInputError: settings that cannot be used.
    """
    if "settings" in document:
        return LlmSettings.from_json(document["settings"]).checked()
    return check_judge(str(document["name"]))


def _start(store: Store, run_id: str, kind: str, judge: Judge, request: Request) -> JobStatus:
    folder = jobs_folder(store)
    folder.mkdir(exist_ok=True)
    with lock(folder / "start.lock", wait=_START_PATIENCE) as is_mine:
        if not is_mine:
            raise BadInputError("Another job is being started and does not end. Try again.")
        if kind == "judge":
            for status in active(store):
                if status.run_id == run_id and status.kind == kind:
                    return status
        forget_old(folder)
        status = JobStatus(
            secrets.token_hex(6),
            run_id,
            "starting",
            started=time.time(),
            kind=kind,
            judge=judge.model,
            metrics=request.metrics,
        )
        document = {
            "run_id": run_id,
            "kind": kind,
            "judge": judge_to_json(judge),
            "request": request.as_json(),
        }
        write_json(request_path(store, status.job_id), document)
        worker = _idle_worker(folder)
        if worker is None:
            worker = _new_worker(store)
        status = replace(status, pid=worker)
        write(store, status)
        write_json(given_path(folder, worker), {"job_id": status.job_id})
    return status


def _idle_worker(folder: Path) -> int | None:
    """A worker of this very process that waits for work; it is taken by renaming its file.

    Workers of others may have another environment, and with it another key.
    """
    for path in folder.glob(f"worker-{os.getpid()}-*.idle"):
        worker = int(path.stem.rsplit("-", 1)[-1])
        try:
            path.rename(path.with_suffix(".taken"))
        except FileNotFoundError:
            continue
        path.with_suffix(".taken").unlink(missing_ok=True)
        if is_alive(worker):
            return worker
    return None


def _new_worker(store: Store) -> int:
    entry = [sys.executable, "-m", "core.workflows.worker", str(store.path), str(os.getpid())]
    started = subprocess.Popen(
        entry,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _children[started.pid] = started
    return started.pid


#: Workers that this process has started. They outlive it; until then it has to take note of ends.
_children: dict[int, "subprocess.Popen[bytes]"] = {}


def write(store: Store, status: JobStatus) -> None:
    """Put the status of a job where ``read`` finds it."""
    write_json(status_path(store, status.job_id), asdict(replace(status, updated=time.time())))


def read(store: Store, job_id: str) -> JobStatus | None:
    """Status of a job, "lost" if its process is gone without a word; None if it is unknown."""
    document = read_json(status_path(store, job_id))
    if document is None:
        return None
    try:
        found = JobStatus.from_json(document)
    except TypeError:
        return None
    if found.is_active and found.pid and not is_alive(found.pid):
        lost = "The worker ended without a word; what it had saved is kept."
        return replace(found, state="lost", message=lost)
    return found


def recent(store: Store, run_id: str | None = None, limit: int = 20) -> list[JobStatus]:
    """Jobs of the last week, of a run or of all, the newest first; connection tests are not."""
    mine = [
        status
        for status in every(store)
        if status.kind == "judge" and (run_id is None or status.run_id == run_id)
    ]
    return sorted(mine, key=lambda status: -status.started)[:limit]


def active(store: Store) -> list[JobStatus]:
    """Jobs that are at work, the oldest first."""
    return sorted((s for s in every(store) if s.is_active), key=lambda s: s.started)


def every(store: Store) -> list[JobStatus]:
    """All jobs of the last week, connection tests too, in no order."""
    found = [read(store, path.stem) for path in jobs_folder(store).glob("*.json")]
    return [status for status in found if status is not None]


def cancel(store: Store, job_id: str) -> None:
    """Ask a job to stop: no request is sent any more, and what is under way gets a second."""
    with contextlib.suppress(FileNotFoundError):
        cancel_path(store, job_id).touch()


def is_alive(pid: int) -> bool:
    """Whether there is such a process; a worker of ours that has ended is let go."""
    child = _children.get(pid)
    if child is not None:
        # One that has ended stays a zombie until it is waited for.
        if child.poll() is None:
            return True
        _children.pop(pid, None)
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
