"""Annotations of Ragas: what a judge said about a sample, and whether a person agreed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest import ragas_names, values
from core.ingest.json_rows import cleaned
from core.ingest.rows import RowReader
from core.ingest.table_json import MAX_DOCUMENT, is_rows, load_document
from core.metrics.registry import canonical_id
from core.records import Item, Notices, Problem

Annotations = dict[str, list[Any]]
_TWICE = "A sample is in the list of a metric twice; both were kept."


def load(path: Path) -> Annotations | None:
    """The annotations in a file by metric, or None if it holds something else."""
    with path.open("rb") as handle:
        start = handle.read(64).lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1]
    if start != b"{" or path.stat().st_size > MAX_DOCUMENT or is_rows(path):
        return None
    try:
        document = load_document(path, Notices(), path.name)
    except BadInputError:
        return None
    if not isinstance(document, dict) or not document:
        return None
    lists = list(document.values())
    if not all(isinstance(items, list) for items in lists):
        return None
    items = [item for items in lists for item in items]
    is_kind = all(
        isinstance(i, dict) and {"metric_input", "metric_output"} <= set(i) for i in items
    )
    return document if items and is_kind else None


def read(annotations: Annotations, notices: Notices, default_run: str) -> Iterator[Item]:
    """Yield one sample per input that was judged; a person's edit is a label of it."""
    reader = RowReader(default_run, notices)
    for row, record in enumerate(_records(annotations, default_run, notices), 1):
        try:
            yield from reader.read(row, cleaned(row, record, notices))
        except RecursionError:
            yield Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")
        except ValueError as error:
            yield Problem(row, str(error))


def _records(
    annotations: Annotations, default_run: str, notices: Notices
) -> Iterator[dict[str, Any]]:
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for metric, items in annotations.items():
        times: dict[str, int] = {}
        outputs = {values.as_number(item["metric_output"]) for item in items}
        is_binary = outputs <= {0.0, 1.0, None}
        for item in items:
            key = json.dumps(item["metric_input"], sort_keys=True, default=str)
            times[key] = times.get(key, 0) + 1
            if times[key] > 1:
                notices.add(None, _TWICE)
            # The same input under another metric is the same sample.
            record = found.setdefault((key, times[key]), _sample(item["metric_input"], default_run))
            _judge(record, metric, item, is_binary=is_binary)
    first = True
    for record in found.values():
        if first:
            record["run_info"] = _run_info(annotations, default_run)
            first = False
        yield record


def _run_info(annotations: Annotations, default_run: str) -> dict[str, Any]:
    names = {known: name for name in annotations if (known := _known(name)) != name}
    return {
        "name": default_run,
        "dataset": default_run,
        "tool": ragas_names.TOOL,
        "tool_version": "0.2 or later",
        "config": {"names_in_file": names} if names else None,
    }


def _known(metric: str) -> str:
    return canonical_id(metric, ragas_names.TOOL) or metric


def _sample(given: Any, default_run: str) -> dict[str, Any]:
    given = given if isinstance(given, dict) else {"user_input": given}
    record: dict[str, Any] = {
        "run": default_run,
        "question": given.get("user_input", given.get("question")),
        "answer": given.get("response", given.get("answer")),
        "reference": given.get("reference", given.get("ground_truth")),
        "contexts": given.get("retrieved_contexts", given.get("contexts")),
        "verdicts": [],
        "human_labels": [],
    }
    gold = given.get("reference_contexts")
    if isinstance(gold, list):
        record["gold"] = [{"text": text} for text in gold if text is not None]
    known = {
        "user_input", "question", "response", "answer", "reference", "ground_truth",
        "retrieved_contexts", "contexts", "reference_contexts",
    }  # fmt: skip
    extra = {key: value for key, value in given.items() if key not in known and value is not None}
    if extra:
        record["extra"] = extra
    return record


def _judge(record: dict[str, Any], metric: str, item: dict[str, Any], *, is_binary: bool) -> None:
    output = item["metric_output"]
    score = values.as_score(metric, output)
    reason, edited = _reasons(item.get("prompts"))
    record["verdicts"].append({
        "metric": _known(metric),
        "judge": {"kind": "imported", "model": "file"},
        "status": score.status,
        "value": score.value,
        "cause": score.cause,
        "reasoning": reason,
        "raw": score.raw,
    })  # fmt: skip
    label = _label(item, score.value, is_binary=is_binary)
    if label is not None:
        record["human_labels"].append(
            {"criterion": metric, "rater": "file", "value": label, "note": edited}
        )


def _label(item: dict[str, Any], output: float | None, *, is_binary: bool) -> Any:
    """What the person holds to be right, or None where the file does not tell."""
    if item.get("target") is not None:
        return item["target"]
    if item.get("is_accepted") is True:
        return output
    if item.get("is_accepted") is False and is_binary and output is not None:
        return 1.0 - output
    return None


def _reasons(prompts: Any) -> tuple[str | None, str | None]:
    """(the judge's reason, the reason as the person edited it)."""
    found: list[str | None] = [None, None]
    for prompt in prompts.values() if isinstance(prompts, dict) else ():
        for place, key in enumerate(("prompt_output", "edited_output")):
            output = prompt.get(key) if isinstance(prompt, dict) else None
            reason = output.get("reason") if isinstance(output, dict) else None
            if found[place] is None and isinstance(reason, str):
                found[place] = reason
    return found[0], found[1]
