"""Scores of any metric of a run, whoever gave them: what there is, and one value per sample."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.diagnosis.selection import kind_order
from core.errors import BadInputError
from core.metrics.registry import axis_of, canonical_id, spec_for
from core.metrics.spec import Aggregate
from core.model import Axis, JudgeKind
from core.ranges import compared
from core.store import queries
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """The verdicts of one judge for one metric; ``lowest`` and ``highest`` are of its values."""

    metric: str
    judge_id: str
    kind: JudgeKind
    model: str
    n_any_status: int
    n_value: int
    n_repeats: int
    newest_no: int
    lowest: float | None
    highest: float | None

    @property
    def axis(self) -> Axis | None:
        """Axis that the metric can feed."""
        return axis_of(self.metric)

    @property
    def aggregate(self) -> str:
        """How several repeats become one score."""
        spec = spec_for(self.metric)
        return (spec.aggregate if spec else Aggregate.MEAN).value

    @property
    def name(self) -> str:
        """The metric with its judge, as ``--score`` and a filter take it."""
        return f"{self.metric}@{self.judge_id}"


def score_sets(connection: Connection, run_id: str) -> list[ScoreSet]:
    """Every metric and judge of a run with at least one verdict of any status."""
    last = queries.next_position(connection, run_id)
    rows = fetch_rows(connection, "calibration/score_sets", run_id=run_id, last=last)
    return [
        ScoreSet(metric, judge_id, JudgeKind(kind), *rest) for metric, judge_id, kind, *rest in rows
    ]


def find_set(sets: list[ScoreSet], name: str, n_samples: int) -> ScoreSet | None:
    """The scores that a name means: a metric, or ``metric@judge`` with a judge's id or model.

    Among several judges of one metric those come first that would feed an axis first.
    """
    wanted = [one for one in sets if one.metric == name]
    if not wanted and "@" in name:
        metric, _, judge = name.rpartition("@")
        wanted = [
            one for one in sets if one.metric == metric and judge in (one.judge_id, one.model)
        ]
    if not wanted and (canonical := canonical_id(name)) is not None:
        wanted = [one for one in sets if one.metric == canonical]
    return min(wanted, key=lambda one: _place(one, n_samples), default=None)


def _place(one: ScoreSet, n_samples: int) -> tuple[bool, int, int, str]:
    is_complete = one.n_any_status >= n_samples > 0
    order = kind_order(one.kind, is_complete=is_complete)
    return one.n_value == 0, order, -one.newest_no, one.judge_id


def fill_scored(connection: Connection, run_id: str, one: ScoreSet) -> None:
    """Make the temporary table ``scored`` of this burst: position, value."""
    parameters = {"run_id": run_id, "metric": one.metric, "judge_id": one.judge_id}
    if one.n_repeats <= 1:
        connection.execute(sql("queries/calibration/scored_once.sql"), parameters)
    else:
        connection.execute(
            sql("queries/calibration/scored_repeated.sql"),
            {**parameters, "aggregate": one.aggregate},
        )


def narrow_by_metric(
    connection: Connection, run_id: str, name: str, low: float, high: float
) -> None:
    """Keep the matched samples whose score of a metric lies within a range.

    Raises:
        BadInputError: the run has no such metric.
    """
    fill_scored(connection, run_id, named_set(connection, run_id, name))
    low, high = compared(low, high)
    connection.execute(sql("queries/narrow/metric.sql"), {"low": low, "high": high})


def narrow_by_state(connection: Connection, run_id: str, name: str, states: Sequence[str]) -> None:
    """Keep the matched samples whose newest verdict of a metric is in one of these states.

    ``states`` are "status", "status:cause" or "not_scored".

    Raises:
        BadInputError: the run has no such metric.
    """
    found = named_set(connection, run_id, name)
    connection.execute(
        sql("queries/narrow/states.sql"),
        {
            "run_id": run_id,
            "metric": found.metric,
            "judge_id": found.judge_id,
            "states": list(states),
        },
    )


def named_set(connection: Connection, run_id: str, name: str) -> ScoreSet:
    """The scores that a filter term means.

    Raises:
        BadInputError: the run has no such metric.
    """
    sets = score_sets(connection, run_id)
    found = find_set(sets, name, queries.sample_count(connection, run_id))
    if found is None:
        known = ", ".join(sorted({one.metric for one in sets})) or "none"
        raise BadInputError(f"The run has no scores named {name!r}. Its scores: {known}.")
    return found
