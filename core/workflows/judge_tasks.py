"""Which samples, metrics and repeats of a run are still to be judged."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from core.errors import NotFoundError
from core.store import queries, samples
from core.store.connection import Connection
from core.workflows.judge_request import Request


class Place(NamedTuple):
    """One sample of a run in one repeat."""

    repeat: int
    position: int


class Tasks(NamedTuple):
    """Metrics to judge by place, the first repeat of every sample first; and what is left out.

    ``skipped`` counts places of the wanted samples that need nothing, those of ``n_cut`` samples
    among them that are left out because a text of theirs was cut.
    """

    metrics: dict[Place, tuple[str, ...]]
    skipped: int
    n_cut: int = 0


def find_tasks(
    connection: Connection,
    run: queries.RunRow,
    request: Request,
    judges: Mapping[str, str],
) -> Tasks:
    """What a request comes to.

    Args:
        connection: a burst of reads.
        run: the run to judge.
        request: what is wanted.
        judges: judge id by metric, for every metric that is wanted.

    Raises:
        NotFoundError: a sample that the run does not have.
    """
    everything = _wanted_samples(connection, run, request)
    left_out = set(samples.cut_positions(connection, run.run_id)) if request.leave_cut else set()
    wanted = [
        position
        for position, sample_id in everything
        if position not in left_out
        and (
            request.sample_rate is None
            or hash_share(request.seed, run.run_id, sample_id) < request.sample_rate
        )
    ]
    settled: dict[tuple[str, Place], int] = {}
    failed: set[tuple[str, Place]] = set()
    if request.which != "all" or request.since is not None:
        pairs = [(judge_id, metric) for metric, judge_id in judges.items()]
        for state in samples.judged_states(connection, run.run_id, pairs):
            key = (state["metric"], Place(state["repeat"], state["position"]))
            if state["settled_no"] is not None:
                settled[key] = state["settled_no"]
            if state["is_failed"]:
                failed.add(key)
    repeats = request.repeats
    if request.which == "failed":
        repeats = max([repeats, *(place.repeat + 1 for _, place in failed)])

    def is_due(metric: str, place: Place) -> bool:
        match request.which:
            case "failed":
                return (metric, place) in failed
            case "all":
                return settled.get((metric, place), 0) <= (request.since or 0)
            case _:
                return (metric, place) not in settled

    found: dict[Place, tuple[str, ...]] = {}
    for repeat in range(repeats):
        for position in wanted:
            place = Place(repeat, position)
            chosen = tuple(metric for metric in judges if is_due(metric, place))
            if chosen:
                found[place] = chosen
    n_cut = sum(position in left_out for position, _ in everything)
    return Tasks(found, max(0, len(everything) * request.repeats - len(found)), n_cut)


def _wanted_samples(
    connection: Connection, run: queries.RunRow, request: Request
) -> list[tuple[int, str]]:
    if not request.sample_ids:
        return samples.all_positions(connection, run.run_id)
    known = samples.positions_of(connection, run.run_id, request.sample_ids)
    missing = [sample_id for sample_id in request.sample_ids if sample_id not in known]
    if missing:
        others = f" (nor {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise NotFoundError(f"Run {run.name!r} has no sample {missing[0]!r}{others}.")
    return [(known[sample_id], sample_id) for sample_id in dict.fromkeys(request.sample_ids)]


def hash_share(seed: int, run_id: str, sample_id: str) -> float:
    """A number in [0, 1) that only these three decide: the sample is in if it is below the rate."""
    digest = hashlib.sha256(f"{seed}\0{run_id}\0{sample_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
