"""Lists inside cells: several ways to write one, tried in a fixed order, and which one it was.

A text is never taken apart by guess: what is no list is one item, and separators count only where
somebody said so. Nothing is evaluated (see ``literals``).
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from core.ingest.literals import LiteralError, parse_literal

TEXT_KEYS = ("text", "content", "page_content")
_LIST_LIKE = re.compile(r"\s*+(?:[\[{(]|[A-Za-z_][\w.]*\()")
# file.pdf#page=4: before each passage, as Azure's chat samples join them.
_SOURCE = re.compile(r"(?m)^(?P<id>\S[^\n:]{0,200}?\.\w{2,5}(?:#[^\s:]+)?): ")

EMPTY = "empty"
LIST = "a list"
JSON_LIST = "a JSON list"
JSON_OBJECT = "a JSON object, one item per key"
PYTHON_LIST = "a Python list"
PYTHON_OBJECT = "a Python dictionary, one item per key"
NO_COMMAS = "a list without commas"
ARRAY = "a printed array"
ONE_OBJECT = "one object"
ONE_TEXT = "one text"
UNREADABLE = "one text (it looks like a list and cannot be read as one)"
SEPARATED = "a text joined by a separator"
SOURCES = "a text with a source before each passage"


@dataclass(slots=True)
class CellList:
    """Items of a cell.

    Attributes:
        items: texts, numbers, dictionaries or lists; None for an empty cell, which is not the same
            as an empty list.
        way: how it was read, one of the constants of this module.
        n_missing: items left out because they were ``nan`` or ``None``.
        is_cut: the text was cut for display ("..." or "[truncated") before it was saved.
    """

    items: list[Any] | None
    way: str
    n_missing: int = 0
    is_cut: bool = False
    problem: str | None = None


def parse_list(cell: Any, way: str = "auto", separator: str | None = None) -> CellList:
    """Read the list in a cell.

    Args:
        cell: a text, or a value that is structured already (JSON, Parquet).
        way: ``auto``, ``text`` (the whole cell is one item), ``separator`` or ``sources``.
        separator: what joins the items, for ``separator``.

    >>> parse_list("['a', 'b']").items, parse_list("['a' 'b']").way
    (['a', 'b'], 'a list without commas')
    >>> parse_list("plain"), parse_list("").items is None
    (CellList(items=['plain'], way='one text', n_missing=0, is_cut=False, problem=None), True)
    """
    if cell is None or cell == "" or (isinstance(cell, float) and cell != cell):
        return CellList(None, EMPTY)
    found = _structured(cell, LIST)
    if found is None:
        text = str(cell)
        if way == "separator" and separator:
            # A separator at the end closes the last item; it does not begin another one.
            found = CellList(text.removesuffix(separator).split(separator), SEPARATED)
        elif way == "sources":
            found = _by_source(text)
        elif way == "text":
            found = CellList([text], ONE_TEXT)
        else:
            found = _from_text(text)
    items = [_unwrapped(item) for item in found.items or () if not _is_missing(item)]
    found.n_missing = len(found.items or ()) - len(items)
    found.items = items
    found.is_cut = found.is_cut or any(is_cut(_text_in(item)) for item in items)
    return found


def parse_value(text: str) -> Any:
    """The list or object that a text holds as JSON or as Python prints it; else the text itself.

    >>> parse_value("{'a': 1}"), parse_value("a: 1")
    ({'a': 1}, 'a: 1')
    """
    if not _LIST_LIKE.match(text):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return parse_literal(text).value
    except LiteralError:
        return text


def is_cut(text: str | None) -> bool:
    """True if a text was cut for display before it was saved.

    >>> is_cut("and so on..."), is_cut("done."), is_cut("x [truncated 5 lines] y")
    (True, False, True)
    """
    if not text:
        return False
    return text[-16:].rstrip(" \n\t'\"]").endswith(("...", "…")) or "[truncated" in text.lower()


def _from_text(text: str) -> CellList:
    if not _LIST_LIKE.match(text):
        return CellList([text], ONE_TEXT)
    try:
        found = _structured(json.loads(text), JSON_LIST)
        if found is not None:
            return found
    except (ValueError, RecursionError):
        pass
    try:
        literal = parse_literal(text)
    except LiteralError as error:
        starts, ends = text.strip()[:1], text.strip()[-1:]
        if (starts, ends) in {("[", "]"), ("{", "}")}:
            return CellList([text], UNREADABLE, problem=str(error))
        return CellList([text], ONE_TEXT)
    way = ARRAY if literal.is_array else NO_COMMAS if literal.lacks_commas else PYTHON_LIST
    found = _structured(literal.value, way) if _is_whole(text) or literal.is_array else None
    if found is None:
        return CellList([text], ONE_TEXT)
    found.is_cut = literal.is_cut
    return found


def _is_whole(text: str) -> bool:
    # A call such as Document(...) is one object, a number in brackets is a text.
    return text.strip()[-1:] in ("]", "}", ")")


def _structured(value: Any, way: str) -> CellList | None:
    if isinstance(value, list | tuple):
        return CellList(list(value), way)
    if not isinstance(value, dict):
        return None
    if not value:
        return CellList([], way)
    if any(key in value for key in TEXT_KEYS):
        return CellList([value], ONE_OBJECT)
    items: list[Any] = [_keyed(key, item) for key, item in value.items()]
    return CellList(items, PYTHON_OBJECT if way in (PYTHON_LIST, NO_COMMAS) else JSON_OBJECT)


def _keyed(key: str, item: Any) -> dict[str, Any]:
    if isinstance(item, dict):
        if any(item.get(text_key) is not None for text_key in TEXT_KEYS):
            return {"doc_id": key, **item}
        # A record of a database instead of a text: all of it is what was retrieved.
        item = json.dumps(item, ensure_ascii=False, default=str)
    return {"doc_id": key, "text": item}


def _by_source(text: str) -> CellList:
    marks = list(_SOURCE.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        return CellList([text], ONE_TEXT)
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return CellList(
        [
            {"doc_id": mark["id"], "text": text[mark.end() : end].rstrip("\n")}
            for mark, end in zip(marks, ends, strict=True)
        ],
        SOURCES,
    )


def _is_missing(item: Any) -> bool:
    return item is None or (isinstance(item, float) and item != item)


def _text_in(item: Any) -> str | None:
    if isinstance(item, dict):
        item = next((item[key] for key in TEXT_KEYS if item.get(key) is not None), None)
    return item if isinstance(item, str) else None


def _unwrapped(item: Any) -> Any:
    """An item that is a printed object with a text, or a list of them, as its text."""
    value = item
    if isinstance(item, str) and item.lstrip()[:1] in ("{", "["):
        value = parse_value(item)
    if isinstance(value, dict) and value is not item:
        return value if _text_in(value) is not None else item
    if isinstance(value, list) and value:
        parts = [_text_in(part) if isinstance(part, dict) else None for part in value]
        if all(part is not None for part in parts):
            return "\n".join(part for part in parts if part is not None)
    return item
