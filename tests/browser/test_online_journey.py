"""A run that grows: a bad day is found on Runs and opened; a judge's flips are opened on Judge."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from core.model import Judged, JudgeKind, JudgeSpec, Status, Verdict
from core.store import writes
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.setup import ensure_store

RUBRICS = ("context_relevance_rubric", "groundedness_rubric", "answer_relevance_rubric")
DAYS = {"2026-11-02": [5, 5, 5, 5, 5, 5], "2026-11-03": [1, 1, 1, 5, 5, 5], "2026-11-06": [5] * 6}
HEADER, ROW, MARK = 34, 32, 14  # px of a table: its head, its rows, the place of their marks
JUDGE = JudgeSpec(JudgeKind.LLM, "m", "groundedness@1", "a" * 64, {})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    rows = [
        {
            "run": "live",
            "sample_id": f"{day}-{i}",
            "question": f"Question {i}?",
            "answer": "An answer.",
            "contexts": [{"text": "A context.", "rank": 1}],
            "scores": {RUBRICS[0]: 5, RUBRICS[1]: score, RUBRICS[2]: 5},
            "created_at": f"{day}T08:00:00",
        }
        for day, scores in DAYS.items()
        for i, score in enumerate(scores)
    ]
    file = tmp_path / "live.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    store, _ = ensure_store(tmp_path / "store.duckdb")
    (run,) = import_file(store, file, Options()).runs
    votes = {0: (4, 4, 2), 1: (5, 5, 5), 2: (2, 4, 4)}
    with store.writing() as connection:
        writes.append_judged(
            connection,
            str(run.run_id),
            [
                Judged(JUDGE, Verdict(at, RUBRICS[1], Status.VALUE, value=vote, repeat=repeat))
                for at, row in votes.items()
                for repeat, vote in enumerate(row)
            ],
        )
    return store


@pytest.fixture
def app(served_app: Callable[..., Any], store: Store) -> Iterator[Any]:
    served = served_app(store.path)
    yield served
    served.stop()


def terms(page: Page) -> list[str]:
    page.wait_for_url(lambda url: "f=" in url)
    return parse_qs(urlsplit(page.url).query)["f"]


def click_in(table: Locator, x: float, row: int) -> None:
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    table.page.mouse.click(box["x"] + x, box["y"] + HEADER + ROW * (row + 0.5))


def choose_run(app: Any, page: Page, visit: Callable[[str], None]) -> None:
    visit(f"{app.url}/runs")
    click_in(page.locator('[data-testid="stDataFrame"]').first, MARK, 0)
    expect(page.get_by_text("live by day")).to_be_visible(timeout=20_000)


def test_dot_of_a_day_opens_its_samples(
    app: Any, page: Page, visit: Callable[[str], None], settled: Callable[[Page], None]
) -> None:
    choose_run(app, page, visit)
    settled(page)
    dots = page.locator(".mark-symbol path")
    expect(dots).to_have_count(3)

    dots.nth(1).click()

    expect(page.get_by_text("Sample 1 of 6")).to_be_visible(timeout=20_000)
    assert terms(page) == ["day=2026-11-03"]
    page.go_back()
    expect(page.get_by_text("Which runs are here?")).to_be_visible(timeout=20_000)


def test_row_of_a_day_opens_its_samples(
    app: Any, page: Page, visit: Callable[[str], None], settled: Callable[[Page], None]
) -> None:
    choose_run(app, page, visit)
    settled(page)

    # The newest day stands first, so the first one is the third row.
    click_in(page.locator('[data-testid="stDataFrame"]').nth(1), MARK, 2)

    expect(page.get_by_text("Sample 1 of 6")).to_be_visible(timeout=20_000)
    assert terms(page) == ["day=2026-11-02"]


def test_number_of_flips_opens_the_samples_on_which_the_judge_wavers(
    app: Any, page: Page, visit: Callable[[str], None], settled: Callable[[Page], None]
) -> None:
    visit(f"{app.url}/judge")
    settled(page)
    table = page.locator('[class*="st-key-steady_"] [data-testid="stDataFrame"]')
    expect(table).to_be_visible(timeout=20_000)
    box = table.bounding_box()
    assert box is not None

    # Of eleven columns the sixth stands in the middle, at this width and at any other.
    click_in(table, box["width"] * 0.52, 0)

    expect(page.get_by_text("Sample 1 of 2")).to_be_visible(timeout=20_000)
    (term,) = terms(page)
    assert term.startswith("flip.groundedness_rubric@")
