"""Every page, light and dark, at both widths: nothing overflows, nothing is cut, no raw number."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from core.workflows.listing import run_list
from core.workflows.setup import ensure_store, load_demo

PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"
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


# The curves by rank have one whole number under each point.
RANKS = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')]
  .filter(chart => [...chart.querySelectorAll('.role-axis-title')]
    .some(title => ['k', 'rank'].includes(title.textContent)))
  .map(chart => chart.querySelector('.role-axis-label').textContent)"""


@pytest.fixture(scope="module")
def link(served_app: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Link to the first page, on one demo run with the other as baseline."""
    store, _ = ensure_store(tmp_path_factory.mktemp("every-page") / "demo.duckdb")
    load_demo(store)
    ids = {row.run.name: row.run.run_id for row in run_list(store)}
    app = served_app(store.path)
    yield f"{app.url}/?run={ids[STEMMED]}&vs={ids[PLAIN]}"
    app.stop()


@pytest.mark.parametrize(
    ("theme", "sizes"),
    [("light", SIZES), ("dark", SIZES[-1:])],  # colours change no size
)
def test_pages_fit_and_show_no_raw_numbers(
    theme: str,
    sizes: tuple[tuple[int, int], ...],
    link: str,
    page: Page,
    visit: Callable[[str], None],
    settled: Callable[[Page], None],
    screenshot: Callable[[str], Path],
) -> None:
    visit(link)
    links = page.get_by_test_id("stSidebarNavLink")
    # The first line of a link is the ligature that draws its icon.
    pages = [text.splitlines()[-1] for text in links.all_inner_texts()]
    found, ranks = {}, {}
    for place, name in enumerate(pages):
        links.nth(place).click()
        page.wait_for_timeout(300)  # until the page has begun to change
        settled(page)
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(500)  # charts are drawn after the script has ended
            text = page.inner_text('[data-testid="stMain"]')
            found[name, width] = {
                "exceptions": page.get_by_test_id("stException").all_inner_texts(),
                "sideways": page.evaluate(SIDEWAYS),
                "cut": page.evaluate(OVERFLOWING),
                "raw numbers": RAW_NUMBER.findall(text),
                # The definitions speak of what is undefined in a file.
                "undefined": UNDEFINED.findall(text) if name != "Definitions" else [],
                "ranks left out": [ks for ks in page.evaluate(RANKS) if ks != "12345"],
            }
            ranks |= {(name, width): len(page.evaluate(RANKS))}
        screenshot(name.lower().replace(" ", "-"))

    assert {"Failure modes", "Triage", "Runs"} <= set(pages)
    assert {place for place, n in ranks.items() if n} == {("Retrieval", w) for w, _ in sizes}
    assert {place: problems for place, problems in found.items() if any(problems.values())} == {}
