"""Importing a file, against DuckDB's own read_json with declared columns into the same tables.

Wanted: at least 30 % of DuckDB's rate, better 40 %. Ours includes everything from the file to the
committed store: hash, checks, staging, the refusal pattern of each answer, scales, wide rows.
"""

import os
import sys
from importlib.resources import files
from pathlib import Path

import duckdb
import generate
import measure

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.setup import ensure_store

SIZES = (10_000, 100_000)
REPEATS = 3
_COLUMNS = {
    "run": "VARCHAR",
    "sample_id": "VARCHAR",
    "question": "VARCHAR",
    "answer": "VARCHAR",
    "reference": "VARCHAR",
    "contexts": "STRUCT(doc_id VARCHAR, text VARCHAR, rank INTEGER, score DOUBLE)[]",
    "gold_doc_ids": "VARCHAR[]",
    "scores": "MAP(VARCHAR, DOUBLE)",
    "labels": "MAP(VARCHAR, DOUBLE)",
    "tags": "MAP(VARCHAR, VARCHAR)",
}
_FILL = (
    """
    create temp table rows as
    select row_number() over () - 1 as position, *
    from read_json($file, format = 'newline_delimited', columns = $columns)
    """,
    """
    insert into sample by name
    select run as run_id, position, sample_id, false as is_generated_id, position + 1 as source_row,
        coalesce(question, '') as question, coalesce(answer, '') as answer,
        case when reference is null then [] else [reference] end as reference_texts,
        contexts is not null as is_contexts_recorded
    from rows
    """,
    """
    insert into context by name
    select run as run_id, position, c.rank, c.doc_id, c.text, c.score
    from (select run, position, unnest(contexts) as c from rows)
    """,
    """
    insert into gold by name
    select run as run_id, position, generate_subscripts(gold_doc_ids, 1) as n,
        unnest(gold_doc_ids) as doc_id
    from rows
    """,
    """
    insert into verdict by name
    select run as run_id, row_number() over () as verdict_no, position, entry.key as metric,
        0 as repeat, 'file' as judge_id, 'value' as status, entry.value as value,
        now()::timestamp as judged_at
    from (select run, position, unnest(map_entries(scores)) as entry from rows)
    """,
    """
    insert into label by name
    select run as run_id, row_number() over () as label_no, position, entry.key as criterion,
        'file' as rater, entry.value as value, false as is_blind, now()::timestamp as labelled_at
    from (select run, position, unnest(map_entries(labels)) as entry from rows)
    """,
    """
    insert into tag by name
    select run as run_id, position, entry.key as name, entry.value as value
    from (select run, position, unnest(map_entries(tags)) as entry from rows)
    """,
)


def import_ours(file: str, store_path: str) -> None:
    """From the file to the committed store."""
    report = import_file(Store(store_path), Path(file), Options())
    if not report.is_stored:
        raise RuntimeError(report.problems)


def import_by_duckdb(file: str, store_path: str) -> None:
    """The same tables filled by read_json, with the settings of our own connections."""
    config = {"threads": 2, "memory_limit": "1GB", "temp_directory": f"{store_path}.tmp"}
    with duckdb.connect(store_path, config=config) as connection:
        connection.execute("begin")
        first, *others = _FILL
        columns = ", ".join(f"{name!r}: {kind!r}" for name, kind in _COLUMNS.items())
        connection.execute(first.replace("$columns", f"{{{columns}}}"), {"file": file})
        for statement in others:
            connection.execute(statement)
        connection.execute("commit")


def _fresh(name: str, *, ours: bool) -> Path:
    path = generate.folder() / name
    measure.remove_store(path)
    if ours:
        ensure_store(path)
    else:
        with duckdb.connect(str(path)) as connection:
            schema = files("core.store") / "migrations" / "0001_initial.sql"
            connection.execute(schema.read_text(encoding="utf-8"))
    return path


def main(sizes: tuple[int, ...]) -> None:
    """Print rates, ratios and memory for each size."""
    rows = []
    for size in sizes:
        file = generate.jsonl(size)
        taken: dict[str, list[measure.Outcome]] = {"ours": [], "duckdb": []}
        megabytes = 0.0
        # In turn, so that a load of the machine meets both.
        for _ in range(REPEATS):
            for name, function in (("ours", import_ours), ("duckdb", import_by_duckdb)):
                path = _fresh(f"import-{name}-{os.getpid()}.duckdb", ours=name == "ours")
                taken[name].append(measure.in_own_process(function, str(file), str(path)))
                if name == "ours":
                    megabytes = measure.files_mb(path)
                measure.remove_store(path)
        seconds = {name: min(one.seconds for one in found) for name, found in taken.items()}
        processor = {
            name: min(one.processor_seconds for one in found) for name, found in taken.items()
        }
        peak = {name: max(one.peak_mb for one in found) for name, found in taken.items()}
        rows.append(
            (
                f"{size:,}",
                f"{file.stat().st_size / 1e6:,.0f}",
                f"{size / seconds['ours']:,.0f}",
                f"{size / seconds['duckdb']:,.0f}",
                f"{seconds['duckdb'] / seconds['ours']:.0%}",
                f"{processor['duckdb'] / processor['ours']:.0%}",
                f"{peak['ours']:,.0f}",
                f"{peak['duckdb']:,.0f}",
                f"{megabytes:,.0f}",
            )
        )
    measure.table(
        f"Import (best of {REPEATS}; wanted: 40 % of the rate of read_json, required 30 %)",
        (
            *("samples", "file MB", "samples/s", "read_json", "ratio", "by CPU time"),
            *("peak MB", "its peak", "store MB"),
        ),
        rows,
    )


if __name__ == "__main__":
    measure.serve(globals())
    main(tuple(int(size) for size in sys.argv[1:]) or SIZES)
