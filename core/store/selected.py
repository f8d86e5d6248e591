"""Whose verdicts count in a run: the selection rules over what the store holds."""

from collections.abc import Mapping

from core.diagnosis.selection import Candidate, Choice, select
from core.metrics.registry import axis_of, spec_for
from core.metrics.spec import Aggregate
from core.model import Axis, JudgeKind
from core.store import queries
from core.store.connection import Connection

#: One axis of a selection as the wide rows are made from it: axis, metric, judge_id, aggregate.
WideChoice = tuple[str, str, str, str]


def run_choices(
    connection: Connection, run_id: str, override: Mapping[Axis, tuple[str, str]] | None = None
) -> dict[Axis, Choice]:
    """Selection of a run: the override (metric, judge_id), else the saved one, else default."""
    n_samples = queries.sample_count(connection, run_id)
    saved = {
        Axis(axis): choice for axis, choice in queries.saved_choices(connection, run_id).items()
    }
    found = [
        Candidate(
            axis=axis,
            metric=row["metric"],
            judge_id=row["judge_id"],
            kind=JudgeKind(row["kind"]),
            model=row["model"],
            n_any_status=row["n_any_status"],
            n_value=row["n_value"],
            newest_at=row["newest_no"],
        )
        for row in queries.candidates(connection, run_id)
        if (axis := axis_of(row["metric"])) is not None
    ]
    return select(found, n_samples, {**saved, **(override or {})})


def wide_choices(choices: Mapping[Axis, Choice]) -> list[WideChoice]:
    """A selection in the form that the wide rows are made from, in order of axis names."""
    return sorted(
        (axis.value, choice.metric, choice.judge_id, _aggregate(choice.metric))
        for axis, choice in choices.items()
    )


def default_choices(connection: Connection, run_id: str) -> list[WideChoice]:
    """The selection that the stored wide rows of a run are made from."""
    return wide_choices(run_choices(connection, run_id))


def _aggregate(metric: str) -> str:
    spec = spec_for(metric)
    return (spec.aggregate if spec else Aggregate.MEAN).value
