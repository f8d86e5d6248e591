"""Runs by day, judges against themselves, and what was judged, on the pages that show it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.model import Judged, JudgeKind, JudgeSpec, Status, Verdict
from core.store import writes
from core.store.connection import Store
from core.workflows.importing import Options, import_file

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
RUBRICS = ("context_relevance_rubric", "groundedness_rubric", "answer_relevance_rubric")
JUDGE = JudgeSpec(JudgeKind.LLM, "m", "groundedness@1", "a" * 64, {"temperature": 0.0})
DAYS = ("2026-11-02", "2026-11-02", "2026-11-03", "2026-11-06", None)


@pytest.fixture
def run(store_of: StoreOf, tmp_path: Path) -> tuple[Store, str]:
    store = store_of("empty")
    rows = [
        {
            "run": "live",
            "sample_id": f"s{n}",
            "question": "And then?",
            "answer": "So.",
            "contexts": [{"text": "A.", "rank": 1}],
            "history": ["user: What first?"],
            "scores": dict.fromkeys(RUBRICS, 5) if n != 3 else {},
            "tags": {"truncated": ["answer"]} if n == 1 else {},
            **({"created_at": day} if day else {}),
        }
        for n, day in enumerate(DAYS)
    ]
    file = tmp_path / "live.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return store, str(import_file(store, file, Options()).runs[0].run_id)


def judge(store: Store, run_id: str) -> None:
    """Three repeats of groundedness on the first two samples; the first changes sides."""
    detail = {"cut_texts": ["answer"], "condensed_question": "What follows the first step?"}
    made = [
        Judged(
            JUDGE,
            Verdict(
                at, metric, Status.VALUE, value=vote, repeat=repeat, reasoning="Fine.",
                detail=detail,
            ),
        )
        for metric in RUBRICS
        for at, votes in enumerate([(4, 4, 2), (5, 5, 5)])
        for repeat, vote in enumerate(votes)
    ]  # fmt: skip
    with store.writing() as connection:
        writes.append_judged(connection, run_id, made)
        for metric in RUBRICS:
            axis = metric.removesuffix("_rubric")
            (found,) = connection.execute(
                "select distinct judge_id from verdict join judge using (judge_id) where "
                "metric = ? and kind = 'llm'",
                [metric],
            ).fetchall()
            writes.set_choice(connection, run_id, axis, metric, found[0])


def table(app: AppTest, column: str) -> Any:
    return next(frame for frame in app.dataframe if column in frame.value)


def choose(app: AppTest) -> AppTest:
    runs = table(app, "Run")
    app.session_state[runs.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    return app.run()


def test_chosen_run_shows_its_days_newest_first(
    run: tuple[Store, str], start: Start, text_of: TextOf
) -> None:
    app = choose(start("runs"))

    days = table(app, "Day").value
    assert list(days["Day"]) == ["6 Nov 2026", "3 Nov 2026", "2 Nov 2026", "no day"]
    assert list(days["Samples"]) == [1, 1, 2, 1]
    assert list(days["With a verdict"]) == [0, 1, 2, 1]
    assert list(days["Scored"]) == [0, 100, 100, 100]
    assert list(days["Pass"])[:2] == ["—", "100\u202f%"]
    text = text_of(app)
    assert "live by day" in text
    assert "column created_at" in text
    assert "2 days between have no samples (shaded)" in text
    assert "1 sample has no day" in text


def test_chosen_day_opens_its_samples(run: tuple[Store, str], start: Start) -> None:
    app = choose(start("runs"))
    days = table(app, "Day")

    app.session_state[days.key] = {"selection": {"rows": [2], "columns": [], "cells": []}}
    app.run()

    assert app.session_state["address"].terms == ("day=2026-11-02",)
    assert app.session_state["address"].run == run[1]


def test_judge_page_says_how_steady_and_which_texts_are_cut(
    run: tuple[Store, str], start: Start, text_of: TextOf
) -> None:
    judge(*run)
    app = start("judge", {"run": run[1]})

    steady = table(app, "Flip rate").value
    assert list(steady["Axis"]) == [
        "Context relevance ●", "Groundedness ●", "Answer relevance ●",
    ]  # fmt: skip
    row = steady.iloc[1]
    # Two samples with three repeats each; one changes sides, Wilson 1 of 2.
    assert (row["Repeated"], row["Change sides"]) == (2, 1)
    assert row["Flip rate"] == "50\u202f% (9–91)"
    assert row["Vote share"] == "83\u202f%"  # (2/3 + 1) / 2
    assert "1 sample has an answer or contexts that were cut" in text_of(app)
    assert "It is left out" in text_of(app)
    assert not app.checkbox(key="include_cut").value
    app.button(key="open_cut").click().run()
    assert set(app.session_state["address"].terms) == {
        "tag.truncated=answer", "tag.truncated=context",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("column", "term"), [("Change sides", "flip."), ("Repeated", "repeats."), ("Judge", "repeats.")]
)
def test_count_of_the_table_opens_its_samples(
    run: tuple[Store, str], start: Start, text_of: TextOf, column: str, term: str
) -> None:
    judge(*run)
    app = start("judge", {"run": run[1]})
    steady = table(app, "Flip rate")

    app.session_state[steady.key] = {
        "selection": {"rows": [], "columns": [], "cells": [(1, column)]}
    }
    app.run()

    (found,) = app.session_state["address"].terms
    assert found.startswith(f"{term}groundedness_rubric@")
    assert f"Sample 1 of {1 if term == 'flip.' else 2}" in text_of(app)


def test_run_judged_once_says_how_to_find_out(
    run: tuple[Store, str], start: Start, text_of: TextOf
) -> None:
    assert "No judge has judged a sample of this view more than once" in text_of(
        start("judge", {"run": run[1]})
    )


def test_triage_shows_repeats_cut_texts_and_the_question_as_it_was_judged(
    run: tuple[Store, str], start: Start, text_of: TextOf
) -> None:
    judge(*run)

    text = text_of(start("triage", {"run": run[1], "sample": "s0"}))

    assert text.count("3 repeats: 4, 4, 2 · spread 2 · changes sides: 2 high, 1 low") == 3
    assert "What was judged was cut before the file was saved: answer." in text
    assert "Judged without the earlier turns as: What follows the first step?" in text
    steady = text_of(start("triage", {"run": run[1], "sample": "s1"}))
    assert steady.count("3 repeats: 5, 5, 5 · all alike · all high") == 3
    alone = text_of(start("triage", {"run": run[1], "sample": "s2"}))
    assert "repeats" not in alone
    assert "Judged without" not in alone
