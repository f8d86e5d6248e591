"""Writing records as a table: spreadsheet-safe CSV, or Parquet."""

import csv
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core import flat
from core.store.samples import ColumnNames

_BATCH = 5_000


def write_csv(records: Iterator[dict[str, Any]], names: ColumnNames, path: Path) -> int:
    """Write records as UTF-8 CSV with a header; returns how many."""
    header = flat.columns(names.metrics, names.criteria, names.tags)
    n = 0
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, header, restval="")
        writer.writerow({column: flat.protect(column) for column in header})
        for record in records:
            row = flat.flatten(record)
            writer.writerow(
                {
                    column: flat.protect(value) if isinstance(value, str) else value
                    for column, value in row.items()
                }
            )
            n += 1
    return n


def write_parquet(records: Iterator[dict[str, Any]], names: ColumnNames, path: Path) -> int:
    """Write records as Parquet, compressed with zstd; returns how many."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    header = flat.columns(names.metrics, names.criteria, names.tags)
    numbers = {*flat.NUMBER_COLUMNS, *(f"score.{name}" for name in names.metrics)}
    schema = pa.schema(
        [(name, pa.float64() if name in numbers else pa.string()) for name in header]
    )
    n = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(itertools.islice(records, _BATCH)):
            rows = [_typed(flat.flatten(record), numbers) for record in batch]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            n += len(batch)
    return n


def _typed(row: dict[str, Any], numbers: set[str]) -> dict[str, Any]:
    return {
        name: float(value) if name in numbers else value if isinstance(value, str) else str(value)
        for name, value in row.items()
    }
