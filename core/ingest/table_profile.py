"""What is in each column of a table, seen over all of its rows."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.ingest import cells as ways
from core.ingest import values
from core.ingest.table_base import Cells, Table
from core.records import Notices, Problem

MAX_DISTINCT = 50
_MAX_NUMBER = 40
_MAX_LISTS = 500
_MAX_NESTED = 40
_MAX_NESTED_TEXT = 5_000
_COMMA_NUMBER = re.compile(r"[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?")
_LIST_STARTS = ("[", "{", "(", "array(")
#: Metric results as Ragas' experiments print them into a cell.
RESULT = re.compile(r"\s*(?:\w+\.)*Metric(?:Result|Output)\(")


@dataclass(slots=True)
class ColumnProfile:
    """Counts over the cells of one column.

    Attributes:
        n: cells that hold something, also ``nan`` and the like.
        n_empty: cells that are there and empty; rows of JSON may also lack the key.
        n_numbers: cells that are numbers; ``lo`` and ``hi`` are the smallest and the largest.
        n_absent: cells that say "no number" in words (``nan``, ``N/A``).
        n_comma: cells that are numbers if the comma is a decimal one.
        values: how often each value occurs, or None if there are more than MAX_DISTINCT.
        n_unique: number of different values, only for the columns that were asked about.
        lists: how lists were written, over the first of them.
        is_counting: the cells are 0, 1, 2 and so on down the rows.
    """

    name: str
    n: int = 0
    n_empty: int = 0
    n_numbers: int = 0
    n_whole: int = 0
    n_absent: int = 0
    n_comma: int = 0
    n_booleans: int = 0
    n_results: int = 0
    n_structured: int = 0
    has_comma: bool = False
    lo: float | None = None
    hi: float | None = None
    are_quarters: bool = True
    values: Counter[str] | None = field(default_factory=Counter)
    n_unique: int | None = None
    lists: Counter[str] = field(default_factory=Counter)
    max_length: int = 0
    is_counting: bool = True

    @property
    def is_numeric(self) -> bool:
        """True if every cell that says anything is a number, and one is."""
        found = self.n_comma if self.is_decimal_comma else self.n_numbers
        return found + self.n_results > 0 and found + self.n_absent + self.n_results == self.n

    @property
    def is_decimal_comma(self) -> bool:
        """True if every cell that says anything is a number with the comma as decimal point."""
        return self.has_comma and self.n_comma > 0 and self.n_comma + self.n_absent == self.n

    @property
    def is_constant(self) -> bool:
        """True if all numbers are the same, or there is only one."""
        return self.n_numbers < 2 or self.lo == self.hi


@dataclass(slots=True)
class Profile:
    """All columns of a table; ``n_problems`` rows could not be read."""

    columns: dict[str, ColumnProfile]
    n_rows: int = 0
    n_problems: int = 0
    first_problem: Problem | None = None

    @property
    def decimal_comma(self) -> frozenset[str]:
        """Columns whose numbers have a decimal comma."""
        return frozenset(name for name, c in self.columns.items() if c.is_decimal_comma)

    def row_numbers(self, unnamed: Collection[str]) -> frozenset[str]:
        """Those of the unnamed columns that only count the rows from 0."""
        return frozenset(
            name
            for name in unnamed
            if name in self.columns and self.n_rows and self.columns[name].is_counting
        )


def profile(table: Table, unique: Collection[str] = (), notices: Notices | None = None) -> Profile:
    """Look at every row of a table once.

    Args:
        table: any table.
        unique: columns whose different values are counted exactly.
        notices: is told of the repairs that reading needed.
    """
    found = Profile({name: ColumnProfile(name) for name in table.columns})
    seen: dict[str, set[int]] = {name: set() for name in unique}
    has_commas = table.delimiter == ";"
    for _, cells in table.rows(notices or Notices()):
        if isinstance(cells, Problem):
            found.n_problems += 1
            found.first_problem = found.first_problem or cells
            continue
        for name, cell in cells.items():
            column = found.columns.get(name)
            if column is None:
                column = found.columns[name] = ColumnProfile(name, is_counting=False)
            _look(column, cell, found.n_rows, has_commas)
            if name in seen and cell not in (None, ""):
                seen[name].add(hash(str(cell)))
            nested = _nested(cell)
            if nested:
                for key, value in nested.items():
                    inner = f"{name}.{key}"
                    if inner not in found.columns:
                        found.columns[inner] = ColumnProfile(inner, is_counting=False)
                    _look(found.columns[inner], value, found.n_rows, has_commas)
        found.n_rows += 1
    for name, hashes in seen.items():
        if name in found.columns:
            found.columns[name].n_unique = len(hashes)
    return found


def count_pairs(table: Table, first: str, second: str) -> int:
    """Number of different pairs of values in two columns."""
    pairs = {hash((str(a), str(b))) for a, b in _pairs(table, first, second)}
    return len(pairs)


def value_at(cells: Cells, name: str) -> Any:
    """The cell of a column; ``scores.f1`` also finds the key ``f1`` in the object of ``scores``.

    >>> value_at({"scores": "{'f1': 0.5}"}, "scores.f1")
    0.5
    """
    if name in cells or "." not in name:
        return cells.get(name)
    base, _, rest = name.partition(".")
    while rest:
        if base in cells:
            value = cells[base]
            inner = ways.parse_value(value) if isinstance(value, str) else value
            return value_at(inner, rest) if isinstance(inner, dict) else None
        step, _, rest = rest.partition(".")
        base = f"{base}.{step}"
    return None


def has_cell(cells: Cells, name: str) -> bool:
    """False if the row lacks the key, which is not the same as an empty cell."""
    return name in cells or value_at(cells, name) is not None


def _pairs(table: Table, first: str, second: str) -> Iterator[tuple[Any, Any]]:
    for _, cells in table.rows(Notices()):
        if not isinstance(cells, Problem):
            yield value_at(cells, first), value_at(cells, second)


def _look(column: ColumnProfile, cell: Any, place: int, has_commas: bool) -> None:
    if cell is None or cell == "":
        column.n_empty += 1
        column.is_counting = False
        return
    column.n += 1
    if isinstance(cell, dict | list):
        column.n_structured += 1
        column.lists[ways.LIST] += isinstance(cell, list)
        column.values = None
        column.is_counting = False
        return
    text = cell if isinstance(cell, str) else str(cell)
    column.max_length = max(column.max_length, len(text))
    column.is_counting = column.is_counting and text == str(place)
    _count_value(column, text)
    if len(text) > _MAX_NUMBER:
        if RESULT.match(text):
            column.n_results += 1
        _look_for_list(column, text)
        return
    if isinstance(cell, bool):
        column.n_booleans += 1
    number = values.as_number(cell)
    if has_commas and _COMMA_NUMBER.fullmatch(text.strip()):
        column.n_comma += 1
        column.has_comma = column.has_comma or "," in text
        number = values.as_number(text.strip().replace(",", "."))
        column.n_numbers += 0 if "," in text else 1
    elif number is not None:
        column.n_numbers += 1
    if number is not None:
        column.n_whole += number.is_integer()
        column.lo = number if column.lo is None else min(column.lo, number)
        column.hi = number if column.hi is None else max(column.hi, number)
        column.are_quarters = column.are_quarters and (number * 4).is_integer()
    elif values.is_absent(cell):
        column.n_absent += 1
    elif RESULT.match(text):
        column.n_results += 1
    else:
        _look_for_list(column, text)


def _count_value(column: ColumnProfile, text: str) -> None:
    if column.values is None:
        return
    if len(text) > _MAX_NESTED_TEXT:
        column.values = None
        return
    column.values[text] += 1
    if len(column.values) > MAX_DISTINCT:
        column.values = None


def _look_for_list(column: ColumnProfile, text: str) -> None:
    if text.lstrip().startswith(_LIST_STARTS) and column.lists.total() < _MAX_LISTS:
        way = ways.parse_list(text).way
        if way not in (ways.ONE_TEXT, ways.UNREADABLE):
            column.lists[way] += 1


def _nested(cell: Any) -> dict[str, Any] | None:
    """The object in a cell if it holds numbers, such as the scores of a sample by their names."""
    if isinstance(cell, str):
        if cell[:1] != "{" or len(cell) > _MAX_NESTED_TEXT:
            return None
        cell = ways.parse_value(cell)
    if not isinstance(cell, dict) or not 0 < len(cell) <= _MAX_NESTED:
        return None
    if any(isinstance(item, dict | list) for item in cell.values()):
        return None
    if not any(isinstance(item, int | float) for item in cell.values()):
        return None
    return {str(key): item for key, item in cell.items()}
