"""Taking in a file, having it scored while the page stays usable, and the numbers afterwards."""

import json
import os
import re
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list
from core.workflows.setup import ensure_store

RUNS = Path(__file__).parents[1] / "app" / "runs"
COMMAND = str(Path(sysconfig.get_path("scripts")) / "ragtriage")
MANY = 3_000  # enough to be stopped on the way, few enough to be finished afterwards


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store, _ = ensure_store(tmp_path_factory.mktemp("runs") / "store.duckdb")
    return store


@pytest.fixture(scope="module")
def app(served_app: Callable[..., Any], store: Store) -> Iterator[Any]:
    served = served_app(store.path)
    yield served
    served.stop()


def names(store: Store) -> list[str]:
    return [row.run.name for row in run_list(store)]


def diagnose(store: Store, run: str) -> dict[str, Any]:
    """What the command line says in a process of its own."""
    environment = {**os.environ, "RAGTRIAGE_STORE": str(store.path)}
    done = subprocess.run(
        [COMMAND, "diagnose", run, "--json"], env=environment, check=True, capture_output=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def upload(page: Page, file: Path) -> None:
    page.locator('input[type="file"]').first.set_input_files(file)


def test_broken_file_names_its_rows_and_stores_nothing(
    app: Any, store: Store, page: Page, visit: Callable[[str], None]
) -> None:
    before = names(store)
    visit(f"{app.url}/runs")

    upload(page, RUNS / "broken.jsonl")

    expect(page.get_by_text("4 rows cannot be stored as they stand")).to_be_visible(timeout=20_000)
    for row in (2, 3, 5, 6):
        expect(page.get_by_text(f"row {row}:")).to_be_visible()
    expect(page.get_by_role("button", name="Import")).to_be_disabled()
    assert names(store) == before
    assert list(store.path.parent.glob(".upload-*")) == []


def test_file_is_previewed_imported_and_opened(
    app: Any, store: Store, page: Page, visit: Callable[[str], None]
) -> None:
    visit(f"{app.url}/runs")

    upload(page, RUNS / "no_scores.jsonl")

    expect(page.get_by_text("library unscored · 8 samples, 16 contexts, 7 gold")).to_be_visible(
        timeout=20_000
    )
    assert "library unscored" not in names(store)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Imported: library unscored")).to_be_visible(timeout=20_000)
    assert "library unscored" in names(store)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("samples has all three scores yet")).to_be_visible(timeout=20_000)
    expect(page).to_have_url(re.compile(r"run=[0-9a-f]{12}"))


def test_export_can_be_imported_again(
    app: Any, store: Store, page: Page, visit: Callable[[str], None], tmp_path: Path
) -> None:
    if "library unscored" not in names(store):
        import_file(store, RUNS / "no_scores.jsonl", Options())
    place = names(store).index("library unscored")
    visit(f"{app.url}/runs")

    page.get_by_test_id("stDataFrame").click(position={"x": 18, "y": 32 + 32 * place + 16})
    page.get_by_test_id("stPopoverButton").filter(has_text="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="JSON Lines").click()
    file = tmp_path / "again.jsonl"
    waiting.value.save_as(file)

    other, _ = ensure_store(tmp_path / "other.duckdb")
    report = import_file(other, file, Options())
    assert (report.is_stored, report.problems) == (True, [])
    assert [(r.run.name, r.run.n_samples) for r in run_list(other)] == [("library unscored", 8)]


@pytest.fixture(scope="module")
def many(store: Store, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run that takes the offline judge some seconds; returns its id."""
    words = "opening loan card fee room seat shelf film renewal address town euro".split()
    file = tmp_path_factory.mktemp("many") / "many.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for n in range(MANY):
            about = [words[(n * k + k * k) % len(words)] for k in range(1, 9)]
            branch, price, days = n % 97, n % 50, n % 28
            row = {
                "run": "many",
                "sample_id": f"m{n:05}",
                "question": f"What does the {about[0]} cost?",
                # Some answer the question from the contexts, some something else, some decline.
                "answer": (
                    f"The {about[0]} costs {price} euro in branch {branch}.",
                    f"Whales sleep upright. The {about[0]} is free on every second moonday.",
                    "Whales sleep upright, mostly in warm water and never alone.",
                    "I do not know.",
                )[n % 4],
                "contexts": [
                    f"The {word} of branch {branch} is described here, as is its {about[-1]}. "
                    f"It costs {price} euro and holds for {days} days."
                    for word in about[:5]
                ],
            }
            out.write(json.dumps(row) + "\n")
    return import_file(store, file, Options()).runs[0].run_id


def digits(text: str) -> int:
    """The number in a text, whatever separates its thousands."""
    return int(re.sub(r"\D", "", text))


def test_run_is_scored_stopped_continued_and_reconciled(
    app: Any,
    store: Store,
    many: str,
    page: Page,
    visit: Callable[[str], None],
) -> None:
    visit(f"{app.url}/failure-modes?run={many}")
    expect(
        page.get_by_text(f"{MANY // 1000}\u202f000 of {MANY // 1000}\u202f000 samples lack")
    ).to_be_visible()

    page.get_by_role("button", name="Score this run").click()
    expect(page.get_by_text(re.compile(r"Scoring: [1-9].* of 3.000 samples"))).to_be_visible(
        timeout=60_000
    )
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Score this run")).to_be_visible(timeout=60_000)

    # What was scored up to there is kept, and the page says so.
    stopped = diagnose(store, many)
    n_left = stopped["axes"]["answer_relevance"]["not_scored"]
    assert 0 < n_left < MANY
    offer = page.get_by_text(re.compile(r"of 3.000 samples lack a score"))
    assert digits(offer.inner_text().split(" of ")[0]) == n_left

    # The page can be left and used while the rest is scored.
    page.get_by_role("button", name="Score this run").click()
    expect(page.get_by_text(re.compile("Scoring: |Starting the judge"))).to_be_visible()
    page.get_by_role("link", name="Triage").click()
    expect(page.locator(".st-key-queue_line")).to_contain_text("Sample 1 of", timeout=20_000)
    page.get_by_role("link", name="Failure modes").click()
    expect(page.get_by_role("heading", name="Which part failed")).to_be_visible(timeout=20_000)
    expected = diagnose(store, many)
    for _ in range(120):
        if not expected["axes"]["answer_relevance"]["not_scored"]:
            break
        page.wait_for_timeout(1_000)
        expected = diagnose(store, many)

    # B69: by itself the page comes to say the same as the command line.
    counts = [n for n in {**expected["triad"], **expected["refusals"]}.values() if n]
    assert len(counts) > 2
    table = page.get_by_test_id("stDataFrame").first
    expect(table.locator("canvas tbody tr")).to_have_count(len(counts), timeout=30_000)
    expect(page.get_by_text(re.compile("Scoring: |Starting the judge"))).to_have_count(0)
    rows = table.locator("canvas tbody tr")
    shown = [[cell.strip() for cell in row.locator("td").all_text_contents()] for row in rows.all()]
    assert sorted(digits(row[-3]) for row in shown) == sorted(counts)
    assert sum(counts) == expected["n"] == MANY
    headline = expected["headline"]
    finding = page.get_by_text(re.compile("answers fail")).first.inner_text()
    fails, scored = map(digits, finding.split(" fail")[0].split(" of "))
    assert (fails, scored) == (headline["fail"], expected["n"] - headline["open"])
