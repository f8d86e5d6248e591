"""Files that are packed with gzip."""

import gzip
import json
from pathlib import Path

import pytest

from core.errors import BadInputError
from core.ingest.mapping_toml import loads
from core.store.connection import Store
from core.workflows.importing import Options, import_file, try_import
from core.workflows.join_report import How
from core.workflows.joining import join_file
from core.workflows.unpacking import plain_name

ROWS = "".join(json.dumps({"sample_id": f"s{i}", "question": f"q{i}?"}) + "\n" for i in range(3))


def packed(tmp_path: Path, text: str, name: str = "mine.jsonl.gz") -> Path:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


def left_beside(store: Store) -> list[Path]:
    return list(store.path.parent.glob(f"{store.path.name}.staging-*"))


@pytest.mark.parametrize(
    ("name", "plain"),
    [("a.csv.gz", "a.csv"), ("A.CSV.GZ", "A.CSV"), ("a.csv", "a.csv"), (".gz", ".gz")],
)
def test_the_ending_for_gzip_is_taken_off(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_a_packed_file_imports_like_the_plain_one(tmp_path: Path, fresh_store: Store) -> None:
    plain = tmp_path / "mine.jsonl"
    plain.write_text(ROWS, encoding="utf-8")
    expected = import_file(fresh_store, plain, Options(is_dry_run=True))

    report = import_file(fresh_store, packed(tmp_path, ROWS))

    assert report.is_stored
    # The same content has the same links, packed or not.
    assert report.runs == expected.runs
    assert report.runs[0].name == "mine"
    assert left_beside(fresh_store) == []


def test_the_same_content_is_known_packed_or_not(tmp_path: Path, fresh_store: Store) -> None:
    first = import_file(fresh_store, packed(tmp_path, ROWS))
    plain = tmp_path / "other.jsonl"
    plain.write_text(ROWS, encoding="utf-8")

    again = import_file(fresh_store, plain)

    assert again.duplicate_of is not None
    assert again.duplicate_of["run_ids"] == [first.runs[0].run_id]


def test_a_packed_table_is_read_by_a_map(tmp_path: Path, fresh_store: Store) -> None:
    path = packed(tmp_path, "prompt,out\nwhy?,so\n", "table.csv.gz")
    mapping = loads('[columns]\nprompt = "question"\nout = "answer"')

    (run,) = import_file(fresh_store, path, Options(mapping=mapping)).runs

    assert (run.name, run.samples) == ("table", 1)


def test_packed_scores_are_joined_to_a_run(tmp_path: Path, fresh_store: Store) -> None:
    import_file(fresh_store, packed(tmp_path, ROWS))
    path = packed(tmp_path, "sample_id,judged\ns0,1\ns2,0\n", "scores.csv.gz")
    mapping = loads('[columns]\nsample_id = "sample_id"\njudged = "metric"')

    report = join_file(fresh_store, path, How("mine"), Options(mapping=mapping))

    assert (report.is_stored, report.n_matched) == (True, 2)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (gzip.compress(ROWS.encode(), mtime=0)[:-9], "mine.gz is damaged gzip"),
        (b"\x1f\x8b\x08rest", "mine.gz is damaged gzip"),
        (gzip.compress(ROWS.encode(), mtime=0) + b"not gzip", "mine.gz is damaged gzip"),
        (gzip.compress(b"\x1f\x8b\x08 again", mtime=0), "mine.gz is packed with gzip"),
        (gzip.compress(b"", mtime=0), "mine.gz is empty"),
    ],
)
def test_a_damaged_packed_file_is_refused_in_words(
    tmp_path: Path, fresh_store: Store, content: bytes, problem: str
) -> None:
    path = tmp_path / "mine.gz"
    path.write_bytes(content)

    report = try_import(fresh_store, path)

    assert not report.is_stored
    assert problem in report.problems[0].problem
    assert left_beside(fresh_store) == []


def test_a_small_file_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, fresh_store: Store
) -> None:
    path = packed(tmp_path, "x" * 40_000)
    assert path.stat().st_size < 1_000

    with pytest.raises(BadInputError, match="unpacks to more than the limit of 1,000 bytes"):
        import_file(fresh_store, path, Options(max_size=1_000))

    assert left_beside(fresh_store) == []
