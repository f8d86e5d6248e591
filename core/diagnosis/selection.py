"""Which set of verdicts feeds each axis when a run has several."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from core.metrics.registry import AXIS_PREFERENCE
from core.model import Axis, JudgeKind

SelectionSource = Literal["saved", "default"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """The verdicts of one judge for one metric of a run.

    ``n_any_status`` counts the samples with a verdict of any status, ``n_value`` those with a
    score. ``newest_at`` only has to be larger for newer verdicts: a verdict number or a time.
    """

    axis: Axis
    metric: str
    judge_id: str
    kind: JudgeKind
    model: str
    n_any_status: int
    n_value: int
    newest_at: float

    def is_complete(self, n_samples: int) -> bool:
        """True if every sample has a verdict, of whatever status."""
        return self.n_any_status >= n_samples > 0


@dataclass(frozen=True, slots=True)
class Choice:
    """The verdicts that feed an axis; ``is_proxy`` where groundedness stands in for adherence."""

    axis: Axis
    metric: str
    judge_id: str
    kind: JudgeKind
    complete: bool
    source: SelectionSource
    is_proxy: bool = False


# From what a run is most likely meant to be judged by, to what merely exists: an offline run or
# an unfinished one never displaces other scores by itself.
_ORDER = (
    (JudgeKind.LLM, True),
    (JudgeKind.IMPORTED, True),
    (JudgeKind.IMPORTED, False),
    (JudgeKind.OFFLINE, True),
    (JudgeKind.LLM, False),
    (JudgeKind.OFFLINE, False),
)


def select(
    candidates: Iterable[Candidate],
    n_samples: int,
    saved: Mapping[Axis, tuple[str, str]] | None = None,
) -> dict[Axis, Choice]:
    """Choice per axis: the saved one (metric, judge id), else the first in the order of kinds.

    Within one kind the metric that comes first in the preference list wins, then the newest.
    Candidates without a single score come after all others, so that a judge that could say
    nothing never hides scores that exist. An axis without candidates has no entry; adherence
    then follows groundedness. A saved choice whose verdicts are gone is passed over.
    """
    by_axis: dict[Axis, list[Candidate]] = {}
    for candidate in candidates:
        by_axis.setdefault(candidate.axis, []).append(candidate)
    choices = {
        axis: _choose(axis, by_axis[axis], n_samples, (saved or {}).get(axis))
        for axis in Axis
        if axis in by_axis
    }
    if Axis.ADHERENCE not in choices and Axis.GROUNDEDNESS in choices:
        choices[Axis.ADHERENCE] = replace(
            choices[Axis.GROUNDEDNESS], axis=Axis.ADHERENCE, is_proxy=True
        )
    return choices


def kind_order(kind: JudgeKind, *, is_complete: bool) -> int:
    """Place of a judge among those that give the same metric; the smallest comes first."""
    return _ORDER.index((kind, is_complete))


def _choose(
    axis: Axis, candidates: list[Candidate], n_samples: int, saved: tuple[str, str] | None
) -> Choice:
    kept = [one for one in candidates if (one.metric, one.judge_id) == saved]
    best = kept[0] if kept else min(candidates, key=lambda one: _rank(one, n_samples))
    return Choice(
        axis=axis,
        metric=best.metric,
        judge_id=best.judge_id,
        kind=best.kind,
        complete=best.is_complete(n_samples),
        source="saved" if kept else "default",
    )


def _rank(one: Candidate, n_samples: int) -> tuple[bool, int, int, float, str]:
    preference = AXIS_PREFERENCE[one.axis]
    # A metric that a person assigned to the axis is in no list: it comes after the known ones.
    place = preference.index(one.metric) if one.metric in preference else len(preference)
    return (
        one.n_value == 0,
        kind_order(one.kind, is_complete=one.is_complete(n_samples)),
        place,
        -one.newest_at,
        one.judge_id,
    )
