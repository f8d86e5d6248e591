"""Latency and cost of the answers: as a filter, from the line on Overview, and as a term."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import BadInputError
from core.filters import from_terms
from core.store.connection import Store
from core.workflows.importing import import_file
from core.workflows.review import View, matched

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
#: Seconds and dollars of each answer; the last two record one of them.
ANSWERS: list[dict[str, float]] = [
    {"latency": 0.5, "cost": 0.01},
    {"latency": 2.0, "cost": 0.02},
    {"latency": 4.0, "cost": 0.0},
    {"latency": 10.0},
    {"cost": 0.5},
]


def with_run(store: Store, folder: Path, answers: list[dict[str, float]]) -> str:
    path = folder / "timed.jsonl"
    rows = [
        {"sample_id": f"s{n}", "question": "?", "answer": "a", "contexts": ["a"],
         "scores": {"groundedness": 0.5}, **answer}
        for n, answer in enumerate(answers)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_file(store, path).runs[0].run_id


def passing(store: Store, run_id: str, *terms: str) -> list[str]:
    with matched(store, run_id, View(wanted=from_terms(terms))) as (connection, _):
        rows = connection.execute("select sample_id from matched order by position").fetchall()
    return [sample_id for (sample_id,) in rows]


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (["latency=2.."], ["s1", "s2", "s3"]),
        (["latency=..<2"], ["s0"]),
        (["cost=..0.02"], ["s0", "s1", "s2"]),
        (["cost=0..0"], ["s2"]),
        # What is not recorded is in no range, however wide.
        (["latency=.."], ["s0", "s1", "s2", "s3"]),
        (["latency=2..", "cost=0.01.."], ["s1"]),
    ],
)
def test_a_range_keeps_what_is_recorded_within_it(
    terms: list[str], expected: list[str], store_of: StoreOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path, ANSWERS)
    assert passing(store, run_id, *terms) == expected
    wanted = from_terms(terms)
    assert from_terms(wanted.terms()) == wanted


@pytest.mark.parametrize("term", ["latency=fast", "latency.p95=2..", "cost=1"])
def test_what_is_no_range_is_refused(term: str) -> None:
    with pytest.raises(BadInputError):
        from_terms([term])


def widget(app: AppTest, kind: str, label: str) -> Any:
    return next(one for one in app.get(kind) if one.label == label)


def test_the_filter_offers_what_the_run_recorded(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path, ANSWERS)
    app = start("overview", {"run": run_id})
    widget(app, "selectbox", "Score, latency or cost from … to").select("latency").run()
    widget(app, "number_input", "From").set_value(2.0).run()
    assert not app.exception
    assert app.session_state["address"].terms == ("latency=2.0..",)
    assert [one.options for one in app.button_group if one.label == "Active filters"] == [
        [r"Latency\: from 2\.0 s ✕"]
    ]
    widget(app, "selectbox", "Score, latency or cost from … to").select("").run()
    assert app.session_state["address"].terms == ()


def test_a_run_without_them_offers_scores_only(store_of: StoreOf, start: Start) -> None:
    store_of("demo")
    app = start("overview")
    box = widget(app, "selectbox", "Score from … to")
    assert box.options == ["any", "Context relevance", "Groundedness", "Answer relevance"]
    assert not [one for one in app.button if one.key == "open_slowest"]


def test_the_slowest_answers_open_from_overview(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    # 41 answers of 0 to 40 s: the 95th percentile is 38 s, which three reach.
    run_id = with_run(store, tmp_path, [{"latency": float(n)} for n in range(41)])
    app = start("overview", {"run": run_id})
    assert "within 38 s" in text_of(app)
    app.button(key="open_slowest").click().run()
    assert not app.exception
    assert "Sample 1 of 3" in text_of(app)
