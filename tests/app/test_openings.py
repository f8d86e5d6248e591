"""How often a page opens the store: once for what has changed, never for what has not."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store import writes
from core.store.connection import Store
from core.workflows.listing import stored_runs
from dashboard.access import ahead

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Grows by one whenever the file is opened; True for reading."""
    made: list[bool] = []
    connect = Store._connect

    def counted(self: Store, memory: str, *, read_only: bool) -> Any:
        made.append(read_only)
        return connect(self, memory, read_only=read_only)

    monkeypatch.setattr(Store, "_connect", counted)
    # On a slow machine one burst would become several.
    monkeypatch.setattr(ahead, "_HELD_SECONDS", 60.0)
    return made


@pytest.mark.parametrize("page", ["triage", "overview", "judge"])
def test_page_opens_the_store_once_where_something_has_changed(
    store_of: StoreOf, start: Start, openings: list[bool], page: str
) -> None:
    store = store_of("demo")
    run_id = stored_runs(store)[0].run_id
    app = start(page, {"run": run_id})
    app.run()

    openings.clear()
    app.run()
    assert openings == []

    with store.writing() as connection:
        writes.set_note(connection, run_id, "changed elsewhere")
        writes.raise_version(connection, run_id)
    openings.clear()
    app.run()

    # The judge's steadiness is read apart: it is worked out at length, and a writer would wait.
    # Triage reads the next sample when this one has been drawn.
    assert openings.count(False) == 0
    assert 1 <= len(openings) <= (1 if page == "overview" else 2)


def test_next_sample_has_been_read_before_it_is_asked_for(
    store_of: StoreOf, start: Start, openings: list[bool]
) -> None:
    run_id = stored_runs(store_of("demo"))[0].run_id
    app = start("triage", {"run": run_id})
    shown = app.session_state["address"].sample
    openings.clear()

    app.button(key="next").click().run()

    # What is opened is for the sample after this one.
    assert openings == [True]
    assert app.session_state["address"].sample != shown
