"""Clicks on Triage: neighbours, labels and notes that are never overwritten, re-judging."""

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.diagnosing import diagnose
from core.workflows.listing import run_list
from core.workflows.review import View
from core.workflows.sample_views import sample_view

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
PLAIN = "handbook · k3 plain"


def plain_run(store: Store) -> str:
    return next(row.run.run_id for row in run_list(store) if row.run.name == PLAIN)


def labels_of(store: Store, run_id: str, sample_id: str) -> list[dict[str, Any]]:
    found = sample_view(store, run_id, View(), sample_id)
    assert found is not None
    return [dict(label) for label in found.detail.labels if label["criterion"] == "triage"]


def verdicts_of(store: Store, run_id: str, sample_id: str) -> list[dict[str, Any]]:
    found = sample_view(store, run_id, View(), sample_id)
    assert found is not None
    return [dict(verdict) for verdict in found.detail.verdicts]


def sample_of(app: AppTest) -> str:
    return str(app.session_state["address"].sample)


def button(app: AppTest, prefix: str) -> Any:
    """The one button whose key starts so: keys of what acts on a sample end with its id."""
    (found,) = [button for button in app.button if (button.key or "").startswith(prefix)]
    return found


def note_field(app: AppTest) -> Any:
    return app.text_area[0]


# --- neighbours -----------------------------------------------------------------------------------


