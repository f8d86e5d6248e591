"""When what pages have read is too old to show."""

import time
from dataclasses import dataclass
from pathlib import Path

from core.store.connection import Store
from core.workflows import jobs

LAG = 5.0
"""Seconds by which pages may lag behind a judge at work.

It saves verdicts every second. Were each batch read at once, nearly every click would have to read
the run anew and wait for it.
"""

Stamp = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    stamp: Stamp
    own_writes: int
    at: float


_seen: dict[Path, _Seen] = {}
_working: dict[Path, str] = {}


def stamp(store: Store) -> Stamp:
    """The stamp of the store that pages go by.

    It is the store's own, except that while a job judges it may be up to ``LAG`` seconds old. What
    this process has written itself (a label, a cut) is seen at once, and with the job ends the lag.
    """
    now, own = store.stamp(), store.n_own_writes()
    seen = _seen.get(store.path)
    if seen is not None and seen.stamp != now and _may_wait(store, seen, own):
        return seen.stamp
    if seen is None or seen.stamp != now:
        _seen[store.path] = _Seen(now, own, time.monotonic())
    return now


def _may_wait(store: Store, seen: _Seen, own_writes: int) -> bool:
    is_recent = time.monotonic() - seen.at < LAG
    return is_recent and own_writes == seen.own_writes and _is_judging(store)


def _is_judging(store: Store) -> bool:
    """Whether a job is at work; one that was is looked at first, which spares reading them all."""
    known = jobs.read(store, _working.get(store.path, ""))
    if known is None or not known.is_active:
        known = next(iter(jobs.active(store)), None)
    _working[store.path] = known.job_id if known is not None else ""
    return known is not None
