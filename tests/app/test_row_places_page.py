"""The mapper asks where the rows are when a file leaves it open, and stores what was chosen."""

import io
import json
from collections.abc import Callable

import openpyxl
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]

DOCUMENT = {
    "before": [{"prompt": "a?", "completion": "old"}],
    "after": [{"prompt": "a?", "completion": "new"}, {"prompt": "b?", "completion": "newer"}],
}


def answers(store: Store) -> list[str]:
    with store.reading() as connection:
        rows = connection.execute("select answer from sample order by position").fetchall()
    return [answer for (answer,) in rows]


def test_a_list_of_a_json_object_is_chosen_and_stored(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("empty")
    app = start("runs")
    app.file_uploader[0].set_value(("two.json", json.dumps(DOCUMENT).encode(), "application/json"))
    app.run()

    place = app.selectbox(key=_key(app))
    assert (place.label, place.options, place.value.records) == (
        "Where the rows are", ["before", "after"], "before",
    )  # fmt: skip
    assert "1 sample" in text_of(app)

    place.select_index(1)
    app.run()
    assert "2 samples" in text_of(app)
    app.button(key="import_file").click()
    app.run()
    assert not app.exception
    assert answers(store) == ["new", "newer"]
    assert [row.run.n_samples for row in run_list(store)] == [2]


def test_a_sheet_of_a_workbook_is_chosen_and_stored(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("empty")
    book = openpyxl.Workbook()
    for title, answer in (("May", "old"), ("June", "new")):
        sheet = book.create_sheet(title)
        sheet.append(["prompt", "completion"])
        sheet.append(["a?", answer])
    content = io.BytesIO()
    book.save(content)
    app = start("runs")
    app.file_uploader[0].set_value(("months.xlsx", content.getvalue(), "application/vnd.ms-excel"))
    app.run()

    place = app.selectbox(key=_key(app))
    assert (place.label, place.options) == ("Sheet", ["May", "Sheet", "June"])
    place.select_index(2)
    app.run()
    assert "1 sample" in text_of(app)
    app.button(key="import_file").click()
    app.run()
    assert answers(store) == ["new"]


def test_a_file_with_one_place_asks_nothing(store_of: StoreOf, start: Start) -> None:
    store_of("empty")
    app = start("runs")
    content = json.dumps({"out": 1, "entries": DOCUMENT["after"]}).encode()
    app.file_uploader[0].set_value(("one.json", content, "application/json"))
    app.run()
    assert not [box for box in app.selectbox if str(box.key).startswith("place_")]


def _key(app: AppTest) -> str:
    return next(str(box.key) for box in app.selectbox if str(box.key).startswith("place_"))
