"""Judging a run: which samples, in batches, each batch saved at once; also the worker's entry.

A batch is one transaction, so a killed process leaves whole batches only, and the next call with
``missing`` goes on where it stopped.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from core.errors import BadInputError, NotFoundError
from core.judge import offline
from core.metrics.registry import axis_of
from core.model import Axis, JudgeSpec, SampleText, Status, Verdict
from core.store import queries, samples, writes
from core.store.connection import Connection, Store
from core.store.judges import judge_id

OFFLINE_NAMES = ("offline", offline.SPEC.model)
#: Samples whose contexts the term weights are fitted on; the same ones whatever is judged.
FIT_SAMPLES = 2_000
_SAVE_SECONDS = 0.8
_READ_SAMPLES = 256
Progress = Callable[[int, int, int], bool]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be judged.

    Attributes:
        metrics: axes to judge; empty for all that the inputs allow.
        sample_ids: only these samples; empty for all.
        which: "missing" (no value or not-applicable verdict of this judge yet), "failed" (its
            newest verdict is an error) or "all".
        sample_rate: share of the samples to judge, chosen by hash, so that a repeat keeps it.
        seed: another seed chooses another share.
    """

    metrics: tuple[str, ...] = ()
    sample_ids: tuple[str, ...] = ()
    which: str = "missing"
    sample_rate: float | None = None
    seed: int = 0


