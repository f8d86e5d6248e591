"""Exporting a run, or what a filter keeps of it, so that the importer reads an equal run again."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from core.errors import BadInputError, NotFoundError
from core.metrics.registry import spec_for
from core.model import JudgeKind
from core.store import matching, parts, queries, samples
from core.store.connection import Connection, Store
from core.workflows import review
from core.workflows.export_records import RecordMaker, iso, judge_json
from core.workflows.tables import write_csv, write_parquet

_CHUNK = 500
FORMATS = (".jsonl", ".csv", ".parquet")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The samples of a run that pass a view, as they are at one moment.

    The texts are read piece by piece afterwards, so that an export keeps no writer waiting; what
    is judged or labelled in the meantime is left out.
    """

    store: Store
    run: queries.RunRow
    positions: list[int]
    names: samples.ColumnNames
    last: samples.LastNumbers
    maker: RecordMaker

    def records(self) -> Iterator[dict[str, Any]]:
        """Neutral records in the order of the file; the first carries ``run_info``.

        Raises:
            NotFoundError: the run was deleted meanwhile.
        """
        for start in range(0, len(self.positions), _CHUNK):
            wanted = self.positions[start : start + _CHUNK]
            with self.store.reading() as connection:
                rows = samples.export_rows(connection, self.run.run_id, wanted, self.last)
            if len(rows) < len(wanted):
                raise NotFoundError(f"Run {self.run.name!r} was deleted while it was exported.")
            for i, row in enumerate(rows):
                yield self.maker.record(row, is_first=start + i == 0)


def snapshot(store: Store, run_id: str, view: review.View) -> Snapshot:
    """What a view shows of a run now, ready to be exported.

    Raises:
        NotFoundError: no such run.
    """
    with review.matched(store, run_id, view) as (connection, found):
        run = found.run
        return Snapshot(
            store=store,
            run=run,
            positions=matching.matched_positions(connection),
            names=samples.column_names(connection, run.run_id),
            last=samples.last_numbers(connection, run.run_id),
            maker=RecordMaker(
                run_name=run.name,
                run_info=_run_info(connection, run),
                plain=frozenset(samples.plain_metrics(connection, run.run_id)),
                current=_current(connection, found),
            ),
        )


def records(store: Store, run_id: str, view: review.View) -> Iterator[dict[str, Any]]:
    """Samples of a run that pass the view's filter as neutral records, in the order of the file.

    Raises:
        NotFoundError: no such run.
    """
    return snapshot(store, run_id, view).records()


def export(store: Store, run_id: str, view: review.View, to: Path) -> int:
    """Write the records to a file, .jsonl, .csv (spreadsheet-safe) or .parquet; returns how many.

    The file appears only when it is complete.

    Raises:
        BadInputError: another ending, or a place that cannot be written to.
        NotFoundError: no such run.
    """
    ending = to.suffix.lower()
    if ending not in FORMATS:
        raise BadInputError(f"{to.name} must end in {', '.join(FORMATS)}.")
    if not to.parent.is_dir():
        raise BadInputError(f"There is no folder {to.parent}.")
    found = snapshot(store, run_id, view)
    partial = to.with_name(f".{to.name}.partial")
    try:
        if ending == ".jsonl":
            with partial.open("w", encoding="utf-8", newline="\n") as out:
                n = write_jsonl(found.records(), out)
        else:
            writer = write_csv if ending == ".csv" else write_parquet
            n = writer(found.records(), found.names, partial)
        partial.replace(to)
    except OSError as error:
        raise BadInputError(f"{to} could not be written: {error.strerror or error}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return n


def write_jsonl(found: Iterator[dict[str, Any]], out: IO[str]) -> int:
    """Write records one a line, strict JSON; returns how many."""
    n = 0
    for record in found:
        out.write(json.dumps(record, ensure_ascii=False, allow_nan=False))
        out.write("\n")
        n += 1
    return n


def write_array(found: Iterator[dict[str, Any]], out: IO[str]) -> int:
    """Write records as one JSON array; returns how many."""
    n = 0
    out.write("[")
    for record in found:
        out.write(",\n" if n else "\n")
        out.write(json.dumps(record, ensure_ascii=False, allow_nan=False))
        n += 1
    out.write("\n]\n")
    return n


def _run_info(connection: Connection, run: queries.RunRow) -> dict[str, Any]:
    judges = {row["judge_id"]: judge_json(row) for row in queries.judges(connection)}
    info: dict[str, Any] = {
        "name": run.name,
        "dataset": run.dataset,
        "tool": run.tool,
        "tool_version": run.tool_version,
        "created_at": iso(run.created_at),
        "config": run.config,
        "note": run.note,
        "metrics": _scales(connection, run.run_id) or None,
        "selection": {
            axis: {"metric": metric, "judge": judges[judge_id]}
            for axis, (metric, judge_id) in queries.saved_choices(connection, run.run_id).items()
            if judge_id in judges
        }
        or None,
        "thresholds": [
            {"metric": metric, "judge": judges[judge_id], "cut": cut}
            for (metric, judge_id), cut in queries.thresholds(connection, run.run_id).items()
            if judge_id in judges
        ]
        or None,
        "splits": _splits(connection, run.run_id) or None,
    }
    return {key: value for key, value in info.items() if value is not None}


def _splits(connection: Connection, run_id: str) -> dict[str, dict[str, Any]]:
    """How the labels of a criterion were dealt out, and whether the test part was looked at."""
    opened = parts.opened_tests(connection, run_id)
    return {
        criterion: {"seed": counts[0].seed, "is_test_open": criterion in opened}
        for criterion, counts in parts.part_counts(connection, run_id).items()
    }


def _scales(connection: Connection, run_id: str) -> dict[str, dict[str, Any]]:
    """Scale of every metric, with the cut that the run's own file brought for it."""
    found: dict[str, dict[str, Any]] = {}
    for row in queries.metric_summary(connection, run_id):
        spec = spec_for(row.metric)
        if spec is not None and row.kind != JudgeKind.IMPORTED:
            ends = spec.scale
            found[row.metric] = {
                "lo": ends.lo, "hi": ends.hi, "direction": ends.direction.value, "cut": None,
            }  # fmt: skip
    for name, scale in queries.metric_scales(connection, run_id).items():
        found[name] = {key: scale[key] for key in ("lo", "hi", "direction", "cut")}
    return found


def _current(connection: Connection, found: review.Settings) -> dict[str, str]:
    """Judge whose value of a metric stands in ``scores``: the selected one of an axis' metric."""
    order = [JudgeKind.OFFLINE, JudgeKind.LLM, JudgeKind.IMPORTED]
    rows = queries.metric_summary(connection, found.run.run_id)
    rows.sort(key=lambda row: order.index(JudgeKind(row.kind)))
    current = {row.metric: row.judge_id for row in rows}
    chosen = {
        choice.metric: choice.judge_id for choice in found.choices.values() if not choice.is_proxy
    }
    return current | chosen
