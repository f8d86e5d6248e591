"""Creating, migrating, recovering and refusing a store."""

import signal
import struct
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from core.errors import StoreDamagedError, StoreVersionError
from core.store.connection import Store
from core.store.leftovers import staging_folder
from core.store.schema import Migration, ensure, migrations


def tables_of(store: Store) -> set[str]:
    with store.reading() as connection:
        return {
            name
            for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()
        }


def versions_of(store: Store) -> list[int]:
    with store.reading() as connection:
        return [
            v for (v,) in connection.execute("select version from migration order by 1").fetchall()
        ]


def test_store_is_created_once_and_a_second_start_changes_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "folder" / "store.duckdb")

    first = ensure(store)
    stamp = store.stamp()
    second = ensure(store)

    assert first.created
    assert first.applied == [step.name for step in migrations()]
    assert (second.created, second.applied, second.messages) == (False, [], [])
    assert store.stamp() == stamp
    assert versions_of(store) == [step.version for step in migrations()]
    assert sorted(path.name for path in store.path.parent.iterdir()) == [
        "store.duckdb",
        "store.duckdb.writer",
    ]


def test_a_start_that_was_killed_while_it_created_the_store_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    path.touch()
    Path(f"{path}.unfinished").write_bytes(b"half a store")

    done = ensure(Store(path))

    assert done.created
    assert "sample" in tables_of(Store(path))
    assert not Path(f"{path}.unfinished").exists()


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("verdict", "value = 'NaN'::double"),
        ("verdict", "value = 'Infinity'::double"),
        ("verdict", "status = 'fine'"),
        ("verdict", "value = null"),
        ("verdict", "status = 'error'"),
        ("verdict", "status = 'not_applicable', value = null, cause = null"),
        ("verdict", "metric = null"),
        ("context", "rank = 0"),
        ("context", "score = 'NaN'::double"),
        ("gold", "doc_id = null, text = null"),
        ("gold", "grade = '-Infinity'::double"),
        ("label", "value = 'NaN'::double"),
        ("sample", "latency = 'NaN'::double"),
        ("sample", "question = null"),
        ("judge", "kind = 'person'"),
        ("run", "data_version = 0"),
        ("run", "n_samples = -1"),
        ("run_metric", "direction = 'up'"),
        ("run_metric", "hi = 'Infinity'::double"),
        ("wide_selection", "aggregate = 'sum'"),
    ],
)
def test_schema_refuses(table: str, values: str, demo_store: Store) -> None:
    """B13, B27: no NaN gets into a score; DuckDB would take it for the largest number."""
    with (
        pytest.raises(duckdb.ConstraintException),
        demo_store.writing() as connection,
    ):
        connection.execute(f"update {table} set {values}")


def append_nan(store: Store) -> None:
    with store.writing() as connection:
        row = connection.execute("select * from verdict where value > 0 limit 1").fetchall()[0]
        place = [column[0] for column in connection.description or ()].index("value")
        appender = connection.appender("verdict")
        appender.append_row(*row[:place], float("nan"), *row[place + 1 :])
        appender.flush()


def test_b27_appender_cannot_bring_in_a_nan(demo_store: Store) -> None:
    before = _count(demo_store, "verdict")

    with pytest.raises(duckdb.ConstraintException):
        append_nan(demo_store)

    assert _count(demo_store, "verdict") == before


# --- migrations -----------------------------------------------------------------------------------


def test_b83_migration_backs_up_first_and_is_applied_once(demo_store: Store) -> None:
    n_samples = _count(demo_store, "sample")
    steps = [
        *migrations(),
        Migration(99, "add_colour", "alter table run add column colour varchar"),
    ]

    done = ensure(demo_store, steps)
    again = ensure(demo_store, steps)

    assert done.applied == ["add_colour"]
    assert again.applied == []
    assert _count(demo_store, "sample") == n_samples
    last = migrations()[-1].version
    backup = Store(demo_store.path.with_name(f"{demo_store.path.name}.v{last}.backup"))
    assert _count(backup, "sample") == n_samples
    assert versions_of(backup) == [step.version for step in migrations()]
    assert backup.path.name in done.messages[0]
    # Nothing of the new schema hangs in a log that a crash could make unreadable.
    assert not Path(f"{demo_store.path}.wal").exists()


def test_b85_failed_migration_is_taken_back_whole(demo_store: Store) -> None:
    broken = Migration(99, "broken", "alter table run add column a varchar; select no_such_column")

    with pytest.raises(StoreDamagedError, match=f"schema version {migrations()[-1].version} "):
        ensure(demo_store, [*migrations(), broken])

    assert versions_of(demo_store) == [step.version for step in migrations()]
    with demo_store.reading() as connection:
        assert "a" not in [c[0] for c in connection.execute("select * from run").description]


def test_b84_store_of_a_newer_version_is_refused_and_left_alone(demo_store: Store) -> None:
    with demo_store.writing() as connection:
        connection.execute("insert into migration values (99, 'later', now()::timestamp)")
    before = demo_store.path.read_bytes()

    with pytest.raises(
        StoreVersionError, match=rf"version 99.* knows {migrations()[-1].version}\."
    ):
        ensure(demo_store)

    assert demo_store.path.read_bytes() == before


