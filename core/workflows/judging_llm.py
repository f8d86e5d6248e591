"""Judging with a model: many requests at a time, verdicts saved as they come, nothing paid twice.

The loop that sends requests never waits for the store: a thread of its own saves what has come in,
in batches of at most a second.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import RagTriageError, StoreBusyError
from core.judge.client import Client
from core.judge.condensing import SHARED, Condenser
from core.judge.faults import AbortedError, CallError
from core.judge.llm import judge_unit
from core.judge.recall import recall
from core.judge.replies import KnownReply
from core.judge.settings import LlmSettings
from core.judge.units import Unit
from core.model import ErrorKind, Judged, Status
from core.store import calls, queries, samples, writes
from core.store.connection import Store
from core.workflows.job_files import judging_lock
from core.workflows.judge_plan import Part, all_prompts, judges_by_metric, own_scales, plan
from core.workflows.judge_request import Outcome, Progress, Report, Request
from core.workflows.judge_tasks import Place, find_tasks

_READ_SAMPLES = 128
_SAVE_SECONDS = 0.8
_SAVED_AT_ONCE = 2_000
_UNSAVED = 5_000  # verdicts; beyond, judging waits for the store
_REPORT_SECONDS = 0.2
_STORE_PATIENCE = 300.0  # what has been paid is worth waiting for
_READ_PATIENCE = 60.0
_STOPPED = "Stopped. What was saved is kept."


def judge_with_model(
    store: Store,
    run_id: str,
    request: Request,
    settings: LlmSettings,
    progress: Report | None = None,
) -> Outcome:
    """Judge samples of a run with a model and append the verdicts; see ``judging.judge_run``.

    Raises:
        NotFoundError: no such run or sample.
        BadInputError: a metric, prompt or setting that cannot be used; the same model is at work
            on the same run already.
    """
    prompts = all_prompts(store)
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        has_history = samples.has_history(connection, run.run_id)
    parts = plan(prompts, request.metrics, settings, has_history=has_history)
    with judging_lock(store, run.run_id, settings.model):
        with store.reading() as connection:
            tasks = find_tasks(connection, run, request, judges_by_metric(parts))
        metrics = tuple(metric for part in parts for metric in part.metrics)
        outcome = Outcome(
            judge=settings.model, metrics=metrics, skipped=tasks.skipped, n_cut=tasks.n_cut
        )
        if not tasks.metrics:
            return outcome
        entry = f"{settings.model}: {', '.join(metrics)}, {request.which}, {len(tasks.metrics)}"
        job = _Job(store, run, parts, tasks.metrics, outcome, progress, f"{entry} samples")
        asyncio.run(job.run_with(settings))
    return outcome


@dataclass(slots=True)
class _Open:
    """What is still missing of a place before it counts as done or failed."""

    units: int
    is_failed: bool = False
    is_dropped: bool = False


@dataclass(slots=True)
class _Job:
    store: Store
    run: queries.RunRow
    parts: tuple[Part, ...]
    tasks: Mapping[Place, tuple[str, ...]]
    outcome: Outcome
    report: Report | None
    entry: str
    client: Client = field(init=False)
    pending: list[tuple[Place, list[Judged]]] = field(default_factory=list)
    open: dict[Place, _Open] = field(default_factory=dict)
    broken: BaseException | None = None
    note: str = ""
    running: set[asyncio.Task[None]] = field(default_factory=set)
    condenser: Condenser = field(default_factory=Condenser)

    async def run_with(self, settings: LlmSettings) -> None:
        self.client = Client.start(settings)
        started = time.monotonic()
        ended, saved = asyncio.Event(), asyncio.Event()
        saver = asyncio.create_task(self._save_until(ended))
        # It goes on while the last verdicts wait for the store: somebody looks on.
        reporter = asyncio.create_task(self._report_until(saved))
        try:
            await self._feed()
        except BaseException:
            # What has been paid is waited for and saved, whatever ended the job.
            self.client.abort(CallError(ErrorKind.CANCELLED, _STOPPED))
            if self.running:
                await asyncio.wait(self.running)
            raise
        finally:
            ended.set()
            await asyncio.wait([saver])
            saved.set()
            await asyncio.gather(saver, reporter)
            await self.client.close()
            self._tell()
            self.outcome.seconds = time.monotonic() - started
        if self.broken is not None:
            raise self.broken

    # --- sending ----------------------------------------------------------------------------------

    async def _feed(self) -> None:
        """Keep as many units under way as there may be requests at a time."""
        places = list(self.tasks)
        chunks = [places[at : at + _READ_SAMPLES] for at in range(0, len(places), _READ_SAMPLES)]
        ahead = asyncio.create_task(self._load(chunks[0]))
        for following in [*chunks[1:], None]:
            units, known = await ahead
            if following is not None:
                ahead = asyncio.create_task(self._load(following))
            for unit in units:
                await self._room()
                if self._has_ended():
                    break
                self.running.add(asyncio.create_task(self._judge(unit, known)))
            if self._has_ended():
                ahead.cancel()
                break
        if self.running:
            await asyncio.wait(self.running)

    async def _room(self) -> None:
        """Wait until another unit may begin."""
        while len(self.running) >= self.client.settings.concurrency:
            _, self.running = await asyncio.wait(self.running, return_when=asyncio.FIRST_COMPLETED)
        while len(self.pending) > _UNSAVED and not self._has_ended():
            await asyncio.sleep(_REPORT_SECONDS)

    def _has_ended(self) -> bool:
        return self.client.aborted is not None or self.broken is not None

    async def _load(self, places: Sequence[Place]) -> tuple[list[Unit], dict[str, KnownReply]]:
        """The units of these places, and replies to their requests that are there already."""
        units = await asyncio.to_thread(self._units, places)
        if not self.client.settings.use_cache or not await asyncio.to_thread(self._has_calls):
            return units, {}
        return units, await recall(units, self.client.settings, self._known)

    def _has_calls(self) -> bool:
        with self.store.reading(wait=_READ_PATIENCE) as connection:
            return calls.has_calls(connection)

    async def _known(self, keys: Sequence[str]) -> dict[str, KnownReply]:
        def look_up() -> dict[str, KnownReply]:
            with self.store.reading(wait=_READ_PATIENCE) as connection:
                found = calls.cached_replies(connection, keys)
            return {
                key: KnownReply(one.reply, one.finish_reason, one.settings)
                for key, one in found.items()
            }

        return await asyncio.to_thread(look_up)

    def _units(self, places: Sequence[Place]) -> list[Unit]:
        positions = sorted({place.position for place in places})
        with self.store.reading(wait=_READ_PATIENCE) as connection:
            found = {
                sample.position: sample
                for sample in samples.judge_inputs(connection, self.run, positions)
            }
        units: list[Unit] = []
        for place in places:
            sample = found.get(place.position)
            if sample is None:
                continue
            mine = [
                Unit(
                    sample=sample,
                    contract=part.contract,
                    prompts=part.prompts,
                    metrics=wanted,
                    repeat=place.repeat,
                    judge=part.judge,
                    condense=part.condense,
                )
                for part in self.parts
                if (wanted := tuple(m for m in part.metrics if m in self.tasks[place]))
            ]
            self.open[place] = _Open(len(mine))
            units += mine
        return units

    async def _judge(self, unit: Unit, known: Mapping[str, KnownReply]) -> None:
        place = Place(unit.repeat, unit.sample.position)
        try:
            judged = await judge_unit(unit, self.client, known, condenser=self.condenser)
        except AbortedError:
            self.open[place].is_dropped = True
            judged = []
        except Exception as error:
            # A fault of ours must not pass for a verdict, nor leave the rest half done unseen.
            self.broken = self.broken or error
            self.client.abort(CallError(ErrorKind.CANCELLED, "The judge has a fault."))
            return
        self.pending.append((place, judged))

    # --- saving -----------------------------------------------------------------------------------

    async def _save_until(self, ended: asyncio.Event) -> None:
        while not ended.is_set() or self.pending:
            await _wait(ended, _SAVE_SECONDS)
            batch = self.pending[:_SAVED_AT_ONCE]
            if not await self._save(batch):
                return
            del self.pending[: len(batch)]
            for place, judged in batch:
                self._count(place, judged)

    async def _save(self, batch: Sequence[tuple[Place, list[Judged]]]) -> bool:
        """Whether the batch is in the store; it is waited for, because it has been paid."""
        judged = [one for _, found in batch for one in found]
        patience = time.monotonic() + _STORE_PATIENCE
        while judged:
            try:
                await asyncio.to_thread(self._write, judged)
                self.outcome.verdicts += len(judged)
                break
            except StoreBusyError as error:
                self.note = str(error)
                if time.monotonic() > patience:
                    return self._give_up(error)
            except RagTriageError as error:
                return self._give_up(error)
        self.note = ""
        return True

    def _give_up(self, error: RagTriageError) -> bool:
        self.broken = self.broken or error
        self.client.abort(CallError(ErrorKind.CANCELLED, str(error)))
        return False

    def _write(self, judged: Sequence[Judged]) -> None:
        with self.store.writing() as connection:
            writes.append_judged(connection, self.run.run_id, judged)
            if self.outcome.verdicts == 0:
                writes.log(connection, "judge", run_id=self.run.run_id, new=self.entry)
                for metric, lo, hi in own_scales(self.parts):
                    calls.declare_scale(connection, self.run.run_id, metric, lo, hi)

    def _count(self, place: Place, judged: Sequence[Judged]) -> None:
        outcome, entry = self.outcome, self.open[place]
        for one in judged:
            verdict = one.verdict
            if verdict.status is Status.ERROR:
                entry.is_failed = True
                kind = verdict.cause or ""
                outcome.errors[kind] = outcome.errors.get(kind, 0) + 1
            elif verdict.status is Status.NOT_APPLICABLE:
                n = outcome.not_applicable.get(verdict.metric, 0)
                outcome.not_applicable[verdict.metric] = n + 1
            outcome.cached += sum(
                call.is_cached and SHARED not in call.settings for call in one.calls
            )
        entry.units -= 1
        if entry.units == 0:
            del self.open[place]
            if entry.is_failed:
                outcome.failed += 1
            elif not entry.is_dropped:
                outcome.done += 1

    # --- telling ----------------------------------------------------------------------------------

    async def _report_until(self, ended: asyncio.Event) -> None:
        while not ended.is_set():
            if not self._tell():
                self.client.abort(CallError(ErrorKind.CANCELLED, _STOPPED))
            await _wait(ended, _REPORT_SECONDS)

    def _tell(self) -> bool:
        outcome, tally = self.outcome, self.client.tally
        outcome.calls, outcome.retries = tally.calls, tally.retries
        outcome.cost, outcome.known_cost = tally.known_cost, tally.cost
        outcome.tokens_in, outcome.tokens_out = tally.tokens_in, tally.tokens_out
        aborted = self.client.aborted
        if aborted is not None:
            outcome.stopped, outcome.message = aborted.kind.value, aborted.message
            outcome.is_cancelled = aborted.kind is ErrorKind.CANCELLED
        if self.report is None:
            return True
        waiting = tally.wait_until if tally.wait_until > time.time() else 0.0
        return self.report(
            Progress(
                done=outcome.done,
                failed=outcome.failed,
                total=len(self.tasks),
                verdicts=outcome.verdicts,
                cost=tally.known_cost,
                calls=tally.calls,
                cached=outcome.cached,
                retries=tally.retries,
                waiting=waiting,
                note=self.note,
            )
        )


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event, or so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
