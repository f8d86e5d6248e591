"""Judging one sample again by a model: which model, and which of the new verdicts are its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.judge.settings import LlmSettings
from core.metrics.registry import axis_of
from core.model import TRIAD, Axis
from core.store.connection import Store
from core.workflows import jobs
from core.workflows.job_files import read_json


def last_model(store: Store) -> LlmSettings | None:
    """Settings of the model that judged last from this store; None if none has."""
    for job in jobs.recent(store):
        document = read_json(jobs.request_path(store, job.job_id)) if job.kind == "judge" else None
        judge = jobs.judge_from_json(document["judge"]) if document else None
        if isinstance(judge, LlmSettings):
            return judge
    return None


def made_since(
    verdicts: Sequence[Mapping[str, Any]], verdict_no: int
) -> dict[Axis, Mapping[str, Any]]:
    """The newest verdict on each axis of the triad among those with a number above this one.

    Args:
        verdicts: of one sample, the oldest first.
        verdict_no: number of the last verdict that there was before.
    """
    found: dict[Axis, Mapping[str, Any]] = {}
    for verdict in verdicts:
        axis = axis_of(verdict["metric"])
        if axis in TRIAD and verdict["verdict_no"] > verdict_no and verdict["context_rank"] is None:
            found[axis] = verdict
    return {axis: found[axis] for axis in TRIAD if axis in found}
