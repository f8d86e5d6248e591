"""Every judge of a run against itself, where it judged samples more than once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from core.diagnosis.thresholds import Cut
from core.filters import escape_name
from core.metrics.registry import spec_for
from core.metrics.spec import Aggregate
from core.metrics.stability import Spread, Stability, spread, stability
from core.model import Axis, Direction, Status
from core.ranges import range_from, range_up_to
from core.store.connection import Store
from core.store.repeats import Vote, votes_of_matched
from core.store.scores import ScoreSet, score_sets
from core.workflows import review
from core.workflows.labelled_scores import axis_fed, cut_of


@dataclass(frozen=True, slots=True)
class SteadyRow:
    """One metric of one judge; ``is_selected`` if its scores count on the axis."""

    score: ScoreSet
    axis: Axis | None
    is_selected: bool
    cut: Cut
    found: Stability

    @property
    def repeated_term(self) -> str:
        """The filter of the samples with at least two repeats that gave a score."""
        return f"repeats.{escape_name(self.score.name)}=2.."

    @property
    def flip_term(self) -> str | None:
        """The filter of the samples whose repeats lie on both sides of the cut."""
        return flip_term(self.score.name, self.cut)


def flip_term(name: str, cut: Cut) -> str | None:
    """The filter of samples on both sides of a cut; None without one."""
    if cut.value is None:
        return None
    side = range_up_to if cut.direction is Direction.LOWER else range_from
    return f"flip.{escape_name(name)}={side(cut.value)}"


def spread_of(
    verdicts: Sequence[Mapping[str, Any]], metric: str, judge_id: str, cut: Cut
) -> Spread | None:
    """The repeats of one metric and judge on one sample; None where it was judged once at most.

    Args:
        verdicts: of the sample, the oldest first.
        metric: which was judged.
        judge_id: whose verdicts.
        cut: that applies to these scores.
    """
    votes: dict[int, float | None] = {}
    for verdict in verdicts:
        if (verdict["metric"], verdict["judge_id"]) != (metric, judge_id):
            continue
        if verdict["context_rank"] is not None:
            continue
        # A later error does not displace a settled verdict of the same repeat.
        if verdict["status"] != Status.ERROR.value or verdict["repeat"] not in votes:
            votes[verdict["repeat"]] = verdict["value"]
    if len(votes) < 2:
        return None
    spec = spec_for(metric)
    sign = -1 if cut.direction is Direction.LOWER else 1
    aggregate = spec.aggregate if spec else Aggregate.MEAN
    return spread([votes[repeat] for repeat in sorted(votes)], aggregate, cut.value, sign)


def steadiness(store: Store, run_id: str, view: review.View | None = None) -> tuple[SteadyRow, ...]:
    """The judges that judged matched samples of a run more than once; those that count first.

    Raises:
        NotFoundError: no such run.
    """
    view = view or review.View()
    kept: list[tuple[ScoreSet, bool, Cut, list[Vote]]] = []
    with review.matched(store, run_id, view) as (connection, settings):
        run_id = settings.run.run_id
        for score in score_sets(connection, run_id):
            if score.n_repeats < 2:
                continue
            votes = votes_of_matched(connection, run_id, score)
            if not votes:
                continue
            fed = axis_fed(settings, score)
            cut = cut_of(connection, run_id, score)
            if fed is not None and (override := dict(view.cuts).get(fed)) is not None:
                cut = cut_of(connection, run_id, score, override)
            kept.append((score, fed is not None, cut, votes))
    rows = []
    for score, is_selected, cut, votes in kept:
        sign = -1 if cut.direction is Direction.LOWER else 1
        table = [
            [value for _, _, value in mine] for _, mine in groupby(votes, key=lambda vote: vote[0])
        ]
        found = stability(table, Aggregate(score.aggregate), cut.value, sign)
        rows.append(SteadyRow(score, score.axis, is_selected, cut, found))
    order = list(Axis)
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                not row.is_selected,
                order.index(row.axis) if row.axis else len(order),
                row.score.metric,
                row.score.model,
                -row.score.newest_no,
            ),
        )
    )
