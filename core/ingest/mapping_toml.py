"""Maps as TOML files: what the page saves and ``--map`` reads."""

import json
import tomllib
from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest.directions import direction_of
from core.ingest.mapping import Mapping, Role, Use
from core.ingest.table_base import Hints
from core.ingest.textfile import lines
from core.model import Direction
from core.records import Notices

VERSION = 1
_MAX_SIZE = 1_000_000
_TOP = {
    "tool": "tool", "tool_version": "tool_version", "judge": "judge", "join": "join",
    "number_repeated_ids": "numbers_repeated_ids", "one_context_per_row": "one_context_per_row",
    "note": "note",
}  # fmt: skip
_FILE = {
    "records": "records", "sheet": "sheet", "transposed": "is_transposed",
    "run_columns": "has_run_columns",
}  # fmt: skip
_FLAGS = ("transposed", "run_columns")
# Key in the file: (attribute of Use, type).
_USE: dict[str, tuple[str, type]] = {
    "name": ("name", str), "list": ("lists", str), "separator": ("separator", str),
    "lo": ("lo", float), "hi": ("hi", float), "direction": ("direction", Direction),
    "cut": ("cut", float), "values": ("values", dict), "of": ("of", str),
    "positive": ("positive", str), "target": ("target", str), "rater": ("rater", str),
    "unit": ("unit", str), "optional": ("is_optional", bool),
}  # fmt: skip
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def load(path: Path) -> Mapping:
    """Read a map.

    Raises:
        BadInputError: no such file, no TOML, or something in it that no map has.
    """
    if not path.is_file():
        raise BadInputError(f"There is no map {path}.")
    if path.stat().st_size > _MAX_SIZE:
        raise BadInputError(f"{path.name} is too large for a map.")
    text = "\n".join(line or "" for _, line in lines(path, Notices()))
    try:
        return loads(text)
    except BadInputError as error:
        raise BadInputError(f"{path.name}: {error}") from None


def loads(text: str) -> Mapping:
    """Read a map from its text; see ``load``."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"The map is no TOML: {error}.") from None
    return from_dict(document)


def from_dict(document: AnyMapping[str, Any]) -> Mapping:
    """A map from the structure of its file.

    Raises:
        BadInputError: a key or a value that no map has.
    """
    known = {"version", "file", "columns", *_TOP}
    _only(document, known, "A map")
    if document.get("version", VERSION) != VERSION:
        raise BadInputError(
            f"The map has the version {document['version']!r}; this program reads {VERSION}."
        )
    found: dict[str, Any] = {}
    for key, attribute in _TOP.items():
        if key in document:
            is_flag = key in ("number_repeated_ids", "one_context_per_row")
            found[attribute] = _typed(document[key], bool if is_flag else str, key)
    file = _typed(document.get("file", {}), dict, "file")
    _only(file, set(_FILE), "The table [file] of a map")
    hints = {
        attribute: _typed(file[key], bool if key in _FLAGS else str, f"file.{key}")
        for key, attribute in _FILE.items()
        if key in file
    }
    columns = _typed(document.get("columns", {}), dict, "columns")
    mapping = Mapping(
        columns={column: _uses(column, value) for column, value in columns.items()},
        hints=Hints(**hints),
        **found,
    )
    mapping.check()
    return mapping


def as_dict(mapping: Mapping) -> dict[str, Any]:
    """The structure of a map's file; ``from_dict`` undoes it."""
    document: dict[str, Any] = {"version": VERSION}
    for key, attribute in _TOP.items():
        value = getattr(mapping, attribute)
        if value is not None and value is not False:
            document[key] = value
    file = {
        key: getattr(mapping.hints, attribute)
        for key, attribute in _FILE.items()
        if getattr(mapping.hints, attribute) not in (None, False)
    }
    if file:
        document["file"] = file
    document["columns"] = {
        column: (
            _use_dict(column, uses[0])
            if len(uses) == 1
            else [_use_dict(column, use) for use in uses]
        )
        for column, uses in mapping.columns.items()
    }
    return document


def dumps(mapping: Mapping) -> str:
    """A map as the text of its file: one line per column."""
    document = as_dict(mapping)
    columns, file = document.pop("columns"), document.pop("file", {})
    out = ["# What the columns of a table are, for RAG Triage (ragtriage import FILE --map THIS)."]
    out += [f"{key} = {_value(value)}" for key, value in document.items()]
    if file:
        out += ["", "[file]", *(f"{key} = {_value(value)}" for key, value in file.items())]
    out += ["", "[columns]"]
    out += [f"{_key(column)} = {_value(use)}" for column, use in columns.items()]
    return "\n".join(out) + "\n"


def _uses(column: str, value: Any) -> tuple[Use, ...]:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise BadInputError(f"Column {column!r} of the map has no role.")
    return tuple(_use(column, item) for item in items)


def _use(column: str, value: Any) -> Use:
    item = {"role": value} if isinstance(value, str) else value
    if not isinstance(item, dict) or "role" not in item:
        raise BadInputError(f"Column {column!r} of the map has no role.")
    _only(item, {"role", *_USE}, f"Column {column!r} of the map")
    try:
        role = Role(item["role"])
    except ValueError:
        roles = ", ".join(role.value for role in Role)
        raise BadInputError(
            f"Column {column!r} has the role {item['role']!r}; roles are {roles}."
        ) from None
    found: dict[str, Any] = {}
    for key, (attribute, kind) in _USE.items():
        if key in item:
            found[attribute] = _typed(item[key], kind, f"{column}.{key}")
    for word, number in found.get("values", {}).items():
        found["values"][word] = _typed(number, float, f"{column}.values.{word}")
    if role is Role.METRIC and "direction" not in found:
        found["direction"] = direction_of(found.get("name") or column)
    return Use(role, **found)


def _typed(value: Any, kind: type, name: str) -> Any:
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
        if number - number == 0:
            return number
    elif kind is str and isinstance(value, int | float | bool):
        # positive = 1 is as plain as positive = "1".
        return str(value)
    elif kind is Direction:
        if value in set(Direction):
            return Direction(value)
    elif isinstance(value, kind):
        return dict(value) if isinstance(value, dict) else value
    wanted = {str: "a text", bool: "true or false", float: "a number", dict: "a table"}
    expected = wanted.get(kind, "higher or lower")
    raise BadInputError(f"{name} must be {expected}, not {value!r}.")


def _only(found: AnyMapping[str, Any], known: set[str], what: str) -> None:
    unknown = sorted(set(found) - known)
    if unknown:
        raise BadInputError(
            f"{what} has no key {', '.join(map(repr, unknown))}; known are "
            f"{', '.join(sorted(known))}."
        )


def _use_dict(column: str, use: Use) -> dict[str, Any]:
    found: dict[str, Any] = {"role": use.role.value}
    plain = Use(use.role)
    if use.role is Role.METRIC:
        plain = Use(use.role, direction=direction_of(use.name or column))
    for key, (attribute, _) in _USE.items():
        value = getattr(use, attribute)
        if value != getattr(plain, attribute):
            found[key] = value.value if isinstance(value, Direction) else value
    if "values" in found:
        found["values"] = dict(found["values"])
    return found


def _key(name: str) -> str:
    return name if name and set(name) <= _BARE else _text(name)


def _text(text: str) -> str:
    # JSON escapes all that TOML wants escaped, except DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dict):
        if set(value) == {"role"}:
            return _text(value["role"])
        inner = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return _text(value) if isinstance(value, str) else repr(value)
