"""Damaged files: each is imported, refused row by row, or refused in words; never half stored."""

import csv
import io
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadInputError
from core.ingest.formats import recognise
from core.ingest.mapped import MappedImporter
from core.ingest.preview import preview
from core.records import Notices, ParsedRun, ParsedSample, Problem
from core.store.connection import Store
from core.workflows.import_options import Options
from core.workflows.importing import import_file
from core.workflows.setup import ensure_store

QUESTIONS = ("What is covered?", "Who may apply, and when?", "Hvad koster det – i alt?")
ROWS: list[dict[str, Any]] = [
    {
        "id": f"00{n}",
        "user_input": question,
        "response": ["None", 'She said "yes"\nand left', ""][n],
        "retrieved_contexts": [f"context {n}, a", "it's b"][: n % 3],
        "reference": ["x", "NA", "y"][n],
        "faithfulness": [0.5, None, 1][n],
        "answer_relevancy": [0, float("nan"), 0.75][n],
        "label": [1, 0, 1][n],
    }
    for n, question in enumerate(QUESTIONS)
]


def _csv() -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(ROWS[0])
    writer.writerows([["" if v is None else v for v in row.values()] for row in ROWS])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def _excel() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(list(ROWS[0]))
    for row in ROWS:
        book.active.append([str(v) if isinstance(v, list) else v for v in row.values()])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _parquet() -> bytes:
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(ROWS), out)
    return bytes(out.getvalue().to_pybytes())


def _annotations() -> bytes:
    items = [
        {"metric_input": {"user_input": row["user_input"], "response": row["response"]},
         "metric_output": row["label"], "is_accepted": bool(n), "target": None}
        for n, row in enumerate(ROWS)
    ]  # fmt: skip
    return json.dumps({"helpful": items, "harmful": items[:1]}, indent=1).encode()


def _neutral() -> bytes:
    rows = [
        {"run": "r", "sample_id": row["id"], "question": row["user_input"],
         "answer": row["response"], "contexts": [{"text": t} for t in row["retrieved_contexts"]],
         "scores": {"m": row["faithfulness"]}, "labels": {"correct": row["label"]}}
        for row in ROWS
    ]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


FILES: dict[str, bytes] = {
    "comma.csv": _csv(),
    "semicolon.csv": "question;answer;my_score\nhvad?;ja;0,5\nhvor?;nej;1\n".encode("cp1252"),
    "lines.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "array.json": json.dumps(ROWS, indent=1).encode(),
    "split.json": json.dumps(
        {"columns": list(ROWS[0]), "data": [list(row.values()) for row in ROWS]}
    ).encode(),
    "annotations.json": _annotations(),
    "neutral.jsonl": _neutral(),
    "table.parquet": _parquet(),
    "book.xlsx": _excel(),
}
NAMES = sorted(FILES)

_MUTATIONS = ("cut", "noise", "insert", "delete", "shuffle lines", "wrong types", "columns")