def test_next_and_previous_walk_the_queue_from_the_most_severe(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    queue = [row["sample_id"] for row in diagnose(store, run_id, View(), samples=True)["samples"]]
    app = start("triage", {"run": run_id})
    assert (sample_of(app), app.button(key="previous").disabled) == (queue[0], True)

    app.button(key="next").click().run()
    app.button(key="next").click().run()
    app.button(key="previous").click().run()

    assert sample_of(app) == queue[1]
    assert "Sample 2 of 83" in text_of(app)
    last = start("triage", {"run": run_id, "sample": queue[-1]})
    assert "Sample 83 of 83" in text_of(last)
    assert (last.button(key="next").disabled, last.button(key="previous").disabled) == (True, False)


def test_sample_stays_when_the_filter_of_a_page_is_kept(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    run_id = plain_run(store_of("demo"))
    app = start("triage", {"run": run_id})
    app.button(key="next").click().run()
    sample = sample_of(app)

    turn_to(app, "modes")
    turn_to(app, "triage")

    assert sample_of(app) == sample


# --- labels ---------------------------------------------------------------------------------------


def test_labels_are_appended_and_never_overwritten(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    assert "Your label · none yet" in text_of(app)

    for name in ("pass", "fail", "defer"):
        button(app, f"label_{name}_").click().run()

    found = labels_of(store, run_id, sample_of(app))
    assert [(label["category"], label["value"]) for label in found] == [
        ("pass", 1.0),
        ("fail", 0.0),
        ("defer", None),
    ]
    assert {label["rater"] for label in found} == {"reviewer"}
    assert "Your label · deferred by reviewer, " in text_of(app)


def test_label_is_of_the_sample_on_the_screen_and_of_no_other(
    store_of: StoreOf, start: Start
) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    first = sample_of(app)
    app.button(key="next").click().run()
    second = sample_of(app)

    button(app, "label_fail_").click().run()

    assert labels_of(store, run_id, first) == []
    assert [label["category"] for label in labels_of(store, run_id, second)] == ["fail"]


def test_b53_late_click_does_not_label_the_next_sample(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    late = button(app, "label_fail_")
    note_field(app).set_value("")  # the browser sends the field as it stood beside the button
    app.button(key="next").click().run()
    second = sample_of(app)

    late.click().run()

    assert labels_of(store, run_id, second) == []


def test_note_that_the_browser_reports_again_saves_nothing(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    first, note = sample_of(app), note_field(app)
    app.button(key="next").click().run()

    note.set_value("").run()

    assert "noted" not in {label["category"] for label in labels_of(store, run_id, first)}


def test_note_is_saved_when_it_changes_and_with_the_next_label(
    store_of: StoreOf, start: Start
) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})

    note_field(app).set_value("Costs $5, not $7: <b>see</b> page 2").run()
    button(app, "label_fail_").click().run()
    note_field(app).set_value("Page 3").run()

    found = [
        (label["category"], label["note"]) for label in labels_of(store, run_id, sample_of(app))
    ]
    assert found == [
        ("noted", "Costs $5, not $7: <b>see</b> page 2"),
        ("fail", "Costs $5, not $7: <b>see</b> page 2"),
        ("fail", "Page 3"),
    ]


def test_note_that_did_not_change_saves_nothing(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    first = sample_of(app)

    app.button(key="next").click().run()
    app.button(key="previous").click().run()
    app.run()

    assert labels_of(store, run_id, first) == []


def test_label_and_note_are_there_in_a_new_session(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = plain_run(store_of("demo"))
    app = start("triage", {"run": run_id})
    note_field(app).set_value("Wrong charger").run()
    button(app, "label_pass_").click().run()

    again = start("triage", {"run": run_id, "sample": sample_of(app)})

    assert note_field(again).value == "Wrong charger"
    assert "Your label · passed by reviewer, " in text_of(again)


def test_two_raters_stand_side_by_side_each_with_their_own_note(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    note_field(app).set_value("First opinion").run()
    button(app, "label_pass_").click().run()

    app.text_input(key="rater_name").set_value("second").run()
    assert note_field(app).value == ""
    button(app, "label_fail_").click().run()

    found = labels_of(store, run_id, sample_of(app))
    assert [(label["rater"], label["category"], label["note"]) for label in found] == [
        ("reviewer", "noted", "First opinion"),
        ("reviewer", "pass", "First opinion"),
        ("second", "fail", None),
    ]
    assert "Your label · failed by second, " in text_of(app)
    assert "Also: Passed by reviewer" in text_of(app)


def test_others_are_named_once_with_their_latest_label(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = plain_run(store_of("demo"))
    app = start("triage", {"run": run_id})
    button(app, "label_pass_").click().run()
    button(app, "label_fail_").click().run()

    app.text_input(key="rater_name").set_value("second").run()

    assert "Also: Failed by reviewer" in text_of(app)
    assert "Passed by reviewer" not in text_of(app)


def test_label_can_be_filtered_by_afterwards(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = plain_run(store_of("demo"))
    app = start("triage", {"run": run_id})
    button(app, "label_fail_").click().run()

    filtered = start("triage", {"run": run_id, "f": "label.triage=fail"})

    assert "Sample 1 of 1" in text_of(filtered)
    assert sample_of(filtered) == sample_of(app)


# --- re-judging -----------------------------------------------------------------------------------


def test_rejudge_appends_verdicts_and_shows_before_and_after(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    sample_id = sample_of(app)
    before = verdicts_of(store, run_id, sample_id)

    button(app, "rejudge_").click().run()

    after = verdicts_of(store, run_id, sample_id)
    assert after[: len(before)] == before
    new = {v["metric"]: v for v in after[len(before) :] if v["context_rank"] is None}
    assert {v["model"] for v in new.values()} == {"lexical-v1"}
    assert {"context_relevance", "groundedness", "answer_relevance"} <= set(new)
    text = text_of(app)
    assert "Re-judged by lexical-v1" in text
    old = {v["metric"]: v["value"] for v in before}
    for name, metric in (
        ("Context relevance", "context_relevance"),
        ("Groundedness", "groundedness"),
        ("Answer relevance", "answer_relevance"),
    ):
        # The file's rubric is out of 5, the offline judge's scores are in 0..1.
        assert f"{name}: {old[f'{metric}_rubric']:g} of 5 → 0." in text or (
            f"{name}: {old[f'{metric}_rubric']:g} of 5 → 1.00" in text
        )
    assert "The diagnosis above does not move by itself" in text


def test_rejudge_moves_no_diagnosis_until_it_is_used_for_the_run(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    before = diagnose(store, run_id, View())["triad"]
    button(app, "rejudge_").click().run()
    assert diagnose(store, run_id, View())["triad"] == before

    app.button(key="use_rejudged").click().run()

    axes = diagnose(store, run_id, View())["axes"]
    assert {axis["judge"] for axis in axes.values()} == {"lexical-v1"}
    assert "These verdicts count: lexical-v1 is the judge of this run." in text_of(app)
    assert "Scores · judge lexical-v1" in text_of(app)


def test_rejudge_of_an_unscored_sample_shows_that_there_was_nothing_before(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("no_scores")
    app = start("triage", {"sample": "o1"})
    assert "Nobody has scored it." in text_of(app)

    button(app, "rejudge_").click().run()

    text = text_of(app)
    assert "Context relevance: — → 0." in text
    assert "··· \u00a0Undetermined → " in text


def test_rejudge_shows_on_the_sample_that_was_rejudged_only(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = plain_run(store_of("demo"))
    app = start("triage", {"run": run_id})
    button(app, "rejudge_").click().run()

    app.button(key="next").click().run()

    assert "Re-judged by" not in text_of(app)


def test_rejudge_twice_keeps_both(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    run_id = plain_run(store)
    app = start("triage", {"run": run_id})
    n = len(verdicts_of(store, run_id, sample_of(app)))

    button(app, "rejudge_").click().run()
    once = len(verdicts_of(store, run_id, sample_of(app))) - n
    button(app, "rejudge_").click().run()

    assert once > 0
    assert len(verdicts_of(store, run_id, sample_of(app))) == n + 2 * once
