"""Calibration: every state, the controls, and that cells and cuts lead where they say."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store import queries
from core.store.connection import Store
from core.workflows.diagnosing import diagnose
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list
from core.workflows.review import View

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
Jsonl = Callable[..., Path]

# Ten answers, faithful the first six; scores in tenths. At 0.7: two of six low, one of four high.
SCORES = [1.0, 0.9, 0.9, 0.8, 0.6, 0.5, 0.8, 0.4, 0.3, 0.1]
FAITHFUL = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]


def record(i: int, **more: Any) -> dict[str, Any]:
    return {
        "run": "answers",
        "sample_id": f"s{i}",
        "question": f"Question {i}?",
        "answer": "An answer.",
        "contexts": [{"text": "A context.", "rank": 1}],
        **more,
    }


def labelled(i: int, **more: Any) -> dict[str, Any]:
    return record(
        i,
        scores={"faithfulness": SCORES[i], "bleu": 100 * SCORES[i]},
        labels={
            "faithful": FAITHFUL[i],
            "clarity": 1 + i % 4,
            "verdict": "good" if i < 5 else "bad",
        },
        tags={"half": "first" if i % 2 else "second"},
        **more,
    )


@pytest.fixture
def opened(store_of: StoreOf, start: Start, jsonl: Jsonl) -> Callable[..., tuple[Store, AppTest]]:
    """Imports records into the store of the test and opens the page on them."""

    def open_page(
        *records: dict[str, Any], page: str = "calibration", **parameters: Any
    ) -> tuple[Store, AppTest]:
        store = store_of("empty")
        report = import_file(store, jsonl(*records, name="answers"), Options())
        assert report.is_stored, report.problems
        app = start(page, parameters)
        assert [error.value for error in app.exception] == []
        return store, app

    return open_page


def answers() -> list[dict[str, Any]]:
    return [labelled(i) for i in range(10)]


def widget(app: AppTest, kind: str, name: str) -> Any:
    """The widget of a name, which has another number on each visit of a page."""
    (found,) = [one for one in app.get(kind) if str(one.key).rpartition(".")[0] == name]
    return found


def button(app: AppTest, name: str) -> Any:
    (found,) = [one for one in app.button if str(one.key) == name]
    return found


# --- states ---------------------------------------------------------------------------------------


def test_run_without_labels_says_so_and_leads_to_triage(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*(record(i, scores={"faithfulness": 0.5}) for i in range(3)))

    text = text_of(app)
    assert "No labels in this run" in text
    assert "None of the 3 samples has a label" in text
    button(app, "label_in_triage").click().run()
    assert "Sample 1 of 3" in text_of(app)


def test_run_without_scores_says_so_and_leads_to_scoring(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    # Without answers the refusal patterns give no score either.
    rows = [
        {"run": "answers", "sample_id": f"s{i}", "question": "Why?", "labels": {"faithful": i % 2}}
        for i in range(4)
    ]
    _, app = opened(*rows)

    assert "No scores to compare yet" in text_of(app)
    button(app, "go_and_score").click().run()
    assert app.title[0].value == "Which part failed, retriever or generator?"


def test_one_class_says_so_and_keeps_the_whole_matrix(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    rows = [record(i, scores={"faithfulness": i / 4}, labels={"faithful": 1}) for i in range(4)]
    _, app = opened(*rows)

    text = text_of(app)
    assert "All 4 labels say faithful = 1: a curve needs at least one faithful = 0." in text
    # Said above and where the curve would stand; no axes without a curve.
    assert text.count("a curve needs at least one faithful = 0.") == 2
    assert "curve_roc" not in [str(getattr(element, "key", "")) for element in app]
    assert "0 caught →" in text
    assert "3 false alarms →" in text
    assert "1 rightly passed →" in text
    assert "Precision" in text
    assert "κ not defined" in text


def test_few_samples_of_one_side_are_said_in_words(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers())
    assert "Only 4 of 10 samples are on one side of the label" in text_of(app)
    assert "With so few labels of one side read the counts, not the rates." in text_of(app)


def test_filter_that_nothing_passes_says_so(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers(), f=["text=zebra"])
    assert "No sample matches these filters" in text_of(app)


# --- figures --------------------------------------------------------------------------------------


def test_page_says_what_the_command_line_says(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers())

    text = text_of(app)
    # Groundedness is fed by faithfulness; its default cut is 0.7.
    assert "At a cut of 0.7 groundedness catches 3 of 4 answers with faithful = 0" in text
    assert "raises 2 false alarms among 6 with faithful = 1" in text
    # 20.5 of 24 pairs: 1.0, 0.9, 0.9 win all four; 0.8 wins three and ties one; 0.6 and 0.5 three.
    assert "AUC 0.90" in text
    for shown in ("3 caught →", "1 missed →", "2 false alarms →", "4 rightly passed →"):
        assert shown in text
    assert "10 of 10 samples have both." in text


def test_filter_narrows_every_figure(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers(), f=["tag.half=first"])
    # s1, s3, s5 (label 1; 0.9, 0.8, 0.5) and s7, s9 (label 0; 0.4, 0.1).
    assert "5 of 5 samples have both." in text_of(app)
    assert "catches 2 of 2 answers" in text_of(app)
    assert "raises 1 false alarm among 3" in text_of(app)


def test_rating_is_cut_by_the_user_before_anything_is_shown(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers(), label="clarity")
    assert "clarity is a rating (1, 2, 3, 4)" in text_of(app)
    assert "ROC curve" not in text_of(app)

    widget(app, "selectbox", "trust_from").select(3.0).run()

    assert "ROC curve" in text_of(app)
    assert "answers with clarity < 3" in text_of(app)
    assert dict(app.session_state["address"].options)["from"] == "3"


def test_category_needs_its_positive_answer(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers(), label="verdict")
    assert "Choose the answer that counts as good: bad, good." in text_of(app)

    widget(app, "selectbox", "trust_positive").select("good").run()

    assert "answers with verdict = bad" in text_of(app)


def test_other_side_as_positive_turns_rates_and_keeps_cells(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers())
    one = text_of(app)
    assert "True positive rate 67" in one.replace("\u00a0", " ")

    widget(app, "segmented_control", "trust_event").set_value("0").run()

    other = text_of(app)
    assert "True negative rate 67" in other.replace("\u00a0", " ")
    assert "3 caught →" in other
    assert "Positive: faithful = 0" in other


# --- clicks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["tn", "fp", "fn", "tp"])
@pytest.mark.parametrize("way", ["tile", "button"])
def test_cell_opens_exactly_the_samples_it_counts(
    cell: str, way: str, opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    store, app = opened(*answers(), f=["tag.half=second"])
    # s0, s2, s4 (label 1; 1.0, 0.9, 0.6) and s6, s8 (label 0; 0.8, 0.3).
    expected = {"tn": {"s8"}, "fp": {"s6"}, "fn": {"s4"}, "tp": {"s0", "s2"}}[cell]

    if way == "button":
        button(app, f"open_{cell}").click().run()
    else:
        # The name of the chart ends with a fingerprint of its tiles and the number of the visit.
        named = [str(getattr(element, "key", "")) for element in app]
        (key,) = [name for name in named if re.fullmatch(r"confusion_\w+\.\d+", name)]
        app.session_state[key] = {"selection": {"cell": [{"id": cell}]}}
        app.run()

    address = app.session_state["address"]
    run_id = run_list(store)[0].run.run_id
    rows = diagnose(store, run_id, View(wanted=address.wanted()), samples=True)["samples"]
    assert {row["sample_id"] for row in rows} == expected
    assert "Sample 1 of " + str(len(expected)) in text_of(app)


def test_cells_of_a_rating_open_its_side_within_the_filter(
    opened: Callable[..., tuple[Store, AppTest]],
) -> None:
    store, app = opened(
        *answers(), label="clarity", **{"from": "3"}, f=["label.clarity=3", "label.clarity=1"]
    )
    # Clarity 3 are s2 and s6, clarity 1 are s0, s4, s8; high are s2 (0.9) and s6 (0.8).
    button(app, "open_tp").click().run()

    address = app.session_state["address"]
    assert "label.clarity=4" not in address.terms
    run_id = run_list(store)[0].run.run_id
    rows = diagnose(store, run_id, View(wanted=address.wanted()), samples=True)["samples"]
    assert {row["sample_id"] for row in rows} == {"s2", "s6"}


def test_moved_cut_stands_in_the_address_and_moves_the_matrix(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers())

    widget(app, "slider", "calibration_cut").set_value(0.85).run()

    assert app.session_state["address"].query().endswith("g=0.85")
    assert "3 rightly passed →" in text_of(app)
    assert "4 caught →" in text_of(app)
    button(app, "cut_back").click().run()
    assert app.session_state["address"].cuts == ()
    assert "4 rightly passed →" in text_of(app)


def test_threshold_is_stored_for_the_run_and_the_page_follows(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    store, app = opened(*answers())
    run_id = run_list(store)[0].run.run_id
    assert button(app, "use_threshold").disabled
    widget(app, "slider", "calibration_cut").set_value(0.85).run()

    button(app, "use_threshold").click().run()

    with store.reading() as connection:
        ((metric, _), cut) = next(iter(queries.thresholds(connection, run_id).items()))
        logged = connection.execute(
            "select action, new_value from audit order by audit_no"
        ).fetchall()
    assert (metric, cut) == ("faithfulness", 0.85)
    assert ("threshold", "faithfulness = 0.85") in logged
    assert app.session_state["address"].cuts == ()
    assert "The run's cut is 0.85, stored for this run." in text_of(app)
    assert "4 caught →" in text_of(app)


def test_score_that_is_no_axis_gets_a_cut_of_its_own(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    store, app = opened(*answers(), score="bleu")
    assert "No matrix: the scale of this score is unknown" in text_of(app)

    widget(app, "slider", "calibration_cut").set_value(70.0).run()

    assert dict(app.session_state["address"].options)["at"] == "70"
    assert "4 rightly passed →" in text_of(app)
    button(app, "use_threshold").click().run()
    run_id = run_list(store)[0].run.run_id
    with store.reading() as connection:
        assert [m for m, _ in queries.thresholds(connection, run_id)] == ["bleu"]
    assert "stored for this run" in text_of(app)


def test_link_with_an_unknown_score_or_label_says_so(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers(), score="rouge", label="nobody")
    text = text_of(app)
    assert "The address names the score rouge, which this run does not have." in text
    assert "The address names the label nobody, which this run does not have." in text
    assert "Shown is faithful." in text


def test_suggested_cut_is_tried_by_a_click(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers())
    # TPR - FPR is largest at 0.9 (3/6 - 0) and at 0.5 (1 - 1/4).
    app.button(key="try_0").click().run()
    assert app.session_state["address"].query().endswith("g=0.5")
    assert "6 rightly passed →" in text_of(app)


def test_labels_are_split_test_stays_closed_and_opening_is_logged(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    rows = [
        record(i, scores={"faithfulness": i / 40}, labels={"faithful": int(i > 15)})
        for i in range(40)
    ]
    store, app = opened(*rows)
    button(app, "split_labels").click().run()
    # 16 and 24 labels: 2 + 4 to train, 7 + 10 each to dev and test.
    assert "17 of 17 samples have both." in text_of(app)

    widget(app, "segmented_control", "trust_part").set_value("test").run()
    assert "The test numbers are hidden." in text_of(app)
    assert "17 of 17 samples have both." in text_of(app)
    button(app, "open_test").click().run()

    assert app.session_state["address"].option("part") == "test"
    with store.reading() as connection:
        actions = connection.execute(
            "select action from audit where action in ('split', 'test opened') order by audit_no"
        ).fetchall()
    assert actions == [("split",), ("test opened",)]
    app.session_state["decisions"] = True  # opens the list of what was decided
    app.run()
    (log,) = [one.value for one in app.dataframe if "What" in one.value.columns]
    assert list(log["What"]) == ["Test part opened", "Labels split", "Imported"]
    assert list(log["To"][:2]) == ["faithful", "faithful"]
    assert "40 labels, seed 0" in log["Why"][1]
    button(app, "open_tp").click().run()
    assert "part.faithful=test" in app.session_state["address"].terms


def test_scores_set_beside_are_tested_and_runs_pooled_with_a_warning(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    rows = [*answers(), *({**row, "run": "more answers"} for row in answers())]
    store, app = opened(*rows)
    one, other = sorted(row.run.run_id for row in run_list(store))
    app.session_state["address"] = app.session_state["address"].__class__(
        run=one, options=(("also", "refusal"), ("pool", other))
    )
    app.run()

    text = text_of(app)
    assert "20 of 20 samples have both." in text
    assert "differences between the runs leak" in text
    assert "groundedness against refusal" in text
    assert "Cells of pooled runs open no samples" in text
    assert not [one for one in app.button if str(one.key).startswith("open_t")]


def test_judge_table_and_predictor_stand_below(
    opened: Callable[..., tuple[Store, AppTest]], text_of: TextOf
) -> None:
    _, app = opened(*answers())
    (table,) = [one.value for one in app.dataframe if "Judge" in one.value.columns]
    assert next(iter(table["Metric"])) == "faithfulness"
    row = table[table["Metric"] == "faithfulness"].iloc[0]
    assert row["Accuracy"].startswith("70")
    assert row["Errors"] == "0"
    button(app, "predict").click().run()
    assert app.session_state["address"].run


def test_scores_of_no_axis_join_the_judge_table_on_request(
    store_of: Callable[[str], Store], start: Callable[..., AppTest]
) -> None:
    store = store_of("demo")
    run = next(row.run.run_id for row in run_list(store) if "k5" in row.run.name)
    app = start("answers", {"run": run})  # its comparisons are scores that feed no axis
    app = start("calibration", {"run": run})
    (table,) = [one.value for one in app.dataframe if "Judge" in one.value.columns]
    assert "none" not in set(table["Axis"])
    (toggle,) = [one for one in app.toggle if one.label.startswith("Also the ")]
    toggle.set_value(True).run()
    (table,) = [one.value for one in app.dataframe if "Judge" in one.value.columns]
    assert {"token f1", "rouge l"} <= set(table["Metric"])
