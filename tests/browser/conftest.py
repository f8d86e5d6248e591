"""Harness of the browser tests: a real server, a real Chromium, and a page that watches itself.

A test asks for ``page`` and ``served_app``; it sets ``theme`` or ``width`` by parametrizing the
fixture of that name. Any console error, uncaught exception or request that leaves the machine
fails the test when it ends.
"""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCREENSHOTS = HERE / "screenshots"
START_SECONDS = 60
HEIGHTS = {1280: 800, 1920: 1080}
NO_CHROMIUM = (
    "browser tests, because no Chromium was found (put one on PATH or name it in CHROMIUM)"
)
CHROMIUM_ARGS = [
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    # The rest keeps Chromium from calling home: only requests of the page are to be seen.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# On a deep link Streamlit's client asks for these two below the page's own path before it asks at
# the root, to learn whether the app is served under a prefix; it expects the 404 and goes on.
PROBE = re.compile(r"/[a-z-]+/_stcore/(health|host-config)")
_failed = pytest.StashKey[bool]()


def find_chromium() -> str | None:
    """Path of an installed Chromium or Chrome; playwright's own downloads are not used."""
    names = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, run them last, skip them where there is no Chromium."""
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    skip = find_chromium() is None and not os.environ.get("CI")
    for item in ours:
        item.add_marker("browser")
        if skip:
            item.add_marker(pytest.mark.skip(reason=NO_CHROMIUM))
    # While playwright is started its event loop runs in this thread, and asyncio.run elsewhere
    # would refuse to start.
    items.sort(key=lambda item: item.path.is_relative_to(HERE))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    """Remember a failure, so that the page can be photographed before it closes."""
    report = yield
    if call.when == "call" and call.excinfo is not None:
        item.stash[_failed] = True
    return report


# --- the server -----------------------------------------------------------------------------------


@dataclass
class App:
    """A running dashboard: ``url`` ends without a slash; the process group is its own."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def output(self) -> str:
        """Everything that the server has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        """End the server and whatever it started; harmless when it has ended already."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, sign)
                try:
                    self.process.wait(timeout=5)
                except subprocess.TimeoutExpired:
                    continue

    def wait_until_healthy(self) -> None:
        """Return when the server answers; raise with its output when it dies or stays silent."""
        port = urlsplit(self.url).port
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the dashboard ended at its start:\n{self.output()}")
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            try:
                connection.request("GET", "/_stcore/health")
                if connection.getresponse().status == 200:
                    return
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
            finally:
                connection.close()
        raise RuntimeError(f"the dashboard did not answer in {START_SECONDS} s:\n{self.output()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def served_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., App]]:
    """Factory ``served_app(store, script=..., env=..., port=...)``: a dashboard over that store.

    It is started as a person starts it, by the installed ``streamlit`` from the checkout and
    without PYTHONPATH, and ends with the session at the latest.
    """
    apps: list[App] = []

    def start(
        store: Path,
        *,
        script: Path = ROOT / "dashboard" / "app.py",
        env: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> App:
        port = port or _free_port()
        log = tmp_path_factory.mktemp("server") / "output.txt"
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment |= {"RAGTRIAGE_STORE": str(store), **(env or {})}
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [
                    str(Path(sysconfig.get_path("scripts")) / "streamlit"),
                    *("run", str(script)),
                    *("--server.port", str(port)),
                    *("--server.address", "127.0.0.1"),
                    *("--server.headless", "true"),
                    *("--server.fileWatcherType", "none"),
                ],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        app = App(f"http://127.0.0.1:{port}", log, process)
        apps.append(app)
        app.wait_until_healthy()
        return app

    yield start
    for app in apps:
        app.stop()


# --- the browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the session."""
    path = find_chromium()
    if path is None:
        pytest.fail(f"CI is set: not skipping {NO_CHROMIUM}", pytrace=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        yield chromium
        chromium.close()


@pytest.fixture
def theme() -> str:
    """What the browser prefers, "light" or "dark"; parametrize it to change it."""
    return "light"


@pytest.fixture
def width() -> int:
    """Width of the window in pixels, 1280 or 1920; parametrize it to change it."""
    return 1280


@pytest.fixture
def page_problems() -> Iterator[list[str]]:
    """What went wrong in the pages of this test; a test that provokes an error clears it."""
    problems: list[str] = []
    yield problems
    if problems:
        pytest.fail("the page reported:\n" + "\n".join(problems), pytrace=False)


def _watch(page: Page, problems: list[str]) -> None:
    def leaves(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https", "ws", "wss"}:
            return
        if parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
            problems.append(f"request left the machine: {url}")

    page.on("request", lambda request: leaves(request.url))
    page.on("websocket", lambda websocket: leaves(websocket.url))
    page.on("pageerror", lambda error: problems.append(f"uncaught: {error}"))

    def complains(message: ConsoleMessage) -> None:
        url = str(message.location.get("url"))
        if message.type == "error" and not PROBE.fullmatch(urlsplit(url).path):
            problems.append(f"console: {message.text} ({url})")

    page.on("console", complains)


@pytest.fixture
def open_page(
    request: pytest.FixtureRequest,
    browser: Browser,
    theme: str,
    width: int,
    page_problems: list[str],
) -> Iterator[Callable[[], Page]]:
    """Factory of watched pages, each in a fresh profile as on another person's computer."""
    contexts: list[BrowserContext] = []

    def start() -> Page:
        context = browser.new_context(
            color_scheme=theme,
            viewport={"width": width, "height": HEIGHTS.get(width, 900)},
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
        )
        contexts.append(context)
        page = context.new_page()
        _watch(page, page_problems)
        return page

    yield start
    failed = request.node.stash.get(_failed, False)
    for n, context in enumerate(contexts):
        for page in context.pages if failed else []:
            _photograph(page, f"failed-{request.node.name}-{n}")
        context.close()


@pytest.fixture
def page(open_page: Callable[[], Page]) -> Page:
    """One watched page."""
    return open_page()


@pytest.fixture
def visit(page: Page) -> Callable[[str], None]:
    """Function ``visit(url)``: open it in ``page`` and wait until it has settled."""

    def go(url: str) -> None:
        page.goto(url)
        settle(page)

    return go


@pytest.fixture
def settled() -> Callable[[Page], None]:
    """Function ``settled(page)``: wait until the script behind the page has run to its end."""
    return settle


def settle(page: Page) -> None:
    """Wait until nothing runs on the server and no skeleton is left on the page."""
    page.wait_for_selector(
        '[data-testid="stApp"][data-test-script-state="notRunning"]'
        '[data-test-connection-state="CONNECTED"]',
        timeout=START_SECONDS * 1000,
    )
    page.wait_for_function("!document.querySelector('[data-testid=\"stSkeleton\"]')")
    # What came last, such as the address, is written when the browser has drawn.
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
    )


def _photograph(page: Page, name: str) -> Path:
    SCREENSHOTS.mkdir(exist_ok=True)
    path = SCREENSHOTS / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', name)}.png"
    # Streamlit scrolls inside the page, so the window has to be as high as what it shows.
    window = page.viewport_size
    height = page.evaluate("document.querySelector('[data-testid=\"stMain\"]')?.scrollHeight ?? 0")
    if window and height > window["height"]:
        page.set_viewport_size({"width": window["width"], "height": height})
        page.wait_for_timeout(300)  # charts redraw themselves after a change of size
    page.screenshot(path=path)
    if window:
        page.set_viewport_size(window)
    return path


@pytest.fixture
def screenshot(page: Page, theme: str, width: int) -> Callable[[str], Path]:
    """Function ``screenshot(name)``: keep a picture of ``page``, named by theme and width too."""
    return lambda name: _photograph(page, f"{name}-{theme}-{width}")