def mutated(content: bytes, kind: str, rng: random.Random) -> bytes:
    """The file with one kind of damage."""
    size = len(content)
    if kind == "cut":
        return content[: rng.randrange(size + 1)]
    if kind == "noise":
        found = bytearray(content)
        for _ in range(rng.randint(1, 20)):
            found[rng.randrange(size)] = rng.randrange(256)
        return bytes(found)
    if kind in ("insert", "delete"):
        start = rng.randrange(size)
        if kind == "delete":
            return content[:start] + content[start + rng.randint(1, 60) :]
        pieces = (b'"', b"\0", b"\xff\xfe", b"[", b"}", b"\\ud800", b"\n\n", b",,,", b"'", b"\r")
        return content[:start] + rng.choice(pieces) * rng.randint(1, 3) + content[start:]
    if kind == "shuffle lines":
        lines = content.split(b"\n")
        rng.shuffle(lines)
        return b"\n".join(lines)
    if kind == "wrong types":
        values = (b"null", b"{}", b"[[[]]]", b"NaN", b"1e400", b'"x"', b"-1", b"true", b"9" * 400)
        marks = [i for i, byte in enumerate(content) if byte in b",:;"] or [0]
        for at in sorted(rng.sample(marks, min(3, len(marks))), reverse=True):
            content = content[: at + 1] + rng.choice(values) + content[at + 1 :]
        return content
    words = [w for w in (b"user_input", b"response", b"faithfulness", b"question", b"id")
             if w in content]  # fmt: skip
    if not words:
        return content[: size // 2]
    new = rng.choice((b"", b"x", b"contexts", b"id", b"retrieved_context_ids", b"error", b"run"))
    return content.replace(rng.choice(words), new)


@contextmanager
def refused_in_words() -> Iterator[None]:
    """Lets nothing pass but a refusal that says something."""
    try:
        yield
    except BadInputError as error:
        if not str(error):
            raise


def read(path: Path) -> Iterator[object]:
    """All that comes out of a file, first by itself and then by the map that is suggested."""
    with refused_in_words():
        yield from recognise(path).importer.read(path, Notices(), "run")
    with refused_in_words():
        yield from MappedImporter(preview(path).mapping).read(path, Notices(), "run")


@pytest.mark.parametrize("name", NAMES)
def test_unharmed_files_are_read_without_a_problem(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    items = list(read(path))
    assert items
    assert not [item for item in items if isinstance(item, Problem)]


@given(st.sampled_from(NAMES), st.sampled_from(_MUTATIONS), st.integers(0, 2**32))
@settings(max_examples=250)
def test_a_damaged_file_yields_samples_problems_or_a_refusal_in_words(
    tmp_path_factory: pytest.TempPathFactory, name: str, kind: str, seed: int
) -> None:
    path = tmp_path_factory.mktemp("mutated") / name
    path.write_bytes(mutated(FILES[name], kind, random.Random(seed)))
    for item in read(path):
        assert isinstance(item, ParsedSample | ParsedRun | Problem)
        if isinstance(item, Problem):
            assert item.problem


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return ensure_store(tmp_path_factory.mktemp("store") / "store.duckdb")[0]


def inconsistencies(store: Store) -> list[tuple[Any, ...]]:
    """Runs whose samples are not all there, and rows that belong to no run."""
    with store.reading() as connection:
        return connection.execute(
            """
            select run.run_id, n_samples, count(sample.position)
            from run left join sample using (run_id)
            group by all having n_samples <> count(sample.position)
            union all
            select run_id, 0, count(*) from sample anti join run using (run_id) group by all
            union all
            select run_id, 0, count(*)
            from (select run_id, position from verdict union all
                  select run_id, position from context union all
                  select run_id, position from label union all
                  select run_id, position from gold)
            anti join sample using (run_id, position) group by all
            """
        ).fetchall()


@given(st.sampled_from(NAMES), st.sampled_from(_MUTATIONS), st.integers(0, 2**32), st.booleans())
@settings(max_examples=40)
def test_a_damaged_file_is_stored_whole_or_not_at_all(
    store: Store,
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    kind: str,
    seed: int,
    skip: bool,
) -> None:
    path = tmp_path_factory.mktemp("mutated") / name
    path.write_bytes(mutated(FILES[name], kind, random.Random(seed)))
    with refused_in_words():
        report = import_file(store, path, Options(skip_bad_rows=skip))
        json.dumps(report.as_json(), allow_nan=False)
        assert report.is_stored or report.problems or report.duplicate_of
    assert inconsistencies(store) == []


@pytest.mark.parametrize("seed", range(8))
def test_damaged_real_files_yield_samples_problems_or_a_refusal_in_words(
    samples_dir: Path, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    files = sorted(p for p in samples_dir.rglob("*") if p.is_file() and p.stat().st_size < 60_000)
    for original in files:
        path = tmp_path / original.name[-60:]
        path.write_bytes(mutated(original.read_bytes(), rng.choice(_MUTATIONS), rng))
        for item in read(path):
            assert isinstance(item, ParsedSample | ParsedRun | Problem)
