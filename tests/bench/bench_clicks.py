"""How long a click on the page takes while a model judges 512 samples, 32 at a time.

Wanted: below 0.5 s. Measured in a real Chromium from the click to the moment when the page shows
what was asked for; the same clicks before the job and during it, whose every batch of verdicts
makes the pages read anew.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from bench_judge import CONCURRENCY, LATENCY, PARAGRAPH, SERVER, N
from bench_server import CHROMIUM_ARGS, ROOT, find_chromium, new_page, served
from playwright.sync_api import Locator, Page, sync_playwright

from core.judge.settings import LlmSettings
from core.store.connection import Store
from core.workflows import jobs
from core.workflows.importing import Options, import_file
from core.workflows.judging import Request
from core.workflows.setup import ensure_store

APP = ROOT / "dashboard" / "app.py"
MOST_ROUNDS = 24
SAMPLE = "^Question · s[0-9]+"
SCORES = ("context_relevance_rubric", "groundedness_rubric", "answer_relevance_rubric")
Clicks = dict[str, list[float]]


def fill(folder: Path) -> tuple[Store, str]:
    """A store with a run of 512 samples with a context and scores of its file."""
    file = folder / "run.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for i in range(N):
            row = {
                "run": "judged",
                "sample_id": f"s{i}",
                "question": f"Question {i}: which bridge was closed, and why?",
                "answer": PARAGRAPH * 10,
                "contexts": [{"text": PARAGRAPH * 10, "rank": 1}],
                "scores": dict.fromkeys(SCORES, 2 + i % 4),
            }
            out.write(json.dumps(row) + "\n")
    store, _ = ensure_store(folder / "store.duckdb")
    return store, str(import_file(store, file, Options()).runs[0].run_id)


# Playwright looks for an element after 0, 20, 50, 100, 100 and then every 500 ms, which would be
# measured too; this looks at every frame that is drawn.
CLICK = """
async ([clicked, css, pattern, not]) => {
  const wanted = new RegExp(pattern);
  const isShown = one => wanted.test(one.textContent) && one.textContent !== not
    && one.checkVisibility();
  const started = performance.now();
  clicked.click();
  while (![...document.querySelectorAll(css)].some(isShown)) {
    if (performance.now() - started > 60000) throw new Error(`nothing like ${pattern}`);
    await new Promise(requestAnimationFrame);
  }
  return performance.now() - started;
}
"""
TITLE, TEXT = "h1, h2, h3", "p"


def timed(clicked: Locator, css: str, pattern: str, not_this: str = "") -> float:
    """Milliseconds from a click until an element with such a text is on the page."""
    handle = clicked.element_handle(timeout=60_000)
    return float(clicked.page.evaluate(CLICK, [handle, css, pattern, not_this]))


def in_triage(page: Page, found: Clicks) -> None:
    """The next sample, until another one is shown; verdicts that come in may reorder the queue."""
    before = page.get_by_text(re.compile(SAMPLE)).first.text_content(timeout=60_000) or ""
    button = page.get_by_role("button", name="Next")
    found.setdefault("Triage, next sample", []).append(timed(button, TEXT, SAMPLE, before))


def to_page(page: Page, name: str, css: str, pattern: str, found: Clicks) -> None:
    """Another page, until its title (or the line of the queue) is there."""
    link = page.get_by_role("link", name=name, exact=True)
    found.setdefault(f"to the page {name}", []).append(timed(link, css, pattern))


def round_of(page: Page, found: Clicks) -> None:
    """The clicks of a person who looks around."""
    to_page(page, "Triage", TEXT, "^Sample [0-9]+ of", found)
    for _ in range(3):
        in_triage(page, found)
    to_page(page, "Overview", TITLE, "Is this run good enough", found)
    to_page(page, "Judge", TITLE, "Who judges, and how", found)


def cpu_seconds(pid: int) -> float:
    """Processor time of the server so far, without that of its workers."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def report(title: str, found: Clicks) -> None:
    print(title)
    for name, times in found.items():
        print(
            f"  {name:24} median {statistics.median(times):5.0f} ms, longest {max(times):5.0f} ms, "
            f"n {len(times)}"
        )


def main() -> None:
    os.environ["OPENAI_API_KEY"] = "sk-bench"
    model = subprocess.Popen(
        [sys.executable, str(SERVER), str(LATENCY)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert model.stdin is not None
    assert model.stdout is not None
    address = model.stdout.readline().strip()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        store, run_id = fill(Path(folder))
        browser = driver.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGS)
        with served(APP, store.path) as app:
            page = new_page(browser)
            page.goto(f"{app.url}/judge?run={run_id}")
            page.get_by_role("heading", name="Who judges, and how?").wait_for(timeout=60_000)
            warm: Clicks = {}
            round_of(page, warm)
            idle: Clicks = {}
            for _ in range(2):
                round_of(page, idle)
            report("nothing else going on", idle)
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            settings = LlmSettings("openai/fake", api_base=address, concurrency=CONCURRENCY)
            jobs.start(store, run_id, settings, request=Request(("answer_relevance",)))
            busy: Clicks = {}
            n_rounds, spent = 0, cpu_seconds(app.process.pid)
            while jobs.active(store) and n_rounds < MOST_ROUNDS:
                round_of(page, busy)
                n_rounds += 1
            (job,) = jobs.recent(store, run_id)
            spent = cpu_seconds(app.process.pid) - spent
            seconds = (job.ended or time.time()) - job.started
            report(f"while {job.calls} requests are made, {CONCURRENCY} at a time", busy)
            print(
                f"job {job.state}: done {job.done}, failed {job.failed}, {seconds:.1f} s; "
                f"load {os.getloadavg()[0]:.1f}"
            )
            every = [one for times in busy.values() for one in times]
            below = sum(one < 500 for one in every)
            print(f"the server took {spent / len(every) * 1000:.0f} ms of a core for each click")
            print(f"{below} of {len(every)} clicks below 500 ms, longest {max(every):.0f} ms")
        browser.close()
    model.stdin.close()
    model.wait()


if __name__ == "__main__":
    main()
