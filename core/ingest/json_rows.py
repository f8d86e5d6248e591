"""The rows of a JSON file: one object per line, or the elements of one array."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.ingest import values
from core.ingest.json_stream import JsonStream
from core.ingest.textfile import MAX_LINE, Tally, chunks, lines
from core.records import Notices, Problem

Row = tuple[int, Any]
_HEAD = 4_096
_BOMS_AND_SPACE = b"\xef\xbb\xbf\xff\xfe \t\r\n"
_BLANK = "The row is blank and was left out."


def json_rows(path: Path, notices: Notices, tally: Tally | None = None) -> Iterator[Row]:
    """Yield (row from 1, parsed value) with clean texts; a row that is no JSON comes as a Problem.

    Rows of JSON Lines are lines of the file, those of an array its elements.
    """
    if _starts_with_bracket(path):
        yield from _array_rows(path, notices, tally)
        return
    blank: list[int] = []
    for row, text in lines(path, notices, tally):
        if text is None:
            yield row, Problem(row, f"The row is longer than {MAX_LINE // 1024**2} MB.")
            continue
        stripped = text.strip()
        if not stripped:
            blank.append(row)
            continue
        for number in blank:
            notices.add(number, _BLANK)
        blank.clear()
        try:
            record = json.loads(stripped)
            if values.may_be_unclean(stripped):
                record = cleaned(row, record, notices)
            yield row, record
        except RecursionError:
            yield row, Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")
        except ValueError as error:
            yield row, Problem(row, f"The row is no JSON: {error}. Each line must be one object.")
    for number in blank:
        notices.add(number, _BLANK)


def unwrapped(record: dict[str, Any]) -> dict[str, Any]:
    """The object in ``{"0": {...}}``: the index of a frame that leaked into the file.

    >>> unwrapped({"0": {"a": 1}}), unwrapped({"0": 1})
    ({'a': 1}, {'0': 1})
    """
    if len(record) == 1:
        ((key, inner),) = record.items()
        if key.isdigit() and isinstance(inner, dict):
            return dict(inner)
    return record


def cleaned(row: int, record: Any, notices: Notices) -> Any:
    """A record whose texts the store accepts, however deep they stand in it."""
    found, n = values.clean(record)
    if n:
        notices.add(row, "NUL characters or lone surrogates were replaced by U+FFFD.", n)
    return found


def _starts_with_bracket(path: Path) -> bool:
    with path.open("rb") as handle:
        # Without the NULs UTF-16 looks like ASCII here.
        return handle.read(_HEAD).replace(b"\0", b"").lstrip(_BOMS_AND_SPACE)[:1] == b"["


def _array_rows(path: Path, notices: Notices, tally: Tally | None) -> Iterator[Row]:
    row = 0
    try:
        for row, record in enumerate(JsonStream(chunks(path, notices, tally)).only_array(), 1):
            yield row, cleaned(row, record, notices)
    except RecursionError:
        deep = f"Element {row + 1} of the array is nested deeper than {values.MAX_DEPTH} levels."
        yield row + 1, Problem(None, deep)
    except ValueError as error:
        message = f"The file starts as a JSON array, but element {row + 1} is no JSON: {error}."
        yield row + 1, Problem(None, message)
