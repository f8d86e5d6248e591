"""Figures of real retrieval runs, and of a small one of our own that is always here."""

import csv
import json
from pathlib import Path

import pytest

from core.metrics.hits import Hits, find_hits
from core.metrics.retrieval_figures import RetrievalFigures, retrieval_figures
from core.metrics.retrieval_table import table_from_hits
from core.model import Context, Gold

GOLDEN = Path(__file__).parents[1] / "golden" / "retrieval.csv"
FIGURES = ("hit@1", "hit@2", "hit@3", "hit@4", "hit@5", "mrr", "recall@5", "precision@5", "ndcg@5")


def _named(figures: RetrievalFigures) -> dict[str, float | None]:
    rates = {f"hit@{k}": figures.hit_at_k[k] for k in range(1, 6)}
    rates["mrr"] = figures.mrr
    rates["recall@5"] = figures.recall[5]
    rates["precision@5"] = figures.precision[5]
    rates["ndcg@5"] = figures.ndcg[5]
    return {name: rate.value for name, rate in rates.items()}


def _golden() -> list[dict[str, str]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _hits(row: dict[str, str]) -> Hits:
    contexts = [
        Context(rank, None, doc_id) for rank, doc_id in enumerate(row["contexts"].split(), 1)
    ]
    return find_hits(contexts, [Gold(doc_id) for doc_id in row["gold"].split("|")])


@pytest.mark.parametrize("row", _golden(), ids=lambda row: f"{row['contexts']}~{row['gold']}")
def test_figures_of_one_sample_as_worked_out_by_hand(row: dict[str, str]) -> None:
    found = _named(retrieval_figures(table_from_hits([_hits(row)]), 5))
    assert found == pytest.approx({name: float(row[name]) for name in FIGURES}, abs=1e-6)


def test_figures_of_a_run_are_the_means_of_its_samples() -> None:
    rows = _golden()
    found = _named(retrieval_figures(table_from_hits([_hits(row) for row in rows]), 5))
    means = {name: sum(float(row[name]) for row in rows) / len(rows) for name in FIGURES}
    assert found == pytest.approx(means, abs=1e-6)


@pytest.mark.parametrize("name", ["pubmedqa_bm25", "xquad_de_bm25", "financebench_bm25"])
def test_figures_of_real_runs(data_dir: Path, name: str) -> None:
    oracles = json.loads((data_dir / "oracles.json").read_text(encoding="utf-8"))[name]["runs"]
    runs: dict[str, list[Hits]] = {}
    with (data_dir / f"{name}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            contexts = [Context(one["rank"], one["text"], one["doc_id"]) for one in row["contexts"]]
            hits = find_hits(contexts, [Gold(doc_id) for doc_id in row["gold_doc_ids"]])
            runs.setdefault(row["run"], []).append(hits)
    expected = {
        run: oracle["retrieval"] for run, oracle in oracles.items() if "retrieval" in oracle
    }
    assert set(expected) == set(runs)
    for run, hits_of_run in runs.items():
        figures = retrieval_figures(table_from_hits(hits_of_run), 5)
        assert figures.n == expected[run]["n"]
        oracle = {figure: expected[run][figure] for figure in FIGURES}
        assert _named(figures) == pytest.approx(oracle, abs=1e-6), run
