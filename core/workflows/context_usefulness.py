"""How useful contexts are by their rank, as judges and people marked them one by one; and eRAG."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.diagnosis.thresholds import resolve_cut
from core.metrics.context_gains import GainFigures
from core.metrics.intervals import Rate, wilson
from core.model import Axis, Direction, Scale
from core.store import context_marks, queries
from core.store.connection import Connection
from core.store.context_marks import MarkSource
from core.workflows import review

_ERAG = "erag"
_SCALES = ((0.0, 1.0), (0.0, 3.0), (1.0, 5.0))


@dataclass(frozen=True, slots=True)
class Usefulness:
    """One source of marks on contexts: the share at each rank that it calls useful.

    ``cut`` is the least value that counts as useful (the largest, where lower is better), None
    where the scale is not known; then there is no share.
    """

    name: str
    kind: str
    judge: str
    cut: float | None
    by_rank: Mapping[int, Rate]

    @property
    def key(self) -> str:
        """The source as the command line names it."""
        return f"{self.name}@{self.judge}" if self.judge else self.name


@dataclass(frozen=True, slots=True)
class ContextFigures:
    """All that was said about single contexts; ``erag`` by the metric's name."""

    usefulness: tuple[Usefulness, ...] = ()
    erag: Mapping[str, GainFigures] | None = None

    def as_json(self) -> dict[str, Any]:
        """Parts for the document of the command line; nothing where no context was marked."""
        document: dict[str, Any] = {}
        if self.usefulness:
            document["usefulness_by_rank"] = {
                one.key: {
                    "kind": one.kind,
                    "cut": one.cut,
                    "by_rank": {str(rank): rate.as_json() for rank, rate in one.by_rank.items()},
                }
                for one in self.usefulness
            }
        if self.erag:
            document["erag"] = {name: found.as_json() for name, found in self.erag.items()}
        return document


def context_figures(
    connection: Connection, found: review.Settings, k: int | None = None
) -> ContextFigures:
    """Usefulness by rank of every source of marks on the matched samples, and eRAG."""
    run_id = found.run.run_id
    sources = context_marks.mark_sources(connection, run_id)
    if not sources:
        return ContextFigures()
    scales = queries.metric_scales(connection, run_id)
    usefulness = []
    erag = {}
    for one in sources:
        if is_gain(one):
            name = one.name if one.name not in erag else f"{one.name}@{one.source}"
            erag[name] = context_marks.gains(connection, run_id, one, k)
        else:
            usefulness.append(_usefulness(connection, found, one, scales, k))
    return ContextFigures(tuple(usefulness), erag)


def _usefulness(
    connection: Connection,
    found: review.Settings,
    one: MarkSource,
    scales: Mapping[str, Mapping[str, object]],
    k: int | None,
) -> Usefulness:
    cut, direction = mark_cut(found, one, scales)
    judge = found.models.get(one.source, one.source)
    by_rank: dict[int, Rate] = {}
    if cut is not None:
        sign = -1 if direction is Direction.LOWER else 1
        by_rank = {
            rank: wilson(n_useful, n)
            for rank, n_useful, n in context_marks.useful_by_rank(connection, one, cut, sign)
            if k is None or rank <= k
        }
    return Usefulness(one.name, one.kind, judge, cut, by_rank)


def is_gain(one: MarkSource) -> bool:
    """True for the worth of a context to the generator, which is no yes or no."""
    return one.kind == "verdict" and one.name.startswith(_ERAG)


def mark_cut(
    found: review.Settings, one: MarkSource, scales: Mapping[str, Mapping[str, object]]
) -> tuple[float | None, Direction]:
    """Cut of a source: that of the axis for its scores, else the default of the scale."""
    if one.kind == "axis":
        cut = found.cut(Axis.CONTEXT_RELEVANCE)
        return cut.value, cut.direction
    known = scales.get(one.name) if one.kind == "verdict" else None
    if known is not None:
        lo, hi = known["lo"], known["hi"]
        scale = Scale(
            lo if isinstance(lo, float) else None,
            hi if isinstance(hi, float) else None,
            Direction(str(known["direction"])),
        )
    else:
        scale = _scale_of_values(one)
    if one.is_whole and (scale.lo, scale.hi) == (0, 1):
        # Yes and no: between them any cut is the same.
        return 0.5, scale.direction
    return resolve_cut(one.name, scale, "imported", "").value, scale.direction


def _scale_of_values(one: MarkSource) -> Scale:
    for lo, hi in _SCALES:
        if lo <= one.least and one.most <= hi and (one.is_whole or (lo, hi) == (0.0, 1.0)):
            return Scale(lo, hi)
    return Scale(None, None)
