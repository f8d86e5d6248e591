"""What every kind of table has in common."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.ingest.textfile import Tally
from core.records import Notices, Problem

#: Longest cell, in characters.
MAX_CELL = 10_000_000
BLANK = "The row is blank and was left out."
CLEANED = "NUL characters or lone surrogates were replaced by U+FFFD."
#: Names that a saved frame gives to its row numbers.
INDEX_NAMES = frozenset({"", "Unnamed: 0", "index"})

Cells = dict[str, Any]
TableRow = tuple[int, Cells | Problem]


@dataclass(frozen=True, slots=True)
class Hints:
    """What a person says about a file that does not say it itself.

    Attributes:
        records: where the rows are inside a JSON object, such as ``results`` or ``runs.*.items``;
            each key under ``*`` becomes a cell of its rows, named like the key before it; ``.`` if
            the object is itself the only row.
        sheet: name of the sheet of a workbook.
        is_transposed: a CSV without header in which each line is one variable; these are called
            ``line 1``, ``line 2`` and so on.
        has_run_columns: the columns repeat for each run, as ``run_1_answer`` and ``run_2_answer``
            do; each row is then one row per run, with the column ``run``.
    """

    records: str | None = None
    sheet: str | None = None
    is_transposed: bool = False
    has_run_columns: bool = False


class Table:
    """A file as rows of named cells. Each call of ``rows`` is a new pass over the file.

    Cells of CSV and Excel are texts, and nothing is taken for a number. Cells of JSON and Parquet
    are what they are there; a key that a JSON row lacks has no cell.

    Attributes:
        kind: csv, json, parquet or excel.
        name: what the file is called in messages.
        about: what the file says outside its rows.
        delimiter: between the cells of a CSV.
        unnamed: columns that had no name, or one that saved row numbers bear.
    """

    kind = ""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = name or path.name
        self.tally = Tally()
        self.about: dict[str, Any] = {}
        self.delimiter: str | None = None
        self.unnamed: frozenset[str] = frozenset()

    @property
    def columns(self) -> list[str]:
        """Names of the columns in their order; for JSON the keys of its first rows."""
        raise NotImplementedError

    def rows(self, notices: Notices) -> Iterator[TableRow]:
        """Yield (row, cells by column or why the row cannot be read); texts are clean.

        Rows count from 1: below the header, in JSON Lines by line, else by element.
        """
        raise NotImplementedError


def is_blank(cells: Cells) -> bool:
    """True if no cell of a row holds anything: nothing, only white space, or NaN.

    >>> is_blank({"a": None, "b": " ", "c": float("nan")}), is_blank({"a": []}), is_blank({})
    (True, False, True)
    """
    return all(
        cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())
        for cell in cells.values()
    )


def too_long(row: int, cells: Cells) -> Problem | None:
    """The problem of a row that has a text longer than MAX_CELL, else None."""
    for name, cell in cells.items():
        if isinstance(cell, str) and len(cell) > MAX_CELL:
            return Problem(
                row,
                f"Column {name!r} has {len(cell):,} characters, more than the limit of "
                f"{MAX_CELL:,}.",
            )
    return None


def named(header: list[str], notices: Notices) -> tuple[list[str], frozenset[str]]:
    """Columns with a name each, and which of them may hold row numbers.

    >>> named(["", "a", "a"], Notices())
    (['column 1', 'a', 'a (2)'], frozenset({'column 1'}))
    """
    names: list[str] = []
    unnamed = set()
    taken: set[str] = set()
    for place, text in enumerate(header, 1):
        plain = text.strip()
        name = plain or f"column {place}"
        n = 1
        while name in taken:
            n += 1
            name = f"{plain or f'column {place}'} ({n})"
        if n > 1 and plain:
            notices.add(None, f"Several columns are named {plain!r}; the others got a number.")
        if plain in INDEX_NAMES:
            unnamed.add(name)
        taken.add(name)
        names.append(name)
    return names, frozenset(unnamed)
