"""Pages follow a judge at work with some seconds' delay, and everybody else at once."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.store import writes
from core.store.connection import Store
from core.workflows import jobs
from core.workflows.job_files import jobs_folder
from core.workflows.listing import stored_runs
from dashboard.access import stamps
from dashboard.components import bar

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]

ELSEWHERE = """
import sys
from core.store import queries, writes
from core.store.connection import Store
with Store(sys.argv[1]).writing() as connection:
    run_id = queries.runs(connection)[0].run_id
    writes.rename_run(connection, run_id, sys.argv[2])
    writes.raise_version(connection, run_id)
"""


@pytest.fixture
def store(store_of: StoreOf, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(stamps, "LAG", 3600.0)  # a slow machine must not end it
    return store_of("demo")


def written_elsewhere(store: Store, name: str = "renamed") -> None:
    subprocess.run([sys.executable, "-c", ELSEWHERE, str(store.path), name], check=True)


def job(store: Store, state: str, name: str = "j1") -> None:
    """A job that is at work in a process that lives: this one."""
    jobs_folder(store).mkdir(exist_ok=True)
    run_id = stored_runs(store)[0].run_id
    jobs.write(store, jobs.JobStatus(name, run_id, state, started=time.time(), pid=os.getpid()))


def test_batch_of_a_judge_at_work_waits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    job(store, "running")
    before = stamps.stamp(store)
    written_elsewhere(store)
    assert store.stamp() != before
    assert stamps.stamp(store) == before

    monkeypatch.setattr(stamps, "LAG", 0.0)
    assert stamps.stamp(store) == store.stamp()


def test_lag_ends_with_the_job(store: Store) -> None:
    job(store, "running")
    before = stamps.stamp(store)
    written_elsewhere(store)
    assert stamps.stamp(store) == before

    job(store, "done")
    assert stamps.stamp(store) == store.stamp() != before


def test_end_of_one_of_several_jobs_is_seen_at_once(store: Store) -> None:
    job(store, "running")
    before = stamps.stamp(store)
    job(store, "running", "j2")  # one sample judged again while a batch is at work
    written_elsewhere(store)
    assert stamps.stamp(store) == before

    job(store, "done", "j2")
    assert stamps.stamp(store) == store.stamp() != before


def test_without_a_job_a_write_elsewhere_is_seen_at_once(store: Store) -> None:
    before = stamps.stamp(store)
    written_elsewhere(store)
    assert stamps.stamp(store) == store.stamp() != before


def test_own_write_is_seen_at_once_and_all_that_came_before_it(store: Store) -> None:
    job(store, "running")
    before = stamps.stamp(store)
    written_elsewhere(store)
    run_id = stored_runs(store)[0].run_id
    with store.writing() as connection:
        writes.set_note(connection, run_id, "a note")
    assert stamps.stamp(store) == store.stamp() != before


def test_job_that_ends_while_a_page_is_drawn_has_it_drawn_anew(
    store: Store, start: Start, text_of: TextOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = start("overview", {"run": stored_runs(store)[0].run_id})
    job(store, "running")
    drawn: list[str] = []
    read_on = bar.read_on

    def ended_meanwhile(page: str) -> None:
        # All that the page shows has been read; now come the last batch and the end.
        if not drawn:
            written_elsewhere(store, "name from elsewhere")
            job(store, "done")
        drawn.append(page)
        read_on(page)

    monkeypatch.setattr(bar, "read_on", ended_meanwhile)
    app.run()

    assert len(drawn) == 2
    assert "name from elsewhere" in app.selectbox[0].options


def test_page_shows_the_batch_when_the_job_has_ended(
    store: Store, start: Start, text_of: TextOf
) -> None:
    app = start("overview", {"run": stored_runs(store)[0].run_id})
    job(store, "running")
    written_elsewhere(store, "name from elsewhere")
    app.run()
    assert "name from elsewhere" not in app.selectbox[0].options

    job(store, "done")
    app.run()
    assert "name from elsewhere" in app.selectbox[0].options
