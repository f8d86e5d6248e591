"""Judging a run: which samples, in batches, each batch saved at once; also the worker's entry.

A batch is one transaction, so a killed process leaves whole batches only, and the next call with
``missing`` goes on where it stopped.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from core.errors import BadInputError
from core.judge import offline, overlap
from core.judge.settings import LlmSettings
from core.metrics.registry import axis_of
from core.model import Axis, JudgeSpec, SampleText, Status, Verdict
from core.store import queries, samples, writes
from core.store.connection import Store
from core.store.judges import judge_id
from core.workflows.comparing_answers import word_weights
from core.workflows.judge_request import Outcome, Progress, Report, Request
from core.workflows.judge_tasks import Place, find_tasks, hash_share
from core.workflows.judging_llm import judge_with_model

__all__ = [
    "Judge",
    "Outcome",
    "Progress",
    "Report",
    "Request",
    "check_judge",
    "check_metrics",
    "hash_share",
    "judge_run",
    "term_weights",
]

OFFLINE_NAMES = ("offline", offline.SPEC.model)
#: Samples whose contexts the term weights are fitted on; the same ones whatever is judged.
FIT_SAMPLES = 2_000
_SAVE_SECONDS = 0.8
_READ_SAMPLES = 256

Judge = JudgeSpec | LlmSettings
"""Who judges: the offline judge, or a model with its settings."""


def check_judge(name: str) -> Judge:
    """The judge of a name: the offline judge, or a model with the usual settings.

    Whether there is such a model is found out by the process that judges.

    Raises:
        BadInputError: the name is empty.
    """
    if name in OFFLINE_NAMES:
        return offline.SPEC
    if name == overlap.SPEC.model:
        return overlap.SPEC
    return LlmSettings(name).checked()


def check_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """The axes that names mean to the offline judge: an axis, or a metric that feeds one.

    Raises:
        BadInputError: a name that is neither.
    """
    found: dict[str, None] = {}
    for name in names:
        axis = axis_of(name)
        if axis is None:
            raise BadInputError(
                f"{name!r} is no metric that lexical-v1 makes. Choose from: "
                f"{', '.join(axis.value for axis in Axis)}; or, judged apart from these, from: "
                f"{', '.join(overlap.METRICS)}."
            )
        found[axis.value] = None
    return tuple(found) or tuple(axis.value for axis in Axis)


def judge_run(
    store: Store,
    run_id: str,
    request: Request,
    judge: Judge = offline.SPEC,
    progress: Report | None = None,
) -> Outcome:
    """Judge samples of a run and append the verdicts.

    Args:
        store: the store that holds the run.
        run_id: id or unique name.
        request: what to judge.
        judge: see ``check_judge``. A model is only for a process that judges: it takes seconds to
            load the library and occupies the process.
        progress: called now and then with what is saved by then; False stops.

    Raises:
        NotFoundError: no such run or sample.
        BadInputError: a metric that this judge does not make, or settings that cannot be used.
    """
    request.checked()
    if isinstance(judge, LlmSettings):
        return judge_with_model(store, run_id, request, judge.checked(), progress)
    if request.repeats > 1:
        raise BadInputError(
            f"{judge.model} gives the same verdict every time; repeats are for models."
        )
    return _judge_offline(store, run_id, request, judge, progress)


def _judge_offline(
    store: Store, run_id: str, request: Request, judge: JudgeSpec, progress: Report | None
) -> Outcome:
    is_overlap = judge == overlap.SPEC or _are_comparisons(request.metrics)
    judge = overlap.SPEC if is_overlap else judge
    metrics = _comparisons(request.metrics) if is_overlap else check_metrics(request.metrics)
    started = time.monotonic()
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        judges = dict.fromkeys(metrics, judge_id(judge))
        tasks, skipped, n_cut = find_tasks(connection, run, request, judges)
    outcome = Outcome(judge=judge.model, metrics=metrics, skipped=skipped, n_cut=n_cut)
    if not tasks:
        return outcome
    entry = f"{judge.model}: {', '.join(metrics)}, {request.which}, {len(tasks)} samples"
    make = _maker(store, run, is_overlap=is_overlap)
    for batch in _batches(store, run, [place.position for place in tasks]):
        verdicts: list[Verdict] = []
        saved = time.monotonic()
        for sample in batch:
            made = make(sample, tasks[Place(0, sample.position)])
            verdicts += made
            _count(outcome, made)
            if time.monotonic() - saved >= _SAVE_SECONDS:
                _save(store, run.run_id, judge, verdicts, outcome, entry)
                verdicts, saved = [], time.monotonic()
        if verdicts:
            _save(store, run.run_id, judge, verdicts, outcome, entry)
        now = Progress(outcome.done, outcome.failed, len(tasks), outcome.verdicts)
        if progress is not None and not progress(now):
            outcome.is_cancelled = True
            outcome.stopped = "cancelled"
            break
    outcome.seconds = time.monotonic() - started
    return outcome


def _are_comparisons(names: Sequence[str]) -> bool:
    return bool(names) and all(name in overlap.METRICS for name in names)


def _comparisons(names: Sequence[str]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in overlap.METRICS]
    if unknown:
        raise BadInputError(
            f"{unknown[0]!r} is no metric that {overlap.SPEC.model} makes. Choose from: "
            f"{', '.join(overlap.METRICS)}."
        )
    return tuple(dict.fromkeys(names)) or overlap.METRICS


def _maker(
    store: Store, run: queries.RunRow, *, is_overlap: bool
) -> Callable[[SampleText, tuple[str, ...]], list[Verdict]]:
    """What gives the verdicts of a sample, with the word weights of its run."""
    if is_overlap:
        similarity = word_weights(store, run.run_id, run.n_samples)
        return lambda sample, metrics: overlap.judge_sample(sample, similarity, metrics)
    weights = term_weights(store, run.run_id, run.n_samples)
    return lambda sample, metrics: offline.judge_sample(sample, weights, metrics)


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
