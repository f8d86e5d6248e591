"""A table of several raters comes in by its map; where they differ is read in Triage."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.store.connection import Store
from core.workflows.listing import run_list
from core.workflows.setup import ensure_store

# Two raters of five answers, one rater after the other; they differ on the second and the fifth.
ONE, OTHER = [1, 1, 0, 0, 1], [1, 0, 0, 0, 0]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "rated.csv"
    rows = [
        f"s{i},Question {i}?,Answer {i}.,{rater},{mark},{int(i > 0)}"
        for rater, marks in (("first", ONE), ("second", OTHER))
        for i, mark in enumerate(marks)
    ]
    header = "id,question,answer,annotator,human_label,safe_label"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made, _ = ensure_store(tmp_path / "store.duckdb")
    return made


@pytest.fixture
def app(served_app: Callable[..., Any], store: Store) -> Iterator[Any]:
    served = served_app(store.path)
    yield served
    served.stop()


def test_raters_of_a_mapped_table_are_compared_and_their_differences_opened(
    app: Any, store: Store, table: Path, page: Page, visit: Callable[[str], None]
) -> None:
    visit(f"{app.url}/runs")
    page.locator("input[type=file]").first.set_input_files(table)
    # The rater's column is suggested; ten rows are five samples.
    expect(page.get_by_text("Who labelled")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("5 samples")).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Imported: rated")).to_be_visible(timeout=20_000)

    run_id = next(row.run.run_id for row in run_list(store) if row.run.name == "rated")
    visit(f"{app.url}/agreement?run={run_id}&criterion=human_label")
    expect(page.get_by_text("They are equal on 3 of 5 samples")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("Every criterion side by side")).to_be_visible()

    page.get_by_role("button", name="2 on which raters differ").click()
    expect(page.locator(".st-key-queue_line")).to_contain_text("Sample 1 of 2 ", timeout=20_000)
    expect(page).to_have_url(re.compile(r"f=raters\.human_label%3Ddiffer"))
    expect(page).to_have_url(re.compile("sample=s1"))

    # A row of the table is another criterion.
    page.go_back()
    rows = page.locator('[class*="st-key-criteria_"] .dvn-scroller').first
    expect(rows).to_be_visible(timeout=20_000)
    rows.scroll_into_view_if_needed()
    # The box at the left end of the second row, below a head of 32 px.
    rows.click(position={"x": 15, "y": 32 + 30 + 15})
    expect(page).to_have_url(re.compile("criterion=safe_label"), timeout=20_000)
    expect(page.get_by_text("raters on safe_label")).to_be_visible(timeout=20_000)
