"""Claims on the pages: of one sample on Triage, of a run wherever its answers are looked at."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


def only_run(store: Store) -> str:
    (row,) = run_list(store)
    return row.run.run_id


def frames(app: AppTest, column: str) -> list[pd.DataFrame]:
    return [frame.value for frame in app.dataframe if column in frame.value.columns]


def test_triage_shows_each_claim_against_reference_and_contexts(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    app = start("triage", {"run": only_run(store_of("claims")), "sample": "s0"})
    text = text_of(app)
    assert "11 claims of the answer · 4 of 11 in a context · labels of the file" in text
    # contexts 1 to 3 hold a claim of the reference
    assert text.count("useful") == 3
    # seven of them are in no context, and none of these stands in the answer like this
    assert "7 claims not supported" in text
    assert "Not supported by any context, says claim-labels-v1" in text
    assert "22 claims of the reference · 5 of 22 in a context" in text
    quoted, reworded, reference = frames(app, "Claim")
    assert quoted.to_dict("records") == [
        {
            "Claim": "The mill has part 1.",
            "Expected answer": "✓",
            "Context 1": "✓",
            "Context 2": "–",
            "Context 3": "–",
            "Context 4": "–",
            "Reads as": "Right and supported",
        }
    ]
    assert "In the wording of the file, not found like this in the answer" in text
    assert len(reworded) == 10
    # the ninth of the eleven: contradicted by the reference, in context 3
    assert reworded.iloc[7]["Expected answer"] == "✗"
    assert reworded.iloc[7]["Reads as"] == "Wrong, from a relevant context"
    assert list(reference["Answer"]).count("✓") == 11


def test_triage_shows_what_a_model_found_with_its_reasons(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    app = start("triage", {"run": only_run(store_of("claims")), "sample": "s2"})
    text = text_of(app)
    assert "3 claims of the answer · 1 of 3 in a context · stub/reader" in text
    assert "In the judge's own wording, not found like this in the answer" in text
    quoted, reworded, reference = frames(app, "Claim")
    assert quoted.iloc[0].to_dict() == {
        "Claim": "The sluice is shut.",
        "Context 1": "✓",
        "Context 2": "",
        "Reads as": "Supported",
        "Reason": "Text 1 says that it is shut.",
    }
    assert list(reworded["Reads as"]) == ["Not found", "Contradicted"]
    assert list(reworded["Context 2"]) == ["–", "✗"]
    assert list(reference["Reads as"]) == ["Supported", "Supported"]


def test_triage_of_a_run_without_claims_says_nothing_of_them(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("no_scores")
    app = start("triage", {"run": only_run(store)})
    assert [error.value for error in app.exception] == []
    assert not frames(app, "Claim")


def _panel(run_id: str) -> None:
    from core.workflows.review import View
    from dashboard import access
    from dashboard.components import claim_panels

    claim_panels.draw(access.load_claims(run_id, View(), run_id))


def test_the_panel_counts_claims_and_says_n_of_n(store_of: StoreOf, text_of: TextOf) -> None:
    run_id = only_run(store_of("claims"))
    app = AppTest.from_function(_panel, kwargs={"run_id": run_id}).run(timeout=60)
    assert [error.value for error in app.exception] == []
    text = text_of(app)
    assert "16 claims of the answers by labels of the file" in text
    assert "Right, but unsupported 6" in text
    assert "Hallucinated 1" in text
    labelled, judged = frames(app, "Score")
    rows: dict[str, Any] = {row["Score"]: row for row in labelled.to_dict("records")}
    # METRICS 4.3: 76.4 and 4.5 of 100
    assert rows["Claim precision"]["Mean"] == rows["Claim precision"]["Baseline"] == "0.76"
    assert rows["Hallucinated claims"]["Mean"] == "0.05"
    assert rows["Hallucinated claims"]["n of N"] == "2 of 3"
    assert len(rows) == 12
    assert "Claim by claim, judged by stub/reader" in text
    assert list(judged["Score"])[3:] == ["Contradicted claims", "Claims not found"]
    assert list(judged["Mean"]) == ["0.33", "0.67", "1.00", "0.33", "0.33"]


def test_the_panel_is_silent_without_claims(store_of: StoreOf) -> None:
    run_id = only_run(store_of("no_scores"))
    app = AppTest.from_function(_panel, kwargs={"run_id": run_id}).run(timeout=60)
    assert not app.exception
    assert not app.markdown
    assert not app.dataframe


def test_a_count_on_answers_opens_the_samples_with_such_claims(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    app = start("answers", {"run": only_run(store_of("claims"))})
    assert [error.value for error in app.exception] == []
    # s0 alone has a claim that is wrong and in no context
    app.button(key="open_labelled_wrong_unsupported").click().run()
    address = app.session_state["address"]
    assert address.terms == ("metric.hallucination@claim-labels-v1=>0..",)
    assert address.sample == "s0"
    assert "11 claims of the answer" in text_of(app)
