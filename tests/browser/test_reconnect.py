"""A page that stays open while its server is started anew (B76)."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from core.store.connection import Store


def test_b76_page_goes_on_where_it_was_after_a_restart_of_the_server(
    served_app: Callable[..., Any],
    demo_store: Store,
    page: Page,
    settled: Callable[[Page], None],
    page_problems: list[str],
) -> None:
    app = served_app(demo_store.path)
    page.goto(f"{app.url}/failure-modes?f=tag.difficulty%3Dhard")
    settled(page)
    title = page.get_by_role("heading", name="Which part failed, retriever or generator?")
    expect(title).to_be_visible()
    page.wait_for_url("**/failure-modes?run=*")  # the address is written last
    address = page.url

    app.stop()
    expect(page.get_by_test_id("stApp")).not_to_have_attribute(
        "data-test-connection-state", "CONNECTED", timeout=30_000
    )
    served_app(demo_store.path, port=urlsplit(app.url).port)
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-connection-state", "CONNECTED", timeout=60_000
    )
    # The same page and filter, and the next click is answered.
    expect(title).to_be_visible()
    assert page.url == address
    page.locator('[data-testid="stSidebarNavLink"]', has_text="Overview").click()
    settled(page)
    expect(page.get_by_role("heading", name="Is this run good enough to ship?")).to_be_visible()
    page.wait_for_url("**f=tag.difficulty%3Dhard**")
    # The browser complains of the server that was gone; of nothing else.
    gone = [one for one in page_problems if "ERR_CONNECTION_REFUSED" in one or "WebSocket" in one]
    assert page_problems == gone
    page_problems.clear()
