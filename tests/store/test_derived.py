"""Hits and redundancy as the store keeps them: as the functions give them, once per sample."""

import json
from pathlib import Path

import pytest

from core.filters import SampleFilter, from_terms
from core.metrics.hits import find_hits, jaccard
from core.metrics.redundancy import redundancy_figures
from core.metrics.retrieval_figures import retrieval_figures
from core.model import Context, Gold
from core.store import derived, matching
from core.store.connection import Store
from core.text import tokens
from core.workflows import review
from core.workflows.deriving import derive, n_underived
from core.workflows.importing import Options, import_file
from core.workflows.retrieving import retrieval, run_retrieval
from core.workflows.setup import ensure_store

GOLDEN = [
    # Ranks of the hits of five samples, 1 = hit: 100, 110, 000, 010, 111.
    ("a", [1, 0, 0]),
    ("b", [1, 1, 0]),
    ("c", [0, 0, 0]),
    ("d", [0, 1, 0]),
    ("e", [1, 1, 1]),
]


def golden_rows() -> list[dict]:
    """Five samples whose gold ids are exactly the contexts that are to be hits."""
    rows = []
    for name, hits in GOLDEN:
        contexts = [
            {"doc_id": f"{name}{rank}", "text": f"words of {name} {rank}", "rank": rank}
            for rank in (1, 2, 3)
        ]
        gold = [f"{name}{rank}" for rank, hit in enumerate(hits, 1) if hit] or ["elsewhere"]
        rows.append(
            {
                "sample_id": name,
                "question": f"Question {name}?",
                "answer": "An answer.",
                "contexts": contexts,
                "gold_doc_ids": gold,
            }
        )
    return rows


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made, _ = ensure_store(tmp_path / "store.duckdb")
    file = tmp_path / "golden.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in golden_rows()), encoding="utf-8")
    assert import_file(made, file, Options()).is_stored
    return made


def test_figures_of_the_worked_rows(store: Store) -> None:
    found = run_retrieval(store, "golden", review.View(), k=3)
    at = {k: found["hit_at_k"][k]["value"] for k in ("1", "2", "3")}
    by_rank = {k: found["context_hit_rate"][k]["value"] for k in ("1", "2", "3")}
    assert at == {"1": 0.6, "2": 0.8, "3": 0.8}
    assert by_rank == {"1": 0.6, "2": 0.6, "3": 0.2}
    assert found["no_hit_rate"]["value"] == 0.2
    assert [found["exclusive_hit_rate"][k]["value"] for k in ("1", "2", "3")] == [0.2, 0.2, 0]
    joint = {pair: found["pairwise_redundancy"][pair]["value"] for pair in ("1,2", "1,3", "2,3")}
    assert joint == {"1,2": 0.4, "1,3": 0.2, "2,3": 0.2}
    # First hits at ranks 1, 1, none, 2, 1: (1 + 1 + 0 + 1/2 + 1) / 5
    assert found["mrr"]["value"] == pytest.approx(0.7)
    assert found["n"] == 5
    json.dumps(found, allow_nan=False)


def test_stored_hits_are_those_of_the_function(store: Store) -> None:
    derive(store, "golden")
    with store.reading() as connection:
        stored = connection.execute(
            "select sample_id, basis, stages, held, grades from sample_hits "
            "inner join sample using (run_id, position) order by sample_id"
        ).fetchall()
    for row, (sample_id, basis, stages, held, grades) in zip(golden_rows(), stored, strict=True):
        expected = find_hits(
            [Context(c["rank"], c["text"], c["doc_id"]) for c in row["contexts"]],
            [Gold(doc_id) for doc_id in row["gold_doc_ids"]],
        )
        assert sample_id == row["sample_id"]
        assert basis == expected.basis == "gold_id"
        assert tuple(stages) == expected.stages
        assert [tuple(one) for one in held] == list(expected.held)
        assert tuple(grades) == expected.grades


def test_stored_redundancy_is_that_of_token_sets(store: Store) -> None:
    derive(store, "golden")
    with review.matched(store, "golden", review.View()) as (connection, found):
        pairs = derived.redundancy_pairs(connection, found.run.run_id)
    # "words of a 1" and "words of a 2" share three of five tokens.
    assert set(pairs.jaccard.round(6)) == {0.6}
    assert jaccard(frozenset(tokens("words of a 1")), frozenset(tokens("words of a 2"))) == 0.6
    assert pairs.jaccard.size == 5 * 3
    assert redundancy_figures(pairs).text_redundancy.value == pytest.approx(0.6)


def test_second_time_there_is_nothing_to_do(store: Store) -> None:
    assert n_underived(store, "golden") == 5
    assert derive(store, "golden") == 5
    assert n_underived(store, "golden") == 0
    assert derive(store, "golden") == 0


def test_appended_samples_are_worked_out_alone(store: Store, tmp_path: Path) -> None:
    derive(store, "golden")
    more = tmp_path / "more.jsonl"
    row = {**golden_rows()[0], "sample_id": "z"}
    more.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert import_file(store, more, Options(append_to="golden")).is_stored
    assert derive(store, "golden") == 1


