"""Ctrl-C during ``ragtriage judge``: one sentence, all that was asked saved, nothing left over."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.setup import ensure_store

PATIENCE = 60.0
N = 40


def start(store: Store, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "core.cli", "judge", "r", *arguments, "--store", str(store.path)],
        env={**os.environ, "OPENAI_API_KEY": "sk-canary-0b1c2d3e4f"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A terminal sends Ctrl-C to the whole group; the test must not be in it.
        start_new_session=True,
    )


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def n_saved(store: Store) -> int:
    with store.reading() as connection:
        (row,) = connection.execute(
            "select count(*) from verdict join judge using (judge_id) where kind = 'llm'"
        ).fetchall()
    return int(row[0])


def is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def fresh(tmp_path: Path, jsonl: Callable[..., Path]) -> Store:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    rows = [
        {"run": "r", "sample_id": f"s{n:02}", "question": f"Stop {n}?", "answer": "Yes."}
        for n in range(N)
    ]
    assert import_file(store, jsonl(*rows), Options()).is_stored
    return store


def test_ctrl_c_saves_says_how_to_go_on_and_the_same_command_does_the_rest(
    bench: Any, tmp_path: Path, jsonl: Callable[..., Path]
) -> None:
    store = fresh(tmp_path, jsonl)
    options = (
        "--judge", "openai/fake", "--api-base", bench.server.address,
        "--metric", "refusal", "--concurrency", "2",
    )  # fmt: skip
    bench.server.latency(0.3)
    job = start(store, *options)
    until(lambda: n_saved(store) > 0)

    os.killpg(job.pid, signal.SIGINT)
    out, err = job.communicate(timeout=PATIENCE)

    saved, asked = n_saved(store), bench.server.stats()["requests"]
    assert job.returncode == 130
    assert "Traceback" not in out + err
    assert err.strip().splitlines()[-1] == (
        f"Stopped. {saved} verdicts are saved; the same command does the rest."
    )
    # What was under way when it was stopped had a second to come back, and came.
    assert 0 < saved == asked < N
    until(lambda: is_gone(job.pid))

    bench.server.latency(0)
    again = start(store, *options)
    out, _ = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0
    assert f"done {N - saved}, failed 0, skipped {saved}" in out
    assert bench.server.stats()["requests"] == N


def test_ctrl_c_before_anything_was_asked_ends_with_130(
    bench: Any, tmp_path: Path, jsonl: Callable[..., Path]
) -> None:
    store = fresh(tmp_path, jsonl)
    job = start(store, "--judge", "openai/fake", "--api-base", bench.server.address)
    assert job.stderr is not None
    first = job.stderr.readline()
    assert "are sent to openai/fake" in first

    os.killpg(job.pid, signal.SIGINT)
    out, err = job.communicate(timeout=PATIENCE)

    assert job.returncode == 130
    assert "Traceback" not in out + err
    assert "Stopped." in err
    until(lambda: is_gone(job.pid))
