"""The neutral format: one JSON object per sample and line (README, "Import your own file")."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest import values
from core.ingest.base import Probe
from core.ingest.json_rows import cleaned, json_rows, unwrapped
from core.ingest.rows import KEYS, RowReader
from core.ingest.synonyms import misplaced
from core.ingest.table_json import MAX_DOCUMENT, is_rows, load_document
from core.ingest.textfile import Tally, lines
from core.records import ColumnUse, Item, Notices, Problem

_PROBED_ROWS = 20
_PROBED_BYTES = 4_096


class NeutralImporter:
    """Neutral JSON Lines (or one JSON array of the same objects)."""

    format = "neutral"
    title = "RAG Triage JSON Lines"
    columns: tuple[ColumnUse, ...] = ()

    def __init__(self) -> None:
        self._tally = Tally()

    @property
    def bytes_read(self) -> int:
        """How far ``read`` has come."""
        return self._tally.bytes_read

    def recognises(self, probe: Probe) -> str | None:
        """What is said if one of the first rows is an object with a question or an answer."""
        seen = {key for row in first_objects(probe) for key in ("question", "answer") if key in row}
        if not seen:
            return None
        return f"its first rows are JSON objects with {' and '.join(sorted(seen, reverse=True))}"

    def read(self, path: Path, notices: Notices, default_run: str) -> Iterator[Item]:
        """Yield runs, samples and problems in file order; see ``Importer.read``."""
        _say_misplaced(path, notices)
        reader = RowReader(default_run, notices)
        for row, record in _rows(path, notices, self._tally):
            if isinstance(record, Problem):
                yield record
                continue
            record = unwrapped(record) if isinstance(record, dict) else record
            try:
                yield from reader.read(row, record)
            except RecursionError:
                yield Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")
            except ValueError as error:
                yield Problem(row, str(error))


def _rows(path: Path, notices: Notices, tally: Tally) -> Iterator[tuple[int, Any]]:
    whole = _whole_object(path, notices)
    if whole is None:
        yield from json_rows(path, notices, tally)
        return
    tally.bytes_read = path.stat().st_size
    try:
        yield 1, cleaned(1, whole, notices)
    except RecursionError:
        yield 1, Problem(1, f"The row is nested deeper than {values.MAX_DEPTH} levels.")


def _whole_object(path: Path, notices: Notices) -> dict[str, Any] | None:
    """The only sample of a file, if it is one object on several lines."""
    first = next((text for _, text in lines(path, Notices()) if text is None or text.strip()), None)
    if first is None or first.lstrip()[:1] != "{" or path.stat().st_size > MAX_DOCUMENT:
        return None
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        pass
    else:
        return None
    if is_rows(path):
        return None
    try:
        found = load_document(path, notices, path.name)
    except BadInputError:
        return None
    return found if isinstance(found, dict) else None


def misplaced_keys(probe: Probe) -> list[str]:
    """Keys of the first rows that look like results but are none of this format's."""
    keys = dict.fromkeys(key for row in first_objects(probe) for key in row if key not in KEYS)
    return misplaced(keys)


def _say_misplaced(path: Path, notices: Notices) -> None:
    """Tell of keys that this format keeps without reading them, although they look like results."""
    with path.open("rb") as handle:
        found = misplaced_keys(Probe(path, handle.read(_PROBED_BYTES)))
    if found:
        notices.add(
            None,
            f"The keys {', '.join(found)} are none of this format; they were kept as extra. A map "
            "of columns (--map) can say what they are.",
        )


def first_objects(probe: Probe) -> Iterator[dict[str, Any]]:
    """The objects among the first rows of a file, none if it does not look like JSON."""
    start = probe.head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")
    if start[:1] not in (b"{", b"["):
        return
    for seen, (_, record) in enumerate(_rows(probe.path, Notices(), Tally()), 1):
        if isinstance(record, dict):
            yield unwrapped(record)
        if seen >= _PROBED_ROWS:
            return
