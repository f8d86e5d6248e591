"""The dashboard without a browser: a store per test, and pages driven by AppTest."""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.setup import ensure_store, load_demo

ROOT = Path(__file__).parents[2]
RUNS = Path(__file__).parent / "runs"
PAGES = {
    "overview": "views/overview.py",
    "modes": "views/modes.py",
    "context_use": "views/context_use.py",
    "retrieval": "views/retrieval.py",
    "answers": "views/answers.py",
    "triage": "views/triage.py",
    "calibration": "views/calibration.py",
    "agreement": "views/agreement.py",
    "judge": "views/judge.py",
    "runs": "views/runs.py",
    "definitions": "views/definitions.py",
}
LONG = 30_000  # characters; more than any pane shows at once
KINDS = ("empty", "demo", "no_contexts", "no_answers", "no_scores", "traps")


def _fill(store: Store, kind: str, folder: Path) -> None:
    if kind == "demo":
        load_demo(store)
    elif kind != "empty":
        file = RUNS / f"{kind}.jsonl"
        if kind == "traps":
            file = _with_long_text(file, folder)
        report = import_file(store, file, Options())
        assert report.is_stored, report.problems


def _with_long_text(file: Path, folder: Path) -> Path:
    """The traps and one more: texts too long for a page, which would only bloat the file."""
    text = file.read_text(encoding="utf-8")
    record = {
        "run": json.loads(text.splitlines()[0])["run"],
        "sample_id": "long",
        "question": "Why? " * 2_000,
        "answer": "It **goes** on and on. " * (LONG // 23) + "The end of the answer.",
        "reference": "So it is. " * 1_000,
        "contexts": [{"doc_id": "long", "text": "No word is short. " * 2_000, "rank": 1}],
        "scores": {
            "context_relevance_rubric": 5,
            "groundedness_rubric": 5,
            "answer_relevance_rubric": 5,
        },
    }
    out = folder / file.name
    out.write_text(text + json.dumps(record) + "\n", encoding="utf-8")
    return out


@pytest.fixture(scope="session")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def get(kind: str) -> Path:
        if kind not in made:
            folder = tmp_path_factory.mktemp(f"store-{kind}")
            made[kind] = folder / "filled.duckdb"
            store, _ = ensure_store(made[kind])
            _fill(store, kind, folder)
        return made[kind]

    return get


@pytest.fixture
def store_of(
    _filled: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Store]:
    """Factory ``store_of(kind)``: the store of this test, a fresh copy that the dashboard opens."""

    def copy(kind: str) -> Store:
        path = tmp_path / "ragtriage.duckdb"
        shutil.copy(_filled(kind), path)
        monkeypatch.setenv("RAGTRIAGE_STORE", str(path))
        return Store(path)

    return copy


@pytest.fixture(autouse=True)
def _the_entry_module_of_pytest() -> Iterator[None]:
    # AppTest puts each script it runs in the place of __main__ and leaves it there; whatever
    # starts a process by pickling later would then look for its functions in a page.
    kept = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = kept


@pytest.fixture
def start() -> Callable[..., AppTest]:
    """Factory ``start(page, parameters)``: a new session that opens a link."""

    def open_link(page: str, parameters: Mapping[str, object] | None = None) -> AppTest:
        app = AppTest.from_file(ROOT / "dashboard" / "app.py", default_timeout=60)
        # AppTest learns the pages from a first run, where a browser opens the link at once; the
        # list of runs is the lightest page and looks at no run.
        app.switch_page(PAGES["runs"])
        if page != "runs":
            app.run()
        return turn_to_page(app, page, parameters)

    return open_link


@pytest.fixture
def turn_to() -> Callable[..., AppTest]:
    """Function ``turn_to(app, page, parameters)``: open a page by the navigation, whose links are
    bare, or with parameters as Back and Forward do."""
    return turn_to_page


def turn_to_page(
    app: AppTest, page: str, parameters: Mapping[str, object] | None = None
) -> AppTest:
    app.query_params.clear()
    for key, value in (parameters or {}).items():
        app.query_params[key] = value  # type: ignore[assignment]
    app.switch_page(PAGES[page]).run()
    # Otherwise each later run would be of this page, even after the app itself opened another.
    app._page_hash = ""
    return app


@pytest.fixture
def text_of() -> Callable[[AppTest], str]:
    """Function ``text_of(app)``: all text of the page as a person reads it."""
    return lambda app: plain("\n".join(_texts(app)))


_MARKUP = re.compile(
    r"(?<!\\)(?:\*\*|:(?:gray|red|small|color|[a-z]+-badge)\[|\](?:\{[^}]*\})?|#### )"
)


def plain(markdown: str) -> str:
    """Our own markup and the escaping of others' text removed; what remains is what is shown."""
    shown = _MARKUP.sub("", markdown).replace("&nbsp;", "\u00a0").replace("\u2060", "")
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown)


def _texts(app: AppTest) -> Iterator[str]:
    for kind in ("title", "markdown", "caption", "error", "warning", "info", "success"):
        yield from (str(element.value) for element in app.get(kind))
    # A text area of its own: nothing in it is markup.
    yield from (re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text.value) for text in app.text)
    yield from (button.label for button in app.button)
