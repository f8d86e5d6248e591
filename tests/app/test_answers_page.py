"""The page Answers: what it says in every state, and that each count opens its samples."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows import deriving
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


def add(store: Store, folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "answers.jsonl"
    path.write_text(
        "".join(
            json.dumps({"sample_id": f"s{i}", "question": "Which lamp?", **row}) + "\n"
            for i, row in enumerate(rows)
        ),
        encoding="utf-8",
    )
    report = import_file(store, path, Options())
    assert report.is_stored, report.problems
    return str(report.runs[0].run_id)


def opened(app: AppTest) -> list[str]:
    terms: list[str] = list(app.session_state["address"].terms)
    return terms


def demo_run(store: Store) -> str:
    return next(row.run.run_id for row in run_list(store) if "k5" in row.run.name)


def test_the_demo_by_outcome_and_by_who_settled_it(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    app = start("answers", {"run": demo_run(store_of("demo"))})
    text = text_of(app)
    assert "55 of 83 answers are correct" in text
    assert [metric.label for metric in app.metric] == [
        "Correct", "Incorrect", "Refused", "Correctness unknown",
    ]  # fmt: skip
    assert "55 of 83" in text
    (sources,) = [one.value for one in app.dataframe if "Settled by" in one.value.columns]
    assert sources.to_dict("records")[0] == {
        "Settled by": "A person's label", "Correct": 55, "Incorrect": 16, "Unknown": 0,
    }  # fmt: skip
    assert "By length of the answer" in text
    assert "Claim by claim" in text


@pytest.mark.parametrize(
    ("button", "term"),
    [
        ("outcome_incorrect", "outcome=incorrect"),
        ("refusal_answered_unanswerable", "refusal=answered_unanswerable"),
        ("open_shortest", "metric.answer_words@overlap-v1=1..7"),
    ],
)
def test_a_count_opens_its_samples(button: str, term: str, store_of: StoreOf, start: Start) -> None:
    app = start("answers", {"run": demo_run(store_of("demo"))})
    n = int("".join(c for c in app.button(key=button).label.split(":")[-1] if c.isdigit()))
    app.button(key=button).click().run()
    assert not app.exception
    assert opened(app)[0] == term
    assert any(f"of {n}" in one.value for one in app.markdown)


def test_another_score_is_kept_in_the_address(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    app = start("answers", {"run": demo_run(store_of("demo"))})
    (choice,) = [one for one in app.selectbox if one.label == "Score"]
    choice.select("rouge_l").run()
    assert app.session_state["address"].option("score") == "rouge_l@overlap-v1"
    app.button(key="open_low").click().run()
    assert opened(app) == ["metric.rouge_l@overlap-v1=..<0.3"]


def test_without_references_the_page_says_what_is_missing(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    rows = [{"answer": "red", "labels": {"correct": 1}}, {"answer": "blue"}]
    run_id = add(store_of("empty"), tmp_path, rows)
    text = text_of(start("answers", {"run": run_id}))
    assert "1 of 2 answers are correct" in text
    assert "No sample of this run has an expected answer" in text
    assert "Too few values to group by length" in text


def test_without_answers_the_page_says_so(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    (row,) = run_list(store_of("no_answers"))
    text = text_of(start("answers", {"run": row.run.run_id}))
    assert "This run records no answers" in text
    assert "nan" not in text.lower().split()


def test_no_match_leads_on(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    app = start("answers", {"run": demo_run(store_of("demo")), "f": "text=zzzz"})
    assert "No sample matches these filters" in text_of(app)


def test_a_baseline_stands_beside(store_of: StoreOf, start: Start) -> None:
    store = store_of("demo")
    runs = {row.run.name: row.run.run_id for row in run_list(store)}
    new, old = (next(i for name, i in runs.items() if k in name) for k in ("k5", "k3"))
    app = start("answers", {"run": new, "vs": old})
    assert not app.exception
    frames = [one.value for one in app.dataframe]
    (table,) = [one for one in frames if {"Baseline", "Without"} <= set(one.columns)]
    assert list(table["Score"])[:2] == ["Exact match", "Option chosen"]
    # both runs have the same 70 references
    assert list(table["Baseline"]).count("—") == 1
    assert all(metric.delta for metric in app.metric)


def test_a_large_run_is_compared_on_request(
    store_of: StoreOf,
    start: Start,
    text_of: TextOf,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [{"answer": "red", "reference": "red"}] * 6
    run_id = add(store_of("empty"), tmp_path, rows)
    monkeypatch.setattr(deriving, "INLINE", 5)
    app = start("answers", {"run": run_id})
    assert "6 answers have not been compared with the expected ones yet" in text_of(app)
    app.button(key=f"compare_answers_{run_id}").click().run()
    app.run()
    assert "6 of 6 answers are correct" in text_of(app)
