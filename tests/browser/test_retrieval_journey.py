"""From a bar, a tile and a cell of Retrieval to the samples that they count."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from core.store.connection import Store
from core.workflows.deriving import derive
from core.workflows.listing import run_list
from core.workflows.retrieving import retrieval
from core.workflows.review import View
from core.workflows.setup import ensure_store, load_demo

STEMMED = "handbook · k5 stemmed"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    found, _ = ensure_store(tmp_path_factory.mktemp("retrieval") / "demo.duckdb")
    load_demo(found)
    return found


@pytest.fixture(scope="module")
def app(served_app: Callable[..., Any], store: Store) -> Iterator[Any]:
    served = served_app(store.path)
    yield served
    served.stop()


def click(page: Page, key: str, across: Callable[[float], float], y: float) -> None:
    """Click into a chart, ``across`` its width and ``y`` pixels below its top."""
    chart = page.locator(f'[class*="st-key-{key}-"]').locator("svg.marks, canvas.marks").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": across(box["width"]), "y": y})


def lands(page: Page, n: int, terms: list[str]) -> None:
    """Triage with so many samples; then back."""
    queue = page.locator(".st-key-queue_line")
    expect(queue).to_contain_text(re.compile(rf"Sample 1 of {n}\b"), timeout=20_000)
    expect(page).to_have_url(re.compile("&sample="))
    assert parse_qs(urlsplit(page.url).query)["f"] == terms
    page.go_back()
    heading = page.get_by_role("heading", name="Did the retriever find the evidence?")
    expect(heading).to_be_visible(timeout=20_000)


def test_a_bar_a_tile_and_a_cell_open_their_samples(
    app: Any, store: Store, page: Page, visit: Callable[[str], None], settled: Callable[..., None]
) -> None:
    run_id = next(row.run.run_id for row in run_list(store) if row.run.name == STEMMED)
    derive(store, run_id)
    figures = retrieval(store, run_id, View()).figures
    link = f"{app.url}/retrieval?run={run_id}"

    # The rightmost of the bars 0, 1 and 2; high above the low bar, whose whole column is a target.
    visit(link)
    click(page, "hit_counts", lambda width: width - 30, 90)
    lands(page, int(figures.hit_count_dist[2].k), ["evidence.contexts=2"])

    # Ranks 1 and 2: the first tile, below the names of the columns and right of those of the rows.
    settled(page)
    click(page, "joint_hits", lambda width: 60, 50)
    pair = int(figures.pairwise_redundancy[1, 2].k)
    lands(page, pair, ["evidence.rank=1", "evidence.rank=2"])

    settled(page)
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    table.click(position={"x": 120, "y": 48})  # first row, column Hit@k
    lands(page, int(figures.hit_at_k[1].k), ["evidence.hit_depth=..1"])


def test_points_of_the_curves_open_their_samples_in_the_run_that_they_are_of(
    app: Any, store: Store, page: Page, visit: Callable[[str], None], settled: Callable[..., None]
) -> None:
    ids = {row.run.name: row.run.run_id for row in run_list(store)}
    run_id, base_id = ids[STEMMED], ids["handbook · k3 plain"]
    for one in (run_id, base_id):
        derive(store, one)
    own, base = (retrieval(store, one, View()).figures for one in (run_id, base_id))
    link = f"{app.url}/retrieval?run={run_id}&vs={base_id}"

    def points(key: str) -> Locator:
        return page.locator(f'[class*="st-key-{key}-"] .mark-symbol path')

    # First the wide targets of the run's points, then the diamonds of the baseline.
    visit(link)
    expect(points("rank_curve")).to_have_count(5 + 3 + 5)
    points("rank_curve").nth(1).click(force=True)
    lands(page, int(own.context_hit_rate[2].k), ["evidence.rank=2"])
    settled(page)
    points("hit_curve").nth(5 + 2).click()
    expect(page).to_have_url(re.compile(f"run={base_id}"))
    lands(page, int(base.hit_at_k[3].k), ["evidence.hit_depth=..3"])
