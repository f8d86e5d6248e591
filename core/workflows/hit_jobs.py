"""Working out the hits by another rule in the background: one worker process, one status file."""

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import RagTriageError
from core.store.connection import Store
from core.workflows.background import failure, is_gone, start_worker
from core.workflows.hit_marks import find_marks
from core.workflows.hit_rules import apply_rule, wanted_rule
from core.workflows.job_files import forget_old, jobs_folder, lock, read_json, write_json

_SUFFIX = ".hits"
_MODULE = "core.workflows.hit_jobs"


@dataclass(frozen=True, slots=True)
class HitJob:
    """How far it has come; ``state`` is starting, running, done, failed or lost."""

    job_id: str
    run_id: str
    use_reference: bool
    use_terms: bool
    state: str
    done: int = 0
    total: int = 0
    started: float = 0.0
    pid: int = 0
    message: str = ""
    marks: str = ""

    @property
    def is_active(self) -> bool:
        """True while the worker is at work."""
        return self.state in ("starting", "running")


def _path(store: Store, job_id: str) -> Path:
    return jobs_folder(store) / f"{job_id}{_SUFFIX}"


def _write(store: Store, job: HitJob) -> None:
    write_json(_path(store, job.job_id), asdict(job))


def start(
    store: Store, run_id: str, *, use_reference: bool, use_terms: bool, marks: str = ""
) -> HitJob:
    """Work out a rule in a process of its own; one that is under way for the run is returned.

    ``marks`` is the key of the marks on single contexts that the rule believes, "" for none.

    Raises:
        BadInputError: the table of medical words cannot be read or is none.
    """
    wanted_rule(store, use_reference=use_reference, use_terms=use_terms)
    running = newest(store, run_id)
    if running is not None and running.is_active:
        return running
    folder = jobs_folder(store)
    folder.mkdir(exist_ok=True)
    forget_old(folder)
    job = HitJob(
        secrets.token_hex(6), run_id, use_reference, use_terms, "starting", started=time.time(),
        marks=marks,
    )  # fmt: skip
    _write(store, job)
    return replace(job, pid=start_worker(_MODULE, store, job.job_id))


def read(store: Store, job_id: str) -> HitJob | None:
    """Status of a job, "lost" if its process is gone without a word; None if unknown."""
    document = read_json(_path(store, job_id))
    if document is None:
        return None
    found = _from_json(document)
    if found is None or not found.is_active:
        return found
    return replace(found, state="lost") if is_gone(found.pid, found.started) else found


def _from_json(document: Mapping[str, Any]) -> HitJob | None:
    with contextlib.suppress(TypeError):
        return HitJob(**document)
    return None


def newest(store: Store, run_id: str) -> HitJob | None:
    """The last job of a run, None if there was none within a week."""
    found = [read(store, path.stem) for path in jobs_folder(store).glob(f"*{_SUFFIX}")]
    mine = [job for job in found if job is not None and job.run_id == run_id]
    return max(mine, key=lambda job: job.started, default=None)


def work(store: Store, job_id: str) -> HitJob | None:
    """The worker: apply the rule, reporting after every batch; None if the job is unknown."""
    found = read(store, job_id)
    if found is None:
        return None
    job = replace(found, state="running", pid=os.getpid())
    _write(store, job)

    def report(done: int, total: int) -> None:
        nonlocal job
        job = replace(job, done=done, total=total)
        _write(store, job)

    try:
        marks = find_marks(store, job.run_id, job.marks) if job.marks else None
        rule = wanted_rule(
            store, use_reference=job.use_reference, use_terms=job.use_terms, marks=marks
        )
        with lock(jobs_folder(store) / f"{job.run_id}.hits-lock", wait=0.0) as is_mine:
            if is_mine:
                apply_rule(store, job.run_id, rule, report)
        job = replace(job, state="done")
    except Exception as error:
        job = replace(job, state="failed", message=failure(error))
        if not isinstance(error, RagTriageError):
            raise
    finally:
        _write(store, job)
    return job


def main(arguments: Sequence[str]) -> None:
    """Entry of the worker process: store, job id."""
    path, job_id = arguments
    work(Store(path), job_id)


if __name__ == "__main__":
    main(sys.argv[1:])
