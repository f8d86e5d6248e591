"""What a view of a run can be narrowed to and fed by. Reads only."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.diagnosis.selection import Choice
from core.errors import BadInputError
from core.metrics.registry import axis_of, canonical_id
from core.model import Axis, JudgeKind
from core.store import queries
from core.store.connection import Store
from core.store.overview import LatencyAndCost, latency_and_cost
from core.workflows.matrix import axis_coverage
from core.workflows.review import CUT_AXES, View, matched


def metric_name_to_axis(choices: Mapping[Axis, Choice], name: str) -> Axis:
    """The axis that a name on the command line means: an axis, or the metric that feeds it.

    Raises:
        BadInputError: the name feeds no axis with a cut in this run.
    """
    for axis in CUT_AXES:
        choice = choices.get(axis)
        if name == axis.value or (
            choice is not None and choice.metric in (name, canonical_id(name))
        ):
            return axis
    known = ", ".join(
        f"{axis.value} ({choices[axis].metric})" if axis in choices else axis.value
        for axis in CUT_AXES
    )
    raise BadInputError(f"{name!r} feeds no axis of this run. Cuts can be set for: {known}.")


#: Values of a tag that can be compared at a glance.
READABLE = 12


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What a run can be filtered by, each with its number of samples.

    ``causes`` are those of the triad scores under the run's own selection, ``amounts`` those of
    latency and cost that the run recorded.
    """

    tags: tuple[tuple[str, str, int], ...]
    labels: tuple[tuple[str, str, int], ...]
    causes: tuple[tuple[str, int], ...]
    amounts: tuple[str, ...] = ()

    def tag_names(self) -> list[str]:
        """The tags, each once."""
        return list(dict.fromkeys(name for name, _, _ in self.tags))

    def telling_tag(self) -> str | None:
        """The tag by which to compare if nobody has chosen one; None without tags.

        It has a readable number of values, and the second of them is as large as can be: of a tag
        that nearly all samples share, nothing can be learned.
        """
        sizes: dict[str, list[int]] = {}
        for name, _, n in self.tags:
            sizes.setdefault(name, []).append(n)
        readable = {
            name: sorted(found)[-2] for name, found in sizes.items() if 2 <= len(found) <= READABLE
        }
        return max(readable, key=readable.__getitem__) if readable else next(iter(sizes), None)


def filter_choices(store: Store, run_id: str) -> FilterChoices:
    """Tags, labels and causes of missing scores that occur in a run."""
    view = View()
    with matched(store, run_id, view) as (connection, found):
        run_id = found.run.run_id
        causes: dict[str, int] = {}
        for axis in axis_coverage(connection, run_id):
            for status, cause, n in axis.causes:
                name = f"{status}:{cause}" if cause else status
                causes[name] = max(causes.get(name, 0), n)
        return FilterChoices(
            tags=tuple(queries.tag_values(connection, run_id)),
            labels=tuple(queries.label_values(connection, run_id)),
            causes=tuple(sorted(causes.items())),
            amounts=_recorded(latency_and_cost(connection, run_id)),
        )


@dataclass(frozen=True, slots=True)
class JudgeOption:
    """One set of verdicts that can feed an axis of a run."""

    axis: Axis
    metric: str
    judge_id: str
    kind: JudgeKind
    model: str
    n_value: int


def judge_options(store: Store, run_id: str) -> tuple[JudgeOption, ...]:
    """Everything that can feed an axis of a run, in the order of axes and metrics."""
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        rows = queries.candidates(connection, run.run_id)
    return tuple(
        JudgeOption(
            axis=axis,
            metric=row["metric"],
            judge_id=row["judge_id"],
            kind=JudgeKind(row["kind"]),
            model=row["model"],
            n_value=row["n_value"],
        )
        for row in rows
        if (axis := axis_of(row["metric"])) is not None
    )


def _recorded(found: LatencyAndCost) -> tuple[str, ...]:
    counts = {"latency": found.n_latency, "cost": found.n_cost}
    return tuple(name for name, n in counts.items() if n)
