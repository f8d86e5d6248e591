"""What every test shares: the real runs, settings of Hypothesis, a store that is not the user's."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from core.store.connection import Store
from core.workflows.setup import ensure_store, load_demo

ROOT = Path(__file__).parents[1]
TEST_DATA = (ROOT / os.environ.get("RAGTRIAGE_TEST_DATA", "../shared")).resolve()

# A shared or slow machine must not turn a correct property into a failure, hence no deadlines;
# CI tries the same examples each time, a developer's run tries new ones.
settings.register_profile(
    "rag-triage",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("rag-triage")


# --- the real runs --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Folder that holds ``data`` and ``samples``; a test that asks for it skips without it."""
    return TEST_DATA


@pytest.fixture(scope="session")
def data_dir(shared_dir: Path) -> Path:
    """Real runs in the neutral format, with ``oracles.json``."""
    return shared_dir / "data"


@pytest.fixture(scope="session")
def samples_dir(shared_dir: Path) -> Path:
    """Small files as other tools write them, one folder per tool."""
    return shared_dir / "samples"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what reads the real runs, and skip it where they are not there."""
    if "RAGTRIAGE_TEST_DATA" in os.environ and not (TEST_DATA / "data").is_dir():
        raise pytest.UsageError(f"RAGTRIAGE_TEST_DATA: no folder {TEST_DATA / 'data'}")
    for item in items:
        if "shared_dir" in getattr(item, "fixturenames", ()):
            item.add_marker("shared_data")
        if item.get_closest_marker("shared_data") and not (TEST_DATA / "data").is_dir():
            item.add_marker(
                pytest.mark.skip(reason="the real runs are not here (RAGTRIAGE_TEST_DATA)")
            )


# --- stores ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def _not_the_users_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test that names no store must not write into the one that a person works with."""
    stray = tmp_path_factory.mktemp("default-store") / "ragtriage.duckdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAGE_STORE", str(stray))
        yield


@pytest.fixture(scope="session")
def empty_store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without runs, to be copied."""
    return ensure_store(tmp_path_factory.mktemp("empty") / "store.duckdb")[0].path


@pytest.fixture
def fresh_store(empty_store_file: Path, tmp_path: Path) -> Store:
    """An empty store of one's own; copying it costs less than making it."""
    path = tmp_path / "store.duckdb"
    shutil.copy(empty_store_file, path)
    return Store(path)


@pytest.fixture(scope="session")
def demo_store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store, _ = ensure_store(tmp_path_factory.mktemp("demo") / "store.duckdb")
    assert load_demo(store).is_stored
    return store.path


@pytest.fixture
def demo_store(demo_store_file: Path, tmp_path: Path) -> Store:
    """A store of one's own with the demo in it; copying it costs less than loading it."""
    path = tmp_path / "demo.duckdb"
    shutil.copy(demo_store_file, path)
    return Store(path)


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes records as a JSON Lines file: ``jsonl(record, …, name="file")``."""

    def write(*records: Any, name: str = "file") -> Path:
        path = tmp_path / f"{name}.jsonl"
        lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


# --- what was skipped -----------------------------------------------------------------------------


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One plain line per reason, however many tests were skipped for it."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, n in sorted(reasons.items()):
        terminalreporter.write_line(f"{n} skipped: {reason}")
