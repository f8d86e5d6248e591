"""Clicks on Failure modes: tiles, rows, slices and sliders lead to exactly the samples they count.

Charts and tables cannot be clicked without a browser; a selection is put where Streamlit keeps it.
"""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.diagnosis.modes import MODES
from core.model import Axis, Mode
from core.store.connection import Store
from core.store.selected import run_choices
from core.store.writes import set_threshold
from core.workflows.diagnosing import diagnose
from core.workflows.listing import run_list
from core.workflows.review import View

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"
GOLDEN = Path(__file__).parents[1] / "golden" / "demo_modes.csv"
UNGROUNDED = ("confabulation", "ungrounded_answer", "lucky_guess")
TILES = {
    "matrix_relevant": ("success", "hallucination", "score_conflict", "ungrounded"),
    "matrix_not_relevant": (
        "off_target_answer",
        "generation_breakdown",
        "retrieval_failure",
        "pipeline_failure",
    ),
    "matrix_strip": ("correct_refusal", "over_refusal", "refusal_unverified", "undetermined"),
}


def golden(run: str) -> dict[str, int]:
    with GOLDEN.open(encoding="utf-8") as lines:
        return {row["mode"]: int(row["n"]) for row in csv.DictReader(lines) if row["run"] == run}


def ids(store: Store) -> dict[str, str]:
    return {row.run.name: row.run.run_id for row in run_list(store)}


def widget(app: AppTest, kind: str, name: str) -> Any:
    """The widget of a name, which has another number on each visit of a page."""
    (found,) = [one for one in getattr(app, kind) if str(one.key).rpartition(".")[0] == name]
    return found


def rows_of(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["Mode"])


def click_row(app: AppTest, key: str, row: int) -> AppTest:
    # The table's name ends with a fingerprint of its rows.
    (table,) = [frame.key for frame in app.dataframe if str(frame.key).startswith(key)]
    app.session_state[table] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return app.run()


def click_tile(app: AppTest, key: str, mode: str) -> AppTest:
    app.session_state[click_key(app, key)] = {"selection": {"cell": [{"id": mode}]}}
    return app.run()


def click_key(app: AppTest, name: str) -> str:
    """The key of a chart that leads away: a new one for each visit of the page."""
    n = app.session_state["n_visits"]
    return f"{name}.{n}"


