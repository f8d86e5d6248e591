"""Every page, light and dark, at both widths: nothing overflows, nothing is cut, no raw number."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from core.store.connection import Store
from core.workflows.listing import run_list
from core.workflows.setup import ensure_store, load_demo

PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"
PAGES = {
    "overview": "/?run={stemmed}&vs={plain}",
    "failure-modes": "/failure-modes?run={stemmed}&vs={plain}",
    "triage": "/triage?run={plain}",
    "runs": "/runs",
    "definitions": "/definitions",
}
# The definitions speak of such cells of a file.
SPEAKS_OF_UNDEFINED = {"definitions"}
SIZES = ((1920, 1080), (1280, 800))
RAW_NUMBER = re.compile(r"(?<![\w.,-])-?\d+\.\d{4,}")
UNDEFINED = re.compile(r"\b(?:nan|None|inf|NaN|null|undefined)\b")

# Elements that scroll sideways or whose text is cut although nobody asked for an ellipsis. Tables
# and charts are canvases; the browser draws their text, not the page.
OVERFLOWING = """() => {
  const cut = []
  for (const element of document.querySelectorAll('[data-testid="stMain"] *')) {
    const style = getComputedStyle(element)
    if (style.visibility === 'hidden' || !element.offsetWidth || element.closest('canvas')) continue
    if (element.closest('[data-testid="stDataFrame"], [data-baseweb="select"], input')) continue
    const isText = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
    if (!isText || style.overflowX === 'visible') continue
    if (element.scrollWidth > element.clientWidth + 1 && style.display !== 'inline') {
      cut.push(element.textContent.trim().slice(0, 80))
    }
  }
  return cut
}"""
SIDEWAYS = """() => {
  const main = document.querySelector('[data-testid="stMain"]')
  return [document.documentElement, main]
    .filter(e => e.scrollWidth > e.clientWidth + 1)
    .map(e => `${e.tagName} ${e.scrollWidth} > ${e.clientWidth}`)
}"""


@pytest.fixture(scope="module")
def addresses(
    served_app: Callable[..., object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    path = tmp_path_factory.mktemp("every-page") / "demo.duckdb"
    store, _ = ensure_store(path)
    load_demo(store)
    ids = {row.run.name: row.run.run_id for row in run_list(Store(path))}
    app = served_app(path)
    yield {
        page: app.url + link.format(plain=ids[PLAIN], stemmed=ids[STEMMED])
        for page, link in PAGES.items()
    }
    app.stop()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_fit_and_show_no_raw_numbers(
    theme: str,
    addresses: dict[str, str],
    page: Page,
    visit: Callable[[str], None],
    screenshot: Callable[[str], Path],
) -> None:
    found = {}
    for name, address in addresses.items():
        visit(address)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(500)  # charts are drawn after the script has ended
            text = page.inner_text('[data-testid="stMain"]')
            found[name, width] = {
                "exceptions": page.get_by_test_id("stException").all_inner_texts(),
                "sideways": page.evaluate(SIDEWAYS),
                "cut": page.evaluate(OVERFLOWING),
                "raw numbers": RAW_NUMBER.findall(text),
                "undefined": [] if name in SPEAKS_OF_UNDEFINED else UNDEFINED.findall(text),
            }
            screenshot(f"{name}-{width}-wide")

    assert {place: problems for place, problems in found.items() if any(problems.values())} == {}
