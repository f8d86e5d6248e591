"""Exporting a run, or what a filter keeps of it, so that the importer reads an equal run again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from core.errors import BadInputError
from core.metrics.registry import spec_for
from core.metrics.repeats import aggregate_votes
from core.metrics.spec import Aggregate
from core.model import JudgeKind
from core.store import matching, queries, samples
from core.store.connection import Connection, Store
from core.workflows import review
from core.workflows.tables import write_csv, write_parquet

_CHUNK = 500
FORMATS = (".jsonl", ".csv", ".parquet")


def records(store: Store, run_id: str, view: review.View) -> Iterator[dict[str, Any]]:
    """Samples of a run that pass the filter as neutral records, in the order of the file.

    Raises:
        NotFoundError: no such run.
    """
    with review.matched(store, run_id, view) as (connection, found):
        positions = matching.matched_positions(connection)
        source = _Source.read(connection, found)
    for start in range(0, len(positions), _CHUNK):
        with store.reading() as connection:
            rows = samples.export_rows(
                connection, found.run.run_id, positions[start : start + _CHUNK]
            )
        for i, row in enumerate(rows):
            yield source.record(row, is_first=start + i == 0)


def export(store: Store, run_id: str, view: review.View, to: Path) -> int:
    """Write the records to a file, .jsonl, .csv (spreadsheet-safe) or .parquet; returns how many.

    The file appears only when it is complete.

    Raises:
        BadInputError: another ending, or a folder that is not there.
        NotFoundError: no such run.
    """
    ending = to.suffix.lower()
    if ending not in FORMATS:
        raise BadInputError(f"{to.name} must end in {', '.join(FORMATS)}.")
    if not to.parent.is_dir():
        raise BadInputError(f"There is no folder {to.parent}.")
    partial = to.with_name(f".{to.name}.partial")
    try:
        if ending == ".jsonl":
            with partial.open("w", encoding="utf-8", newline="\n") as out:
                n = write_jsonl(records(store, run_id, view), out)
        else:
            with store.reading() as connection:
                run = queries.find_run(connection, run_id)
                names = samples.column_names(connection, run.run_id)
            writer = write_csv if ending == ".csv" else write_parquet
            n = writer(records(store, run_id, view), names, partial)
        partial.replace(to)
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


class _Source:
    """What all records of a run share: which metrics are plain scores, whose value is current."""

    def __init__(
        self,
        run_name: str,
        run_info: dict[str, Any],
        plain: frozenset[str],
        current: Mapping[str, str],
    ) -> None:
        self._run_name = run_name
        self._run_info = run_info
        self._plain = plain
        self._current = current

    @classmethod
    def read(cls, connection: Connection, found: review.Settings) -> "_Source":
        run = found.run
        judges = {row["judge_id"]: row for row in queries.judges(connection)}
        thresholds = queries.thresholds(connection, run.run_id)
        cuts = {metric: cut for (metric, _), cut in thresholds.items()}
        scales = queries.metric_scales(connection, run.run_id)
        metrics = {
            name: {
                "lo": scale["lo"],
                "hi": scale["hi"],
                "direction": scale["direction"],
                "cut": cuts.get(name, scale["cut"]),
            }
            for name, scale in scales.items()
        }
        saved = queries.saved_choices(connection, run.run_id)
        info: dict[str, Any] = {
            "name": run.name,
            "dataset": run.dataset,
            "tool": run.tool,
            "tool_version": run.tool_version,
            "created_at": _iso(run.created_at),
            "config": run.config,
            "note": run.note,
            "metrics": metrics,
            "selection": {
                axis: {"metric": metric, "judge": _judge(judges[judge_id])}
                for axis, (metric, judge_id) in saved.items()
            },
        }
        current = {row.metric: row.judge_id for row in _by_preference(connection, run.run_id)}
        current |= {
            choice.metric: choice.judge_id
            for choice in found.choices.values()
            if not choice.is_proxy
        }
        return cls(
            run.name,
            {key: value for key, value in info.items() if value not in (None, {})},
            frozenset(samples.plain_metrics(connection, run.run_id)),
            current,
        )

    def record(self, row: samples.ExportRow, *, is_first: bool) -> dict[str, Any]:
        sample = row.sample
        references = sample["reference_texts"]
        found: dict[str, Any] = {
            "run": self._run_name,
            "sample_id": sample["sample_id"],
            "question": sample["question"],
            "answer": sample["answer"],
            "reference": references[0] if len(references) == 1 else references or None,
            "contexts": [_context(item) for item in row.contexts]
            if sample["is_contexts_recorded"]
            else None,
            **_gold(row.gold),
            "scores": self._scores(row.verdicts),
            "labels": {},
            "tags": _tags(row.tags),
        }
        _add_labels(found, row.labels)
        for key in ("latency", "cost", "error", "history", "extra"):
            value = sample[key]
            if value is not None:
                found[key] = json.loads(value) if key in ("history", "extra") else value
        verdicts = [_verdict(item) for item in row.verdicts if item["metric"] not in self._plain]
        if verdicts:
            found["verdicts"] = verdicts
        if is_first:
            found["run_info"] = self._run_info
        return found

    def _scores(self, verdicts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        by_metric: dict[str, list[Mapping[str, Any]]] = {}
        for verdict in verdicts:
            metric = verdict["metric"]
            if verdict["context_rank"] is None and verdict["judge_id"] == self._current.get(metric):
                by_metric.setdefault(metric, []).append(verdict)
        scores = {}
        for metric, found in by_metric.items():
            value = current_value(metric, found)
            if value is not None:
                scores[metric] = value
        return scores


def current_value(metric: str, verdicts: Sequence[Mapping[str, Any]]) -> float | None:
    """The score that verdicts of one judge about one sample and metric (oldest first) give now."""
    newest: dict[int, Mapping[str, Any]] = {}
    for verdict in verdicts:
        known = newest.get(verdict["repeat"])
        if known is None or verdict["status"] != "error" or known["status"] == "error":
            newest[verdict["repeat"]] = verdict
    spec = spec_for(metric)
    how = spec.aggregate if spec else Aggregate.MEAN
    return aggregate_votes([verdict["value"] for verdict in newest.values()], how).value


def _by_preference(connection: Connection, run_id: str) -> list[queries.MetricRow]:
    order = [JudgeKind.OFFLINE, JudgeKind.LLM, JudgeKind.IMPORTED]
    rows = queries.metric_summary(connection, run_id)
    return sorted(rows, key=lambda row: order.index(JudgeKind(row.kind)))


def _context(item: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: item[key] for key in ("doc_id", "text", "rank", "score")}
    if item["metadata"] is not None:
        found["metadata"] = json.loads(item["metadata"])
    return found


def _gold(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    ids = [item["doc_id"] for item in items]
    is_plain = all(
        item["doc_id"] is not None
        and item["text"] is None
        and item["grade"] is None
        and item["gold_group"] is None
        for item in items
    )
    if is_plain:
        return {"gold_doc_ids": ids}
    names = {"doc_id": "doc_id", "text": "text", "grade": "grade", "gold_group": "group"}
    return {
        "gold_doc_ids": [doc_id for doc_id in ids if doc_id is not None],
        "gold": [
            {new: item[old] for old, new in names.items() if item[old] is not None}
            for item in items
        ],
    }


def _tags(items: Sequence[tuple[str, str]]) -> dict[str, Any]:
    found: dict[str, list[str]] = {}
    for name, value in items:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _add_labels(found: dict[str, Any], labels: Sequence[Mapping[str, Any]]) -> None:
    n_by_file: dict[str, int] = {}
    for label in labels:
        if label["rater"] == "file":
            n_by_file[label["criterion"]] = n_by_file.get(label["criterion"], 0) + 1
    others = []
    for label in labels:
        is_plain = label["rater"] == "file" and n_by_file[label["criterion"]] == 1
        is_plain = is_plain and all(
            label[key] is None for key in ("context_rank", "note", "tags", "rubric")
        )
        if is_plain and not label["is_blind"]:
            value = label["category"] if label["category"] is not None else label["value"]
            found["labels"][label["criterion"]] = value
        else:
            others.append(_human_label(label))
    if others:
        found["human_labels"] = others


def _human_label(label: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "criterion": label["criterion"],
        "rater": label["rater"],
        "value": label["value"],
        "category": label["category"],
        "note": label["note"],
        "tags": label["tags"],
        "blind": label["is_blind"],
        "rubric": label["rubric"],
        "context_rank": label["context_rank"],
        "labelled_at": _iso(label["labelled_at"]),
    }
    return {key: value for key, value in item.items() if value is not None}


def _verdict(row: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "metric": row["metric"],
        "judge": _judge(row),
        "repeat": row["repeat"],
        "status": row["status"],
        "value": row["value"],
        "cause": row["cause"],
        "reasoning": row["reasoning"],
        "detail": None if row["detail"] is None else json.loads(row["detail"]),
        "raw": row["raw"],
        "context_rank": row["context_rank"],
        "judged_at": _iso(row["judged_at"]),
        "latency": row["latency"],
        "cost": row["cost"],
        "tokens": row["tokens"],
    }
    return {key: value for key, value in item.items() if value is not None}


def _judge(row: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "kind": row["kind"],
        "model": row["model"],
        "prompt_id": row["prompt_id"],
        "prompt_sha256": row["prompt_sha256"],
        "params": json.loads(row["params"]),
        "definition_version": row["definition_version"],
    }
    return {key: value for key, value in item.items() if value is not None}


def _iso(time: datetime | None) -> str | None:
    return None if time is None else f"{time.isoformat()}Z"
