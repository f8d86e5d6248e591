"""Ratings of one criterion as a matrix of units × raters, in the numbers of its scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.metrics.intervals import Rate
from core.metrics.means import mean_rate
from core.metrics.roc import Floats
from core.store import calibration as reads
from core.store import queries
from core.store.calibration import Ratings
from core.store.connection import Connection
from core.workflows.rating_scale import RatingScale, resolve_rating_scale


@dataclass(frozen=True, slots=True)
class Rated:
    """Ratings of samples, or of contexts where people rated those.

    ``matrix`` has a row per unit and a column per rater, NaN where a rater gave none; ``position``
    and ``rank`` say which sample and which of its contexts (0 for the sample itself) a unit is.
    ``n_left_out`` answers are none of the scale.
    """

    scale: RatingScale
    names: tuple[str, ...]
    matrix: Floats
    position: NDArray[np.int64]
    rank: NDArray[np.int64]
    n_left_out: int

    @property
    def is_of_contexts(self) -> bool:
        """True where contexts were rated."""
        return bool((self.rank > 0).any())

    @property
    def values(self) -> Floats:
        """All ratings, unit by unit."""
        return self.matrix[~np.isnan(self.matrix)]

    @property
    def positions(self) -> NDArray[np.int64]:
        """The sample of each of ``values``."""
        return np.repeat(self.position, (~np.isnan(self.matrix)).sum(axis=1))

    def mean(self) -> Rate:
        """Mean rating; ratings of one sample are drawn together."""
        return mean_rate(self.values, self.positions, reason="no ratings")

    def sample_means(self) -> tuple[NDArray[np.int64], Floats]:
        """Samples in order, and the mean of all ratings of each."""
        samples, place = np.unique(self.positions, return_inverse=True)
        sums = np.bincount(place, weights=self.values, minlength=len(samples))
        counts = np.bincount(place, minlength=len(samples))
        return samples, np.asarray(sums / counts, dtype=np.float64)

    def of_rank(self, rank: int) -> Rate:
        """Mean rating of the contexts at one rank."""
        mine = self.rank == rank
        here = self.matrix[mine]
        given = ~np.isnan(here)
        return mean_rate(here[given], np.repeat(self.position[mine], given.sum(axis=1)))


def rated(found: Ratings, raters: Sequence[str], scale: RatingScale) -> Rated:
    """Those ratings that are on the scale, as a matrix; raters without any are left out."""
    value = scale.numbers(found.value, found.category)
    is_kept = ~np.isnan(value)
    # One number per unit: to sort rows of two would take ten times as long.
    step = int(found.rank.max(initial=0)) + 1
    keys = found.position[is_kept] * step + found.rank[is_kept]
    units, row = np.unique(keys, return_inverse=True)
    present, column = np.unique(found.rater[is_kept], return_inverse=True)
    matrix = np.full((len(units), len(present)), np.nan)
    matrix[row, column] = value[is_kept]
    return Rated(
        scale=scale,
        names=tuple(raters[i - 1] for i in present),
        matrix=matrix,
        position=units // step,
        rank=units % step,
        n_left_out=int((~is_kept).sum()),
    )


@dataclass(frozen=True, slots=True)
class LabelFacts:
    """Who labelled what in a run and how, and the scales that its file declares."""

    raters: tuple[reads.Rater, ...]
    answers: Mapping[bool, Sequence[reads.Answer]]
    scales: Mapping[str, Mapping[str, object]]

    @property
    def criteria(self) -> tuple[str, ...]:
        """Everything that was labelled, by name."""
        return tuple(dict.fromkeys(rater.criterion for rater in self.raters))

    def of_contexts(self, criterion: str) -> bool:
        """True where people rated contexts only."""
        mine = [one for one in self.raters if one.criterion == criterion]
        return bool(mine) and all(one.is_context for one in mine)


def label_facts(connection: Connection, run_id: str) -> LabelFacts:
    """What is known about the labels of a run; ``answers`` of samples (False) and contexts."""
    return LabelFacts(
        raters=tuple(reads.raters(connection, run_id)),
        answers={
            of_contexts: reads.answers(connection, run_id, of_contexts=of_contexts)
            for of_contexts in (False, True)
        },
        scales=queries.metric_scales(connection, run_id),
    )


def read_ratings(
    connection: Connection,
    run_id: str,
    criterion: str,
    facts: LabelFacts,
    *,
    given_scale: str | None = None,
) -> Rated:
    """Ratings of the kept samples, or of their contexts where people rated only those.

    Raises:
        BadInputError: no such label, or a scale that is not known.
    """
    of_contexts = facts.of_contexts(criterion)
    scale = resolve_rating_scale(
        facts.answers[of_contexts],
        criterion,
        given=given_scale,
        declared=facts.scales.get(criterion),
    )
    raters = [
        one.name
        for one in facts.raters
        if one.criterion == criterion and one.is_context == of_contexts
    ]
    found = reads.ratings(
        connection, run_id, criterion,
        raters=raters, categories=scale.names, of_contexts=of_contexts,
    )  # fmt: skip
    return rated(found, raters, scale)


def spread(values: Floats) -> float | None:
    """Standard deviation (n - 1); None of fewer than two values."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None