@dataclass(slots=True)
class Outcome:
    """Samples done (all verdicts made), failed (some verdict is an error) and skipped."""

    judge: str
    metrics: tuple[str, ...]
    done: int = 0
    failed: int = 0
    skipped: int = 0
    verdicts: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    is_cancelled: bool = False
    not_applicable: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The document of ``ragtriage judge``."""
        return asdict(self)


def check_judge(name: str) -> JudgeSpec:
    """The judge of a name.

    Raises:
        BadInputError: no judge of that name can run here.
    """
    if name in OFFLINE_NAMES:
        return offline.SPEC
    raise BadInputError(
        f"There is no judge {name!r}. This version judges with: offline (lexical-v1)."
    )


def check_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """The axes that names mean: an axis, or a metric that feeds one.

    Raises:
        BadInputError: a name that is neither.
    """
    found: dict[str, None] = {}
    for name in names:
        axis = axis_of(name)
        if axis is None:
            raise BadInputError(
                f"{name!r} is no metric that a judge makes. Choose from: "
                f"{', '.join(axis.value for axis in Axis)}."
            )
        found[axis.value] = None
    return tuple(found) or tuple(axis.value for axis in Axis)


def judge_run(
    store: Store,
    run_id: str,
    request: Request,
    judge: JudgeSpec = offline.SPEC,
    progress: Progress | None = None,
) -> Outcome:
    """Judge samples of a run and append the verdicts.

    Args:
        store: the store that holds the run.
        run_id: id or unique name.
        request: what to judge.
        judge: see ``check_judge``.
        progress: called after every saved batch with (done, failed, to do); False stops.

    Raises:
        NotFoundError: no such run or sample.
        BadInputError: a metric that this judge does not make.
    """
    metrics = check_metrics(request.metrics)
    started = time.monotonic()
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        tasks, skipped = _tasks(connection, run, request, judge, metrics)
    outcome = Outcome(judge=judge.model, metrics=metrics, skipped=skipped)
    if not tasks:
        return outcome
    entry = f"{judge.model}: {', '.join(metrics)}, {request.which}, {len(tasks)} samples"
    weights = term_weights(store, run.run_id, run.n_samples)
    for batch in _batches(store, run, list(tasks)):
        verdicts: list[Verdict] = []
        saved = time.monotonic()
        for sample in batch:
            made = offline.judge_sample(sample, weights, tasks[sample.position])
            verdicts += made
            _count(outcome, made)
            if time.monotonic() - saved >= _SAVE_SECONDS:
                _save(store, run.run_id, judge, verdicts, outcome, entry)
                verdicts, saved = [], time.monotonic()
        if verdicts:
            _save(store, run.run_id, judge, verdicts, outcome, entry)
        if progress is not None and not progress(outcome.done, outcome.failed, len(tasks)):
            outcome.is_cancelled = True
            break
    outcome.seconds = time.monotonic() - started
    return outcome


def _save(
    store: Store,
    run_id: str,
    judge: JudgeSpec,
    verdicts: list[Verdict],
    outcome: Outcome,
    entry: str,
) -> None:
    with store.writing() as connection:
        writes.append_verdicts(connection, run_id, judge, verdicts)
        if outcome.verdicts == 0:
            writes.log(connection, "judge", run_id=run_id, new=entry)
    outcome.verdicts += len(verdicts)


def _count(outcome: Outcome, made: Sequence[Verdict]) -> None:
    if any(verdict.status is Status.ERROR for verdict in made):
        outcome.failed += 1
    else:
        outcome.done += 1
    for verdict in made:
        if verdict.status is Status.NOT_APPLICABLE:
            count = outcome.not_applicable.get(verdict.metric, 0)
            outcome.not_applicable[verdict.metric] = count + 1


def _tasks(
    connection: Connection,
    run: queries.RunRow,
    request: Request,
    judge: JudgeSpec,
    metrics: tuple[str, ...],
) -> tuple[dict[int, tuple[str, ...]], int]:
    """Metrics to judge by position, and how many of the wanted samples are left out."""
    everything = _wanted_samples(connection, run, request)
    wanted = [
        position
        for position, sample_id in everything
        if request.sample_rate is None
        or hash_share(request.seed, run.run_id, sample_id) < request.sample_rate
    ]
    if request.which == "all":
        return dict.fromkeys(wanted, metrics), len(everything) - len(wanted)
    settled: set[tuple[int, str]] = set()
    failed: set[tuple[int, str]] = set()
    pairs = [(judge_id(judge), metric) for metric in metrics]
    for state in samples.judged_states(connection, run.run_id, pairs):
        key = (state["position"], state["metric"])
        if state["settled_no"] is not None:
            settled.add(key)
        if state["is_failed"]:
            failed.add(key)
    tasks: dict[int, tuple[str, ...]] = {}
    for position in wanted:
        keys = ((position, metric) for metric in metrics)
        if request.which == "failed":
            chosen = tuple(metric for place, metric in keys if (place, metric) in failed)
        else:
            chosen = tuple(metric for place, metric in keys if (place, metric) not in settled)
        if chosen:
            tasks[position] = chosen
    return tasks, len(everything) - len(tasks)


def _wanted_samples(
    connection: Connection, run: queries.RunRow, request: Request
) -> list[tuple[int, str]]:
    everything = samples.all_positions(connection, run.run_id)
    if not request.sample_ids:
        return everything
    known = {sample_id: position for position, sample_id in everything}
    missing = [sample_id for sample_id in request.sample_ids if sample_id not in known]
    if missing:
        others = f" (nor {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise NotFoundError(f"Run {run.name!r} has no sample {missing[0]!r}{others}.")
    return [(known[sample_id], sample_id) for sample_id in dict.fromkeys(request.sample_ids)]


def hash_share(seed: int, run_id: str, sample_id: str) -> float:
    """A number in [0, 1) that only these three decide: the sample is in if it is below the rate."""
    digest = hashlib.sha256(f"{seed}\0{run_id}\0{sample_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _batches(
    store: Store, run: queries.RunRow, positions: Sequence[int]
) -> Iterator[list[SampleText]]:
    for start in range(0, len(positions), _READ_SAMPLES):
        with store.reading() as connection:
            found = samples.judge_inputs(connection, run, positions[start : start + _READ_SAMPLES])
        yield found


@lru_cache(maxsize=8)
def _fitted(path: str, run_id: str, n_samples: int) -> offline.TermWeights:
    with Store(path).reading() as connection:
        return offline.fit(samples.fit_texts(connection, run_id, FIT_SAMPLES))


def term_weights(store: Store, run_id: str, n_samples: int) -> offline.TermWeights:
    """Term weights of a run, fitted on its own contexts; the same whatever is judged with them."""
    return _fitted(str(store.path), run_id, n_samples)
