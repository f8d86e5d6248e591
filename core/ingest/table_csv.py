"""Reading CSV and its relatives: comma, semicolon or tab, any encoding, real newlines in cells."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from core.errors import BadInputError
from core.ingest.table_base import BLANK, CLEANED, Cells, Table, TableRow, named, too_long
from core.ingest.textfile import MAX_LINE, Tally
from core.records import Notices, Problem, clean_text

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_DELIMITERS = (",", ";", "\t")
_MAX_HEADER = 1_000_000
_MAX_VARIABLES = 50
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_NOT_UTF8 = "The line is not UTF-8; it was read as Windows text (cp1252)."


class CsvTable(Table):
    """A CSV file with a header."""

    kind = "csv"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        record = _first_record(path)
        if not record.strip():
            raise BadInputError(f"{self.name} is empty: there is nothing to import.")
        # A line that Excel writes for itself.
        said = re.fullmatch(r"sep=(.)\s*", record)
        self._n_skipped = 1 if said else 0
        if said:
            record = _first_record(path, 1)
        self.delimiter = said[1] if said else delimiter_of(record)
        header = next(csv.reader(io.StringIO(record, newline=""), delimiter=self.delimiter), [])
        self._notices = Notices()
        self._columns, self.unnamed = named(header, self._notices)

    @property
    def columns(self) -> list[str]:
        """Names of the columns in their order."""
        return self._columns

    def rows(self, notices: Notices) -> Iterator[TableRow]:
        """Yield (row below the header, cells); see ``Table.rows``."""
        for row, notice, n in self._notices.as_list():
            notices.add(row, notice, n)
        self.tally = Tally()
        lines = _Lines(text_lines(self.path, notices, self.tally))
        for _ in range(self._n_skipped):
            next(lines, None)
        csv.field_size_limit(MAX_LINE)
        reader = csv.reader(lines, delimiter=self.delimiter or ",")
        row = 0
        is_header = True
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield row + 1, Problem(None, f"The file is no CSV behind row {row}: {error}.")
                return
            if is_header:
                is_header = not any(cell.strip() for cell in cells)
                continue
            row += 1
            if not any(cell and not cell.isspace() for cell in cells):
                notices.add(row, BLANK)
            elif lines.has_ended:
                # A row is complete at the end of its line, unless a quote is still open there.
                yield row, Problem(row, "A quote that opens in this row is never closed.")
            else:
                yield row, self._cells(row, cells, notices)

    def _cells(self, row: int, cells: list[str], notices: Notices) -> Cells | Problem:
        n = len(self._columns)
        if len(cells) > n and not any(cells[n:]):
            notices.add(row, "The row has empty cells behind the last column.")
            cells = cells[:n]
        if len(cells) != n:
            return Problem(row, f"The row has {len(cells)} cells, the header {n}.")
        found = dict(zip(self._columns, cells, strict=True))
        return too_long(row, found) or found


class TransposedTable(Table):
    """A CSV without header whose lines are the variables, all of them equally long."""

    kind = "csv"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        csv.field_size_limit(MAX_LINE)
        lines = text_lines(path, Notices(), Tally())
        self.delimiter = delimiter_of(_first_record(path))
        self._variables: list[list[str]] = []
        try:
            for cells in csv.reader(lines, delimiter=self.delimiter):
                if any(cells):
                    self._variables.append(cells)
                if len(self._variables) > _MAX_VARIABLES:
                    raise BadInputError(
                        f"{self.name} has more than {_MAX_VARIABLES} lines; as a table whose lines "
                        "are variables it can have no more."
                    )
        except csv.Error as error:
            raise BadInputError(f"{self.name} is no CSV: {error}.") from None
        lengths = sorted({len(cells) for cells in self._variables})
        if len(lengths) > 1:
            raise BadInputError(
                f"The lines of {self.name} have {lengths[0]} to {lengths[-1]} cells; as variables "
                "they must be equally long. Lists of unequal length are never matched up."
            )

    @property
    def columns(self) -> list[str]:
        """``line 1``, ``line 2`` and so on."""
        return [f"line {place}" for place in range(1, len(self._variables) + 1)]

    def rows(self, notices: Notices) -> Iterator[TableRow]:
        """Yield (place in the lines, cells); see ``Table.rows``."""
        columns = self.columns
        for row, cells in enumerate(zip(*self._variables, strict=True), 1):
            yield row, dict(zip(columns, cells, strict=True))


def delimiter_of(record: str) -> str:
    r"""The delimiter that stands most often outside quotes in a header; a comma if none does.

    >>> delimiter_of('"a,b,c";d'), delimiter_of("a\tb"), delimiter_of("a")
    (';', '\t', ',')
    """
    plain = re.sub(r'"[^"]*"', "", record)
    counts = {mark: plain.count(mark) for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: counts[mark])


def text_lines(path: Path, notices: Notices, tally: Tally) -> Iterator[str]:
    """Yield the lines of a text file with their ends (LF, CRLF or CR); encodings as in 2.1.

    Raises:
        BadInputError: a line is longer than MAX_LINE.
    """
    with path.open("rb") as handle:
        head = handle.read(3)
        handle.seek(0)
        if head[:2] in _UTF16_BOMS:
            wrapped = io.TextIOWrapper(handle, encoding="utf-16", errors="replace", newline="")
            for number, line in enumerate(wrapped, 1):
                tally.bytes_read += 2 * len(line)
                yield _clean(line, number, notices)
            return
        if head == _UTF8_BOM:
            handle.seek(3)
        number = 0
        while raw := handle.readline(MAX_LINE):
            number += 1
            tally.bytes_read += len(raw)
            if len(raw) == MAX_LINE and not raw.endswith(b"\n"):
                raise BadInputError(
                    f"Line {number} of the file is longer than {MAX_LINE // 1024**2} MB."
                )
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError:
                notices.add(None, _NOT_UTF8)
                line = raw.decode("cp1252", errors="replace")
            line = _clean(line, number, notices)
            if "\r" in line[:-2]:
                yield from _LINE.findall(line)
            else:
                yield line


def _clean(line: str, number: int, notices: Notices) -> str:
    if "\0" not in line and line.isascii():
        return line
    line, n = clean_text(line)
    if n:
        notices.add(None, CLEANED, n)
    return line


class _Lines:
    """An iterator over lines that remembers whether somebody asked for one behind the last."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.has_ended = False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        try:
            return next(self._lines)
        except StopIteration:
            self.has_ended = True
            raise


def _first_record(path: Path, n_skipped: int = 0) -> str:
    """The first lines that belong together because of open quotes, blank lines left out."""
    record = ""
    for number, line in enumerate(text_lines(path, Notices(), Tally())):
        if number < n_skipped or not (record or line.strip()):
            continue
        record += line
        if record.count('"') % 2 == 0 or len(record) > _MAX_HEADER:
            break
    return record
