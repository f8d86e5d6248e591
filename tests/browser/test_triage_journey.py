"""Reading and labelling samples; texts that would like to be more than text; links to nowhere."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list
from core.workflows.review import View
from core.workflows.sample_views import sample_view
from core.workflows.setup import ensure_store, load_demo

TRAPS = Path(__file__).parents[1] / "app" / "runs" / "traps.jsonl"
PLAIN = "handbook · k3 plain"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store, _ = ensure_store(tmp_path_factory.mktemp("triage") / "store.duckdb")
    load_demo(store)
    import_file(store, TRAPS, Options())
    return store


@pytest.fixture(scope="module")
def app(served_app: Callable[..., Any], store: Store) -> Iterator[Any]:
    served = served_app(store.path)
    yield served
    served.stop()


def run_id(store: Store, name: str) -> str:
    return next(r.run.run_id for r in run_list(store) if r.run.name.startswith(name))


def queue(page: Page) -> Any:
    return page.locator(".st-key-queue_line")


def labels(store: Store, run: str, sample: str) -> list[tuple[Any, ...]]:
    found = sample_view(store, run, View(), sample)
    assert found is not None
    return [
        (label["category"], label["note"])
        for label in found.detail.labels
        if label["criterion"] == "triage"
    ]


def test_label_and_note_survive_reload_and_show_in_another_dashboard(
    app: Any,
    served_app: Callable[..., Any],
    store: Store,
    page: Page,
    visit: Callable[[str], None],
    settled: Callable[[Page], None],
) -> None:
    run = run_id(store, PLAIN)
    visit(f"{app.url}/triage?run={run}&f=mode%3Dhallucination")
    expect(queue(page)).to_contain_text("Sample 1 of 5 ")

    page.keyboard.press("j")
    expect(queue(page)).to_contain_text("Sample 2 of 5 ")
    page.keyboard.press("k")
    expect(queue(page)).to_contain_text("Sample 1 of 5 ")
    page.get_by_role("button", name="Next").click()
    expect(queue(page)).to_contain_text("Sample 2 of 5 ")
    settled(page)
    sample = page.url.partition("sample=")[2].partition("&")[0]
    page.get_by_role("button", name="Fail").click()
    expect(page.get_by_text("failed by reviewer")).to_be_visible()
    note = page.get_by_placeholder("Why? Saved when you leave the field")
    note.fill("Says $5, the handbook says $7")
    page.get_by_placeholder("reviewer", exact=True).focus()  # leaving the field saves it
    settled(page)

    page.reload()
    settled(page)
    expect(note).to_have_value("Says $5, the handbook says $7")
    expect(page.get_by_text("failed by reviewer")).to_be_visible()
    assert labels(store, run, sample) == [
        ("fail", None),
        ("fail", "Says $5, the handbook says $7"),
    ]

    # Another dashboard on the same file; this link is the first page that it serves.
    other = served_app(store.path)
    link = page.url.removeprefix(app.url)
    visit(other.url + link)
    expect(queue(page)).to_contain_text("Sample 2 of 5 ")
    expect(page.get_by_text("failed by reviewer")).to_be_visible()
    expect(note).to_have_value("Says $5, the handbook says $7")
    page.get_by_role("button", name="Pass").click()
    expect(page.get_by_text("passed by reviewer")).to_be_visible()
    visit(app.url + link)
    expect(page.get_by_text("passed by reviewer")).to_be_visible()
    other.stop()


@pytest.mark.parametrize(
    ("address", "title", "button"),
    [
        ("/triage?run=000000000000", "There is no such run here", "See all runs"),
        (
            "/triage?run={run}&vs=000000000000",
            "There is no such baseline here",
            "Go on without a baseline",
        ),
        (
            "/triage?run={run}&sample=none-such",
            "There is no such sample here",
            "First sample of the filter",
        ),
    ],
)
def test_link_to_what_is_not_there_says_so_and_keeps_the_link(
    address: str,
    title: str,
    button: str,
    app: Any,
    store: Store,
    page: Page,
    visit: Callable[[str], None],
) -> None:
    link = app.url + address.format(run=run_id(store, PLAIN))

    visit(link)

    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.get_by_role("button", name=button)).to_be_visible()
    assert page.url == link
    assert "Sample 1 of" not in page.inner_text('[data-testid="stMain"]')


def test_b61_b62_texts_of_a_file_are_only_text(
    app: Any, store: Store, page: Page, visit: Callable[[str], None]
) -> None:
    # The harness fails this test if a request leaves the machine or the console complains.
    run = run_id(store, "traps")
    rows = [json.loads(line) for line in TRAPS.read_text(encoding="utf-8").splitlines()]
    visit(f"{app.url}/triage?run={run}")

    seen: dict[object, list[str]] = {}
    for place in range(1, len(rows) + 1):
        expect(queue(page)).to_contain_text(f"Sample {place} of {len(rows)} ")
        page.wait_for_function("document.querySelector('[data-test-script-state=notRunning]')")
        seen[place] = page.evaluate(INTRUDERS)
        page.keyboard.press("j")
    visit(f"{app.url}/failure-modes?run={run}&by=kind")
    seen["failure-modes"] = page.evaluate(INTRUDERS)
    page.locator('[class*="st-key-slices_kind-"] svg.marks').hover(position={"x": 300, "y": 60})
    page.wait_for_timeout(300)
    seen["tooltip"] = page.evaluate(INTRUDERS)
    visit(f"{app.url}/runs")
    seen["runs"] = page.evaluate(INTRUDERS)

    assert {place: found for place, found in seen.items() if found} == {}
    assert len(seen) == len(rows) + 3


# What would be on the page if a text had been rendered: a formula, emphasis of its own, a link, a
# picture, a table, code, an icon, or the mark that a script would have left.
INTRUDERS = """() => {
  const main = document.querySelector('[data-testid="stMain"]')
  const found = [...main.querySelectorAll(
    '.katex, em, i, b, u, h5, h6, table:not(canvas table), pre code, iframe, script,' +
    'a[href*="trap"], img[src*="trap"], img[onerror], [style*="trap"]'
  )].map(e => e.outerHTML.slice(0, 120))
  if (window.trapped) found.push('a script of the file ran')
  return found
}"""


def test_b63_long_answer_opens_quickly_and_in_full_on_request(
    app: Any, store: Store, page: Page, visit: Callable[[str], None], tmp_path: Path
) -> None:
    answer = "".join(f"Line **{n}** of $ {n}.\n" for n in range(20_000)) + "the very end"
    row = {"run": "long", "sample_id": "l1", "question": "q", "answer": answer, "contexts": ["c"]}
    file = tmp_path / "long.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    import_file(store, file, Options())

    visit(f"{app.url}/triage?run={run_id(store, 'long')}")

    assert len(page.inner_text('[data-testid="stMain"]')) < 20_000
    page.get_by_test_id("stPopoverButton").filter(has_text="characters of the answer").click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text("the very end")
