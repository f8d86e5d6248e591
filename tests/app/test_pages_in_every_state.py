"""Every page over every kind of store: it opens, says what it is about, and leads on (B68)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
KINDS = ("empty", "demo", "no_contexts", "no_answers", "no_scores", "traps")
TITLES = {
    "overview": ["Is this run good enough to ship?"],
    "modes": ["Which part failed, retriever or generator?"],
    "context_use": ["Does the answer rest on the evidence?"],
    "retrieval": ["Did the retriever find the evidence?"],
    "answers": ["Are the answers right?"],
    "calibration": ["Can the judge stand in for a person?"],
    "agreement": ["Do the people agree, and does the judge agree with them?"],
    "judge": ["Who judges, and how?"],
    "runs": ["Which runs are here?"],
    "triage": [],  # the queue line stands where other pages have their title
}


def titles(app: AppTest) -> list[str]:
    return [title.value for title in app.title]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("page", TITLES)
def test_b68_page_opens_without_an_exception(
    page: str, kind: str, store_of: StoreOf, start: Start
) -> None:
    store_of(kind)

    app = start(page)

    assert [error.value for error in app.exception] == []
    assert [error.value for error in app.error] == []
    is_empty = kind == "empty" and page != "runs"
    assert titles(app) == ([] if is_empty else TITLES[page])


@pytest.mark.parametrize("page", [page for page in TITLES if page != "runs"])
def test_b68_empty_store_says_so_and_leads_to_the_import(
    page: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("empty")

    app = start(page)

    assert "No runs yet" in text_of(app)
    (way_on,) = [b for b in app.button if b.label == "Import a file or load the demo"]
    way_on.click().run()
    assert titles(app) == TITLES["runs"]
    assert app.file_uploader[0].label == "Result file"
    assert app.button(key="load_demo").label == "Load the demo"


def test_b68_runs_page_of_an_empty_store_offers_file_and_demo(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("empty")

    app = start("runs")

    assert "No runs yet. Drop in the file your evaluation tool wrote" in text_of(app)


@pytest.mark.parametrize(
    ("kind", "finding"),
    [
        ("no_contexts", "the run recorded no contexts"),
        ("no_answers", "The run has no answers: 8 samples with retrieval only."),
        # One of the eight declines; whether it should is not known before anything is judged.
        ("no_scores", "None of 8 samples has all three scores yet."),
    ],
)
def test_run_that_lacks_something_says_what(
    kind: str, finding: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of(kind)

    assert finding in text_of(start("modes"))


@pytest.mark.parametrize(
    ("kind", "is_offered"),
    # The traps bring scores of their own, and an offline judge never fills up another's.
    [("no_scores", True), ("no_contexts", True), ("traps", False), ("demo", False)],
)
def test_scoring_is_offered_where_the_offline_judge_can_add_something(
    kind: str, is_offered: bool, store_of: StoreOf, start: Start
) -> None:
    store_of(kind)

    app = start("modes")

    assert ("score_run" in [button.key for button in app.button]) is is_offered


def test_coverage_names_why_scores_are_missing(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    # Of the 12 traps "not-a-number" has NaN, Infinity and a word, "empty-scores" null and "", and
    # "no-question" has an empty list of contexts and no score but answer relevance. One reports an
    # error of the system, so its scores are none.
    store_of("traps")

    text = text_of(start("modes"))

    assert (
        "Context relevance 8 of 12 (2 errors: the cell in the file is empty, "
        "1 error: the file reports an error, 1 not applicable: nothing was retrieved)"
    ) in text
    assert (
        "Answer relevance 10 of 12 (1 error: the file reports an error, "
        "1 error: the cell in the file is no number)"
    ) in text


def test_triage_of_a_run_without_contexts_or_answers_says_so(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("no_contexts")
    assert "The file does not record contexts." in text_of(start("triage"))

    store_of("no_answers")
    text = text_of(start("triage"))
    assert "This run has no answers." in text
    assert "counts as a refusal" not in text


def test_triage_of_an_empty_answer_says_that_it_counts_as_a_refusal(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("traps")

    text = text_of(start("triage", {"sample": "empty-answer"}))

    assert "The answer is empty, which counts as a refusal." in text
    assert "HTTP 500 from <host>: $10 and $20 **failed**" in text
    assert "duplicate of 1" in text


@pytest.mark.parametrize("page", ["overview", "modes", "triage"])
def test_no_match_says_so_and_removes_the_last_filter_or_all(
    page: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("demo")

    app = start(page, {"f": ["mode=hallucination", "text=zebra crossing"]})

    assert "No sample matches these filters" in text_of(app)
    assert "0 of 83 samples pass: Hallucination, “zebra crossing”." in text_of(app)
    assert "Without the last one: 5." in text_of(app)
    (narrowest,) = [b for b in app.button if b.label == "Remove “zebra crossing”"]
    narrowest.click().run()
    assert app.session_state["address"].terms == ("mode=hallucination",)
    assert "No sample matches these filters" not in text_of(app)


def test_no_match_clears_all_filters(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store_of("demo")
    app = start("triage", {"f": ["mode=hallucination", "text=zebra crossing"]})

    next(b for b in app.button if b.label == "Clear all filters").click().run()

    assert app.session_state["address"].terms == ()
    assert "Sample 1 of 83" in text_of(app)


def test_every_sample_of_the_traps_opens(store_of: StoreOf, start: Start) -> None:
    store = store_of("traps")
    n = run_list(store)[0].run.n_samples
    app = start("triage")
    seen = set()

    for _ in range(n):
        assert [error.value for error in app.exception] == []
        seen.add(app.session_state["address"].sample)
        if not app.button(key="next").disabled:
            app.button(key="next").click().run()

    assert len(seen) == n == 12


@pytest.mark.parametrize("page", ["modes", "triage", "runs"])
def test_b81_file_that_is_no_store_gets_a_message_and_is_left_alone(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Start, text_of: TextOf
) -> None:
    path = tmp_path / "holiday.duckdb"
    path.write_bytes(b"This is a letter, not a store. " * 500)
    monkeypatch.setenv("RAGTRIAGE_STORE", str(path))

    app = start(page)

    assert [error.value for error in app.exception] == []
    assert "holiday.duckdb" in text_of(app)
    assert app.button(key="trouble_again").label == "Try again"
    assert path.read_bytes().startswith(b"This is a letter")
