"""Any table as rows of named cells: CSV and its relatives, JSON, Parquet, Excel."""

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest.json_rows import cleaned
from core.ingest.table_base import (
    BLANK,
    INDEX_NAMES,
    Cells,
    Hints,
    Table,
    TableRow,
    is_blank,
)
from core.ingest.table_csv import CsvTable, TransposedTable
from core.ingest.table_excel import ExcelTable
from core.ingest.table_families import FamilyTable
from core.ingest.table_json import JsonTable
from core.ingest.textfile import Tally
from core.records import Notices, Problem

__all__ = ["Hints", "Table", "has_rows", "open_table", "peek"]

_HEAD = 4_096
_BATCH = 500
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_SPACE_AND_BOM = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
# Formats that are no table, by their first bytes, and what to do about it.
_OTHERS = (
    (b"\x1f\x8b", "is packed with gzip. Unpack it first"),
    (b"\xd0\xcf\x11\xe0", "is an Excel file of the old kind. Save it as .xlsx or .csv"),
    (b"SQLite format 3", "is a SQLite database, not a table"),
    (b"%PDF", "is a PDF, not a table"),
)


def open_table(path: Path, hints: Hints | None = None, name: str | None = None) -> Table:
    """The table in a file; its content decides how it is read.

    Raises:
        BadInputError: it is empty, damaged, or no table; the message says what it is.
    """
    hints = hints or Hints()
    table = _opened(path, hints, name or path.name)
    return FamilyTable(table) if hints.has_run_columns else table


def _opened(path: Path, hints: Hints, name: str) -> Table:
    with path.open("rb") as handle:
        head = handle.read(_HEAD)
    for magic, what in _OTHERS:
        if head.startswith(magic):
            raise BadInputError(f"{name} {what}.")
    if head[:4] == b"PAR1":
        return ParquetTable(path, name)
    if head[:2] == b"PK":
        if not _is_workbook(path):
            raise BadInputError(f"{name} is an archive without a workbook. Unpack it first.")
        return ExcelTable(path, hints.sheet, name)
    start = head.lstrip(_SPACE_AND_BOM)[:1]
    if not start and path.stat().st_size <= _HEAD:
        raise BadInputError(f"{name} is empty: there is nothing to import.")
    if start in (b"{", b"["):
        return JsonTable(path, hints.records, name)
    if head[:2] not in _UTF16_BOMS and head.count(0) > len(head) // 10:
        raise BadInputError(f"{name} is no text: it has binary content of an unknown kind.")
    return TransposedTable(path, name) if hints.is_transposed else CsvTable(path, name)


def has_rows(table: Table) -> bool:
    """False if nothing stands in a table, not even a row that cannot be read."""
    return next(table.rows(Notices()), None) is not None


def peek(table: Table, n: int) -> list[Cells]:
    """The first n rows that can be read."""
    rows = (cells for _, cells in table.rows(Notices()) if not isinstance(cells, Problem))
    return list(islice(rows, n))


class ParquetTable(Table):
    """A Parquet file; lists and structs stay what they are."""

    kind = "parquet"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            self._columns = [str(name) for name in pq.read_schema(path).names]
        except (pa.ArrowException, OSError, ValueError) as error:
            raise BadInputError(f"{self.name} is a damaged Parquet file: {error}") from None
        self.unnamed = (INDEX_NAMES | {"__index_level_0__"}) & set(self._columns)

    @property
    def columns(self) -> list[str]:
        """Names of the columns in their order."""
        return self._columns

    def rows(self, notices: Notices) -> Iterator[TableRow]:
        """Yield (row from 1, cells); see ``Table.rows``."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.tally = Tally()
        row = 0
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(batch_size=_BATCH):
                    self.tally.bytes_read += batch.nbytes
                    for cells in batch.to_pylist():
                        row += 1
                        found = cleaned(row, _plain(cells), notices)
                        if is_blank(found):
                            notices.add(row, BLANK)
                        else:
                            yield row, found
        except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError) as error:
            yield row + 1, Problem(None, f"The file is no Parquet behind row {row}: {error}")


def _plain(value: Any) -> Any:
    """A value of Parquet as JSON has it."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        # A map comes as pairs.
        return [_plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        # What is damaged is told where it is read.
        return path.suffix.lower() in (".xlsx", ".xlsm")
