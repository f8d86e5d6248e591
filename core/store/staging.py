"""Where an import is parsed and checked: a database of its own beside the store.

Nothing of a file reaches the store before all of it was read and found sound; then it enters in
one transaction. A killed import leaves at most its staging folder, which the next start deletes.
"""

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb

from core.model import JudgeSpec
from core.records import ParsedRun, ParsedSample, ParsedVerdict, generated_sample_id
from core.store.connection import config, sql
from core.store.judges import judge_id, judge_row
from core.store.leftovers import staging_folder
from core.store.schema import migrations

_BATCH = 2_000
_TABLES = (
    "sample", "tag", "context", "gold", "claim_set", "judge", "verdict", "label",
    "label_part",
)  # fmt: skip
# Plain scores are most of the rows of many a file: they enter with what differs between them.
_SCORE = ("run_id", "verdict_no", "position", "metric", "status", "value", "cause", "raw")


@dataclass(slots=True)
class StagedRun:
    """What is known of a run while its rows are read.

    ``first`` is the position of its first new sample: 0, or behind the samples of the stored run
    that it is appended to. Verdicts and labels count from 1 and find their final numbers when they
    enter the store.
    """

    run_id: str
    info: ParsedRun
    first: int = 0
    is_appended: bool = False
    n_samples: int = 0
    n_contexts: int = 0
    n_gold: int = 0
    has_answers: bool = False
    next_verdict: int = 1
    next_label: int = 1
    has_judged_times: bool = False

    @property
    def next_position(self) -> int:
        """Position that the next sample gets."""
        return self.first + self.n_samples


def parse_time(text: str | None) -> datetime | None:
    """An ISO 8601 time as naive UTC, or None if there is none or it cannot be read."""
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
    except (ValueError, OverflowError):
        return None


