"""Reading the first sheet of an Excel workbook as texts."""

import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest.table_base import BLANK, CLEANED, Cells, Table, TableRow, named
from core.records import Notices, Problem, clean_text

#: Sum of the unpacked sizes of a workbook's parts.
MAX_UNPACKED = 2 * 1024**3
#: What Excel itself holds in one cell; longer texts were cut before they got here.
EXCEL_CELL = 32_767
_BATCH = 500
_MAX_EXACT = 2**53
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


class ExcelTable(Table):
    """One sheet of an ``.xlsx`` workbook; the first row that is not blank is its header."""

    kind = "excel"

    def __init__(self, path: Path, sheet: str | None = None, name: str | None = None) -> None:
        super().__init__(path, name)
        _check_size(path, self.name)
        self._notices = Notices()
        with _opened(path, self.name) as book:
            self.sheets: list[str] = list(book.sheetnames)
            if sheet is not None and sheet not in self.sheets:
                raise BadInputError(
                    f"{self.name} has no sheet {sheet!r}. Its sheets: {', '.join(self.sheets)}."
                )
        self._sheet = sheet or self._first_with_content()
        if len(self.sheets) > 1 and sheet is None:
            listed = ", ".join(repr(name) for name in self.sheets)
            self._notices.add(
                None, f"The workbook has the sheets {listed}; {self._sheet!r} is read."
            )
        header = next((cells for cells in self._texts(Notices()) if any(cells)), [])
        while header and not header[-1]:
            header.pop()
        self._columns, self.unnamed = named(header, self._notices)
        self.about = {"sheet": self._sheet}

    @property
    def columns(self) -> list[str]:
        """Names of the columns in their order."""
        return self._columns

    def rows(self, notices: Notices) -> Iterator[TableRow]:
        """Yield (row below the header, cells as texts); see ``Table.rows``."""
        for place, notice, count in self._notices.as_list():
            notices.add(place, notice, count)
        row, n, is_header = 0, len(self._columns), True
        try:
            for cells in self._texts(notices):
                if is_header:
                    is_header = not any(cells)
                    continue
                row += 1
                if not any(cell and not cell.isspace() for cell in cells):
                    notices.add(row, BLANK)
                elif any(cells[n:]):
                    yield row, Problem(row, f"The row has {len(cells)} cells, the header {n}.")
                else:
                    padded = cells[:n] + [""] * (n - len(cells))
                    yield row, self._cells(row, padded, notices)
        except BadInputError as error:
            yield row + 1, Problem(None, f"Behind row {row}: {error}")

    def _cells(self, row: int, cells: list[str], notices: Notices) -> Cells:
        for cell in cells:
            if len(cell) >= EXCEL_CELL:
                notices.add(
                    row,
                    f"A cell has {EXCEL_CELL:,} characters, the most that Excel holds: "
                    "its text was probably cut.",
                )
        return dict(zip(self._columns, cells, strict=True))

    def _first_with_content(self) -> str:
        for name in self.sheets:
            self._sheet = name
            if any(any(cells) for cells in islice(self._texts(Notices()), 50)):
                return name
        raise BadInputError(f"{self.name} is empty: there is nothing to import.")

    def _texts(self, notices: Notices) -> Iterator[list[str]]:
        with _opened(self.path, self.name) as book:
            sheet = book[self._sheet]
            # The size that a file states is often wrong, and rows beyond it would be lost.
            if hasattr(sheet, "reset_dimensions"):
                sheet.reset_dimensions()
            rows = iter(sheet.iter_rows(values_only=True) if hasattr(sheet, "iter_rows") else ())
            row = 0
            while batch := self._batch(rows):
                for values in batch:
                    yield [_text(value, row, notices) for value in values]
                    row += 1
                self.tally.bytes_read = min(
                    self.path.stat().st_size, self.tally.bytes_read + _BATCH * 100
                )

    def _batch(self, rows: Iterator[Any]) -> list[Any]:
        with _in_words(self.name):
            return list(islice(rows, _BATCH))


def _text(value: Any, row: int, notices: Notices) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = value
        if "_x" in text:
            text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
        text, n = clean_text(text)
        if n:
            notices.add(row, CLEANED, n)
        return text
    if isinstance(value, float) and value.is_integer() and abs(value) < _MAX_EXACT:
        return str(int(value))
    if isinstance(value, datetime | date | time):
        notices.add(row, "A cell is a date in Excel; it was kept as text (was it an id?).")
        return value.isoformat()
    return str(value)


def _check_size(path: Path, name: str) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BadInputError(f"{name} is a damaged Excel file: {error}.") from None
    if size > MAX_UNPACKED:
        raise BadInputError(
            f"{name} unpacks to {size:,} bytes, more than the limit of {MAX_UNPACKED:,}."
        )


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Any]:
    import openpyxl

    with _in_words(name):
        # By its content: given a path, openpyxl believes the ending of the name.
        handle = path.open("rb")
        try:
            book = openpyxl.load_workbook(handle, read_only=True, data_only=True, keep_links=False)
        except BaseException:
            handle.close()
            raise
    try:
        yield book
    finally:
        book.close()
        handle.close()


@contextmanager
def _in_words(name: str) -> Iterator[None]:
    # openpyxl lets through whatever the broken part of a file leads to, and warns of what it
    # leaves out (styles, drop-down lists), which no reader of texts misses.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        kind = type(error).__name__
        raise BadInputError(f"{name} is a damaged Excel file ({kind}: {error}).") from None
