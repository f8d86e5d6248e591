"""Filters by evidence keep exactly the samples that the figures of retrieval count."""

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.filters import from_terms
from core.metrics.intervals import Rate
from core.store import matching
from core.store.connection import Store
from core.workflows import review
from core.workflows.deriving import derive
from core.workflows.hit_rules import TERMS_VARIABLE, apply_rule, wanted_rule
from core.workflows.importing import Options, import_file
from core.workflows.retrieving import Retrieval, retrieval
from core.workflows.setup import ensure_store

PIECES = ["red lamp", "blue tyre", "brass bell", "avoid in hypertension"]
# "HTN" stands for hypertension by the table of medical terms only.
TEXTS = [*PIECES, "red lamp and blue tyre", "avoid in HTN", "red lamp and HTN: avoid", "grey mud"]
POLICIES = [0.0, 0.5, 1.0]
RULES = ["plain", "terms", "reference"]


def rows(seed: int) -> list[dict[str, object]]:
    """Samples of every kind: several pieces, none, lists of all lengths, repeated contexts."""
    draw = random.Random(seed)
    found: list[dict[str, object]] = []
    for i in range(60):
        row: dict[str, object] = {
            "sample_id": f"s{i:02d}",
            "question": f"Question {i}?",
            "answer": "So it is.",
            "contexts": [{"text": draw.choice(TEXTS)} for _ in range(draw.randint(0, 4))],
            "tags": {"half": "even" if i % 2 == 0 else "odd"},
        }
        if i % 7 == 0:
            row["reference"] = draw.choice(PIECES)
        else:
            row["gold"] = [{"text": text} for text in draw.sample(PIECES, draw.randint(1, 3))]
        found.append(row)
    return found


def put(store: Store, file: Path, samples: list[dict[str, object]]) -> str:
    file.write_text("".join(json.dumps(row) + "\n" for row in samples), encoding="utf-8")
    report = import_file(store, file, Options())
    assert report.is_stored, report.problems
    return report.runs[0].run_id


def n_of(store: Store, run_id: str, share: float, *terms: str) -> int:
    view = review.View(wanted=from_terms(terms), hit_share=share)
    with review.matched(store, run_id, view) as (connection, _):
        return matching.matched_count(connection)


def counted(found: Retrieval) -> dict[tuple[str, ...], float]:
    """What each filter has to keep, by the figures."""
    figures, depth = found.figures, found.figures.depth
    expected: dict[tuple[str, ...], float] = {("evidence.contexts=0..",): figures.n}

    def add(rates: Mapping[int, Rate], *terms: str) -> None:
        for key, rate in rates.items():
            expected[tuple(term.format(key) for term in terms)] = rate.k

    add(figures.hit_count_dist, "evidence.contexts={}")
    add(figures.hit_at_k, "evidence.hit_depth=..{}")
    add(figures.hit_all_at_k, "evidence.full_depth=..{}", "evidence.pieces=2..")
    add(figures.context_hit_rate, "evidence.rank={}")
    add(figures.useful_by_rank, "evidence.rank={0}", "evidence.rank={0}..{0}")
    add(figures.exclusive_hit_rate, "evidence.rank={}", "evidence.contexts=1")
    for k, rate in figures.hit_at_k.items():
        expected[f"evidence.hit_depth={k + 1}..",] = figures.n - rate.k
        later = figures.hit_at_k[depth].k - rate.k
        expected[f"evidence.hit_depth={k + 1}..", "hit=hit"] = later
    for (i, j), rate in figures.pairwise_redundancy.items():
        expected[f"evidence.rank={i}", f"evidence.rank={j}"] = rate.k
    for (i, j), rate in found.redundancy.by_pair.items():
        expected[f"same_words.{i}+{j}=0..",] = rate.n
        expected[f"same_words.{i}+{j}=0.8..",] = found.redundancy.near_by_pair[i, j].k
    expected["same_words.any=0.8..",] = found.redundancy.near_duplicates.k
    expected["same_words.any=0..",] = found.redundancy.near_duplicates.n
    return expected