class Staging:
    """Collects the rows of one file; use as a context manager, which removes the folder."""

    def __init__(self, store_path: Path, now: datetime, imported: JudgeSpec) -> None:
        self.now = now
        self.runs: dict[str, StagedRun] = {}
        self._judges: set[str] = set()
        self._last_judge: tuple[JudgeSpec | None, str] = None, ""
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        self._scores: list[tuple[Any, ...]] = []
        self._closing = ExitStack()
        with ExitStack() as undo:
            folder = undo.enter_context(staging_folder(store_path))
            self.path = folder / "staging.duckdb"
            settings = {**config("1GB", folder / "tmp"), "preserve_insertion_order": False}
            self.connection = duckdb.connect(str(self.path), config=settings)
            undo.callback(self.connection.close)
            for step in migrations():
                self.connection.execute(step.statements)
            now_and_judge = {"now": now, "judge_id": judge_id(imported)}
            for name, value in now_and_judge.items():
                self.connection.execute(f"set variable {name} = $value", {"value": value})
            self.connection.execute(sql("statements/staged/default_verdict.sql"))
            # Read once and then deleted: compressing it and logging each batch costs more than
            # the import itself, so its blocks are plain and all of it is one transaction.
            self.connection.execute("pragma force_compression = 'uncompressed'")
            self.connection.execute("begin transaction")
            self._closing = undo.pop_all()
        self.add_judge(imported)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    def add_run(self, run_id: str, key: str, info: ParsedRun) -> None:
        """Announce a run, or what a later row says about it; key is its name in the file."""
        if key in self.runs:
            self.runs[key].info = info
        else:
            self.runs[key] = StagedRun(run_id, info)

    def append_to(self, key: str, run_id: str, name: str, first: int) -> None:
        """Let a run of the file go on with a stored one from this position."""
        self.runs[key] = StagedRun(run_id, ParsedRun(key, name), first, is_appended=True)

    def add(self, sample: ParsedSample, extra_verdicts: Iterable[ParsedVerdict] = ()) -> None:
        """Stage one sample with everything that hangs on it."""
        run = self.runs[sample.run]
        run_id, position = run.run_id, run.next_position
        run.n_samples += 1
        run.has_answers = run.has_answers or bool(sample.answer.strip())
        rows = self._rows
        identity, is_generated = sample.sample_id, False
        if identity is None or identity.startswith("generated-"):
            made = generated_sample_id(sample.question, position)
            is_generated = identity is None or identity == made
            identity = identity or made
        rows["sample"].append((
            run_id, position, identity, is_generated, sample.row, sample.question,
            sample.answer, sample.references, sample.contexts is not None, sample.history,
            sample.latency, sample.cost, sample.error, sample.extra,
        ))  # fmt: skip
        for name, value in sample.tags:
            rows["tag"].append((run_id, position, name, value))
        for context in sample.contexts or ():
            rows["context"].append((run_id, position, *context))
        run.n_contexts += len(sample.contexts or ())
        run.n_gold += len(sample.gold)
        for n, gold in enumerate(sample.gold, 1):
            rows["gold"].append((run_id, position, n, *gold))
        if sample.claims is not None:
            rows["claim_set"].append((run_id, position, *sample.claims))
        number = run.next_verdict
        for score in sample.scores:
            self._scores.append((
                run_id, number, position, score.metric, score.status, score.value, score.cause,
                score.raw,
            ))  # fmt: skip
            number += 1
        run.next_verdict = number
        for verdict in (*sample.verdicts, *extra_verdicts):
            self.add_verdict(run, position, verdict)
        self._add_labels(run, position, sample)
        for criterion, part in sample.label_parts:
            seed = run.info.splits.get(criterion, 0)
            rows["label_part"].append((run_id, criterion, position, part, seed, self.now))
        if len(rows["sample"]) >= _BATCH:
            self.flush()

    def add_verdict(self, run: StagedRun, position: int, verdict: ParsedVerdict) -> None:
        """Stage one more verdict about a sample of a run."""
        judged_at = parse_time(verdict.judged_at)
        run.has_judged_times = run.has_judged_times or judged_at is not None
        self._rows["verdict"].append((
            run.run_id, run.next_verdict, position, verdict.context_rank, verdict.metric,
            verdict.repeat, self.add_judge(verdict.judge), verdict.status, verdict.value,
            verdict.cause, verdict.reasoning, verdict.detail, verdict.raw, verdict.latency,
            verdict.cost, verdict.tokens, judged_at or self.now,
        ))  # fmt: skip
        run.next_verdict += 1

    def _add_labels(self, run: StagedRun, position: int, sample: ParsedSample) -> None:
        rows = self._rows["label"]
        for label in sample.labels:
            rows.append((
                run.run_id, run.next_label, position, None, label.criterion, "file", label.value,
                label.category, None, None, None, False, self.now,
            ))  # fmt: skip
            run.next_label += 1
        for human in sample.human_labels:
            rows.append((
                run.run_id, run.next_label, position, human.context_rank, human.criterion,
                human.rater, human.value, human.category, human.note, human.tags or None,
                human.rubric, human.is_blind, parse_time(human.labelled_at) or self.now,
            ))  # fmt: skip
            run.next_label += 1

    def add_judge(self, spec: JudgeSpec) -> str:
        """Stage a judge, once; returns its id."""
        # Nearly every call is about one and the same object, and hashing it takes time.
        last, found = self._last_judge
        if spec is last:
            return found
        found = judge_id(spec)
        if found not in self._judges:
            self._judges.add(found)
            self._rows["judge"].append(judge_row(spec))
        self._last_judge = spec, found
        return found

    def flush(self) -> None:
        """Write the collected rows to the staging file."""
        for table, rows in self._rows.items():
            if rows:
                _append(self.connection.appender(table), rows)
        if self._scores:
            _append(self.connection.appender("verdict", columns=list(_SCORE)), self._scores)

    def detach(self) -> None:
        """Close the staging database so that the store can attach its file."""
        self.flush()
        self.connection.execute("commit")
        self.connection.execute("checkpoint")
        self.connection.close()


def _append(appender: duckdb.Appender, rows: list[tuple[Any, ...]]) -> None:
    appender.append_rows(rows)
    appender.flush()
    rows.clear()
