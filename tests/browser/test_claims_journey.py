"""From the claims of a run to the samples that make them, by its key and by its bar."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.store.connection import Store
from core.workflows.claim_figures import claim_figures
from core.workflows.listing import run_list
from core.workflows.review import View
from core.workflows.setup import ensure_store, load_demo

PLAIN = "handbook · k3 plain"
BAR = '[class*="st-key-claim_bar-"]'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    found, _ = ensure_store(tmp_path_factory.mktemp("claims") / "demo.duckdb")
    load_demo(found)
    return found


@pytest.fixture(scope="module")
def app(served_app: Callable[..., Any], store: Store) -> Iterator[Any]:
    served = served_app(store.path)
    yield served
    served.stop()


def terms(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("f", [])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_kind_of_claim_opens_its_samples_from_the_key_and_from_the_bar(
    theme: str,
    app: Any,
    store: Store,
    page: Page,
    visit: Callable[[str], None],
    screenshot: Callable[[str], Path],
) -> None:
    run_id = next(row.run.run_id for row in run_list(store) if row.run.name == PLAIN)
    labelled = claim_figures(store, run_id, View()).labelled
    assert labelled is not None
    kinds = {one.kind: one for one in labelled.kinds}
    link = f"{app.url}/answers?run={run_id}"
    visit(link)
    heading = page.get_by_role("heading", name="Claim by claim")
    heading.scroll_into_view_if_needed()
    expect(heading).to_be_visible()
    screenshot("answers-claims")

    hallucinated = kinds["wrong_unsupported"]
    page.locator(".st-key-open_labelled_wrong_unsupported button").first.click()
    queue = page.locator(".st-key-queue_line")
    expect(queue).to_contain_text(f"Sample 1 of {hallucinated.n_samples} ", timeout=20_000)
    expect(page).to_have_url(re.compile("&sample="))
    assert terms(page) == [hallucinated.term]
    expect(page.get_by_text("labels of the file").first).to_be_visible()

    page.go_back()
    expect(heading).to_be_visible(timeout=20_000)
    bar = page.locator(BAR).locator("svg.marks, canvas.marks").first
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    # right but unsupported 1, right and supported 5 of 16: a quarter from the left is the second
    bar.click(position={"x": box["width"] / 4, "y": 45})
    right = kinds["right_supported"]
    expect(queue).to_contain_text(f"Sample 1 of {right.n_samples} ", timeout=20_000)
    expect(page).to_have_url(re.compile("&sample="))
    assert terms(page) == [right.term]
