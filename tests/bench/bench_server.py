"""The dashboard in a real Chromium on large stores: how long pages take, what the server holds.

Wanted at 50,000 samples: every page's second visit within 1.5 times that of an empty Streamlit
page in the same run, the next sample within 0.8 s, server below 400 MB, store below 250 MB, load
below 30 s; at 1,000,000 samples the server below 1 GiB. A visit ends with the last change of the
page: text, tables and the surfaces that charts draw on.
"""

import os
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import generate
import measure
import psutil
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.append(str(Path(__file__).parents[1] / "browser"))
from conftest import CHROMIUM_ARGS, ROOT, App, _free_port, find_chromium

SIZES = (50_000, 100_000, 1_000_000)
TIMED = 50_000
REPEATS = 4
QUIET_MS = 700
EMPTY_PAGES = """
import streamlit as st
def first():
    st.title("First")
def second():
    st.title("Second")
st.navigation([st.Page(first, default=True), st.Page(second)]).run()
"""
# A table tells screen readers its cells within its canvas, 0.3 s after it has drawn them.
WATCH = """
window.lastChange = performance.now();
new MutationObserver((changes) => {
  if (changes.some((one) => one.type !== "childList" || one.target.tagName !== "CANVAS"))
    window.lastChange = performance.now();
}).observe(document, {
  subtree: true, childList: true, characterData: true,
  attributes: true, attributeFilter: ["width", "height", "d", "src"],
});
"""
SETTLED = f"""
const app = document.querySelector('[data-testid="stApp"]');
return app && app.dataset.testScriptState === "notRunning"
  && app.dataset.testConnectionState === "CONNECTED"
  && !document.querySelector('[data-testid="stSkeleton"]')
  && performance.now() - window.lastChange > {QUIET_MS};
"""


@contextmanager
def served(script: Path, store: Path) -> Iterator[App]:
    """A Streamlit server as a person starts it, over a store."""
    port = _free_port()
    log = generate.folder() / f"server-{os.getpid()}.txt"
    command = [
        *(str(Path(sysconfig.get_path("scripts")) / "streamlit"), "run", str(script)),
        *("--server.port", str(port), "--server.address", "127.0.0.1"),
        *("--server.headless", "true", "--server.fileWatcherType", "none"),
    ]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment(), "RAGTRIAGE_STORE": str(store)},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    app = App(f"http://127.0.0.1:{port}", log, process)
    try:
        app.wait_until_healthy()
        yield app
    finally:
        app.stop()


def environment() -> dict[str, str]:
    """The environment of this process, in which the checkout is found as it is here."""
    return dict(psutil.Process().environ())


def settle(page: Page) -> float:
    """Wait until the page has come to rest; the time of its last change in its own clock, ms."""
    page.wait_for_function(f"() => {{ {SETTLED} }}", timeout=120_000)
    return float(page.evaluate("window.lastChange"))


def load_ms(page: Page, url: str) -> float:
    """From asking for an address to the last change of the page."""
    page.goto(url)
    return settle(page)


def click_ms(page: Page, click: Callable[[], Any]) -> float:
    """From a click to the last change of the page."""
    started = page.evaluate("window.lastChange = performance.now()")
    click()
    # What the click changes comes back from the server, so that nothing may have changed yet.
    page.wait_for_function(f"window.lastChange > {started}", timeout=120_000)
    return settle(page) - float(started)


