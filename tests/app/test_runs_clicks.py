"""Clicks on Runs: open, rename, note, delete, the demo, and taking in a file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list
from core.workflows.setup import ensure_store
from core.workflows.wording import run_lines

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
RUNS = Path(__file__).parent / "runs"
PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"


def names(store: Store) -> list[str]:
    return [row.run.name for row in run_list(store)]


def id_of(store: Store, name: str) -> str:
    return next(row.run.run_id for row in run_list(store) if row.run.name == name)


def button(app: AppTest, prefix: str) -> Any:
    (found,) = [button for button in app.button if (button.key or "").startswith(prefix)]
    return found


def table_of(app: AppTest) -> Any:
    return next(frame for frame in app.dataframe if str(frame.key).startswith("run_table"))


def choose(app: AppTest, name: str) -> AppTest:
    table = table_of(app)
    place = list(table.value["Run"]).index(name)
    app.session_state[table.key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    return app.run()


def audit(store: Store) -> list[tuple[str, str | None, str | None]]:
    with store.reading() as connection:
        return connection.execute(
            "select action, old_value, new_value from audit where action <> 'import' order by ALL"
        ).fetchall()


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader[0].set_value((name, content, "application/jsonl"))
    return app.run()


# --- the list -------------------------------------------------------------------------------------


def test_list_shows_each_run_with_its_pass_rate_and_denominator(
    store_of: StoreOf, start: Start
) -> None:
    store = store_of("demo")

    table = table_of(start("runs")).value.set_index("Run")

    for row in run_list(store):
        rate, shown = row.summary.pass_rate, table.loc[row.run.name]
        assert rate.value is not None
        assert shown["Pass"] == f"{round(rate.value * 100)}\u202f%"
        assert shown["Scored"] == f"{rate.n} of {row.summary.n}"
        assert shown["Samples"] == row.run.n_samples == 83


def test_run_of_few_samples_has_counts_and_no_rate(
    store_of: StoreOf, start: Start, tmp_path: Path
) -> None:
    store = store_of("empty")
    file = tmp_path / "few.jsonl"
    rows = [
        {
            "question": "q",
            "answer": "a",
            "contexts": [{"text": "c"}],
            "scores": {
                "context_relevance_rubric": 5,
                "groundedness_rubric": grounded,
                "answer_relevance_rubric": 5,
            },
        }
        for grounded in (5, 1, 5)
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert import_file(store, file, Options()).is_stored

    shown = table_of(start("runs")).value.set_index("Run").loc["few"]

    assert (shown["Pass"], shown["95\u202f% interval"]) == ("2 of 3", "—")
    (said,) = run_lines(run_list(store))
    assert said.endswith("few  3 samples  passes 2 of 3")


def test_run_without_a_verdict_has_a_dash_and_is_said_to_have_none(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("no_scores")

    app = start("runs")

    row = table_of(app).value.iloc[0]
    assert (row["Pass"], row["Scored"]) == ("—", "0 of 8")
    assert "1 run with 8 samples. It has no verdict yet: open it" in text_of(app)


def test_chosen_run_opens_on_the_overview(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    app = choose(start("runs"), STEMMED)

    button(app, "open_").click().run()

    assert app.session_state["address"].run == id_of(store, STEMMED)
    assert [title.value for title in app.title] == ["Is this run good enough to ship?"]


def test_b55_choice_is_kept_when_the_page_is_left_and_entered_again(
    store_of: StoreOf, start: Start, turn_to: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    app = choose(start("runs"), STEMMED)

    turn_to(app, "modes")
    turn_to(app, "runs")

    assert f"{STEMMED} · {id_of(store, STEMMED)}" in text_of(app)


def test_b53_choice_stays_with_its_run_when_another_process_imports_one(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    first = run_list(store)[0].run
    app = choose(start("runs"), first.name)
    import_file(store, RUNS / "no_scores.jsonl", Options())  # stands first from now on

    app.run()

    assert table_of(app).value["Run"].iloc[0] == "library unscored"
    assert f"{first.name} · {first.run_id}" in text_of(app)


def test_b53_late_click_on_delete_deletes_the_run_it_was_drawn_for(
    store_of: StoreOf, start: Start
) -> None:
    store = store_of("demo")
    first = names(store)[0]
    app = choose(start("runs"), first)
    late = button(app, "delete_")
    import_file(store, RUNS / "no_scores.jsonl", Options())

    late.click().run()

    assert set(names(store)) == {"library unscored", PLAIN, STEMMED} - {first}


# --- what can be done with a run ------------------------------------------------------------------


def test_rename_and_note_are_kept_and_logged(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    app = choose(start("runs"), PLAIN)
    (note,) = [row.run.note for row in run_list(store) if row.run.name == PLAIN]

    app.text_input[0].set_value("first $5 <b>try</b>")
    app.text_area[0].set_value("k = 3, *no* stemming")
    next(b for b in app.button if b.label == "Save").click().run()

    assert "first $5 <b>try</b>" in names(store)
    assert "first $5 <b>try</b> · " in text_of(app)
    assert "k = 3, *no* stemming" in text_of(app)
    assert audit(store) == [
        ("note", note, "k = 3, *no* stemming"),
        ("rename", PLAIN, "first $5 <b>try</b>"),
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [(STEMMED, f"Another run is named '{STEMMED}' already."), ("  ", "A run needs a name.")],
)
def test_b75_name_that_cannot_be_saved_is_refused_and_stays_in_the_field(
    name: str, message: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    app = choose(start("runs"), PLAIN)

    app.text_input[0].set_value(name)
    next(b for b in app.button if b.label == "Save").click().run()

    assert f"Not saved. {message}" in text_of(app)
    assert app.text_input[0].value == name
    assert set(names(store)) == {PLAIN, STEMMED}


def test_delete_asks_first_and_then_deletes_that_run_only(
    store_of: StoreOf, start: Start, turn_to: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    app = start("modes", {"run": id_of(store, PLAIN), "f": "mode=success"})
    turn_to(app, "runs")
    choose(app, PLAIN)
    assert f"Delete {PLAIN} with its 83 samples, all verdicts and all labels?" in text_of(app)
    assert set(names(store)) == {PLAIN, STEMMED}

    button(app, "delete_").click().run()

    assert names(store) == [STEMMED]
    assert list(table_of(app).value["Run"]) == [STEMMED]
    assert app.session_state["address"].run is None
    assert audit(store) == [("delete", f"{PLAIN} (83 samples)", None)]


def test_deleted_baseline_leaves_the_address(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    store = store_of("demo")
    app = start("modes", {"run": id_of(store, STEMMED), "vs": id_of(store, PLAIN)})
    turn_to(app, "runs")
    choose(app, PLAIN)

    button(app, "delete_").click().run()

    address = app.session_state["address"]
    assert (address.run, address.baseline) == (id_of(store, STEMMED), None)


# --- the demo -------------------------------------------------------------------------------------


def test_removed_demo_stays_away_when_the_dashboard_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Start, text_of: TextOf
) -> None:
    path = tmp_path / "new.duckdb"
    monkeypatch.setenv("RAGTRIAGE_STORE", str(path))
    app = start("runs")  # creates the store, with the demo
    assert set(names(Store(path))) == {PLAIN, STEMMED}

    app.button(key="remove_demo").click().run()
    store, _ = ensure_store(demo_when_new=True)  # what a start does

    assert names(store) == []
    assert "No runs yet." in text_of(start("runs"))


def test_demo_is_loaded_on_request(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store = store_of("empty")
    app = start("runs")
    assert "answers, scores and labels were authored for the demo, not measured" in text_of(app)

    app.button(key="load_demo").click().run()

    assert set(names(store)) == {PLAIN, STEMMED}
    assert set(table_of(app).value["Run"]) == {PLAIN, STEMMED}


def test_removing_the_demo_leaves_a_file_of_the_same_name_alone(
    store_of: StoreOf, start: Start, tmp_path: Path
) -> None:
    store = store_of("demo")
    own = tmp_path / "demo.jsonl"
    own.write_bytes((RUNS / "no_scores.jsonl").read_bytes())
    import_file(store, own, Options())
    app = start("runs")

    app.button(key="remove_demo").click().run()

    assert names(store) == ["library unscored"]


def test_removing_the_demo_keeps_the_view_of_another_run(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    store = store_of("demo")
    import_file(store, RUNS / "no_scores.jsonl", Options())
    app = start("modes", {"run": id_of(store, "library unscored"), "f": "text=card"})
    turn_to(app, "runs")

    app.button(key="remove_demo").click().run()

    address = app.session_state["address"]
    assert (address.run, address.terms) == (id_of(store, "library unscored"), ("text=card",))


# --- taking in a file -----------------------------------------------------------------------------


def test_file_is_shown_before_anything_is_stored_and_opens_afterwards(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("empty")
    app = start("runs")

    upload(app, "traps.jsonl", (RUNS / "traps.jsonl").read_bytes())

    text = text_of(app)
    assert "traps <b>&amp;</b> $1 $2 *x* · 11 samples, 13 contexts, 0 gold" in text
    assert "Read as RAG Triage JSON Lines because its first rows are JSON objects" in text
    assert "contexts per sample (median 1)" in text
    assert "A score of answer_relevance_rubric is no number: kept as an error. (row" in text
    preview = app.dataframe[0].value.set_index("Score")
    assert list(preview.loc["groundedness_rubric", ["Values", "Errors", "Not scored"]]) == [7, 3, 1]
    assert names(store) == []

    app.button(key="import_file").click().run()

    assert names(store) == ["traps <b>&amp;</b> $1 $2 *x*"]
    assert "Imported: traps <b>&amp;</b> $1 $2 *x*" in text_of(app)
    app.button(key="open_imported").click().run()
    assert [title.value for title in app.title] == ["Is this run good enough to ship?"]
    assert app.session_state["address"].run == run_list(store)[0].run.run_id
    assert list(store.path.parent.glob(".upload-*")) == []


def test_broken_file_shows_every_bad_row_with_its_number_and_stores_nothing(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("empty")
    app = start("runs")

    upload(app, "broken.jsonl", (RUNS / "broken.jsonl").read_bytes())

    text = text_of(app)
    assert "4 rows cannot be stored as they stand" in text
    for row in ("row 2: The row is no JSON", "row 3: ", "row 5: ", "row 6: contexts must be"):
        assert row in text
    assert app.button(key="import_file").disabled
    assert names(store) == []


def test_bad_rows_are_left_out_only_on_request(store_of: StoreOf, start: Start) -> None:
    store = store_of("empty")
    app = start("runs")
    upload(app, "broken.jsonl", (RUNS / "broken.jsonl").read_bytes())

    app.checkbox(key="skip_bad_rows").check().run()
    app.button(key="import_file").click().run()

    # Six rows, four of them bad: no JSON, no question, a repeat, a number in place of contexts.
    assert [(row.run.name, row.run.n_samples) for row in run_list(store)] == [("broken", 2)]


@pytest.mark.parametrize("content", [b"", b"\x00\xff\x00PK not a result file", b"a;b\n1;2\n"])
def test_file_of_no_known_kind_is_refused_with_a_message(
    content: bytes, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("empty")
    app = start("runs")

    upload(app, "holiday.jsonl", content)

    assert [error.value for error in app.exception] == []
    assert len(app.error) + len(app.warning) == 1
    assert "holiday.jsonl" in text_of(app)
    assert [b.disabled for b in app.button if b.key == "import_file"] in ([], [True])
    assert names(store) == []


def test_same_bytes_again_are_recognised_and_nothing_is_stored_twice(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("no_scores")
    app = start("runs")

    upload(app, "copy.jsonl", (RUNS / "no_scores.jsonl").read_bytes())

    assert "This very file was imported before, as no_scores.jsonl" in text_of(app)
    assert "import_file" not in [b.key for b in app.button]
    assert names(store) == ["library unscored"]


def test_message_about_an_import_goes_with_the_run(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("empty")
    app = start("runs")
    upload(app, "no_scores.jsonl", (RUNS / "no_scores.jsonl").read_bytes())
    app.button(key="import_file").click().run()
    choose(app, "library unscored")

    button(app, "delete_").click().run()

    assert "Imported:" not in text_of(app)
