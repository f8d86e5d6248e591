"""Who may open the store when: threads of one process, and processes that hold it."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import NotFoundError, RagTriageError, StoreBusyError
from core.store import queries, writes
from core.store.connection import Store

HOLDER = """
import sys, time
from core.store.connection import Store
store = Store(sys.argv[1])
with getattr(store, sys.argv[2])():
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(store: Store, how: str) -> Iterator[int]:
    """Another process holds the store, "reading" or "writing"; yields its id."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store.path), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        yield process.pid
    finally:
        process.stdin.close()
        process.stdout.close()
        assert process.wait() == 0


def run_names(store: Store, wait: float = 10.0) -> list[str]:
    with store.reading(wait) as connection:
        return [run.name for run in queries.runs(connection)]


def set_note(store: Store, wait: float = 10.0) -> None:
    with store.writing(wait) as connection:
        writes.set_note(connection, queries.runs(connection)[0].run_id, "a note")


# --- processes ------------------------------------------------------------------------------------


def test_b77_read_names_the_process_that_writes(demo_store: Store) -> None:
    with (
        held(demo_store, "writing") as pid,
        pytest.raises(StoreBusyError, match=f"held by process {pid}, and a read waited 0.1 s"),
    ):
        run_names(demo_store, wait=0.1)


@pytest.mark.parametrize("how", ["reading", "writing"])
def test_b77_write_names_the_process_that_holds_the_store(how: str, demo_store: Store) -> None:
    with (
        held(demo_store, how) as pid,
        pytest.raises(StoreBusyError, match=f"held by process {pid}, and a write waited"),
    ):
        set_note(demo_store, wait=0.1)

    set_note(demo_store)


def test_readers_of_several_processes_do_not_get_in_each_others_way(demo_store: Store) -> None:
    with held(demo_store, "reading"):
        assert len(run_names(demo_store, wait=0.5)) == 2


def test_readers_that_look_at_the_lock_at_once_all_get_in(demo_store: Store) -> None:
    """Each takes the lock for a moment, shared: none may take another for a writer."""
    busy: list[str] = []
    start = threading.Barrier(8)

    def read() -> None:
        start.wait()
        for _ in range(40):
            holder = demo_store._writer()
            if holder is not None:
                busy.append(holder)

    in_threads(read, 8)

    assert busy == []


def test_new_readers_wait_behind_a_waiting_writer(demo_store: Store) -> None:
    """Else pages that poll could keep a writer out for ever."""
    written = threading.Event()

    def write() -> None:
        set_note(demo_store)
        written.set()

    with held(demo_store, "reading"):
        writer = threading.Thread(target=write)
        writer.start()
        while demo_store._writer() is None:
            pass
        with pytest.raises(StoreBusyError, match=f"process {os.getpid()} .this one."):
            run_names(demo_store, wait=0.05)
        assert not written.is_set()
    writer.join()

    assert written.is_set()


def test_readers_wait_behind_a_writer_of_another_process_that_still_waits_itself(
    demo_store: Store,
) -> None:
    command = [sys.executable, "-c", HOLDER, str(demo_store.path), "writing"]
    with held(demo_store, "reading"):
        writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while demo_store._writer() is None:
            pass
        with pytest.raises(StoreBusyError, match=f"held by process {writer.pid}, and a read"):
            run_names(demo_store, wait=0.05)
    # The reader before it has gone: now the writer gets in.
    assert writer.stdout is not None
    assert writer.stdout.readline() == "held\n"
    writer.communicate()

    assert len(run_names(demo_store)) == 2


def test_lock_file_of_a_dead_process_keeps_nobody_out(demo_store: Store) -> None:
    Path(f"{demo_store.path}.writer").write_text("4194305", encoding="utf-8")

    assert len(run_names(demo_store, wait=0.5)) == 2
    set_note(demo_store, wait=0.5)


# --- threads --------------------------------------------------------------------------------------


def in_threads(work: Callable[[], None], n: int) -> None:
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_burst_within_a_burst_does_not_wait_for_a_writer_that_waits_for_it(
    demo_store: Store,
) -> None:
    names: list[str] = []
    writer = threading.Thread(target=set_note, args=(demo_store,))
    with demo_store.reading() as outer:
        writer.start()
        while demo_store._writer() is None:
            pass
        with demo_store.reading(wait=0.5) as inner:
            names = [run.name for run in queries.runs(inner)]
        # The outer connection is still open and its own.
        assert [run.name for run in queries.runs(outer)] == names
    writer.join()

    assert len(names) == 2
    with demo_store.reading() as connection:
        assert queries.runs(connection)[0].note == "a note"


def test_reads_of_a_burst_share_one_opening_and_no_read_needs_none(
    demo_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[bool] = []
    connect = Store._connect

    def counted(self: Store, memory: str, *, read_only: bool) -> object:
        opened.append(read_only)
        return connect(self, memory, read_only=read_only)

    monkeypatch.setattr(Store, "_connect", counted)
    with demo_store.burst():
        assert opened == []
        first = run_names(demo_store)
        with demo_store.burst():
            assert run_names(demo_store) == first
        assert opened == [True]
    set_note(demo_store)  # the burst has let go of the file
    with demo_store.burst():
        set_note(demo_store)  # and one that has read nothing stands in nobody's way
        assert len(run_names(demo_store)) == 2
        with pytest.raises(RuntimeError, match="waits for itself"):
            set_note(demo_store)
    assert opened == [True, False, False, True]


def test_burst_without_a_read_does_not_wait_for_a_writer(demo_store: Store) -> None:
    with held(demo_store, "writing"):
        with demo_store.burst():
            pass
        with demo_store.burst(), pytest.raises(StoreBusyError):
            run_names(demo_store, wait=0.05)


def test_error_within_a_burst_lets_go_of_the_file(demo_store: Store) -> None:
    def fail() -> None:
        with demo_store.burst():
            run_names(demo_store)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    set_note(demo_store)


def test_thread_that_would_wait_for_itself_is_told_at_once(demo_store: Store) -> None:
    with demo_store.reading(), pytest.raises(RuntimeError, match="waits for itself"):
        set_note(demo_store)
    with demo_store.writing(), pytest.raises(RuntimeError, match="its own connection"):
        run_names(demo_store)
    set_note(demo_store)


def test_b79_eight_threads_read_and_write_the_same_store(demo_store: Store) -> None:
    """A connection shared by threads gave wrong rows in silence; here each burst has its own."""
    with demo_store.reading() as connection:
        run = queries.runs(connection)[0]
        expected = len(queries.tag_values(connection, run.run_id))
    assert expected > 0
    wrong: list[object] = []
    number = iter(range(1_000_000))

    def work() -> None:
        for turn in range(12):
            if turn % 6 == 5:
                with demo_store.writing() as connection:
                    writes.append_label(
                        connection, run.run_id, "q01", 0, criterion="seen",
                        rater=f"rater {next(number)}", value=1.0,
                    )  # fmt: skip
            else:
                with demo_store.reading() as connection:
                    found = queries.tag_values(connection, run.run_id)
                    rows = queries.runs(connection)
                if len(found) != expected or len(rows) != 2:
                    wrong.append((found, rows))

    in_threads(work, 8)

    assert wrong == []
    with demo_store.reading() as connection:
        labels = connection.execute(
            "select label_no, rater from label where criterion = 'seen'"
        ).fetchall()
    assert len({number for number, _ in labels}) == len({rater for _, rater in labels}) == 16


# --- errors within a burst ------------------------------------------------------------------------


def rename_and_fail(store: Store) -> None:
    with store.writing() as connection:
        writes.rename_run(connection, queries.runs(connection)[0].run_id, "another name")
        raise ZeroDivisionError


def test_error_within_a_write_takes_everything_back(demo_store: Store) -> None:
    before = run_names(demo_store)

    with pytest.raises(ZeroDivisionError):
        rename_and_fail(demo_store)

    assert run_names(demo_store) == before


def test_store_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"There is no store .*none\.duckdb"):
        run_names(Store(tmp_path / "none.duckdb"))


def ask_for_too_much(store: Store) -> None:
    with store.reading() as connection:
        connection.execute("set memory_limit = '1MB'")
        connection.execute("select list(range) from range(10_000_000)").fetchall()


def test_too_little_memory_is_said_in_words(demo_store: Store) -> None:
    with pytest.raises(RagTriageError, match="memory or the disk space"):
        ask_for_too_much(demo_store)
