"""The store held by somebody else, and a dashboard that goes away, while a worker judges."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import WAIT_SECONDS
from core.workflows import jobs
from core.workflows.diagnosing import diagnose
from core.workflows.judging import Request
from core.workflows.review import View

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
RELEVANCE = Request(("answer_relevance",))
START = """
import json, os, sys
from core.judge.settings import LlmSettings
from core.store.connection import Store
from core.workflows import jobs
from core.workflows.judging import Request
store, run_id, settings = Store(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
job = jobs.start(
    store, run_id, LlmSettings.from_json(settings), request=Request(("answer_relevance",))
)
print(job.job_id, flush=True)
# As a server that is killed: nothing is tidied up.
os.kill(os.getpid(), 9)
"""


def plain(n: int, mark: str) -> list[dict[str, Any]]:
    return [{"question": f"What is {mark} {at}?", "answer": f"It is {at}."} for at in range(n)]


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 90
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def status(bench: Any, job_id: str) -> jobs.JobStatus:
    found = jobs.read(bench.store, job_id)
    assert found is not None
    return found


def started_elsewhere(bench: Any, run_id: str) -> str:
    """Id of a job that a process has started which was then killed."""
    settings = json.dumps(bench.settings(concurrency=2).as_json())
    other = subprocess.run(
        [sys.executable, "-c", START, str(bench.store.path), run_id, settings],
        capture_output=True,
        text=True,
        check=False,
    )
    assert other.returncode == -9, other.stderr
    return other.stdout.strip()


def page(bench: Any, run_id: str, monkeypatch: pytest.MonkeyPatch, name: str = "judge") -> AppTest:
    monkeypatch.setenv("RAGTRIAGE_STORE", str(bench.store.path))
    app = AppTest.from_file(APP, default_timeout=60).run()
    app.query_params["run"] = run_id
    app.switch_page(f"views/{name}.py").run()
    app._page_hash = ""
    return app


def words(app: AppTest) -> str:
    shown = [str(one.value) for kind in ("markdown", "caption") for one in app.get(kind)]
    shown += [one.proto.text for one in app.get("progress")]
    return plain_text("\n".join(shown))


def plain_text(shown: str) -> str:
    return shown.replace("\\", "").replace("\u2060", "")


def test_verdicts_wait_for_a_store_that_is_held_longer_than_a_write_waits(bench: Any) -> None:
    run_id = bench.add("held", plain(40, "held"))
    bench.server.latency(0.3)
    job = jobs.start(bench.store, run_id, bench.settings(concurrency=2), request=RELEVANCE)
    bench.until(job, 1)
    taken, over = threading.Event(), threading.Event()

    def hold() -> None:
        with bench.store.exclusive(wait=60):
            taken.set()
            over.wait(90)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(90)
    # The worker has waited as long as a write waits, says so, and has lost nothing.
    wait_until(lambda: "held by process" in status(bench, job.job_id).note)
    noted = status(bench, job.job_id).note
    over.set()
    holder.join()
    ended = bench.wait(job)

    assert f"waited {WAIT_SECONDS:g} s" in noted
    assert (ended.state, ended.done, ended.failed) == ("done", 40, 0)
    assert bench.server.stats()["requests"] == 40
    assert len(bench.verdicts(run_id)) == 40


def test_b76_restarted_dashboard_finds_the_job_and_can_stop_and_continue_it(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = bench.add("restarted", plain(60, "restart"))
    bench.server.latency(0.5)
    job_id = started_elsewhere(bench, run_id)
    wait_until(lambda: status(bench, job_id).done > 0)

    # A session of another server process, which has never heard of the job.
    app = page(bench, run_id, monkeypatch)
    assert "openai/fake · at work" in words(app)
    # Whoever clicks now pays for nothing twice: the job that runs is taken.
    again = jobs.start(bench.store, run_id, bench.settings(), request=RELEVANCE)
    assert again.job_id == job_id
    # Another page shows it too.
    assert "Scoring:" in words(page(bench, run_id, monkeypatch, "modes"))

    app.run()
    app.button(key=f"stop_{job_id}").click().run()
    wait_until(lambda: not status(bench, job_id).is_active)
    stopped = status(bench, job_id)
    assert (stopped.state, stopped.can_continue) == ("cancelled", True)
    # The worker does not outlive the process that started it once its job is over.
    wait_until(lambda: not jobs.is_alive(stopped.pid))

    bench.server.latency(0)
    app.run()
    app.button(key=f"continue_{job_id}").click().run()
    wait_until(lambda: not jobs.active(bench.store))
    # The one or two that were under way may have been given up; they are asked again.
    assert bench.server.stats()["requests"] in (60, 61, 62)
    assert len(bench.verdicts(run_id)) == 60
    assert "openai/fake · done" in words(app.run())


def test_b50_cost_that_nobody_knows_is_called_unknown(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = bench.add("priceless", plain(2, "priceless"))
    assert bench.judge(run_id, RELEVANCE).cost is None

    app = page(bench, run_id, monkeypatch)
    text = words(app)
    assert "2 of 2 samples, 0 failed · cost unknown" in text
    assert "cost unknown of 2" in text
    assert "$0" not in text
    log = next(one.value for one in app.dataframe if "Tokens" in one.value)
    assert list(log["Cost"]) == ["unknown"] * 2
    app = page(bench, run_id, monkeypatch, "triage")
    history = next(one.value for one in app.dataframe if "Judge" in one.value)
    assert set(history.loc[history["Judge"] == "openai/fake", "Cost"]) == {"unknown"}


def test_wrong_prompt_file_is_named_on_the_page_and_the_others_stay(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = bench.add("wrong prompt", plain(1, "prompt"))
    folder = bench.store.path.parent / "prompts"
    folder.mkdir(exist_ok=True)
    wrong = folder / "broken.v1.md"
    wrong.write_text("No settings at all.", encoding="utf-8")
    try:
        app = page(bench, run_id, monkeypatch)
    finally:
        wrong.unlink()

    (warning,) = [str(one.value) for one in app.warning if "broken" in str(one.value)]
    assert "begin with settings between two lines" in warning
    assert [one.value for one in app.exception] == []
    assert any("groundedness@1" in plain_text(one.label) for one in app.expander)


def test_b43_answer_that_does_not_know_is_no_success_however_relevant(bench: Any) -> None:
    """Every axis is rated well by the model; the refusal that was found at the import decides."""
    row = {
        "question": "How far does it shine?",
        "answer": "I do not know.",
        "contexts": [{"text": "The lamp shines 40 m far.", "rank": 1}],
    }
    run_id = bench.add("does not know", [row])

    bench.judge(run_id, Request(("context_relevance", "groundedness", "answer_relevance")))

    verdicts = {v["metric"]: v for v in bench.verdicts(run_id)}
    assert verdicts["answer_relevance_rubric"]["value"] == 4
    assert verdicts["groundedness_rubric"]["cause"] == "refusal"
    found = diagnose(bench.store, run_id, View())
    assert (found["triad"]["success"], found["refusals"]["over_refusal"]) == (0, 1)


def test_key_is_in_no_file_that_judging_leaves_anywhere(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where temporary files go, and whatever the server sends back."""
    key = os.environ["OPENAI_API_KEY"]
    rows = [{"question": "fault:echoed_key-t"}, {"question": "fault:key_in_reply-t"}]
    run_id = bench.add("temp", [{**row, "answer": "So."} for row in rows])
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    bench.server.latency(0.2)
    job_id = started_elsewhere(bench, run_id)
    wait_until(lambda: not status(bench, job_id).is_active)

    folders = [tmp_path, bench.store.path.parent]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == f"{job_id}.json" for path in files)
    assert [path for path in files if key.encode() in path.read_bytes()] == []
    app = page(bench, run_id, monkeypatch, "triage")
    assert key not in words(app) + "".join(one.value for one in app.text)
    assert bench.server.stats()["keys"] == [f"Bearer {key}"]


def test_b40_page_says_what_it_will_cost_and_that_the_provider_asks_to_wait(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*plain(30, "asked to wait"), {"question": "fault:rate_limit_wait", "answer": "So."}]
    run_id = bench.add("asked to wait", rows)
    bench.server.latency(0.2)
    settings = bench.settings(concurrency=2, price=(10.0, 10.0))
    app = page(bench, run_id, monkeypatch)
    job = jobs.start(bench.store, run_id, settings, request=RELEVANCE)
    wait_until(lambda: status(bench, job.job_id).waiting_until > time.time())

    text = words(app.run())

    # 31 requests of 1,000 tokens in and 100 out, each 0.011 USD: 0.34 in all, a little more while
    # some of them are not saved yet.
    assert re.search(r"cost \$0\.[0-3]\d of about \$0\.(?:3[4-9]|4\d)", text)
    assert "The provider has asked to wait another" in text
    jobs.cancel(bench.store, job.job_id)
    assert bench.wait(job).state == "cancelled"
