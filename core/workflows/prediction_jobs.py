"""Predicting in the background: one worker process per prediction, and a small status file."""

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from core.errors import RagTriageError
from core.metrics.prediction import Prediction
from core.metrics.predictor import Stopped
from core.store.connection import Store
from core.workflows.background import failure, is_gone, start_worker
from core.workflows.job_files import forget_old, jobs_folder, read_json, write_json
from core.workflows.predicting import (
    PredictionRequest,
    predict_outcome,
    prediction_from_json,
    prediction_json,
)

_SUFFIX = ".prediction"
_MODULE = "core.workflows.prediction_jobs"


@dataclass(frozen=True, slots=True)
class PredictionStatus:
    """How far a prediction has come; ``state`` is starting, running, done, stopped, failed, lost.

    ``step`` names the model that is being trained; ``result`` is there when it is done.
    """

    job_id: str
    request: PredictionRequest
    state: str
    done: int = 0
    total: int = 0
    step: str = ""
    started: float = 0.0
    pid: int = 0
    message: str = ""
    result: Prediction | None = None

    @property
    def is_active(self) -> bool:
        """True while the worker is at work."""
        return self.state in ("starting", "running")


def _path(store: Store, job_id: str) -> Path:
    return jobs_folder(store) / f"{job_id}{_SUFFIX}"


def _cancel_path(store: Store, job_id: str) -> Path:
    return jobs_folder(store) / f"{job_id}.cancel"


def _write(store: Store, status: PredictionStatus) -> None:
    document = {one.name: getattr(status, one.name) for one in fields(status)}
    document["request"] = status.request.as_json()
    document["result"] = prediction_json(status.result) if status.result is not None else None
    write_json(_path(store, status.job_id), document)


def start(store: Store, request: PredictionRequest) -> PredictionStatus:
    """Start a prediction in a process of its own; the same one that is under way is returned."""
    for status in recent(store):
        if status.is_active and status.request == request:
            return status
    folder = jobs_folder(store)
    folder.mkdir(exist_ok=True)
    forget_old(folder)
    status = PredictionStatus(secrets.token_hex(6), request, "starting", started=time.time())
    _write(store, status)
    return replace(status, pid=start_worker(_MODULE, store, status.job_id))


def read(store: Store, job_id: str) -> PredictionStatus | None:
    """Status of a prediction, "lost" if its process is gone without a word; None if unknown."""
    document = read_json(_path(store, job_id))
    if document is None:
        return None
    try:
        found = _status(document)
    except (KeyError, TypeError, ValueError):
        return None
    if found.is_active and is_gone(found.pid, found.started):
        return replace(found, state="lost", message="The worker ended without a word.")
    return found


def _status(document: Mapping[str, Any]) -> PredictionStatus:
    values = dict(document)
    values["request"] = PredictionRequest.from_json(values["request"])
    result = values["result"]
    values["result"] = prediction_from_json(result) if result is not None else None
    return PredictionStatus(**values)


def recent(store: Store) -> list[PredictionStatus]:
    """Predictions of the last week, the newest first."""
    paths = jobs_folder(store).glob(f"*{_SUFFIX}")
    found = [status for path in paths if (status := read(store, path.stem)) is not None]
    return sorted(found, key=lambda status: -status.started)


def cancel(store: Store, job_id: str) -> None:
    """Ask a prediction to stop after the model that it is training."""
    with contextlib.suppress(FileNotFoundError):
        _cancel_path(store, job_id).touch()


def work(store: Store, job_id: str) -> PredictionStatus | None:
    """The worker: predict, reporting before every model; None if the job is unknown."""
    found = read(store, job_id)
    if found is None:
        return None
    status = replace(found, state="running", pid=os.getpid())
    _write(store, status)

    def report(done: int, total: int, step: str) -> bool:
        nonlocal status
        status = replace(status, done=done, total=total, step=step)
        _write(store, status)
        return not _cancel_path(store, job_id).exists()

    try:
        result = predict_outcome(store, status.request, report)
        status = replace(status, state="done", result=result)
    except Stopped:
        status = replace(status, state="stopped", message="Stopped; nothing was stored.")
    except Exception as error:
        status = replace(status, state="failed", message=failure(error))
        if not isinstance(error, RagTriageError):
            raise
    finally:
        _write(store, status)
    return status


def main(arguments: Sequence[str]) -> None:
    """Entry of the worker process: store, job id."""
    path, job_id = arguments
    work(Store(path), job_id)


if __name__ == "__main__":
    main(sys.argv[1:])