@pytest.mark.parametrize(("key", "tile"), [(k, t) for k, tiles in TILES.items() for t in tiles])
def test_tile_opens_exactly_its_samples(
    key: str, tile: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    modes = UNGROUNDED if tile == "ungrounded" else (tile,)
    n = sum(golden(PLAIN)[mode] for mode in modes)

    app = click_tile(start("modes", {"run": run_id}), key, tile)

    assert app.session_state["address"].terms == tuple(f"mode={mode}" for mode in modes)
    assert f"Sample 1 of {n} " in text_of(app).replace("\n", " ")
    assert f"· {', '.join(MODES[Mode(mode)].name for mode in modes)} · most severe" in text_of(app)


def test_tile_with_filter_and_moved_cut_opens_the_samples_of_that_view(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    cuts = ((Axis.GROUNDEDNESS, 5.0),)
    expected = diagnose(store, run_id, View(cuts), samples=True)
    inside = [row["sample_id"] for row in expected["samples"] if row["mode"] == "hallucination"]

    app = start("modes", {"run": run_id, "g": "5"})
    click_tile(app, "matrix_relevant", "hallucination")
    seen = [app.session_state["address"].sample]
    while not app.button(key="next").disabled:
        app.button(key="next").click().run()
        seen.append(app.session_state["address"].sample)

    assert seen == inside
    assert len(inside) != golden(PLAIN)["hallucination"]


def test_tile_replaces_the_modes_of_the_filter_and_keeps_the_rest(
    store_of: StoreOf, start: Start
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    app = start("modes", {"run": run_id, "f": ["mode=success", "text=the"]})

    click_tile(app, "matrix_relevant", "success")

    assert app.session_state["address"].terms == ("text=the", "mode=success")


def test_coming_back_to_the_matrix_does_not_send_people_on_again(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    app = start("modes", {"run": run_id})
    key = click_key(app, "matrix_strip")
    click_tile(app, "matrix_strip", "undetermined")

    # A browser that comes back at once sends the selection again.
    app.session_state[key] = {"selection": {"cell": [{"id": "undetermined"}]}}
    turn_to(app, "modes")

    assert [title.value for title in app.title] == ["Which part failed, retriever or generator?"]


def test_b53_row_of_the_table_opens_the_mode_that_stood_there(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    app = start("modes", {"run": run_id})
    place = rows_of(app).index("Retrieval failure")

    click_row(app, "mode_table", place)

    assert app.session_state["address"].terms == ("mode=retrieval_failure",)
    assert f"Sample 1 of {golden(PLAIN)['retrieval_failure']}" in text_of(app)


def test_b53_selection_does_not_move_to_another_row_when_the_data_change(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    # Order of the rows is by count: 32 successes first. With groundedness high from 2 up the order
    # differs; a position kept from before would open another mode.
    run_id = ids(store_of("demo"))[PLAIN]
    app = start("modes", {"run": run_id})
    before = rows_of(app)
    click_row(app, "mode_table", 3)
    opened = app.session_state["address"].terms

    turn_to(app, "modes")
    next(b for b in app.button if b.key == "reset_all").click().run()
    widget(app, "slider", "cut_groundedness").set_value(2).run()

    assert opened == (f"mode={next(m.value for m in Mode if MODES[m].name == before[3])}",)
    assert rows_of(app) != before
    assert [title.value for title in app.title] == ["Which part failed, retriever or generator?"]
    assert app.session_state["address"].terms == ()


def test_b53_click_on_a_table_that_has_changed_opens_nothing(
    store_of: StoreOf, start: Start
) -> None:
    # Another process moves a cut between the drawing of the table and the click on it.
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    app = start("modes", {"run": run_id})
    shown = rows_of(app)
    address = app.session_state["address"]
    with store.writing() as connection:
        choice = run_choices(connection, run_id)[Axis.GROUNDEDNESS]
        set_threshold(connection, run_id, choice.metric, choice.judge_id, 2.0)

    click_row(app, "mode_table", 3)

    assert rows_of(app) != shown
    assert app.session_state["address"] == address


def test_b54_rows_are_known_by_their_place_before_the_table_is_sorted_on_screen(
    store_of: StoreOf, start: Start
) -> None:
    # Sorting on screen does not reorder what the server holds: the browser reports places in the
    # order that was sent. So the last place sent is the last mode sent, however it is shown.
    run_id = ids(store_of("demo"))[PLAIN]
    app = start("modes", {"run": run_id})
    last = rows_of(app)[-1]

    click_row(app, "mode_table", len(rows_of(app)) - 1)

    assert app.session_state["address"].terms == (
        f"mode={next(m.value for m in Mode if MODES[m].name == last)}",
    )


def test_b54_place_beyond_the_rows_opens_nothing(store_of: StoreOf, start: Start) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    app = start("modes", {"run": run_id})

    click_row(app, "mode_table", 99)

    assert [error.value for error in app.exception] == []
    assert [title.value for title in app.title] == ["Which part failed, retriever or generator?"]


def test_slice_opens_its_samples(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    app = start("modes", {"run": run_id})
    tag = widget(app, "selectbox", "slice_by").value
    with store.reading() as connection:
        value, n = connection.execute(
            "select value, count(*) from tag where run_id = $run and name = $tag "
            "group by value order by count(*) desc, value limit 1",
            {"run": run_id, "tag": tag},
        ).fetchall()[0]

    app.session_state[click_key(app, f"slices_{tag}")] = {"selection": {"slice": [{"id": value}]}}
    app.run()

    assert app.session_state["address"].terms == (f"tag.{tag}={value}",)
    assert f"Sample 1 of {n} " in text_of(app).replace("\n", " ")


def test_slider_reclassifies_and_says_how_many_moved(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    before = diagnose(store, run_id, View(), samples=True)["samples"]
    after = diagnose(store, run_id, View(((Axis.GROUNDEDNESS, 5.0),)), samples=True)["samples"]
    modes = {row["sample_id"]: row["mode"] for row in before}
    moved = sum(modes[row["sample_id"]] != row["mode"] for row in after)
    app = start("modes", {"run": run_id})
    assert "0 samples moved" in text_of(app)
    assert app.button(key="reset_cuts").disabled

    widget(app, "slider", "cut_groundedness").set_value(5).run()

    assert moved > 0
    assert f"{moved} samples moved" in text_of(app)
    app.button(key="reset_cuts").click().run()
    assert "0 samples moved" in text_of(app)
    assert app.session_state["address"].cuts == ()


def test_saved_cut_is_kept_for_the_run_and_logged(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run = ids(store)
    app = start("modes", {"run": run[PLAIN]})
    widget(app, "slider", "cut_groundedness").set_value(5).run()
    text = text_of(app)

    app.button(key="save_cuts").click().run()

    assert app.session_state["address"].cuts == ()
    assert "The stored cuts are 4 · 5 · 4." in text_of(app)
    finding = text.splitlines()[1]
    fresh = start("modes", {"run": run[PLAIN]})
    assert widget(fresh, "slider", "cut_groundedness").value == 5
    assert text_of(fresh).splitlines()[1] == finding
    other = start("modes", {"run": run[STEMMED]})
    assert widget(other, "slider", "cut_groundedness").value == 4
    with store.reading() as connection:
        logged = connection.execute(
            "select old_value, new_value from audit where action = 'threshold'"
        ).fetchall()
    assert logged == [("groundedness_rubric = default", "groundedness_rubric = 5.0")]


def test_change_against_the_baseline_is_in_the_table(store_of: StoreOf, start: Start) -> None:
    run = ids(store_of("demo"))

    app = start("modes", {"run": run[STEMMED], "vs": run[PLAIN]})

    table = app.dataframe[0].value
    changes = dict(zip(table["Mode"], table["Change"], strict=True))
    now, before = golden(STEMMED), golden(PLAIN)
    for mode in Mode:
        if now[mode.value]:
            difference = now[mode.value] - before[mode.value]
            sign = "±" if not difference else "+" if difference > 0 else "\N{MINUS SIGN}"
            assert changes[MODES[mode].name] == f"{sign}{abs(difference)}"


def test_counts_of_the_table_add_up_to_the_run(store_of: StoreOf, start: Start) -> None:
    run_id = ids(store_of("demo"))[PLAIN]

    table = start("modes", {"run": run_id}).dataframe[0].value

    assert dict(zip(table["Mode"], table["Samples"], strict=True)) == {
        MODES[Mode(mode)].name: n for mode, n in golden(PLAIN).items() if n
    }
    assert table["Samples"].sum() == 83


def test_filter_pill_taken_away_removes_the_filter(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("demo")
    app = start("triage", {"f": ["mode=success", "flag=borderline"]})

    widget(app, "pills", "filter_pills").set_value(["mode=success"]).run()

    assert app.session_state["address"].terms == ("mode=success",)
    assert "Sample 1 of 32" in text_of(app)


def test_text_filter_finds_questions_answers_and_ids(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("demo")
    app = start("triage")

    widget(app, "text_input", "filter_text").set_value("q01").run()

    assert app.session_state["address"].terms == ("text=q01",)
    assert "Sample 1 of 1" in text_of(app)


def test_reset_takes_back_filter_cuts_and_judges_but_not_the_run(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run = ids(store_of("demo"))
    app = start("triage", {"run": run[PLAIN], "f": "mode=success", "g": "5"})

    app.button(key="reset_all").click().run()

    address = app.session_state["address"]
    assert (address.run, address.terms, address.cuts) == (run[PLAIN], (), ())