def new_page(browser: Browser) -> Page:
    """A page in a fresh profile that notes each of its changes."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(WATCH)
    return page


def titles(page: Page) -> list[str]:
    """Names of the pages in the navigation."""
    texts = page.locator('[data-testid="stSidebarNavLink"]').all_inner_texts()
    return [text.split("\n")[-1].strip() for text in texts]


def links(page: Page) -> list[str]:
    """Paths of the pages in the navigation."""
    found = page.locator('[data-testid="stSidebarNavLink"]')
    return [urlsplit(str(found.nth(i).get_attribute("href"))).path for i in range(found.count())]


@dataclass(frozen=True, slots=True)
class Visit:
    """How a page was reached, in ms: from a fresh browser, by its address again, by a click."""

    fresh: float
    again: float
    click: float


def visits(browser: Browser, app: App, query: str) -> dict[str, Visit]:
    """Median times of every page of a server that has shown each of them before."""
    page = new_page(browser)
    load_ms(page, f"{app.url}/{query}")
    pages = dict(zip(titles(page), links(page), strict=True))
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in pages}
    clicks: dict[str, list[float]] = {name: [] for name in pages}
    for _ in range(REPEATS + 1):
        for name, path in pages.items():
            fresh = new_page(browser)
            address = f"{app.url}{path}{query}"
            taken[name].append((load_ms(fresh, address), load_ms(fresh, address)))
            fresh.context.close()
        for name in pages:
            link = page.locator('[data-testid="stSidebarNavLink"]', has_text=name)
            clicks[name].append(click_ms(page, link.click))
    page.context.close()
    return {
        name: Visit(
            statistics.median(fresh for fresh, _ in taken[name][1:]),
            statistics.median(again for _, again in taken[name][1:]),
            statistics.median(clicks[name][1:]),
        )
        for name in pages
    }


def next_sample_ms(browser: Browser, app: App, query: str) -> float:
    """Median time from a click on Next in Triage to the last change of the page."""
    page = new_page(browser)
    load_ms(page, f"{app.url}/triage{query}")
    button = page.get_by_role("button", name="Next")
    taken = [click_ms(page, button.click) for _ in range(REPEATS + 1)]
    page.context.close()
    return statistics.median(taken[1:])


def memory_mb(browser: Browser, app: App, query: str) -> float:
    """The most that the server holds while somebody visits every page twice."""
    with measure.MemoryWatch(app.process.pid) as watch:
        page = new_page(browser)
        load_ms(page, f"{app.url}/{query}")
        for _ in range(2):
            for path in links(page):
                load_ms(page, f"{app.url}{path}{query}")
        page.context.close()
    return watch.peak_mb


def import_seconds(size: int) -> float:
    """Time to import the file into a new store."""
    path = generate.folder() / f"loaded-{os.getpid()}.duckdb"
    measure.remove_store(path)
    started = time.perf_counter()
    subprocess.run(
        [
            *(str(Path(sysconfig.get_path("scripts")) / "ragtriage"), "import"),
            *(str(generate.jsonl(size)), "--store", str(path), "--json"),
        ],
        env=environment(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    taken = time.perf_counter() - started
    measure.remove_store(path)
    return taken


def main(sizes: tuple[int, ...]) -> None:
    """Print times at 50,000 samples and memory at every size."""
    chromium = find_chromium()
    if chromium is None:
        print("No Chromium was found (put one on PATH or name it in CHROMIUM): not measured.")
        return
    empty = generate.folder() / "empty_pages.py"
    empty.write_text(EMPTY_PAGES, encoding="utf-8")
    dashboard = ROOT / "dashboard" / "app.py"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGS)
        path, run_id, _ = generate.store(TIMED)
        query = f"?run={run_id}"
        with served(empty, path) as app:
            nothing = visits(browser, app, "")["second"]
        with served(dashboard, path) as app:
            found = visits(browser, app, query)
            following = next_sample_ms(browser, app, query)
        rows = [
            (
                name,
                *(f"{visit.fresh:,.0f}", f"{visit.fresh / nothing.fresh:.2f}"),
                *(f"{visit.again:,.0f}", f"{visit.again / nothing.again:.2f}"),
                *(f"{visit.click:,.0f}", f"{visit.click / nothing.click:.2f}"),
            )
            for name, visit in {"an empty page": nothing, **found}.items()
        ]
        measure.table(
            f"Later visits of pages at {TIMED:,} samples, ms and ratio to an empty page's (wanted: "
            "1.5 from a fresh browser)",
            ("page", "fresh browser", "ratio", "again", "ratio", "click", "ratio"),
            rows,
        )
        print(f"\nNext sample in Triage: {following:,.0f} ms (wanted: below 800)")
        print(f"Import of {TIMED:,} samples: {import_seconds(TIMED):,.1f} s (wanted: below 30)")
        memory = []
        for size in sizes:
            path, run_id, _ = generate.store(size, with_text=size <= 100_000)
            with served(dashboard, path) as app:
                peak = memory_mb(browser, app, f"?run={run_id}")
            memory.append((f"{size:,}", f"{peak:,.0f}", f"{measure.files_mb(path):,.0f}"))
        measure.table(
            "Memory of the server while every page is visited twice (MB; wanted: below 400 at "
            "50,000 and below 1,024 at 1,000,000), size of the store (below 250 at 50,000)",
            ("samples", "server", "store"),
            memory,
        )
        browser.close()


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]) or SIZES)
