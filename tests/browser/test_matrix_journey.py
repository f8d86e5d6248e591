"""From the first start to the samples behind a tile, and a view that travels as a link."""

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.store.connection import Store
from core.workflows.diagnosing import diagnose
from core.workflows.listing import run_list
from core.workflows.review import View

GOLDEN = Path(__file__).parents[1] / "golden" / "demo_modes.csv"
PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"
QUESTION = "Which part failed, retriever or generator?"
UNGROUNDED = ("confabulation", "ungrounded_answer", "lucky_guess")
# Chart, its rows of tiles, and the pixels that titles take at its top and row labels at its left.
CHARTS = (
    (
        "matrix_relevant",
        [["success", "hallucination"], ["score_conflict", "ungrounded"]],
        (50, 116),
    ),
    (
        "matrix_not_relevant",
        [["off_target_answer", "generation_breakdown"], ["retrieval_failure", "pipeline_failure"]],
        (50, 0),
    ),
    (
        "matrix_strip",
        [["correct_refusal", "over_refusal", "refusal_unverified", "undetermined"]],
        (0, 116),
    ),
)


@pytest.fixture(scope="module")
def store_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that does not exist yet."""
    return tmp_path_factory.mktemp("journey") / "new.duckdb"


@pytest.fixture(scope="module")
def app(served_app: Callable[..., Any], store_path: Path) -> Iterator[Any]:
    served = served_app(store_path)
    yield served
    served.stop()


def golden(run: str) -> dict[str, int]:
    with GOLDEN.open(encoding="utf-8") as lines:
        return {row["mode"]: int(row["n"]) for row in csv.DictReader(lines) if row["run"] == run}


def id_of(store_path: Path, name: str) -> str:
    return next(r.run.run_id for r in run_list(Store(store_path)) if r.run.name == name)


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def click_tile(page: Page, key: str, place: tuple[float, float], margins: tuple[int, int]) -> None:
    """Click into a tile; ``place`` is its centre as shares of the height and width of all tiles."""
    # The class ends with the number of the visit: an old click is never taken for a new one.
    canvas = page.locator(f'[class*="st-key-{key}-"]').locator("svg.marks, canvas.marks").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    top, left = margins
    canvas.click(
        position={
            "x": left + (box["width"] - left) * place[1],
            "y": top + (box["height"] - top) * place[0],
        }
    )


def queue(page: Page) -> Any:
    return page.locator(".st-key-queue_line")


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", name=text)).to_be_visible(timeout=20_000)


def main_text(page: Page) -> str:
    """What the page says, tables included: their canvas holds its cells for screen readers."""
    tables = page.locator('[data-testid="stDataFrame"] canvas').all_text_contents()
    return "\n".join([page.inner_text('[data-testid="stMain"]'), *tables])


def test_first_start_shows_the_demo(app: Any, page: Page, visit: Callable[[str], None]) -> None:
    visit(app.url)
    page.get_by_role("link", name="Failure modes").click()

    heading(page, QUESTION)
    expect(page.get_by_text("scored answers fail")).to_be_visible()


def test_b56_b57_every_tile_opens_exactly_its_samples_and_back_returns(
    app: Any, store_path: Path, page: Page, visit: Callable[[str], None]
) -> None:
    run, base = id_of(store_path, PLAIN), id_of(store_path, STEMMED)
    visit(f"{app.url}/failure-modes?run={run}&vs={base}")
    counts, opened = golden(PLAIN), {}

    for key, rows, margins in CHARTS:
        for i, row in enumerate(rows):
            for j, tile in enumerate(row):
                modes = UNGROUNDED if tile == "ungrounded" else (tile,)
                click_tile(page, key, ((i + 0.5) / len(rows), (j + 0.5) / len(row)), margins)
                n = sum(counts[mode] for mode in modes)
                expect(queue(page)).to_contain_text(f"Sample 1 of {n} ", timeout=20_000)
                expect(page).to_have_url(re.compile("&sample="))
                opened[tile] = query(page)["f"]
                assert opened[tile] == [f"mode={mode}" for mode in modes]
                page.go_back()
                heading(page, QUESTION)
                assert query(page) == {"run": [run], "vs": [base]}

    assert len(opened) == 12


def test_b54_row_of_a_sorted_table_opens_what_it_shows(
    app: Any,
    store_path: Path,
    page: Page,
    visit: Callable[[str], None],
) -> None:
    visit(f"{app.url}/failure-modes?run={id_of(store_path, PLAIN)}")
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    first = table.locator("canvas tbody tr").first
    expect(first).to_contain_text("Success")  # the most frequent stands first

    table.click(position={"x": 130, "y": 16})  # the head of the column Mode: sorts by name
    expect(first).to_contain_text("Answered from weak context")
    table.click(position={"x": 18, "y": 48})  # the mark of the first row

    n = golden(PLAIN)["score_conflict"]
    expect(queue(page)).to_contain_text(f"Sample 1 of {n} ", timeout=20_000)
    expect(page).to_have_url(re.compile("&sample="))
    assert query(page)["f"] == ["mode=score_conflict"]


def test_b58_view_travels_as_a_link_and_history_has_one_entry_per_page(
    app: Any,
    served_app: Callable[..., Any],
    store_path: Path,
    open_page: Callable[[], Page],
    settled: Callable[[Page], None],
) -> None:
    run, base = id_of(store_path, STEMMED), id_of(store_path, PLAIN)
    page = open_page()
    page.goto(f"{app.url}/failure-modes")
    settled(page)
    length = page.evaluate("history.length")

    # Run, baseline, filter and cut, each by its own control.
    choose(page, 0, STEMMED)
    expect(page).to_have_url(re.compile(f"run={run}"))
    choose(page, 1, PLAIN)
    expect(page).to_have_url(re.compile(f"vs={base}"))
    page.get_by_test_id("stPopoverButton").filter(has_text="Filter").click()
    field = page.get_by_label("Text in question, answer or id")
    field.fill("battery")
    field.press("Enter")
    expect(page).to_have_url(re.compile("f=text%3Dbattery"))
    page.keyboard.press("Escape")
    slider = page.get_by_role("slider", name="Groundedness")
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("g=5"))
    settled(page)
    assert page.evaluate("history.length") == length
    expected = query(page)
    assert expected == {"run": [run], "vs": [base], "f": ["text=battery"], "g": ["5"]}
    seen = main_text(page)

    # The same link in another browser, the first page that a new server is asked for.
    other_app = served_app(store_path)
    other = open_page()
    other.goto(other_app.url + page.url.removeprefix(app.url))
    settled(other)
    heading(other, QUESTION)
    other.wait_for_timeout(500)  # tables draw after the script has ended
    assert main_text(other) == seen
    assert query(other) == expected
    other.close()
    other_app.stop()

    # One entry for the change of page; Back and Forward bring each page with what it had.
    page.get_by_role("link", name="Triage").click()
    expect(queue(page)).to_contain_text("“battery”", timeout=20_000)
    assert page.evaluate("history.length") == length + 1
    page.get_by_role("button", name="Next").click()
    expect(queue(page)).to_contain_text("Sample 2 of")
    settled(page)
    on_sample = query(page)
    assert page.evaluate("history.length") == length + 1
    page.go_back()
    heading(page, QUESTION)
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    settled(page)
    page.wait_for_timeout(500)
    assert query(page) == expected
    assert main_text(page) == seen
    page.go_forward()
    expect(queue(page)).to_contain_text("Sample 2 of", timeout=20_000)
    assert query(page) == on_sample
    page.reload()
    expect(queue(page)).to_contain_text("Sample 2 of", timeout=20_000)
    assert query(page) == on_sample


def choose(page: Page, place: int, name: str) -> None:
    """Choose in the first (run) or second (baseline) list of the bar."""
    page.locator(".st-key-bar input[role=combobox]").nth(place).click()
    page.get_by_role("option", name=name).click()


def test_b69_page_shows_the_numbers_of_the_command_line(
    app: Any, store_path: Path, page: Page, visit: Callable[[str], None]
) -> None:
    run = id_of(store_path, PLAIN)
    expected = diagnose(Store(store_path), run, View())

    visit(f"{app.url}/failure-modes?run={run}")
    rows = page.get_by_test_id("stDataFrame").first.locator("canvas tbody tr")
    expect(rows.first).to_contain_text("Success")
    shown = [[cell.strip() for cell in row.locator("td").all_text_contents()] for row in rows.all()]

    counts = sorted(n for n in {**expected["triad"], **expected["refusals"]}.values() if n)
    assert sorted(int(row[-3]) for row in shown) == counts
    assert sum(counts) == expected["n"] == 83
    fails = expected["headline"]["fail"]
    scored = expected["n"] - expected["headline"]["open"]
    expect(page.get_by_text(f"{fails} of {scored} scored answers fail")).to_be_visible()
