"""The page Retrieval: by depth, by slice, marks on contexts, documents; slices of Context use."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


def demo_runs(store: Store) -> tuple[str, str]:
    runs = {row.run.name: row.run.run_id for row in run_list(store)}
    new, old = (next(i for name, i in runs.items() if k in name) for k in ("k5", "k3"))
    return new, old


def frame(app: AppTest, *columns: str) -> list[dict[str, Any]]:
    (found,) = [one.value for one in app.dataframe if set(columns) <= set(one.value.columns)]
    records: list[dict[str, Any]] = found.to_dict("records")
    return records


def test_every_depth_has_its_figures(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    run, _ = demo_runs(store_of("demo"))
    app = start("retrieval", {"run": run})
    rows = frame(app, "k", "Hit@k", "Recall@k", "Only here")
    assert [row["k"] for row in rows] == [1, 2, 3, 4, 5]
    assert rows[0]["Hit@k"] == rows[0]["Hit here"]  # at the first rank both mean the same
    assert "Over 63 samples with gold evidence" in text_of(app)


def test_the_baseline_can_be_read_in_the_same_table(store_of: StoreOf, start: Start) -> None:
    run, old = demo_runs(store_of("demo"))
    app = start("retrieval", {"run": run, "vs": old})
    (choice,) = [one for one in app.button_group if one.label == "Run"]
    choice.set_value("Baseline").run()
    assert not app.exception
    assert [row["k"] for row in frame(app, "k", "Hit@k")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("page", "columns"),
    [("retrieval", ("Slice", "With gold")), ("context_use", ("Slice", "Effective use"))],
)
def test_slices_add_up_and_follow_the_tag(
    page: str, columns: tuple[str, ...], store_of: StoreOf, start: Start
) -> None:
    run, old = demo_runs(store_of("demo"))
    app = start(page, {"run": run, "vs": old, "by": "difficulty"})
    rows = frame(app, *columns)
    assert {row["Slice"] for row in rows} == {"easy", "medium", "hard"}
    assert sum(row["Samples"] for row in rows) == 83


def written(folder: Path, gains: bool) -> Path:
    path = folder / "marks.jsonl"
    name = "erag" if gains else "helpful"
    with path.open("w", encoding="utf-8") as out:
        for i in range(4):
            row = {
                "sample_id": f"s{i}",
                "question": f"Which {i}?",
                "answer": "This.",
                "contexts": [{"text": "one", "doc_id": "a"}, {"text": "two", "doc_id": "b"}],
                "verdicts": [
                    {
                        "metric": name, "judge": {"kind": "imported", "model": "x"}, "repeat": 0,
                        "status": "value", "value": float(rank == 1), "context_rank": rank,
                    }
                    for rank in (1, 2)
                ],
            }  # fmt: skip
            out.write(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize(
    ("gains", "said"),
    [
        (False, "contexts per rank: 4, 4"),
        (True, "erag: 4 samples with a gain for each context"),
    ],
)
def test_marks_on_contexts_are_shown_by_rank(
    gains: bool, said: str, store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    report = import_file(store, written(tmp_path, gains), Options())
    assert report.is_stored, report.problems
    text = text_of(start("retrieval", {"run": report.runs[0].run_id}))
    assert said in text
    assert ("What each context is worth to the generator" in text) == gains
