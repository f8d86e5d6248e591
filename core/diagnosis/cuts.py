"""The cuts under which the samples of a run are classified, one per axis that needs one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.diagnosis.thresholds import Cut
from core.model import Axis, Direction


@dataclass(frozen=True, slots=True)
class RunCuts:
    """Cuts of the axes that diagnosis reads; a cut without a value leaves its axis unknown."""

    context_relevance: Cut
    groundedness: Cut
    answer_relevance: Cut
    correctness: Cut
    adherence: Cut

    def __iter__(self) -> Iterator[tuple[Axis, Cut]]:
        """Pairs of axis and cut, the triad first."""
        yield Axis.CONTEXT_RELEVANCE, self.context_relevance
        yield Axis.GROUNDEDNESS, self.groundedness
        yield Axis.ANSWER_RELEVANCE, self.answer_relevance
        yield Axis.CORRECTNESS, self.correctness
        yield Axis.ADHERENCE, self.adherence

    def as_parameter(self) -> Mapping[str, Mapping[str, float | int | None]]:
        """The cuts as the classifying query reads them: per axis {cut, sign, band, span}."""
        return {str(axis): _parameter(cut) for axis, cut in self}


def _parameter(cut: Cut) -> Mapping[str, float | int | None]:
    is_known = cut.lo is not None and cut.hi is not None and cut.hi > cut.lo
    return {
        "cut": cut.value,
        "sign": -1 if cut.direction is Direction.LOWER else 1,
        "band": cut.band,
        "span": cut.hi - cut.lo if is_known and cut.lo is not None and cut.hi is not None else 1.0,
    }
