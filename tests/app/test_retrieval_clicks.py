"""Clicks on Retrieval: bars, tiles, rows and cells lead to exactly the samples that they count.

Charts and tables cannot be clicked without a browser; a selection is put where Streamlit keeps it.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.filters import from_terms
from core.store.connection import Store
from core.workflows.deriving import derive
from core.workflows.hit_rules import TERMS_VARIABLE, apply_rule, wanted_rule
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list
from core.workflows.retrieving import Retrieval, retrieval
from core.workflows.review import View

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
QUESTION = "Did the retriever find the evidence?"
STEMMED, PLAIN = "handbook · k5 stemmed", "handbook · k3 plain"


def ids(store: Store) -> dict[str, str]:
    found = {row.run.name: row.run.run_id for row in run_list(store)}
    for run_id in found.values():
        derive(store, run_id)
    return found


def pick(app: AppTest, name: str, **selection: Any) -> AppTest:
    # A chart or table that leads away has a new name on each visit of the page.
    key = f"{name}.{app.session_state['n_visits']}"
    app.session_state[key] = {"selection": selection}
    return app.run()


def click_cell(app: AppTest, row: int, column: str, table: str = "depth_table_run") -> AppTest:
    return pick(app, table, rows=[], columns=[], cells=[(row, column)])


def queue(app: AppTest, text_of: TextOf) -> str:
    return text_of(app).replace("\n", " ")


def opened(app: AppTest) -> tuple[str, ...]:
    terms: tuple[str, ...] = app.session_state["address"].terms
    return terms


def test_a_bar_opens_its_samples(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store = store_of("demo")
    run_id = ids(store)[STEMMED]
    bars = retrieval(store, run_id, View()).figures.hit_count_dist
    for m in (0, 1, 2):
        app = pick(start("retrieval", {"run": run_id}), "hit_counts", count=[{"id": str(m)}])
        assert opened(app) == (f"evidence.contexts={m}",)
        assert f"Sample 1 of {int(bars[m].k)} " in queue(app, text_of)
    assert [int(bars[m].k) for m in (0, 1, 2)] == [5, 56, 2]


def test_a_tile_opens_its_samples_within_the_filter(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = ids(store)[STEMMED]
    given = ("evidence.rank=1", "tag.difficulty=medium")
    found = retrieval(store, run_id, View(wanted=from_terms(given)))
    n = int(found.figures.pairwise_redundancy[1, 2].k)

    app = start("retrieval", {"run": run_id, "f": list(given)})
    app = pick(app, "joint_hits", pair=[{"id": "1,2"}])

    assert n > 0
    assert opened(app) == (*given, "evidence.rank=1", "evidence.rank=2")
    assert f"Sample 1 of {n} " in queue(app, text_of)


def test_a_diamond_and_a_tile_of_the_baseline_open_the_baseline(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    runs = ids(store)
    base = retrieval(store, runs[PLAIN], View()).figures
    link = {"run": runs[STEMMED], "vs": runs[PLAIN], "g": "5"}

    app = pick(start("retrieval", link), "hit_counts", count=[{"id": "vs:0"}])
    address = app.session_state["address"]
    assert (address.run, address.baseline, address.cuts) == (runs[PLAIN], None, ())
    assert f"Sample 1 of {int(base.hit_count_dist[0].k)} " in queue(app, text_of)

    app = pick(start("retrieval", link), "joint_hits", pair=[{"id": "vs:1,2"}])
    assert app.session_state["address"].run == runs[PLAIN]
    assert f"Sample 1 of {int(base.pairwise_redundancy[1, 2].k)} " in queue(app, text_of)


def test_cells_of_the_baseline_open_the_baseline(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    runs = ids(store)
    base = retrieval(store, runs[PLAIN], View()).figures
    app = start("retrieval", {"run": runs[STEMMED], "vs": runs[PLAIN]})
    (choice,) = [one for one in app.button_group if one.label == "Run"]
    choice.set_value("Baseline").run()

    app = click_cell(app, 1, "Hit@k", "depth_table_baseline")

    assert app.session_state["address"].run == runs[PLAIN]
    assert f"Sample 1 of {int(base.hit_at_k[2].k)} " in queue(app, text_of)


def test_coming_back_does_not_send_people_on_again(
    store_of: StoreOf, start: Start, turn_to: Start
) -> None:
    run_id = ids(store_of("demo"))[STEMMED]
    app = start("retrieval", {"run": run_id})
    selection = {"selection": {"count": [{"id": "1"}]}}
    key = f"hit_counts.{app.session_state['n_visits']}"
    app = pick(app, "hit_counts", count=[{"id": "1"}])
    assert [title.value for title in app.title] != [QUESTION]

    # A browser that comes back at once sends the selection again.
    app.session_state[key] = selection
    turn_to(app, "retrieval")

    assert [title.value for title in app.title] == [QUESTION]


# --- several pieces of evidence, hit policies and a hit rule --------------------------------------

PIECES = ["red lamp", "blue tyre", "avoid in hypertension"]
TEXTS = [*PIECES, "red lamp and blue tyre", "avoid in HTN", "grey mud", "grey mud indeed"]


@pytest.fixture
def several(store_of: StoreOf, tmp_path: Path) -> Store:
    """Twenty samples with one to three pieces of evidence, and two without."""
    store = store_of("empty")
    file = tmp_path / "several.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for i in range(22):
            contexts = [{"text": TEXTS[(i * step + step) % 7]} for step in (1, 2, 3)]
            row: dict[str, object] = {
                "sample_id": f"s{i:02d}",
                "question": f"Which {i}?",
                "answer": "This.",
                "contexts": contexts,
                "tags": {"half": "even" if i % 2 == 0 else "odd"},
            }
            if i < 20:
                row["gold"] = [{"text": text} for text in PIECES[: 1 + i % 3]]
            out.write(json.dumps(row) + "\n")
    assert import_file(store, file, Options()).is_stored
    derive(store, "several")
    return store


def expected(found: Retrieval, column: str, k: int) -> int:
    figures = found.figures
    rates = {
        "Hit@k": figures.hit_at_k,
        "All of it": figures.hit_all_at_k,
        "Hit here": figures.context_hit_rate,
        "Only here": figures.exclusive_hit_rate,
        "Useful, if there": figures.useful_by_rank,
    }
    return int(rates[column][k].k) if column in rates else figures.n


@pytest.mark.parametrize(("hit", "share"), [("any", 0.0), ("fraction>=0.5", 0.5), ("all", 1.0)])
@pytest.mark.parametrize("with_terms", [False, True])
def test_cells_and_rows_by_policy_filter_and_rule(
    hit: str,
    share: float,
    with_terms: bool,
    several: Store,
    start: Start,
    text_of: TextOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (run_id,) = ids(several).values()
    if with_terms:
        monkeypatch.delenv(TERMS_VARIABLE, raising=False)
        apply_rule(several, run_id, wanted_rule(several, use_reference=False, use_terms=True))
    given = ("tag.half=odd",) if share else ()
    view = View(wanted=from_terms(given), hit_share=share)
    found = retrieval(several, run_id, view)
    link = {"run": run_id, "hit": hit, "f": list(given)}
    seen = []
    for row, column in ((0, "Hit@k"), (1, "Hit@k"), (2, "All of it"), (1, "Hit here"),
                        (0, "Only here"), (0, "nDCG@k")):  # fmt: skip
        n = expected(found, column, row + 1)
        app = click_cell(start("retrieval", link), row, column)
        assert f"Sample 1 of {n} " in queue(app, text_of), (row, column)
        seen.append(n)
    assert min(seen) > 0
    assert len(set(seen)) > 2

    missed = found.figures.n - int(found.figures.hit_at_k[2].k)
    app = pick(start("retrieval", link), "depth_table_run", rows=[1], columns=[], cells=[])
    assert f"Sample 1 of {missed} " in queue(app, text_of)
    assert opened(app) == (*given, "evidence.hit_depth=3..")


def test_tiles_of_text_open_near_duplicates_and_the_line_below_all_of_them(
    several: Store, start: Start, text_of: TextOf
) -> None:
    (run_id,) = ids(several).values()
    near = retrieval(several, run_id, View()).redundancy
    (pair, rate) = max(near.near_by_pair.items(), key=lambda item: item[1].k or 0)
    app = start("retrieval", {"run": run_id})
    app = pick(app, "text_redundancy", pair=[{"id": f"{pair[0]},{pair[1]}"}])
    assert rate.k
    assert f"Sample 1 of {int(rate.k)} " in queue(app, text_of)

    app = start("retrieval", {"run": run_id})
    app.button(key="open_near_duplicates").click().run()
    assert f"Sample 1 of {int(near.near_duplicates.k or 0)} " in queue(app, text_of)


def test_cells_of_the_figures_open_what_was_missed_or_counted(
    several: Store, start: Start, text_of: TextOf
) -> None:
    (run_id,) = ids(several).values()
    figures = retrieval(several, run_id, View()).figures
    app = pick(start("retrieval", {"run": run_id}), "figures_table", cells=[(0, "Value")])
    assert f"Sample 1 of {int(figures.no_hit_rate.k)} " in queue(app, text_of)
    app = pick(start("retrieval", {"run": run_id}), "figures_table", cells=[(3, "n")])
    assert f"Sample 1 of {figures.n} " in queue(app, text_of)


def test_the_page_says_what_can_be_clicked(several: Store, start: Start, text_of: TextOf) -> None:
    (run_id,) = ids(several).values()
    text = text_of(start("retrieval", {"run": run_id}))
    for what in ("bar to open its samples", "tile to open its samples",
                 "tile to open its near-duplicates", "figure to open its samples"):  # fmt: skip
        assert f"Click a {what}" in text


def test_a_filter_by_evidence_is_chosen_and_shown_in_words(
    several: Store, start: Start, text_of: TextOf
) -> None:
    (run_id,) = ids(several).values()
    app = start("triage", {"run": run_id, "f": "evidence.rank=2"})
    (choice,) = [one for one in app.selectbox if one.label == "Evidence retrieved"]
    assert choice.value is None
    choice.set_value("evidence.contexts=2..").run()

    assert opened(app) == ("evidence.rank=2", "evidence.contexts=2..")
    view = replace(View(), wanted=from_terms(opened(app)))
    n = retrieval(several, run_id, view).n
    assert f"Sample 1 of {n} " in queue(app, text_of)
    assert "Evidence at rank 2" in queue(app, text_of)
