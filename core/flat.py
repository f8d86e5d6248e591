"""A neutral record as one row of a table, and back: what CSV and Parquet hold.

``scores``, ``labels`` and ``tags`` become one column per name; lists and objects are JSON text.
In CSV every text that a spreadsheet could take for a formula gets an apostrophe in front.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

TEXT_COLUMNS = ("run", "sample_id", "question", "answer")
NUMBER_COLUMNS = ("latency", "cost")
JSON_COLUMNS = (
    "contexts", "gold_doc_ids", "gold", "history", "extra", "claims", "verdicts",
    "human_labels", "label_parts", "run_info",
)  # fmt: skip
_GROUPS = {"score": "scores", "label": "labels", "tag": "tags"}
# The last four are the wide forms of the signs before them: some spreadsheets read them alike.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def columns(metrics: Iterable[str], criteria: Iterable[str], tags: Iterable[str]) -> list[str]:
    """Columns of a table of records in their order."""
    return [
        *TEXT_COLUMNS,
        "reference",
        *(f"score.{name}" for name in metrics),
        *(f"label.{name}" for name in criteria),
        *(f"tag.{name}" for name in tags),
        "contexts",
        "gold_doc_ids",
        *NUMBER_COLUMNS,
        "error",
        *JSON_COLUMNS[2:],
    ]


def flatten(record: Mapping[str, Any]) -> dict[str, Any]:
    """One record as a row: texts and numbers as they are, all else as JSON text.

    >>> flatten({"run": "r", "tags": {"a": ["x", "y"]}})
    {'run': 'r', 'tag.a': '["x", "y"]'}
    """
    row: dict[str, Any] = {}
    for key, value in record.items():
        if value is None:
            continue
        if key in JSON_COLUMNS:
            # An empty list of any other kind says no more than an empty cell.
            if value != [] or key in ("contexts", "history"):
                row[key] = _json(value)
        elif key in _GROUPS.values():
            prefix = key[:-1]
            for name, item in value.items():
                row[f"{prefix}.{name}"] = _listed(item) if key == "tags" else item
        else:
            row[key] = _listed(value) if key == "reference" else value
    return row


def unflatten(row: Mapping[str, Any]) -> dict[str, Any]:
    """The record that a row was made from; empty cells are absent.

    Raises:
        ValueError: a cell that must hold JSON does not; the message names its column.

    >>> unflatten({"run": "r", "tag.a": '["x", "y"]', "score.m": "0.5", "answer": ""})
    {'run': 'r', 'tags': {'a': ['x', 'y']}, 'scores': {'m': '0.5'}, 'answer': ''}
    """
    record: dict[str, Any] = {}
    for column, cell in row.items():
        if cell is None or (cell == "" and column not in TEXT_COLUMNS):
            continue
        prefix, dot, name = column.partition(".")
        if dot and prefix in _GROUPS:
            group = record.setdefault(_GROUPS[prefix], {})
            group[name] = _unlisted(cell) if prefix == "tag" else cell
        elif column in JSON_COLUMNS:
            try:
                record[column] = json.loads(cell)
            except ValueError as error:
                raise ValueError(f"column {column!r} must hold JSON: {error}") from None
        elif column == "reference":
            record[column] = _unlisted(cell)
        elif column == "sample_id" and cell == "":
            continue
        else:
            record[column] = cell
    return record


def protect(text: str) -> str:
    """A text for a CSV cell that no spreadsheet takes for a formula; ``unprotect`` undoes it.

    >>> protect("=1+1"), protect("'=1+1"), protect("1+1")
    ("'=1+1", "''=1+1", '1+1')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unprotect(text: str) -> str:
    """The text that ``protect`` was given.

    >>> unprotect("'=1+1"), unprotect("'quoted'")
    ('=1+1', "'quoted'")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _listed(value: Any) -> Any:
    # A lone text that starts like a list would be read back as one.
    if isinstance(value, list):
        return _json(value)
    if isinstance(value, str) and value.startswith("["):
        return _json([value])
    return value


def _unlisted(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith("["):
        return cell
    try:
        found = json.loads(cell)
    except ValueError:
        return cell
    return found[0] if isinstance(found, list) and len(found) == 1 else found
