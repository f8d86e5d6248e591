"""Scores whose scale nobody knows: every page says so, and a cut can be set where it is missing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.model import TRIAD as TRIAD_AXES
from core.store import queries
from core.store.connection import Store
from core.workflows.importing import import_file
from core.workflows.listing import run_list
from core.workflows.matrix import matrix
from core.workflows.review import View
from core.workflows.wording import run_lines

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
TRIAD = ("context_relevance", "groundedness", "answer_relevance")


def with_run(store: Store, folder: Path, *scores: tuple[float, float, float]) -> str:
    """A run of 30 samples that have these scores by turns."""
    path = folder / "rubric.jsonl"
    rows = [
        {"sample_id": f"s{n}", "question": "?", "answer": "a", "contexts": ["a"],
         "scores": dict(zip(TRIAD, scores[n % len(scores)], strict=True))}
        for n in range(30)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_file(store, path).runs[0].run_id


def inputs(app: AppTest) -> dict[str, Any]:
    found = {str(one.key): one for one in app.number_input}
    return {
        axis: one
        for axis in TRIAD
        for key, one in found.items()
        if key.startswith(f"first_cut_{axis}")
    }


def test_the_preview_says_how_a_cut_comes_about(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("empty")
    app = start("runs")
    row = {"question": "?", "answer": "a", "scores": {"groundedness": 4, "rouge_l": 0.5, "x": 7}}
    app.file_uploader[0].set_value(("r.jsonl", json.dumps(row).encode(), "text/plain"))
    app.run()
    # x feeds no axis, and what rouge_l is measured on is known.
    assert "On which scale groundedness is, the values do not tell" in text_of(app)


@pytest.mark.parametrize("page", ["overview", "modes"])
def test_the_finding_says_what_is_missing(
    page: str, store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    run_id = with_run(store_of("empty"), tmp_path, (5, 4, 5), (1, 2, 3))
    text = text_of(start(page, {"run": run_id}))
    assert (
        "None of 30 samples can be diagnosed: context relevance, groundedness and answer "
        "relevance have no cut." in text
    )
    assert "say on Failure modes from which score on they are high" in text
    assert "Judge the run" not in text
    assert "0 of 30 near a cut" not in text


def test_triage_shows_the_score_that_has_no_cut(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    run_id = with_run(store_of("empty"), tmp_path, (5, 4, 5), (1, 2, 3))
    text = text_of(start("triage", {"run": run_id, "sample": "s0"}))
    assert "CR 5.00 has no cut, G 4.00 has no cut, AR 5.00 has no cut" in text
    assert "has no score" not in text


def test_cuts_are_set_one_by_one_and_saved(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path, (5, 4, 5), (1, 2, 3))
    app = start("modes", {"run": run_id})
    assert set(inputs(app)) == set(TRIAD)
    assert [one.value for one in inputs(app).values()] == [None, None, None]
    for axis in TRIAD:
        inputs(app)[axis].set_value(4.0).run()
        assert not app.exception
    # Each now has a slider over the scores that there are: 1 to 5, 2 to 4, 3 to 5.
    assert inputs(app) == {}
    sliders = [(one.label, one.min, one.max, one.value) for one in app.slider]
    assert sliders == [
        ("Context relevance (CR) is high from", 1, 5, 4),
        ("Groundedness (G) is high from", 2, 4, 4),
        ("Answer relevance (AR) is high from", 3, 5, 4),
    ]
    # Half of them are 5, 4, 5: all high; the others 1, 2, 3: all low.
    assert "15 of 30 answers fail" in text_of(app)
    app.button(key="save_cuts").click().run()
    assert not app.exception
    with store.reading() as connection:
        assert sorted(queries.thresholds(connection, run_id).values()) == [4.0, 4.0, 4.0]


def test_scores_that_are_all_equal_can_have_a_cut_as_well(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    run_id = with_run(store_of("empty"), tmp_path, (5, 5, 5))
    app = start("modes", {"run": run_id})
    for axis in TRIAD:
        inputs(app)[axis].set_value(4.0).run()
    assert not app.exception
    assert "None of 30 answers fails" in text_of(app)
    assert [one.value for one in inputs(app).values()] == [4.0, 4.0, 4.0]


def test_a_figure_without_pairs_is_a_sentence(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    run_id = with_run(store_of("empty"), tmp_path, (5, 4, 5))
    text = text_of(start("retrieval", {"run": run_id}))
    assert "No sample in view has gold evidence and two contexts." in text
    assert "No sample in view has two contexts." in text
    assert "Click a tile" not in text


def test_the_list_of_runs_tells_undecided_from_not_judged(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    with_run(store, tmp_path, (5, 4, 5))
    text = text_of(start("runs"))
    assert "1 run with 30 samples. Choose one to open it." in text
    (line,) = run_lines(run_list(store))
    assert line.endswith("nothing decided yet")


def test_without_hits_there_is_no_figure_of_adherence_by_hit(
    store_of: StoreOf, start: Start, tmp_path: Path
) -> None:
    store = store_of("demo")
    assert "#### Adherence, by hit" in [one.value for one in start("context_use").markdown]
    run_id = with_run(store, tmp_path, (1, 0.5, 1))
    app = start("context_use", {"run": run_id})
    assert not app.exception
    assert "#### Adherence, by hit" not in [one.value for one in app.markdown]


def test_a_long_scale_is_drawn_in_bins_and_a_rubric_in_levels(
    store_of: StoreOf, tmp_path: Path
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path, (0, 1, 10), (100, 5, 0), (50, 3, 4))
    found = matrix(store, run_id, View())
    # 0 to 100 in 20 bins, 50 at the beginning of the eleventh; 1 to 5 and 0 to 10 level by level.
    assert [len(found.histograms[axis]) for axis in TRIAD_AXES] == [20, 5, 11]
    assert {i: n for i, n in enumerate(found.histograms[TRIAD_AXES[0]]) if n} == {
        0: 10, 10: 10, 19: 10,
    }  # fmt: skip
    assert found.histograms[TRIAD_AXES[1]] == (10, 0, 10, 0, 10)
