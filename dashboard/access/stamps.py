"""When what pages have read is too old to show."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.store.connection import Store
from core.workflows import jobs
from core.workflows.job_files import jobs_folder

LAG = 5.0
"""Seconds by which pages may lag behind a judge at work.

It saves verdicts every second. Were each batch read at once, nearly every click would have to read
the run anew and wait for it.
"""

_TICK_NS = 50_000_000
Stamp = tuple[tuple[int, int], ...]


class _Jobs(NamedTuple):
    """Ids of the jobs of a store, as its folder stood at a time; a job that reports changes it."""

    folder: int
    active: frozenset[str]
    ended: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Seen:
    stamp: Stamp
    own_writes: int
    at: float
    ended: frozenset[str]


_seen: dict[Path, _Seen] = {}
_known: dict[Path, _Jobs] = {}


def stamp(store: Store) -> Stamp:
    """The stamp of the store that pages go by.

    It is the store's own, except that while a job judges it may be up to ``LAG`` seconds old. What
    this process has written itself (a label, a cut) is seen at once, and so is all there is when
    any job ends.
    """
    now, own = store.stamp(), store.n_own_writes()
    seen = _seen.get(store.path)
    if seen is not None and seen.stamp == now:
        return now
    found = _jobs(store)
    if (
        seen is not None
        and time.monotonic() - seen.at < LAG
        and seen.own_writes == own
        and seen.ended == found.ended
        and found.active
    ):
        return seen.stamp
    _seen[store.path] = _Seen(now, own, time.monotonic(), found.ended)
    return now


def is_judging(store: Store) -> bool:
    """Whether a job is at work."""
    return bool(_jobs(store).active)


def _jobs(store: Store) -> _Jobs:
    try:
        folder = jobs_folder(store).stat().st_mtime_ns
    except FileNotFoundError:
        return _Jobs(0, frozenset(), frozenset())
    known = _known.get(store.path)
    if known is None or known.folder != folder:
        every = jobs.every(store)
        active = frozenset(job.job_id for job in every if job.is_active)
        known = _Jobs(folder, active, frozenset(job.job_id for job in every) - active)
        # Within a tick of the clock the folder may change again and bear the same time.
        if time.time_ns() - folder > _TICK_NS:
            _known[store.path] = known
    return known
