"""The samples of a view: its queue, its list, and one sample opened. Reads only."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.diagnosis.summary import PatternCount
from core.diagnosis.triad import TABLE, Diagnosis, severity_by_code
from core.errors import NotFoundError
from core.filters import SampleFilter
from core.store import matching, samples
from core.store.connection import Connection, Store
from core.workflows.review import Settings, View, match, matched, settings


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One line of a list of samples, with the beginnings of its texts."""

    place: int
    sample_id: str
    diagnosis: Diagnosis
    question: str
    answer: str


def sample_rows(
    store: Store, run_id: str, view: View, limit: int, offset: int = 0, length: int = 160
) -> tuple[int, list[SampleRow]]:
    """Number of matched samples, and one page of them in queue order (most severe first)."""
    with matched(store, run_id, view) as (connection, found):
        total = matching.matched_count(connection)
        page = matching.sample_page(connection, severity_by_code(), limit, offset)
        texts = samples.sample_texts(
            connection, found.run.run_id, [row.position for row in page], length
        )
    return total, [
        SampleRow(offset + i, row.sample_id, TABLE[row.code], *texts[row.position])
        for i, row in enumerate(page, 1)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """The samples of a run that pass a view's filter, the most severe first, by position.

    It takes long in a large run and stays the same from sample to sample, so pages keep it.
    """

    settings: Settings
    positions: NDArray[np.int64]

    def place(self, position: int) -> int | None:
        """Place from 1 of the sample at a position; None if it does not pass the filter."""
        found = np.flatnonzero(self.positions == position)
        return int(found[0]) + 1 if len(found) else None

    def at(self, place: int) -> int | None:
        """Position of the sample at a place from 1, None where the queue has none."""
        return int(self.positions[place - 1]) if 1 <= place <= len(self.positions) else None


def queue(store: Store, run_id: str, view: View) -> Queue:
    """The queue of a view.

    Raises:
        NotFoundError: no such run.
    """
    with matched(store, run_id, view) as (connection, found):
        return Queue(found, matching.queue(connection, severity_by_code()))


@dataclass(frozen=True, slots=True)
class SampleView:
    """One sample, its diagnosis under a view, and its place in the queue of that view.

    ``place`` is None when the sample does not pass the filter.
    """

    settings: Settings
    detail: samples.SampleDetail
    diagnosis: Diagnosis
    flags: PatternCount
    total: int
    place: matching.Place | None
    first_id: str | None


def sample_view(
    store: Store, run_id: str, view: View, sample_id: str | None, waiting: Queue | None = None
) -> SampleView | None:
    """Open one sample, or the first of the queue with None; None if nothing matches.

    Args:
        store: the store that holds the run.
        run_id: id or unique name.
        view: what is asked for.
        sample_id: the sample, which need not pass the filter.
        waiting: the queue of this view, where the caller has kept it; made here otherwise.

    Raises:
        NotFoundError: no such run, or the run has no sample of that id.
    """
    with store.reading() as connection:
        waiting = waiting or queue(store, run_id, view)
        found = waiting.settings
        position = waiting.at(1) if sample_id is None else _position(connection, found, sample_id)
        if position is None:
            return None
        place = waiting.place(position)
        beside = (waiting.at(place - 1), waiting.at(place + 1)) if place else (None, None)
        places = (waiting.at(1), *beside)
        ids = samples.sample_ids(connection, found.run.run_id, [p for p in places if p is not None])
        first_id, previous_id, next_id = (None if p is None else ids[p] for p in places)
        return _opened(
            connection,
            found,
            view,
            position,
            total=len(waiting.positions),
            place=matching.Place(place, previous_id, next_id) if place else None,
            first_id=first_id,
        )


def sample_alone(store: Store, run_id: str, view: View, sample_id: str) -> SampleView:
    """Open one sample without asking where it stands: total is 0, there is no place.

    Raises:
        NotFoundError: no such run, or the run has no sample of that id.
    """
    with store.reading() as connection:
        found = settings(connection, run_id, view)
        return _opened(connection, found, view, _position(connection, found, sample_id))


def _position(connection: Connection, found: Settings, sample_id: str) -> int:
    position = samples.sample_position(connection, found.run.run_id, sample_id)
    if position is None:
        raise NotFoundError(f"Run {found.run.name!r} has no sample {sample_id!r}.")
    return position


def _opened(
    connection: Connection,
    found: Settings,
    view: View,
    position: int,
    *,
    total: int = 0,
    place: matching.Place | None = None,
    first_id: str | None = None,
) -> SampleView:
    match(connection, found, replace(view, wanted=SampleFilter()), position)
    flags = matching.pattern_of(connection, position)
    return SampleView(
        settings=found,
        detail=samples.sample_detail(connection, found.run.run_id, position),
        diagnosis=TABLE[flags.code],
        flags=flags,
        total=total,
        place=place,
        first_id=first_id,
    )


def sample_ids(store: Store, run_id: str, view: View) -> tuple[str, ...]:
    """Ids of the samples that pass the filter of a view, in the order of the file."""
    with matched(store, run_id, view) as (connection, found):
        positions = matching.matched_positions(connection)
        ids = samples.sample_ids(connection, found.run.run_id, positions)
    return tuple(ids[position] for position in positions)
