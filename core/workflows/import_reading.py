"""From an importer's items to staged rows: which run they belong to, and who refused."""

import hashlib
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInputError
from core.ingest.base import Importer
from core.judge.offline import SPEC as OFFLINE
from core.judge.offline import refusal_verdict
from core.model import Axis
from core.records import Notices, ParsedRun, ParsedSample, ParsedVerdict, Problem
from core.store import samples
from core.store.connection import Store
from core.store.queries import RunRow
from core.store.staging import StagedRun, Staging
from core.store.taking_in import Source
from core.store.values import json_text
from core.workflows.import_options import Options, Progress
from core.workflows.unpacking import plain_name

_PROGRESS_SECONDS = 0.2


def run_id_of(file_sha256: str, run: str) -> str:
    """Id of a run: the same file gives the same ids, and so the same links, everywhere."""
    return hashlib.sha256(f"{file_sha256}\0{run}".encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Target:
    """The stored run that a file is appended to, and the position behind its last sample."""

    run: RunRow
    next_position: int


class FileReading:
    """One pass over a file; afterwards ``problems`` and ``notices`` tell what was met.

    Every sample of a run with answers gets the refusal verdict of the patterns, so that diagnosis
    works before any judge ran. Whether a run has answers is known only with its first one: the
    samples before it wait for theirs.
    """

    def __init__(
        self,
        staging: Staging,
        source: Source,
        options: Options,
        target: Target | None,
        stored_runs: Collection[str],
    ) -> None:
        self.problems: list[Problem] = []
        self.notices = Notices()
        self._staging = staging
        self._source = source
        self._options = options
        self._target = target
        self._stored_runs = stored_runs
        self._skipped: set[str] = set()
        self._waiting: dict[str, list[int]] = {}

    def read(self, importer: Importer, path: Path, progress: Progress | None) -> None:
        """Stage all rows of the file.

        Raises:
            BadInputError: an option takes a file with one run, and this one has several.
        """
        rows, spoken, size = 0, time.monotonic(), max(1, path.stat().st_size)
        default_run = Path(plain_name(self._source.file_name)).stem
        for item in importer.read(path, self.notices, default_run):
            if isinstance(item, Problem):
                self.problems.append(item)
            elif isinstance(item, ParsedRun):
                self._run(item)
            elif item.run not in self._skipped:
                self._sample(item)
                rows += 1
                if progress is not None and time.monotonic() - spoken > _PROGRESS_SECONDS:
                    spoken = time.monotonic()
                    progress(rows, min(1.0, importer.bytes_read / size))

    def close(self, store: Store) -> None:
        """Give their refusal verdict to the earlier samples of a run that now has its first answer.

        These samples are in the store already when the run is appended to.
        """
        if self._target is None or self._target.run.has_answers:
            return
        target = self._target.run
        for run in self._staging.runs.values():
            if not run.has_answers:
                continue
            with store.reading() as connection:
                stored = samples.all_positions(connection, target.run_id)
            for position, _ in stored:
                self._staging.add_verdict(run, position, _refusal(""))

    def _run(self, info: ParsedRun) -> None:
        options, runs = self._options, self._staging.runs
        is_new = info.key not in runs
        if self._target is not None:
            if is_new:
                self._one_run_only(f"--append {options.append_to}")
                target = self._target.run
                self._staging.append_to(
                    info.key, target.run_id, target.name, self._target.next_position
                )
            return
        run_id = run_id_of(self._source.file_sha256, info.key)
        if run_id in self._stored_runs:
            # The file was imported before, and then some of its runs were deleted.
            self._skipped.add(info.key)
            self.notices.add(None, f"Run {info.name!r} is in the store already and was left out.")
            return
        if options.run_name is not None:
            if is_new:
                self._one_run_only(f"--run {options.run_name}")
            info.name = options.run_name
        self._staging.add_run(run_id, info.key, info)

    def _one_run_only(self, option: str) -> None:
        runs = self._staging.runs
        if runs:
            raise BadInputError(
                f"{option} takes a file with one run, and this one has several (the first is "
                f"{next(iter(runs))!r}). Import it without {option.split()[0]}."
            )

    def _sample(self, sample: ParsedSample) -> None:
        if sample.label_parts and self._target is not None:
            self.notices.add(
                sample.row,
                "Parts of labels were left out: those of the run that is appended to are dealt "
                "out there.",
            )
        if sample.sample_id is None:
            self.notices.add(sample.row, "The row has no sample_id; one was made for it.")
        run = self._staging.runs[sample.run]
        position = run.next_position
        if sample.verdicts and any(
            verdict.metric == Axis.REFUSAL and verdict.judge == OFFLINE
            for verdict in sample.verdicts
        ):
            self._staging.add(sample)
        elif self._has_answers(run) or sample.answer.strip():
            self._staging.add(sample, (_refusal(sample.answer),))
        else:
            self._staging.add(sample)
            self._waiting.setdefault(sample.run, []).append(position)
        if run.has_answers and sample.run in self._waiting:
            for waiting in self._waiting.pop(sample.run):
                self._staging.add_verdict(run, waiting, _refusal(""))

    def _has_answers(self, run: StagedRun) -> bool:
        return run.has_answers or (self._target is not None and self._target.run.has_answers)


def _refusal(answer: str) -> ParsedVerdict:
    found = refusal_verdict(0, answer)
    return ParsedVerdict(
        metric=found.metric,
        judge=OFFLINE,
        repeat=0,
        status=found.status.value,
        value=found.value,
        cause=found.cause,
        reasoning=found.reasoning,
        detail=json_text(found.detail),
        raw=None,
        context_rank=None,
        judged_at=None,
        latency=None,
        cost=None,
        tokens=None,
    )
