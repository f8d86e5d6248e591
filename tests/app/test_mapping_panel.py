"""The grid of columns as a map, and what is said of the whole file."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import BadInputError
from core.ingest.mapping import Mapping, Role, Use
from core.store.connection import Store
from dashboard.components.mapping_panel import mapping_of


def row(column: str, role: str, **cells: Any) -> dict[str, Any]:
    return {
        "Column": column, "Is": role, "Named": "", "From": None, "To": None,
        "Lower is better": False, "Counts as 1": "", "About": "", "List": "find out",
        "Separator": "",
    } | cells  # fmt: skip


def test_the_rater_stands_with_every_label_and_nowhere_else() -> None:
    start = Mapping({"ok": (Use(Role.TAG),), "safe": (Use(Role.LABEL, rater="old"),)})
    rows = [row("ok", "label of a person"), row("safe", "label of a person"), row("who", "tag")]
    found = mapping_of(rows, start, "who")
    assert {column: uses[0].rater for column, uses in found.columns.items()} == {
        "ok": "who", "safe": "who", "who": None,
    }  # fmt: skip
    assert mapping_of(rows, start).columns["safe"][0].rater is None


def test_reason_label_and_latency_say_what_they_are_about() -> None:
    rows = [
        row("score", "score", From=1, To=5),
        row("why", "reason of a score", About="score"),
        row("ok", "label of a person", About="answer", **{"Counts as 1": "yes"}),
        row("took", "latency in milliseconds"),
        row("wait", "latency in seconds", About="score"),
    ]
    found = mapping_of(rows, Mapping({"wait": (Use(Role.LATENCY, unit="ms"),)})).columns
    assert found["why"] == (Use(Role.REASON, of="score"),)
    assert found["ok"] == (Use(Role.LABEL, positive="yes", target="answer"),)
    # What a role has no use for is not kept: a latency is about nothing.
    assert (found["took"], found["wait"]) == (
        (Use(Role.LATENCY, unit="ms"),), (Use(Role.LATENCY),),
    )  # fmt: skip


def test_a_reason_of_no_score_is_asked_for() -> None:
    found = mapping_of([row("score", "score"), row("why", "reason of a score")], Mapping({}))
    with pytest.raises(BadInputError, match="Say of which score column 'why' is the reason"):
        found.check()


LONG = "query,reply,doc,my_score\na?,b,one,0.5\na?,b,two,0.5\nc?,d,three,1\n"


def test_judge_and_rows_of_one_sample_are_said_of_the_whole_file(
    store_of: Callable[[str], Store],
    start: Callable[..., AppTest],
    text_of: Callable[[AppTest], str],
) -> None:
    store = store_of("empty")
    app = start("runs")
    app.file_uploader[0].set_value(("long.csv", LONG.encode(), "text/csv"))
    app.run()
    assert "3 samples" in text_of(app)

    next(box for box in app.checkbox if box.label.startswith("Rows that follow")).check()
    next(box for box in app.text_input if box.label.startswith("Model that")).input("some-model")
    app.run()
    assert "2 samples" in text_of(app)
    app.button(key="import_file").click().run()
    assert not app.exception
    with store.reading() as connection:
        judges = connection.execute(
            "select distinct model from verdict join judge using (judge_id) "
            "where metric = 'my_score'"
        ).fetchall()
    assert judges == [("some-model",)]
