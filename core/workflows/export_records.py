"""One stored sample as a record of the neutral format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.ingest.values import as_label
from core.metrics.registry import spec_for
from core.metrics.repeats import aggregate_votes
from core.metrics.spec import Aggregate
from core.store import samples


@dataclass(frozen=True, slots=True)
class RecordMaker:
    """What all records of a run share.

    Attributes:
        run_name: name of the run.
        run_info: what is said about the run as a whole, on its first record.
        plain: metrics that are nothing but numbers of the file, so that ``scores`` says it all.
        current: judge whose value stands in ``scores``, by metric.
    """

    run_name: str
    run_info: Mapping[str, Any]
    plain: frozenset[str]
    current: Mapping[str, str]

    def record(self, row: samples.ExportRow, *, is_first: bool) -> dict[str, Any]:
        """The neutral record of one sample."""
        sample = row.sample
        references = sample["reference_texts"]
        found: dict[str, Any] = {
            "run": self.run_name,
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
        if row.claims is not None:
            found["claims"] = json.loads(row.claims)
        verdicts = [_verdict(item) for item in row.verdicts if item["metric"] not in self.plain]
        if verdicts:
            found["verdicts"] = verdicts
        if row.label_parts:
            found["label_parts"] = dict(row.label_parts)
        if is_first:
            found["run_info"] = self.run_info
        return found

    def _scores(self, verdicts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        by_metric: dict[str, list[Mapping[str, Any]]] = {}
        for verdict in verdicts:
            metric = verdict["metric"]
            if verdict["context_rank"] is None and verdict["judge_id"] == self.current.get(metric):
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
        value = label["category"] if label["category"] is not None else label["value"]
        if n_by_file.get(label["criterion"]) == 1 and _is_plain(label, value):
            found["labels"][label["criterion"]] = value
        else:
            others.append(_human_label(label))
    if others:
        found["human_labels"] = others


def _is_plain(label: Mapping[str, Any], value: Any) -> bool:
    """True if ``labels`` of the neutral format says all that there is to this label."""
    if label["rater"] != "file" or label["is_blind"]:
        return False
    if any(label[key] is not None for key in ("context_rank", "note", "tags", "rubric")):
        return False
    read = as_label(label["criterion"], value)
    return read is not None and (read.value, read.category) == (label["value"], label["category"])


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
        "labelled_at": iso(label["labelled_at"]),
    }
    return {key: value for key, value in item.items() if value is not None}


def _verdict(row: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "metric": row["metric"],
        "judge": judge_json(row),
        "repeat": row["repeat"],
        "status": row["status"],
        "value": row["value"],
        "cause": row["cause"],
        "reasoning": row["reasoning"],
        "detail": None if row["detail"] is None else json.loads(row["detail"]),
        "raw": row["raw"],
        "context_rank": row["context_rank"],
        "judged_at": iso(row["judged_at"]),
        "latency": row["latency"],
        "cost": row["cost"],
        "tokens": row["tokens"],
    }
    return {key: value for key, value in item.items() if value is not None}


def judge_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """A judge, or the judge of a verdict, as the neutral format writes it."""
    item = {
        "kind": row["kind"],
        "model": row["model"],
        "prompt_id": row["prompt_id"],
        "prompt_sha256": row["prompt_sha256"],
        "params": json.loads(row["params"]),
        "definition_version": row["definition_version"],
    }
    return {key: value for key, value in item.items() if value is not None}


def iso(time: datetime | None) -> str | None:
    """A time of the store, which is UTC, as ISO 8601 text."""
    return None if time is None else f"{time.isoformat()}Z"
