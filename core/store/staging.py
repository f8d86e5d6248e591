"""Where an import is parsed and checked: a database of its own beside the store.

Nothing of a file reaches the store before all of it was read and found sound; then it enters in
one transaction. A killed import leaves at most its staging file, which the next start deletes.
"""

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb

from core.model import JudgeSpec
from core.records import ParsedRun, ParsedSample, ParsedVerdict, Problem, generated_sample_id
from core.store.connection import sql
from core.store.judges import judge_id, judge_row

_BATCH = 2_000
_TABLES = ("sample", "tag", "context", "gold", "judge", "verdict", "label")
_COPIED = (*_TABLES, "run", "run_metric", "selection")


@dataclass(slots=True)
class StagedRun:
    """What is known of a run while its rows are read."""

    run_id: str
    info: ParsedRun
    n_samples: int = 0
    n_contexts: int = 0
    n_gold: int = 0
    has_answers: bool = False
    next_verdict: int = 1
    next_label: int = 1
    is_appended: bool = False
    n_before: int = 0


def parse_time(text: str | None) -> datetime | None:
    """An ISO 8601 time as naive UTC, or None if there is none or it cannot be read."""
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def is_abandoned(path: Path) -> bool:
    """True if the process that made this staging file is gone."""
    match = re.search(r"\.staging-(\d+)-", path.name)
    if not match:
        return False
    try:
        os.kill(int(match[1]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


class Staging:
    """Collects the rows of one file; use as a context manager, which removes the file."""

    def __init__(self, store_path: Path, now: datetime, imported: JudgeSpec) -> None:
        self.path = store_path.with_name(
            f"{store_path.name}.staging-{os.getpid()}-{secrets.token_hex(4)}"
        )
        self._now = now
        self._imported = judge_id(imported)
        self.runs: dict[str, StagedRun] = {}
        self._judges: set[str] = set()
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        store_path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = duckdb.connect(
            str(self.path),
            config={
                "threads": 2,
                "memory_limit": "1GB",
                "temp_directory": f"{self.path}.tmp",
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "preserve_insertion_order": False,
            },
        )
        try:
            self.connection.execute(sql("migrations/0001_initial.sql"))
            # Read once and then deleted: compressing it and logging each batch costs more than
            # the import itself, so its blocks are plain and all of it is one transaction.
            self.connection.execute("pragma force_compression = 'uncompressed'")
            self.connection.execute("begin transaction")
            self._add_judge(imported)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close and delete the staging file."""
        self.connection.close()
        for name in (self.path, Path(f"{self.path}.wal")):
            with suppress(FileNotFoundError):
                name.unlink()

    def add_run(self, run_id: str, key: str, info: ParsedRun) -> None:
        """Announce a run, or what a later row says about it; key is its name in the file."""
        if key in self.runs:
            self.runs[key].info = info
        else:
            self.runs[key] = StagedRun(run_id, info)

    def append_to(self, key: str, run_id: str, start: tuple[int, int, int]) -> None:
        """Let a run of the file go on with a stored one from these (position, verdict, label)."""
        position, verdict_no, label_no = start
        self.runs[key] = StagedRun(
            run_id,
            ParsedRun(key, key),
            n_samples=position,
            next_verdict=verdict_no,
            next_label=label_no,
            is_appended=True,
            n_before=position,
        )

    def add(self, sample: ParsedSample, extra_verdicts: Iterable[ParsedVerdict] = ()) -> None:
        """Stage one sample with everything that hangs on it."""
        run = self.runs[sample.run]
        run_id, position = run.run_id, run.n_samples
        run.n_samples += 1
        run.has_answers = run.has_answers or bool(sample.answer.strip())
        rows = self._rows
        identity = sample.sample_id
        if identity is None:
            identity = generated_sample_id(sample.question, position)
        rows["sample"].append((
            run_id, position, identity, sample.sample_id is None, sample.row, sample.question,
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
        number = run.next_verdict
        verdict_rows = rows["verdict"]
        for score in sample.scores:
            verdict_rows.append((
                run_id, number, position, None, score.metric, 0, self._imported, score.status,
                score.value, score.cause, None, None, score.raw, None, None, None, self._now,
            ))  # fmt: skip
            number += 1
        for verdict in (*sample.verdicts, *extra_verdicts):
            verdict_rows.append((
                run_id, number, position, verdict.context_rank, verdict.metric, verdict.repeat,
                self._add_judge(verdict.judge), verdict.status, verdict.value, verdict.cause,
                verdict.reasoning, verdict.detail, verdict.raw, verdict.latency, verdict.cost,
                verdict.tokens, parse_time(verdict.judged_at) or self._now,
            ))  # fmt: skip
            number += 1
        run.next_verdict = number
        self._add_labels(run, position, sample)
        if len(rows["sample"]) >= _BATCH:
            self.flush()

    def _add_labels(self, run: StagedRun, position: int, sample: ParsedSample) -> None:
        rows = self._rows["label"]
        for label in sample.labels:
            rows.append((
                run.run_id, run.next_label, position, None, label.criterion, "file", label.value,
                label.category, None, None, None, False, self._now,
            ))  # fmt: skip
            run.next_label += 1
        for human in sample.human_labels:
            rows.append((
                run.run_id, run.next_label, position, human.context_rank, human.criterion,
                human.rater, human.value, human.category, human.note, human.tags or None,
                human.rubric, human.is_blind, parse_time(human.labelled_at) or self._now,
            ))  # fmt: skip
            run.next_label += 1

    def _add_judge(self, spec: JudgeSpec) -> str:
        found = judge_id(spec)
        if found not in self._judges:
            self._judges.add(found)
            self._rows["judge"].append(judge_row(spec))
        return found

    def flush(self) -> None:
        """Write the collected rows to the staging file."""
        for table, rows in self._rows.items():
            if rows:
                appender = self.connection.appender(table)
                appender.append_rows(rows)
                appender.flush()
                rows.clear()

    def duplicate_ids(self) -> list[Problem]:
        """A problem for every row whose (run, sample_id) an earlier row has already."""
        self.flush()
        rows = self.connection.execute(sql("statements/staged_duplicates.sql")).fetchall()
        return [
            Problem(row, f"sample_id {sample_id!r} is in row {first} of the same run already.")
            for row, sample_id, first in rows
        ]

    def drop_rows(self, rows: Iterable[int]) -> None:
        """Take rows back out of the staging file (with ``--skip-bad-rows``)."""
        self.connection.execute(
            "create or replace temp table dropped as select run_id, position, source_row "
            "from sample where list_contains($rows, source_row)",
            {"rows": list(rows)},
        )
        for table in ("tag", "context", "gold", "verdict", "label", "sample"):
            self.connection.execute(sql(f"statements/drop_staged/{table}.sql"))
        counts = dict(
            self.connection.execute(
                "select run_id, count(*) from sample group by run_id"
            ).fetchall()
        )
        for run in self.runs.values():
            run.n_samples = run.n_before + counts.get(run.run_id, 0)

    def drop_verdicts(self, run_id: str, metric: str, judge: JudgeSpec) -> None:
        """Take back the verdicts of one judge about one metric of a run."""
        self.connection.execute(
            "delete from verdict where run_id = $run_id and metric = $metric and judge_id = $judge",
            {"run_id": run_id, "metric": metric, "judge": judge_id(judge)},
        )

    def metric_ranges(self, run_id: str) -> list[tuple[str, float | None, float | None]]:
        """(metric, smallest, largest value) of every metric with imported verdicts in the run."""
        self.flush()
        return self.connection.execute(
            "select metric, min(value), max(value) from verdict inner join judge using (judge_id) "
            "where run_id = $run_id and kind = 'imported' and context_rank is null "
            "group by metric order by min(verdict_no)",
            {"run_id": run_id},
        ).fetchall()

    def add_metric(
        self, run_id: str, metric: str, scale: Mapping[str, Any], declared: bool
    ) -> None:
        """Store the scale of a metric of the run."""
        self.connection.execute(
            "insert into run_metric values "
            "($run_id, $metric, $lo, $hi, $direction, $cut, $declared)",
            {
                "run_id": run_id,
                "metric": metric,
                "lo": scale.get("lo"),
                "hi": scale.get("hi"),
                "direction": scale.get("direction", "higher"),
                "cut": scale.get("cut"),
                "declared": declared,
            },
        )

    def add_choice(
        self, run_id: str, number: int, axis: str, metric: str, judge: JudgeSpec
    ) -> None:
        """Store the judge selection that the file carries for one axis."""
        self.connection.execute(
            "insert into selection values ($run_id, $number, $axis, $metric, $judge, $now)",
            {
                "run_id": run_id,
                "number": number,
                "axis": axis,
                "metric": metric,
                "judge": judge_id(judge),
                "now": self._now,
            },
        )

    def finish_runs(self, file_name: str, file_sha256: str) -> None:
        """Write one run row for every run that has samples left."""
        self.flush()
        for run in self.runs.values():
            if run.is_appended or run.n_samples == 0:
                continue
            info = run.info
            self.connection.execute(
                sql("statements/add_run.sql"),
                {
                    "run_id": run.run_id,
                    "name": info.name,
                    "dataset": info.dataset,
                    "tool": info.tool,
                    "tool_version": info.tool_version,
                    "created_at": parse_time(info.created_at),
                    "imported_at": self._now,
                    "file_name": file_name,
                    "file_sha256": file_sha256,
                    "n_samples": run.n_samples,
                    "has_contexts": run.n_contexts > 0,
                    "has_answers": run.has_answers,
                    "config": info.config,
                    "note": info.note,
                },
            )

    def detach(self) -> None:
        """Close the staging database so that the store can attach its file."""
        self.flush()
        self.connection.execute("commit")
        self.connection.execute("checkpoint")
        self.connection.close()


def copied_tables() -> tuple[str, ...]:
    """Tables that an import fills, in the order in which they are copied."""
    return _COPIED
