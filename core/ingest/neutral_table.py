"""The neutral format as a table: the CSV and Parquet files that our own export writes."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core import flat
from core.ingest.base import Probe
from core.ingest.export_fields import FieldError
from core.ingest.neutral import RowError, RowReader, cleaned
from core.records import Item, Notices, Problem

_FIRST = list(flat.TEXT_COLUMNS)
# A context can be longer than the reader's default limit of 131,072 characters.
_CELL_LIMIT = 2**31 - 1


class _NeutralTable:
    def __init__(self) -> None:
        self.bytes_read = 0

    def rows(self, path: Path) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
        raise TypeError("each kind of table reads its own rows")

    def read(self, path: Path, notices: Notices) -> Iterator[Item]:
        """Yield runs, samples and problems in file order; see ``Importer.read``."""
        reader = RowReader(path.stem, notices)
        for row, cells in self.rows(path):
            if isinstance(cells, Problem):
                yield cells
                continue
            try:
                yield from reader.read(row, cleaned(row, flat.unflatten(cells), notices))
            except (RowError, FieldError, ValueError) as error:
                yield Problem(row, str(error))


class NeutralCsvImporter(_NeutralTable):
    """Spreadsheet-safe CSV of our own export; rows count from 1 below the header."""

    format = "neutral-csv"
    title = "RAG Triage CSV"

    def recognises(self, probe: Probe) -> bool:
        """True if the header starts with the columns of our export."""
        head = probe.head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
        return head.decode("utf-8", "replace").rstrip("\r").split(",")[:4] == _FIRST

    def rows(self, path: Path) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
        """Yield (row, cells by column)."""
        csv.field_size_limit(_CELL_LIMIT)
        with path.open("r", encoding="utf-8-sig", errors="replace", newline="") as handle:
            reader = csv.reader(handle)
            header = [flat.unprotect(name) for name in next(reader)]
            for row, cells in enumerate(reader, 1):
                if len(cells) != len(header):
                    yield (
                        row,
                        Problem(row, f"The row has {len(cells)} cells, the header {len(header)}."),
                    )
                    continue
                texts = (flat.unprotect(cell) for cell in cells)
                self.bytes_read += sum(map(len, cells))
                yield row, dict(zip(header, texts, strict=True))


class NeutralParquetImporter(_NeutralTable):
    """Parquet of our own export."""

    format = "neutral-parquet"
    title = "RAG Triage Parquet"

    def recognises(self, probe: Probe) -> bool:
        """True if it is Parquet with the columns of our export."""
        if probe.head[:4] != b"PAR1":
            return False
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            names = pq.read_schema(probe.path).names
        except pa.ArrowException:
            return False
        return list(names[:4]) == _FIRST

    def rows(self, path: Path) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
        """Yield (row, cells by column)."""
        import pyarrow.parquet as pq

        row = 0
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=2_000):
                self.bytes_read += batch.nbytes
                for cells in batch.to_pylist():
                    row += 1
                    yield row, cells
