"""What a link opens: exactly what it says, or a message that says what is not there."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.model import Axis
from core.store.connection import Store
from core.workflows.listing import run_list
from dashboard.state import Address

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"


def ids(store: Store) -> dict[str, str]:
    return {row.run.name: row.run.run_id for row in run_list(store)}


def widget(app: AppTest, kind: str, name: str) -> Any:
    """The widget of a name, which has another number on each visit of a page."""
    (found,) = [one for one in getattr(app, kind) if str(one.key).rpartition(".")[0] == name]
    return found


@pytest.mark.parametrize("page", ["modes", "triage"])
def test_unknown_run_gets_a_message_and_no_other_run(
    page: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("demo")

    app = start(page, {"run": "00000000beef"})

    text = text_of(app)
    assert "There is no such run here" in text
    assert "The address names the run 00000000beef, which is not in this store." in text
    assert app.session_state["address"].run == "00000000beef"
    assert widget(app, "selectbox", "pick_run").value is None
    assert [title.value for title in app.title] == []
    assert "Sample 1 of" not in text
    next(b for b in app.button if b.label == "See all runs").click().run()
    assert [title.value for title in app.title] == ["Which runs are here?"]


@pytest.mark.parametrize("page", ["modes", "triage"])
def test_unknown_baseline_gets_a_message_and_no_other_baseline(
    page: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]

    app = start(page, {"run": run_id, "vs": "00000000beef"})

    assert "There is no such baseline here" in text_of(app)
    next(b for b in app.button if b.label == "Go on without a baseline").click().run()
    assert "There is no such baseline here" not in text_of(app)
    assert app.session_state["address"].baseline is None
    assert app.session_state["address"].run == run_id


def test_run_is_not_compared_with_itself(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    run_id = ids(store_of("demo"))[PLAIN]

    app = start("overview", {"run": run_id, "vs": run_id})

    text = text_of(app)
    assert "A run is not its own baseline" in text
    assert "within what chance gives" not in text
    next(b for b in app.button if b.label == "Go on without a baseline").click().run()
    assert app.session_state["address"].baseline is None
    assert [title.value for title in app.title] == ["Is this run good enough to ship?"]


@pytest.mark.parametrize("page", ["modes", "triage"])
def test_filter_that_nothing_passes_stands_in_the_address_bar(
    page: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    app = start(page, {"run": run_id})

    widget(app, "text_input", "filter_text").set_value("no text has this").run()

    assert "No sample matches these filters" in text_of(app)
    _, query = app.session_state["known_addresses"][-1]
    assert "f=text%3Dno+text+has+this" in query


def test_long_text_filter_leaves_room_for_its_cross(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]

    app = start("modes", {"run": run_id, "f": "text=" + "long " * 60})

    (pill,) = widget(app, "button_group", "filter_pills").options
    assert pill.endswith("… ✕")
    assert len(pill) < 50
    assert "long " * 50 in text_of(app)  # the message has it in full


def test_unknown_sample_gets_a_message_and_no_other_sample(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]

    app = start("triage", {"run": run_id, "sample": "q999", "f": "mode=success"})

    text = text_of(app)
    assert "There is no such sample here" in text
    assert "q999" in text
    assert "Sample 1 of" not in text
    next(b for b in app.button if b.label == "First sample of the filter").click().run()
    assert "Sample 1 of 32" in text_of(app)


def test_sample_that_the_filter_leaves_out_is_shown_and_said_to_be_outside(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]
    inside = start("triage", {"run": run_id, "f": "mode=hallucination"})
    sample = inside.session_state["address"].sample

    app = start("triage", {"run": run_id, "f": "mode=success", "sample": sample})

    assert "This sample does not pass the filter · Success: 32 samples" in text_of(app)
    assert f"Question · {sample}" in text_of(app)
    app.button(key="open_first").click().run()
    assert "Sample 1 of 32" in text_of(app)


def test_judge_that_did_not_judge_this_run_gets_a_message(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = ids(store_of("demo"))[PLAIN]

    app = start("modes", {"run": run_id, "judge": "groundedness:00000000beef:groundedness"})

    assert "There is no such judge here" in text_of(app)
    assert [title.value for title in app.title] == []
    next(b for b in app.button if b.label == "Go on with the run's judges").click().run()
    assert app.session_state["address"].selection == ()
    assert [title.value for title in app.title] == ["Which part failed, retriever or generator?"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"g": "high"}, "The address has g='high'; a cut must be a number."),
        ({"g": "nan"}, "The address has g='nan'; a cut must be a number."),
        ({"judge": "taste:x:y"}, "The address selects a judge for 'taste', which is no axis."),
        ({"f": "nonsense"}, "'nonsense' is no filter."),
        ({"f": "mode=nonsense"}, "There is no mode 'nonsense'; known: success,"),
        ({"f": "score.groundedness=x..y"}, "score.groundedness=x..y must name"),
    ],
)
@pytest.mark.parametrize("page", ["modes", "triage"])
def test_link_that_cannot_be_read_gets_a_message_and_leads_on_in_its_run(
    page: str,
    parameters: dict[str, str],
    message: str,
    store_of: StoreOf,
    start: Start,
    text_of: TextOf,
) -> None:
    run_id = ids(store_of("demo"))[STEMMED]  # not the run that a bare address opens

    app = start(page, {"run": run_id, **parameters})

    assert [error.value for error in app.exception] == []
    assert message in text_of(app)
    assert [title.value for title in app.title] == []
    app.button(key="trouble_reset").click().run()
    assert message not in text_of(app)
    assert app.session_state["address"].run == run_id
    assert widget(app, "selectbox", "pick_run").value == run_id


def test_link_that_cannot_be_read_never_opens_another_run(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("demo")
    app = start("modes", {"run": "00000000beef", "g": "high"})

    app.button(key="trouble_again").click().run()

    assert "There is no such run here" in text_of(app)


@pytest.mark.parametrize("page", ["modes", "triage"])
def test_link_reproduces_the_view_in_another_session(
    page: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run = ids(store_of("demo"))
    address = Address(
        run=run[STEMMED],
        baseline=run[PLAIN],
        terms=("mode=success", "mode=score_conflict"),
        cuts=((Axis.GROUNDEDNESS, 5.0),),
        slice_by="topic",
    )
    first = start(page, address.params())

    second = start(page, first.session_state["address"].params())

    assert [error.value for error in first.exception] == []
    assert second.session_state["address"] == first.session_state["address"]
    assert text_of(second) == text_of(first)
    kept = first.session_state["address"]
    assert (kept.run, kept.baseline, kept.terms, kept.cuts) == (
        address.run,
        address.baseline,
        address.terms,
        address.cuts,
    )


def test_b58_address_stays_when_the_page_changes(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    run = ids(store_of("demo"))
    address = Address(
        run=run[STEMMED],
        baseline=run[PLAIN],
        terms=("mode=success",),
        cuts=((Axis.GROUNDEDNESS, 5.0),),
    )
    app = start("modes", address.params())

    turn_to(app, "runs")
    turn_to(app, "modes")

    assert app.session_state["address"] == address


def test_b58_back_brings_the_address_of_that_page(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    run = ids(store_of("demo"))
    app = start("modes", {"run": run[PLAIN], "f": "mode=success"})
    turn_to(app, "triage")
    app.button(key="next").click().run()

    turn_to(app, "modes", {"run": run[PLAIN], "f": "mode=success"})

    assert app.session_state["address"] == Address(run=run[PLAIN], terms=("mode=success",))


def test_b59_filter_and_cuts_are_kept_when_the_page_is_left(
    store_of: StoreOf, start: Start, turn_to: Start, text_of: TextOf
) -> None:
    store_of("demo")
    app = start("modes")
    widget(app, "multiselect", "filter_mode").set_value(["mode=hallucination"]).run()
    widget(app, "slider", "cut_answer_relevance").set_value(3).run()
    kept = app.session_state["address"]
    text = text_of(app)

    turn_to(app, "triage")
    in_triage = widget(app, "multiselect", "filter_mode").value
    turn_to(app, "runs")
    turn_to(app, "modes")

    assert in_triage == ["mode=hallucination"]
    assert widget(app, "multiselect", "filter_mode").value == ["mode=hallucination"]
    assert widget(app, "slider", "cut_answer_relevance").value == 3
    assert app.session_state["address"].cuts == kept.cuts == ((Axis.ANSWER_RELEVANCE, 3.0),)
    assert text_of(app) == text


def test_another_run_keeps_filter_and_cuts_but_not_the_sample(
    store_of: StoreOf, start: Start
) -> None:
    run = ids(store_of("demo"))
    app = start("triage", {"run": run[PLAIN], "f": "mode=success", "g": "5", "vs": run[STEMMED]})

    widget(app, "selectbox", "pick_run").set_value(run[STEMMED]).run()

    address = app.session_state["address"]
    assert (address.run, address.terms, address.cuts) == (
        run[STEMMED],
        ("mode=success",),
        ((Axis.GROUNDEDNESS, 5.0),),
    )
    # A run is no baseline of itself.
    assert address.baseline is None
