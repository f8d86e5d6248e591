"""A judge model on loopback, a store, and jobs in a real worker process that is kept warm."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.judge.settings import LlmSettings
from core.store.connection import Store
from core.workflows import jobs
from core.workflows.importing import Options, import_file
from core.workflows.judging import Request
from core.workflows.setup import ensure_store

SERVER = Path(__file__).parent / "serve.py"
CANARY = "sk-canary-5f3c1b7a9e2d4680"
PATIENCE = 90.0
# The doctests of a module mean importing it, and this one is a program.
collect_ignore = ["serve.py"]


class JudgeServer:
    """The server of ``serve.py`` in a process of its own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()

    def _ask(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        url = self.address.removesuffix("/v1") + path
        request = urllib.request.Request(url, data=body, method="GET" if body is None else "POST")
        with urllib.request.urlopen(request) as response:
            return dict(json.load(response))

    def stats(self) -> dict[str, Any]:
        return self._ask("/stats")

    def reset(self) -> None:
        self._ask("/reset", b"")

    def latency(self, seconds: float) -> None:
        self._ask("/latency", str(seconds).encode())

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@dataclass(frozen=True)
class Bench:
    """A store with a server to judge by; every job runs in a worker process."""

    store: Store
    server: JudgeServer

    def settings(self, **changed: Any) -> LlmSettings:
        values = {"api_base": self.server.address, "timeout": 30.0, **changed}
        return LlmSettings(values.pop("model", "openai/fake"), **values)

    def add(self, name: str, rows: Sequence[Mapping[str, Any]]) -> str:
        """Import a run of these rows and give its id."""
        file = self.store.path.parent / f"{name}.jsonl"
        lines = [
            json.dumps({"run": name, "sample_id": f"s{at:03}", "question": "What?", **row})
            for at, row in enumerate(rows)
        ]
        file.write_text("\n".join(lines), encoding="utf-8")
        report = import_file(self.store, file, Options())
        assert report.is_stored, report.problems
        return str(report.runs[0].run_id)

    def judge(
        self, run_id: str, request: Request, settings: LlmSettings | None = None
    ) -> jobs.JobStatus:
        """Start a job and wait for its end."""
        return self.wait(
            jobs.start(self.store, run_id, settings or self.settings(), request=request)
        )

    def wait(self, job: jobs.JobStatus) -> jobs.JobStatus:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status = jobs.read(self.store, job.job_id)
            if status is not None and not status.is_active:
                return status
            time.sleep(0.02)
        pytest.fail(f"the job has not ended: {jobs.read(self.store, job.job_id)}")

    def until(self, job: jobs.JobStatus, n: int) -> jobs.JobStatus:
        """Wait until so many samples are saved."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status = jobs.read(self.store, job.job_id)
            if status is not None and (status.done + status.failed >= n or not status.is_active):
                return status
            time.sleep(0.02)
        pytest.fail(f"nothing was saved: {jobs.read(self.store, job.job_id)}")

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with self.store.reading() as connection:
            return connection.execute(statement, parameters).fetchall()

    def verdicts(self, run_id: str, metric: str = "%") -> list[dict[str, Any]]:
        """Verdicts of models in the order they were saved, with the number of their requests."""
        names = (
            "sample_id", "metric", "repeat", "status", "value", "cause", "reasoning", "detail",
            "raw", "cost", "tokens", "latency", "verdict_no", "n_calls",
        )  # fmt: skip
        found = self.rows(
            "select sample_id, metric, repeat, status, value, cause, reasoning, detail, raw, "
            "verdict.cost, tokens, verdict.latency, verdict_no, (select count(*) from call where "
            "call.run_id = verdict.run_id and call.verdict_no = verdict.verdict_no) "
            "from verdict join judge using (judge_id) join sample using (run_id, position) "
            "where run_id = ? and kind = 'llm' and metric like ? order by verdict_no",
            run_id,
            metric,
        )
        verdicts = [dict(zip(names, row, strict=True)) for row in found]
        for verdict in verdicts:
            verdict["detail"] = json.loads(verdict["detail"]) if verdict["detail"] else {}
        return verdicts


@pytest.fixture(scope="session")
def judge_server() -> Iterator[JudgeServer]:
    server = JudgeServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def bench_store(
    judge_server: JudgeServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """One store for all tests, so that one worker process serves them all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", CANARY)
        patch.setenv("RAGTRIAGE_WORKER_IDLE", "120")
        store, _ = ensure_store(tmp_path_factory.mktemp("judge") / "store.duckdb")
        yield Bench(store, judge_server)
        end_idle_workers(store)


@pytest.fixture
def bench(bench_store: Bench) -> Bench:
    bench_store.server.latency(0)
    bench_store.server.reset()
    return bench_store


def end_idle_workers(store: Store) -> None:
    """Workers that wait for a job end when the file by which they offer themselves is taken."""
    from core.workflows.job_files import jobs_folder, write_json

    for path in jobs_folder(store).glob(f"worker-{os.getpid()}-*.idle"):
        worker = int(path.stem.rsplit("-", 1)[-1])
        path.unlink(missing_ok=True)
        write_json(jobs.given_path(jobs_folder(store), worker), {"job_id": ""})
