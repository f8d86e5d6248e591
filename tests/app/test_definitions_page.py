"""The page Definitions: everything is there, and a search is kept in the address."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.metrics.registry import FAMILIES, METRICS
from core.store.connection import Store
from core.workflows.definitions import entries

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
TITLE = ["What does each number mean?"]


def titles(app: AppTest) -> list[str]:
    return [title.value for title in app.title]


@pytest.mark.parametrize("kind", ["empty", "demo", "no_scores"])
def test_page_needs_no_run(kind: str, store_of: StoreOf, start: Start) -> None:
    store_of(kind)

    app = start("definitions")

    assert titles(app) == TITLE
    assert [error.value for error in app.exception] == []


def test_every_term_is_on_the_page(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store_of("empty")

    app = start("definitions")

    folded = "".join(expander.label for expander in app.expander)
    text = text_of(app) + folded.replace("\\", "")
    missing = [entry.name for entry in entries() if entry.name not in text]
    assert missing == []
    assert len(app.expander) > len(METRICS)


def test_search_is_kept_in_the_address_and_found_again_by_a_link(
    store_of: StoreOf, start: Start
) -> None:
    store_of("empty")
    app = start("definitions")

    app.text_input[0].set_value("conversational_faithfulness").run()

    assert [label(app, i) for i in range(len(app.expander))] == ["Conversational faithfulness"]
    parameters = app.session_state["address"].params()
    assert parameters == {"term": "conversational_faithfulness"}
    again = start("definitions", parameters)
    assert again.text_input[0].value == "conversational_faithfulness"
    assert label(again, 0) == "Conversational faithfulness"


def label(app: AppTest, place: int) -> str:
    return str(app.expander[place].label).split("**")[1].replace("\\", "")


def test_search_without_a_hit_leads_back(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store_of("empty")

    app = start("definitions", {"term": "<b>zebra</b> *x*"})

    assert "Nothing here is called <b>zebra</b> *x*." in text_of(app)
    next(b for b in app.button if b.label == "Show everything").click().run()
    assert len(app.expander) > len(METRICS)
    assert app.session_state["address"].term is None


def test_metrics_of_no_axis_stand_under_what_they_are_about(store_of: Any, start: Any) -> None:
    store_of("demo")
    app = start("definitions")
    shown = [one.value for one in app.caption]
    families = list(dict.fromkeys(FAMILIES.values()))
    assert len(families) > 4
    # Each once, so that their metrics stand together.
    assert [shown.count(family) for family in families] == [1] * len(families)