@pytest.fixture(scope="module", params=RULES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp(request.param)
    store, _ = ensure_store(folder / "store.duckdb")
    run_id = put(store, folder / "run.jsonl", rows(3))
    derive(store, run_id)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(TERMS_VARIABLE, raising=False)
        if request.param != "plain":
            is_terms = request.param == "terms"
            rule = wanted_rule(store, use_reference=not is_terms, use_terms=is_terms)
            apply_rule(store, run_id, rule)
    return store


@pytest.mark.parametrize(
    ("share", "given"),
    [(0.0, ("tag.half=odd",)), (0.5, ()), (1.0, ("evidence.contexts=1..2", "hit=hit"))],
)
def test_each_filter_keeps_what_the_figures_count(
    run: Store, share: float, given: tuple[str, ...]
) -> None:
    view = review.View(wanted=from_terms(given), hit_share=share)
    expected = counted(retrieval(run, "run", view))
    found = {terms: n_of(run, "run", share, *given, *terms) for terms in expected}

    assert found == expected
    assert sum(n > 0 for n in found.values()) > 15


def test_policies_and_rules_differ_in_these_samples(run: Store) -> None:
    # Otherwise the test above would say nothing about them.
    by_policy = [n_of(run, "run", share, "evidence.hit_depth=..2") for share in POLICIES]
    assert by_policy == sorted(by_policy, reverse=True)
    assert len(set(by_policy)) == 3


def test_one_sample_by_hand(tmp_path: Path) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    # Two pieces of evidence; contexts 2 and 4 hold one each. Any: a hit at rank 2; all: at rank 4.
    texts = ["grey mud", "red lamp", "grey mud", "blue tyre"]
    one = {
        "question": "Which?",
        "answer": "So.",
        "contexts": [{"text": text} for text in texts],
        "gold": [{"text": "red lamp"}, {"text": "blue tyre"}],
    }
    # No context holds any.
    other = {**one, "question": "What?", "contexts": [{"text": "grey mud"}]}
    run_id = put(store, tmp_path / "two.jsonl", [one, other])
    derive(store, run_id)

    def kept(*terms: str, share: float = 0.0) -> int:
        return n_of(store, run_id, share, *terms)

    assert [kept(f"evidence.rank={rank}") for rank in (1, 2, 3, 4, 5)] == [0, 1, 0, 1, 0]
    assert kept("evidence.rank=2", "evidence.rank=4") == 1
    assert kept("evidence.rank=2", "evidence.rank=3") == 0
    assert [kept(f"evidence.contexts={n}") for n in (0, 1, 2, 3)] == [1, 0, 1, 0]
    assert kept("evidence.pieces=2") == 2
    assert [kept(f"evidence.hit_depth={k}") for k in (1, 2, 3, 4)] == [0, 1, 0, 0]
    assert [kept(f"evidence.hit_depth={k}", share=1.0) for k in (2, 3, 4)] == [0, 0, 1]
    assert [kept(f"evidence.hit_depth={k}", share=0.5) for k in (1, 2)] == [0, 1]
    assert [kept(f"evidence.full_depth=..{k}") for k in (3, 4)] == [0, 1]
    # The sample that is never hit lies beyond all ranks.
    assert kept("evidence.hit_depth=3..") == 1
    assert kept("evidence.hit_depth=5..99") == 0
    # "grey mud" stands at ranks 1 and 3.
    assert kept("same_words.1+3=1..") == 1
    assert kept("same_words.1+2=0.1..") == 0


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_real_runs(data_dir: Path, tmp_path: Path, share: float) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    report = import_file(store, data_dir / "pubmedqa_bm25.jsonl", Options())
    run_id = next(run.run_id for run in report.runs if run.name == "pubmedqa-bm25-stem")
    derive(store, run_id)
    expected = counted(retrieval(store, run_id, review.View(hit_share=share)))

    assert {terms: n_of(store, run_id, share, *terms) for terms in expected} == expected
    # 500 questions, of which 7 find nothing; 66 % have evidence at ranks 1 and 2.
    assert expected["evidence.contexts=0..",] == 500
    assert expected["evidence.contexts=0",] == 7
    assert expected["evidence.rank=1", "evidence.rank=2"] == pytest.approx(0.66 * 500, abs=2.5)
