"""The neutral format as a table: the CSV and Parquet files that our own export writes."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core import flat
from core.ingest import values
from core.ingest.base import Probe
from core.ingest.json_rows import cleaned
from core.ingest.rows import RowReader
from core.ingest.table_csv import text_lines
from core.ingest.textfile import Tally
from core.records import ColumnUse, Item, Notices, Problem

_FIRST = list(flat.TEXT_COLUMNS)
# A context can be longer than the reader's default limit of 131,072 characters.
_CELL_LIMIT = 2**31 - 1
Row = tuple[int, dict[str, Any] | Problem]


class _NeutralTable:
    columns: tuple[ColumnUse, ...] = ()

    def __init__(self) -> None:
        self.bytes_read = 0

    def rows(self, path: Path, notices: Notices) -> Iterator[Row]:
        raise TypeError("each kind of table reads its own rows")

    def read(self, path: Path, notices: Notices, default_run: str) -> Iterator[Item]:
        """Yield runs, samples and problems in file order; see ``Importer.read``."""
        reader = RowReader(default_run, notices)
        for row, cells in self.rows(path, notices):
            if isinstance(cells, Problem):
                yield cells
                continue
            try:
                yield from reader.read(row, cleaned(row, flat.unflatten(cells), notices))
            except RecursionError:
                yield Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")
            except ValueError as error:
                yield Problem(row, str(error))


def _is_text(probe: Probe) -> bool:
    # Of anything else the first line may be as long as the file.
    return probe.head.lstrip(b"\xef\xbb\xbf\xff\xfe\0")[:1] == _FIRST[0][:1].encode()


class NeutralCsvImporter(_NeutralTable):
    """Spreadsheet-safe CSV of our own export; rows count from 1 below the header."""

    format = "neutral-csv"
    title = "RAG Triage CSV"

    def recognises(self, probe: Probe) -> str | None:
        """What is said if the header starts with the columns of our export."""
        first = next(text_lines(probe.path, Notices(), Tally()), "") if _is_text(probe) else ""
        found = first.rstrip("\r\n").split(",")[:4]
        return f"its header begins with {', '.join(_FIRST)}" if found == _FIRST else None

    def rows(self, path: Path, notices: Notices) -> Iterator[Row]:
        """Yield (row, cells by column)."""
        csv.field_size_limit(_CELL_LIMIT)
        row = 0
        tally = Tally()
        # A spreadsheet that saves the export anew may do so in another encoding.
        reader = csv.reader(text_lines(path, notices, tally))
        try:
            header = [flat.unprotect(name) for name in next(reader, [])]
            for row, cells in enumerate(reader, 1):
                self.bytes_read = tally.bytes_read
                if not any(cells):
                    notices.add(row, "The row is blank and was left out.")
                elif len(cells) != len(header):
                    n = f"The row has {len(cells)} cells, the header {len(header)}."
                    yield row, Problem(row, n)
                else:
                    texts = (flat.unprotect(cell) for cell in cells)
                    yield row, dict(zip(header, texts, strict=True))
        except csv.Error as error:
            yield row + 1, Problem(None, f"The file is no CSV behind row {row}: {error}.")


class NeutralParquetImporter(_NeutralTable):
    """Parquet of our own export."""

    format = "neutral-parquet"
    title = "RAG Triage Parquet"

    def recognises(self, probe: Probe) -> str | None:
        """What is said if it is Parquet with the columns of our export."""
        if probe.head[:4] != b"PAR1":
            return None
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            names = pq.read_schema(probe.path).names
        except (pa.ArrowException, OSError, ValueError):
            return None
        is_ours = list(names[:4]) == _FIRST
        return f"it is Parquet whose columns begin with {', '.join(_FIRST)}" if is_ours else None

    def rows(self, path: Path, notices: Notices) -> Iterator[Row]:
        """Yield (row, cells by column)."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        row = 0
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=2_000):
                    self.bytes_read += batch.nbytes
                    for cells in batch.to_pylist():
                        row += 1
                        yield row, cells
        except (pa.ArrowException, OSError) as error:
            problem = f"The file cannot be read as Parquet behind row {row}: {error}"
            yield row + 1, Problem(None, problem.strip())
