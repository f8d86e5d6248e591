"""A judge is compared with people, a cut is moved and stored, and the missed answers are read."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.store import queries
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list
from core.workflows.setup import ensure_store

# Ten answers, faithful the first six. At 0.7: two of six low, one of four high.
SCORES = [1.0, 0.9, 0.9, 0.8, 0.6, 0.5, 0.8, 0.4, 0.3, 0.1]
FAITHFUL = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    file = tmp_path / "answers.jsonl"
    rows = [
        {
            "run": "answers",
            "sample_id": f"s{i}",
            "question": f"Question {i}?",
            "answer": "An answer.",
            "contexts": [{"text": "A context.", "rank": 1}],
            "scores": {"faithfulness": score},
            "labels": {"faithful": label},
        }
        for i, (score, label) in enumerate(zip(SCORES, FAITHFUL, strict=True))
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    made, _ = ensure_store(tmp_path / "store.duckdb")
    assert import_file(made, file, Options()).is_stored
    return made


@pytest.fixture
def app(served_app: Callable[..., Any], store: Store) -> Iterator[Any]:
    served = served_app(store.path)
    yield served
    served.stop()


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def click_cell(page: Page, row: int, column: int) -> None:
    """Click the middle of a cell; labels take 96 px at the left and 30 at the top."""
    canvas = page.locator('[class*="st-key-confusion_"]').locator("svg.marks, canvas.marks").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(
        position={
            "x": 104 + (box["width"] - 104) * (column + 0.5) / 2,
            "y": 30 + (box["height"] - 30) * (row + 0.5) / 2,
        }
    )


def test_cells_open_their_samples_and_a_moved_cut_is_stored(
    app: Any, store: Store, page: Page, visit: Callable[[str], None]
) -> None:
    run_id = run_list(store)[0].run.run_id
    visit(f"{app.url}/calibration?run={run_id}")
    expect(page.get_by_text("catches 3 of 4 answers")).to_be_visible(timeout=20_000)

    # Labelled 0 but high at 0.7: only s6.
    click_cell(page, 0, 1)
    expect(page.locator(".st-key-queue_line")).to_contain_text("Sample 1 of 1 ", timeout=20_000)
    expect(page).to_have_url(re.compile("&sample=s6"))
    terms = query(page)["f"]
    assert terms[0] == "label.faithful=0"
    assert re.fullmatch(r"metric\.faithfulness@[0-9a-f]{12}=0\.7\.\.", terms[1])

    # Back at the page nothing is clicked any more, and the keyboard moves the cut.
    page.go_back()
    expect(page.get_by_text("catches 3 of 4 answers")).to_be_visible(timeout=20_000)
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(15):
        slider.press("ArrowRight")
    expect(page.get_by_text("catches 4 of 4 answers")).to_be_visible(timeout=20_000)
    expect(page).to_have_url(re.compile("&g=0.85"))

    page.get_by_role("button", name="Use 0.85 for this run").click()
    expect(page.get_by_text("The run's cut is 0.85, stored for this run.")).to_be_visible(
        timeout=20_000
    )
    expect(page).not_to_have_url(re.compile("g=0.85"))
    with store.reading() as connection:
        assert list(queries.thresholds(connection, run_id).values()) == [0.85]


def test_link_to_a_question_shows_the_same_in_a_fresh_browser(
    app: Any, store: Store, open_page: Callable[[], Page], settled: Callable[[Page], None]
) -> None:
    run_id = run_list(store)[0].run.run_id
    one = open_page()
    one.goto(f"{app.url}/calibration?run={run_id}")
    settled(one)
    one.get_by_role("radio", name="= 0").click()
    expect(one.get_by_text("Positive: faithful = 0")).to_be_visible(timeout=20_000)
    expect(one).to_have_url(re.compile("positive=0"))

    other = open_page()
    other.goto(one.url)
    settled(other)

    expect(other.get_by_text("Positive: faithful = 0")).to_be_visible(timeout=20_000)