def test_b84_file_of_a_newer_duckdb_is_refused_with_both_versions(demo_store: Store) -> None:
    """The version stands at byte 12 of the file's first block, which begins with its checksum."""
    content = demo_store.path.read_bytes()
    block = content[8:12] + struct.pack("<Q", 1234) + content[20:4096]
    demo_store.path.write_bytes(struct.pack("<Q", _checksum(block)) + block + content[4096:])
    before = demo_store.path.read_bytes()

    with pytest.raises(StoreVersionError, match=r"1234.*Update RAG Triage") as raised:
        ensure(demo_store)

    assert duckdb.__version__ in str(raised.value)
    assert demo_store.path.read_bytes() == before


def _checksum(block: bytes) -> int:
    result = 5381
    for (word,) in struct.iter_unpack("<Q", block):
        result ^= word * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    return result


# --- what is no store -----------------------------------------------------------------------------


def test_other_database_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table sales (amount double)")

    with pytest.raises(StoreDamagedError, match="no RAG Triage store"):
        ensure(Store(path))


@pytest.mark.parametrize("name", ["notes.txt", "clock-blocks.txt"])
def test_text_file_is_no_store_whatever_its_name(name: str, tmp_path: Path) -> None:
    """A path or a message that contains "lock" is no lock: it must not wait, but say so."""
    path = tmp_path / name
    path.write_text("remember the milk\n" * 500, encoding="utf-8")

    with pytest.raises(StoreDamagedError, match="cannot be read as a store"):
        ensure(Store(path))


def test_b82_damaged_block_is_named_as_damage(demo_store: Store) -> None:
    """DuckDB says "Corrupt database file … in block", which is no lock either."""
    content = bytearray(demo_store.path.read_bytes())
    for start in range(12_288, len(content) - 300, 4_096):
        content[start + 200 : start + 260] = b"\xff" * 60
    demo_store.path.write_bytes(content)

    with pytest.raises(StoreDamagedError, match="Corrupt database"):
        ensure(demo_store)


# --- a log that was left behind -------------------------------------------------------------------

KILLED = """
import os, signal, sys
import duckdb
connection = duckdb.connect(sys.argv[1])
connection.execute("insert into saved_filter values ('kept', 'q', now()::timestamp)")
os.kill(os.getpid(), signal.SIGKILL)
"""


def leave_a_log(path: Path) -> Path:
    """A process writes to the store and is killed before it closes it."""
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    log = Path(f"{path}.wal")
    assert log.stat().st_size > 0
    return log


def test_left_over_log_is_taken_in_and_a_copy_kept(demo_store: Store) -> None:
    log = leave_a_log(demo_store.path)

    done = ensure(demo_store)

    assert _count(demo_store, "saved_filter") == 1
    assert not log.exists()
    (copy,) = demo_store.path.parent.glob("*.wal.copy-*")
    assert copy.name in done.messages[0]


def test_b81_unreadable_log_is_set_aside_and_the_store_opens(
    demo_store: Store, tmp_path: Path
) -> None:
    """Here the log of another store; DuckDB refuses to open this one with it."""
    other = tmp_path / "other.duckdb"
    ensure(Store(other))
    foreign = leave_a_log(other).read_bytes()
    log = Path(f"{demo_store.path}.wal")
    log.write_bytes(foreign)

    done = ensure(demo_store)

    assert _count(demo_store, "run") == 2
    (aside,) = demo_store.path.parent.glob("demo.duckdb.wal.unreadable-*")
    assert aside.read_bytes() == foreign
    assert aside.name in done.messages[0]
    assert "may be missing" in done.messages[0]
    assert ensure(demo_store).messages == []


def test_b81_garbage_in_the_log_is_kept(demo_store: Store) -> None:
    """DuckDB passes over it in silence and deletes the log, so a copy has to be made before."""
    Path(f"{demo_store.path}.wal").write_bytes(b"garbage " * 40)

    done = ensure(demo_store)

    assert _count(demo_store, "run") == 2
    (copy,) = demo_store.path.parent.glob("*.wal.copy-*")
    assert copy.read_bytes() == b"garbage " * 40
    assert done.messages


def test_log_of_a_store_that_was_deleted_does_not_enter_the_next(demo_store: Store) -> None:
    leave_a_log(demo_store.path)
    demo_store.path.unlink()

    done = ensure(demo_store)

    assert done.created
    assert _count(demo_store, "saved_filter") == 0
    assert list(demo_store.path.parent.glob("*.wal.unreadable-*"))


# --- leftovers ------------------------------------------------------------------------------------


def test_staging_of_a_dead_process_is_removed_and_that_of_a_living_one_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.duckdb")
    ensure(store)
    dead = tmp_path / "store.duckdb.staging-dead"
    (dead / "tmp").mkdir(parents=True)
    (dead / "lock").touch()
    (dead / "staging.duckdb").write_bytes(b"rows")
    spilled = tmp_path / "store.duckdb.tmp-4194305"  # above the largest process id of Linux
    spilled.mkdir()
    (spilled / "block.tmp").write_bytes(b"rows")

    with staging_folder(store.path) as living:
        ensure(store)
        assert living.is_dir()

    assert not dead.exists()
    assert not spilled.exists()
    assert not living.exists()


def _count(store: Store, table: str) -> int:
    with store.reading() as connection:
        return int(connection.execute(f"select count(*) from {table}").fetchall()[0][0])