def test_deleting_a_run_takes_its_hits_along(store: Store) -> None:
    from core.store import writes

    derive(store, "golden")
    with store.reading() as connection:
        run_id = connection.execute("select run_id from run").fetchall()[0][0]
    with store.writing() as connection:
        writes.delete_run(connection, run_id)
    with store.reading() as connection:
        counts = connection.execute(
            "select (select count(*) from sample_hits), (select count(*) from redundancy)"
        ).fetchall()
    assert counts == [(0, 0)]


@pytest.mark.parametrize(
    ("terms", "share", "expected"),
    [
        (["hit=hit"], 0.0, {"a", "b", "d", "e"}),
        (["hit=miss"], 0.0, {"c"}),
        (["hit=undefined"], 0.0, set()),
        (["hit=hit", "hit=miss"], 0.0, {"a", "b", "c", "d", "e"}),
    ],
)
def test_filter_by_hit(store: Store, terms: list[str], share: float, expected: set[str]) -> None:
    derive(store, "golden")
    view = review.View(wanted=from_terms(terms), hit_share=share)
    with review.matched(store, "golden", view) as (connection, _):
        found = {row[0] for row in connection.execute("select sample_id from matched").fetchall()}
    assert found == expected


def test_hit_policy_asks_for_more_evidence(tmp_path: Path) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    row = {
        "sample_id": "half",
        "question": "Which two?",
        "answer": "Both.",
        "contexts": [{"doc_id": "one", "text": "First."}],
        "gold_doc_ids": ["one", "two"],
    }
    file = tmp_path / "two.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    import_file(store, file, Options())
    derive(store, "two")
    for share, n in ((0.0, 1), (0.5, 1), (1.0, 0)):
        view = review.View(wanted=SampleFilter(hits=("hit",)), hit_share=share)
        with review.matched(store, "two", view) as (connection, _):
            assert matching.matched_count(connection) == n


def test_without_gold_hits_are_undefined_and_never_a_miss(tmp_path: Path) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    rows = [
        {"sample_id": "gold", "question": "A?", "contexts": [], "gold_doc_ids": ["x"]},
        {"sample_id": "none", "question": "B?", "contexts": [{"text": "Some words."}]},
    ]
    file = tmp_path / "mixed.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_file(store, file, Options())
    derive(store, "mixed")
    found = retrieval(store, "mixed", review.View()).figures
    assert (found.n, found.n_no_gold) == (1, 1)
    assert found.no_hit_rate.value == 1.0  # nothing was retrieved for the one with gold


def test_documents_that_are_never_useful(store: Store, tmp_path: Path) -> None:
    rows = []
    for name in ("p", "q", "r"):
        contexts = [{"doc_id": "noise", "text": "Noise."}, {"doc_id": name, "text": "Signal."}]
        gold = [name]
        rows.append(
            {"sample_id": name, "question": f"{name}?", "contexts": contexts, "gold_doc_ids": gold}
        )
    file = tmp_path / "noisy.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_file(store, file, Options())
    derive(store, "noisy")
    (found,) = retrieval(store, "noisy", review.View()).useless
    assert (found.doc_id, found.n_retrieved, found.mean_rank) == ("noise", 3, 1.0)


@pytest.mark.parametrize("name", ["pubmedqa_bm25", "xquad_de_bm25", "financebench_bm25"])
def test_real_runs_agree_with_the_oracles(data_dir: Path, tmp_path: Path, name: str) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    oracle = json.loads((data_dir / "oracles.json").read_text())[name]["runs"]
    report = import_file(store, data_dir / f"{name}.jsonl", Options())
    for run in report.runs:
        derive(store, run.run_id)
        with review.matched(store, run.run_id, review.View()) as (connection, _):
            figures = retrieval_figures(derived.retrieval_table(connection, run.run_id), 5)
            pairs = derived.redundancy_pairs(connection, run.run_id)
        wanted, redundancy = oracle[run.name]["retrieval"], oracle[run.name]["redundancy"]
        assert figures.n == wanted["n"]
        for k in range(1, 6):
            assert figures.hit_at_k[k].value == pytest.approx(wanted[f"hit@{k}"], abs=1e-6)
        assert figures.mrr.value == pytest.approx(wanted["mrr"], abs=1e-6)
        assert figures.recall[5].value == pytest.approx(wanted["recall@5"], abs=1e-6)
        assert figures.precision[5].value == pytest.approx(wanted["precision@5"], abs=1e-6)
        assert figures.ndcg[5].value == pytest.approx(wanted["ndcg@5"], abs=1e-6)
        words = redundancy_figures(pairs)
        assert words.text_redundancy.value == pytest.approx(
            redundancy["mean_pairwise_jaccard"], abs=1e-6
        )
        assert words.near_duplicates.value == pytest.approx(
            redundancy["share_with_pair_jaccard_ge_0.8"], abs=1e-6
        )
