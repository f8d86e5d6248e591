"""The page Overview: its figures are the store's, every figure opens its samples, every state."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.filters import from_terms
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list
from core.workflows.review import View, matched

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"
GOLDEN = Path(__file__).parents[1] / "golden" / "demo_modes.csv"
CARDS = ["Success", "Pass", "Correct", "Refusals right", "Coverage"]


def golden(run: str) -> dict[str, int]:
    with GOLDEN.open(encoding="utf-8") as lines:
        return {row["mode"]: int(row["n"]) for row in csv.DictReader(lines) if row["run"] == run}


def ids(store: Store) -> dict[str, str]:
    return {row.run.name: row.run.run_id for row in run_list(store)}


def n_matched(store: Store, run_id: str, app: AppTest) -> int:
    """Samples that the address of the page lets through."""
    view = View(wanted=from_terms(app.session_state["address"].terms))
    with matched(store, run_id, view) as (connection, _):
        return int(connection.execute("select count(*) from matched").fetchall()[0][0])


def metrics(app: AppTest) -> dict[str, Any]:
    return {metric.label: metric for metric in app.metric}


def click_row(app: AppTest, mode: str) -> None:
    """Click a row of the modes, or the heading of a side; the chart has a new key on each visit."""
    key = f"mode_rows.{app.session_state['n_visits']}"
    app.session_state[key] = {"selection": {"mode": [{"id": mode}]}}
    app.run()


def button(app: AppTest, key: str) -> Any:
    return next(b for b in app.button if b.key == key)


def title(app: AppTest) -> str:
    return str(app.title[0].value) if app.title else "triage"


def test_cards_show_the_rates_of_the_run(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    run_id = ids(store_of("demo"))[STEMMED]
    modes = golden(STEMMED)
    n = sum(modes.values())
    decided = n - modes["undetermined"] - modes["refusal_unverified"]

    app = start("overview", {"run": run_id})

    assert list(metrics(app)) == CARDS
    text = text_of(app)
    assert f"{modes['success']} of {decided} decided" in text
    passed = modes["success"] + modes["correct_refusal"]
    assert f"{passed} of {decided} decided" in text
    assert f"{decided} of {n} samples decided" in text
    assert [metric.delta for metric in app.metric] == [""] * 5  # no baseline, no change


def test_cards_show_the_change_against_the_baseline(store_of: StoreOf, start: Start) -> None:
    run = ids(store_of("demo"))

    app = start("overview", {"run": run[STEMMED], "vs": run[PLAIN]})

    # 50 of 82 = 61 % against 32 of 80 = 40 %: +21 points (golden/demo_modes.csv)
    success = metrics(app)["Success"]
    assert (success.value, success.delta) == ("61\u202f%", "+21 points")


def test_another_cut_is_not_comparable_and_says_so(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run = ids(store_of("demo"))

    app = start("overview", {"run": run[STEMMED], "vs": run[PLAIN], "g": "5"})

    assert metrics(app)["Success"].delta == "not comparable"
    assert metrics(app)["Coverage"].delta != "not comparable"
    assert "The baseline used another cut." in text_of(app)


@pytest.mark.parametrize("mode", ["hallucination", "correct_refusal", "undetermined"])
def test_row_of_a_mode_opens_its_samples(mode: str, store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    app = start("overview", {"run": run_id})

    click_row(app, mode)

    assert title(app) == "triage"
    assert app.session_state["address"].terms == (f"mode={mode}",)
    assert n_matched(store, run_id, app) == golden(PLAIN)[mode]


def test_row_of_a_side_opens_all_its_modes(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    modes = golden(PLAIN)
    side = ("hallucination", "generation_breakdown", "off_target_answer")
    app = start("overview", {"run": run_id})

    click_row(app, "generation")

    assert n_matched(store, run_id, app) == sum(modes[mode] for mode in side)


def test_coming_back_does_not_send_people_on_again(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    app = start("overview", {"run": run_id})
    click_row(app, "hallucination")

    turn_to(app, "overview")

    assert title(app) == "Is this run good enough to ship?"


def test_every_repair_opens_as_many_samples_as_its_button_says(
    store_of: StoreOf, start: Start
) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    keys = [b.key for b in start("overview", {"run": run_id}).button if str(b.key)[:4] == "fix_"]
    assert len(keys) == 4

    for key in keys:
        app = start("overview", {"run": run_id})
        label = button(app, key).label
        button(app, key).click().run()
        assert title(app) == "triage"
        assert label.split()[0] == str(n_matched(store, run_id, app))


def test_undecided_samples_open_from_the_trust_box(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    modes = golden(PLAIN)
    n_open = modes["undetermined"] + modes["refusal_unverified"]
    app = start("overview", {"run": run_id})
    opener = app.button(key="trust_open_4")

    assert opener.label == f"{n_open} of {sum(modes.values())}"
    opener.click().run()

    assert n_matched(store, run_id, app) == n_open


def test_what_the_triad_cannot_see_opens_from_the_trust_box(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = ids(store)[PLAIN]
    for place in (5, 6):  # wrong successes, then all contradictions
        app = start("overview", {"run": run_id})
        opener = app.button(key=f"trust_open_{place}")
        n, _, total = opener.label.removesuffix(" successes").split()
        assert 0 < int(n) < int(total)
        opener.click().run()
        assert title(app) == "triage"
        assert n_matched(store, run_id, app) == int(n)


def test_slice_opens_its_failing_samples(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = ids(store)[STEMMED]
    app = start("overview", {"run": run_id})
    (table,) = app.dataframe
    first = table.value.iloc[0]
    assert first["Slice"] == "kind: general knowledge"

    app.session_state[table.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()

    assert app.session_state["address"].terms[0] == "tag.kind=general knowledge"
    assert n_matched(store, run_id, app) == first["Failing"] == 6


def test_filter_narrows_every_figure(store_of: StoreOf, start: Start) -> None:
    run_id = ids(store_of("demo"))[STEMMED]

    app = start("overview", {"run": run_id, "f": "mode=hallucination"})

    # Below five there is no rate, only the counts.
    assert metrics(app)["Success"].value == "0 of 3"
    assert "3 samples" in [b.label for b in app.button]


# --- states ---------------------------------------------------------------------------------------


def test_no_match_says_so(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store_of("demo")

    app = start("overview", {"f": ["mode=hallucination", "text=zebra crossing"]})

    assert "No sample matches these filters" in text_of(app)
    assert list(app.metric) == []


def test_unscored_run_offers_to_score_and_shows_no_rate(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("no_scores")

    app = start("overview")

    text = text_of(app)
    assert "score_run" in [b.key for b in app.button]
    assert metrics(app)["Success"].value == "—"
    assert "Not defined: no sample could be diagnosed." in text
    assert "What to repair shows once the samples are scored." in text
    assert "Not judged on all axes" in text


@pytest.mark.parametrize("kind", ["no_contexts", "no_answers"])
def test_run_that_lacks_something_still_opens(
    kind: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of(kind)

    app = start("overview")

    assert [error.value for error in app.exception] == []
    assert "Latency not recorded · cost unknown." in text_of(app)


def test_run_without_labels_says_that_nothing_was_checked(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    scores = dict.fromkeys(
        ("context_relevance_rubric", "groundedness_rubric", "answer_relevance_rubric"), 5
    )
    rows = [
        {"run": "all good", "sample_id": str(i), "question": "q", "answer": "a", "scores": scores}
        | {"latency": 1.5, "cost": 0.25, "tags": {"$x$": "<b>*y*</b>" if i < 6 else "z"}}
        for i in range(12)
    ]
    file = tmp_path / "good.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    import_file(store, file, Options())

    app = start("overview")

    text = text_of(app)
    assert "None of 12 answers fails (0\u202f%, 0–24)." in text
    assert "No decided sample fails, so there is nothing to repair." in text
    assert "Judge not checked" in text
    assert "no label to compare with" in text
    assert metrics(app)["Correct"].value == "—"
    assert metrics(app)["Refusals right"].value == "—"
    assert "All 12 samples are a success." in text
    assert "2 slices were compared" in text
    assert "None of them fails more often than the rest." in text
    assert "half of the answers within 1.5 s" in text
    assert "cost $3.00 (12 of 12 samples)" in text


def test_names_of_a_file_are_text(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store_of("traps")

    app = start("overview")

    assert [error.value for error in app.exception] == []
    assert "<b>" not in "".join(str(element.value) for element in app.markdown)


@pytest.mark.parametrize("card", ["success", "pass", "correct", "refusals", "coverage"])
def test_card_opens_exactly_the_samples_of_its_rate(
    card: str, store_of: StoreOf, start: Start
) -> None:
    store = store_of("demo")
    run_id = ids(store)[STEMMED]
    app = start("overview", {"run": run_id})
    opens = button(app, f"open_{card}")
    n = int(opens.label.split()[0])
    opens.click().run()
    assert not app.exception
    assert n_matched(store, run_id, app) == n
