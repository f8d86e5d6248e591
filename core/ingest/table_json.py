"""Reading JSON as a table: JSON Lines, an array of objects, or an object that holds the rows."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest import values
from core.ingest.json_rows import cleaned, json_rows, unwrapped
from core.ingest.mapping import Role
from core.ingest.synonyms import role_of
from core.ingest.table_base import (
    BLANK,
    INDEX_NAMES,
    Cells,
    Table,
    TableRow,
    is_blank,
)
from core.ingest.table_large import LargeObject, is_one_object
from core.ingest.textfile import Tally, chunks, lines
from core.records import Notices, Problem

#: A JSON object up to this size is read as a whole, and takes several times its size in memory; of
#: a larger one only the rows of a list at its top are, one after the other.
MAX_DOCUMENT = 128 * 1024**2
_PROBED_LINES = 20
_PROBED_ROWS = 1_000
_MAX_ABOUT = 100_000
# What tools call the list in which their rows are.
_ROW_KEYS = frozenset({
    "rows", "results", "data", "samples", "records", "items", "examples", "testCases", "test_cases",
})  # fmt: skip


class JsonTable(Table):
    """JSON of any shape that holds rows.

    An object may hold them as ``{columns, data}``, as one list per column, as the only list of
    objects in it, or where ``records`` says.
    """

    kind = "json"

    def __init__(self, path: Path, records: str | None = None, name: str | None = None) -> None:
        super().__init__(path, name)
        self._notices = Notices()
        self.document: Any = None
        self._found: list[Cells] | None = None
        self._large: LargeObject | None = None
        is_object = records is not None or not is_rows(path)
        if is_object and path.stat().st_size > MAX_DOCUMENT:
            self._large = LargeObject(path, records, self.name)
            self.about = kept_about(self._large.about)
        elif is_object:
            self.document = load_document(path, self._notices, self.name)
            self._found, self.about = _rows_of(self.name, self.document, records)
        self._columns: list[str] | None = None

    @property
    def columns(self) -> list[str]:
        """Keys of the first rows in the order in which they appear."""
        if self._columns is None:
            keys: dict[str, None] = {}
            for _, cells in islice(self.rows(Notices()), _PROBED_ROWS):
                if not isinstance(cells, Problem):
                    keys.update(dict.fromkeys(cells))
            self._columns = list(keys)
            self.unnamed = INDEX_NAMES & keys.keys()
        return self._columns

    def rows(self, notices: Notices) -> Iterator[TableRow]:
        """Yield (line or element, cells); see ``Table.rows``."""
        for place, notice, n in self._notices.as_list():
            notices.add(place, notice, n)
        self.tally = Tally()
        held = self._found if self._large is None else self._large.rows(notices, self.tally)
        found: Iterator[tuple[int, Any]] = (
            json_rows(self.path, notices, self.tally)
            if held is None
            else ((row, _clean(row, cells, notices)) for row, cells in enumerate(held, 1))
        )
        for row, cells in found:
            if isinstance(cells, Problem):
                yield row, cells
            elif isinstance(cells, dict):
                inner = unwrapped(cells)
                if is_blank(inner):
                    notices.add(row, BLANK)
                else:
                    yield row, inner
            else:
                kind = "list" if isinstance(cells, list) else "text or number"
                yield row, Problem(row, f"The row is a JSON {kind}, not an object.")


def is_rows(path: Path) -> bool:
    """True for an array or JSON Lines, False for one object that spans the whole file."""
    seen: list[str] = []
    for number, text in lines(path, Notices()):
        stripped = (text or "").strip()
        if not stripped:
            continue
        if not seen and stripped[0] == "[":
            return True
        seen.append(stripped)
        if _is_object(stripped) and (len(seen) > 1 or _has_more(path, number)):
            # An object may have its rows on lines of their own; a bad first line is no reason.
            return _is_object(seen[0]) or not is_one_object(path)
        if len(seen) > _PROBED_LINES:
            break
    return False


def load_document(path: Path, notices: Notices, name: str) -> Any:
    """The value that the whole file holds.

    Raises:
        BadInputError: it is no JSON (the message names the place).
    """
    text = "".join(chunks(path, notices))
    try:
        return json.loads(text)
    except RecursionError:
        raise BadInputError(f"{name} is nested too deeply to be read.") from None
    except json.JSONDecodeError as error:
        raise BadInputError(
            f"{name} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from None
    except ValueError as error:
        raise BadInputError(f"{name} is no JSON: {error}.") from None


def paths_to_rows(document: Any) -> list[str]:
    """Where lists of objects are in a document, in the notation of ``Hints.records``."""
    found: dict[str, None] = {}
    _find(document, "", found, 0)
    return list(found)


def _find(value: Any, path: str, found: dict[str, None], depth: int) -> None:
    if depth > 5 or len(found) > 10:
        return
    if isinstance(value, list):
        if value and all(isinstance(item, dict) for item in value):
            found[path] = None
    elif isinstance(value, dict):
        items = list(value.items())
        shapes = {tuple(sorted(item)) for _, item in items if isinstance(item, dict)}
        if path and len(items) > 1 and len(shapes) == 1 and len(items) == len(value):
            _find(items[0][1], f"{path}.*", found, depth + 1)
            return
        for key, item in items:
            _find(item, f"{path}.{key}" if path else str(key), found, depth + 1)


def _rows_of(name: str, document: Any, records: str | None) -> tuple[list[Cells], dict[str, Any]]:
    if records == "." and isinstance(document, dict):
        return [document], {}
    if records is not None:
        found = list(_at(document, records.split("."), ""))
        if not found:
            raise _no_rows(name, document, f"has no rows at {records!r}")
        return found, _about(document, records.split(".")[0])
    if not isinstance(document, dict):
        raise BadInputError(f"{name} is a single JSON value and holds no rows.")
    if not document:
        raise BadInputError(f"{name} is empty: there is nothing to import.")
    if _is_hollow(document):
        raise BadInputError(f"{name} holds no rows: there is nothing to import.")
    table = _split(name, document)
    table = _columnar(document) if table is None else table
    if table is not None:
        return table, {}
    if _is_one_row(document):
        return [document], {}
    keys = [key for key, value in document.items() if _is_row_list(value)]
    if len(keys) == 1:
        return document[keys[0]], _about(document, keys[0])
    reason = "holds several lists of rows" if keys else "is one JSON object without rows"
    raise _no_rows(name, document, reason)


def _no_rows(name: str, document: Any, reason: str) -> BadInputError:
    keys = ", ".join(map(str, islice(document, 12))) if isinstance(document, dict) else "none"
    places = ", ".join(paths_to_rows(document))
    hint = f" Rows seem to be at: {places}; name one in a map (records)." if places else ""
    return BadInputError(f"{name} {reason}. Its keys are: {keys}.{hint}")


def _is_one_row(document: Mapping[str, Any]) -> bool:
    """True if the object is a sample itself: a JSON Lines file with a single line."""
    texts = (Role.QUESTION, Role.ANSWER)
    for key, value in document.items():
        if isinstance(value, str) and (role_of(str(key)) or ("",))[0] in texts:
            return True
    has_plain = any(not isinstance(value, dict | list) for value in document.values())
    return has_plain and not paths_to_rows(document)


def _is_hollow(document: Mapping[str, Any]) -> bool:
    """True if the lists in which the rows would be are there and empty, however deep."""
    if any(
        isinstance(value, str) and (role_of(str(key)) or ("",))[0] in (Role.QUESTION, Role.ANSWER)
        for key, value in document.items()
    ):
        return False
    lists = list(_lists_in(document, 0))
    if not lists or any(items for _, items in lists):
        return False
    is_nested = all(isinstance(value, dict | list) for value in document.values())
    return is_nested or any(key in _ROW_KEYS for key, _ in lists)


def _lists_in(value: Mapping[str, Any], depth: int) -> Iterator[tuple[str, list[Any]]]:
    for key, item in value.items():
        if isinstance(item, list):
            yield str(key), item
        elif isinstance(item, dict) and depth < 5:
            yield from _lists_in(item, depth + 1)


def _is_row_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _split(name: str, document: Mapping[str, Any]) -> list[Cells] | None:
    columns, data = document.get("columns"), document.get("data")
    is_split = set(document) <= {"columns", "data", "index"}
    if not is_split or not isinstance(columns, list) or not isinstance(data, list):
        return None
    names = [str(name) for name in columns]
    for row, cells in enumerate(data, 1):
        if not isinstance(cells, list) or len(cells) != len(names):
            n = len(cells) if isinstance(cells, list) else "no"
            raise BadInputError(
                f"Row {row} of {name} has {n} cells, its list of columns {len(names)}."
            )
    return [dict(zip(names, cells, strict=True)) for cells in data]


def _columnar(document: Mapping[str, Any]) -> list[Cells] | None:
    """One list per column, all equally long, or one object per column with the same row keys."""
    columns = list(document.values())
    if all(isinstance(column, list) for column in columns):
        lengths = {len(column) for column in columns}
        if len(lengths) != 1 or lengths == {0} or any(_is_row_list(c) for c in columns):
            return None
        keys: list[Any] = list(range(lengths.pop()))
    elif all(isinstance(column, dict) for column in columns):
        keys = list(columns[0])
        if not keys or any(list(column) != keys for column in columns):
            return None
        if not all(str(key).isdigit() for key in keys):
            return None
    else:
        return None
    return [{name: column[key] for name, column in document.items()} for key in keys]


def _at(value: Any, path: list[str], name: str) -> Iterator[Cells]:
    if not path:
        for row in value if isinstance(value, list) else ():
            yield row if isinstance(row, dict) else {"value": row}
        return
    step, rest = path[0], path[1:]
    if not isinstance(value, dict):
        return
    if step == "*":
        for key, item in value.items():
            for row in _at(item, rest, name):
                yield {name or "key": str(key), **row}
    elif step in value:
        yield from _at(value[step], rest, step)


def _about(document: Any, without: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        return {}
    return kept_about({key: value for key, value in document.items() if key != without})


def kept_about(about: dict[str, Any]) -> dict[str, Any]:
    """What stands beside the rows, clean; without its lists and objects where these are large."""
    about = dict(values.clean(about)[0])
    try:
        if len(values.as_json(about)) <= _MAX_ABOUT:
            return about
    except (ValueError, RecursionError):
        pass
    return {k: v for k, v in about.items() if not isinstance(v, dict | list)}


def _clean(row: int, cells: Cells, notices: Notices) -> Any:
    try:
        return cleaned(row, cells, notices)
    except RecursionError:
        return Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")


def _is_object(text: str) -> bool:
    if text[:1] != "{":
        return False
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _has_more(path: Path, number: int) -> bool:
    """True if a line that is not blank follows."""
    return any(place > number and (text or "x").strip() for place, text in lines(path, Notices()))
