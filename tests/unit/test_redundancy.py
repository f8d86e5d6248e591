import csv
import json
from pathlib import Path

import numpy as np
import pytest

from core.metrics.redundancy import (
    TokenIds,
    Vocabulary,
    pairwise_jaccard,
    redundancy_by_sample,
    redundancy_figures,
    redundancy_of_texts,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "redundancy.csv"


def _ranked(*texts: str | None) -> list[tuple[int, str | None]]:
    return list(enumerate(texts, 1))


def _golden() -> list[dict[str, str]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _golden_texts(row: dict[str, str]) -> list[tuple[int, str | None]]:
    return _ranked(row["first"], row["second"], row["third"])


@pytest.mark.parametrize("row", _golden(), ids=lambda row: row["work"])
def test_overlap_of_one_sample_as_worked_out_by_hand(row: dict[str, str]) -> None:
    found = redundancy_by_sample(redundancy_of_texts([_golden_texts(row)]))
    expected = [[float(row[name])] if row[name] else [] for name in ("mean", "largest")]
    assert [found.mean.tolist(), found.largest.tolist()] == [
        pytest.approx(one, abs=1e-6) for one in expected
    ]


def test_figures_of_a_run_are_means_over_its_samples_with_a_pair() -> None:
    rows = _golden()
    figures = redundancy_figures(redundancy_of_texts([_golden_texts(row) for row in rows]))
    # (1 + .8 + 2/9 + 0 + 2/3) / 5
    assert figures.text_redundancy.value == pytest.approx(0.537778, abs=1e-6)
    assert figures.text_redundancy.n == 5
    # 1, .8 and 1 reach .8
    assert (figures.near_duplicates.k, figures.near_duplicates.n) == (3, 5)


def test_figures_by_pair_run_over_the_samples_that_have_both_ranks() -> None:
    figures = redundancy_figures(
        redundancy_of_texts([_ranked("a b", "a b"), _ranked("a", "b", "a")])
    )
    assert {pair: (rate.value, rate.n) for pair, rate in figures.by_pair.items()} == {
        (1, 2): (0.5, 2),
        (1, 3): (1.0, 1),
        (2, 3): (0.0, 1),
    }
    assert {pair: rate.k for pair, rate in figures.near_by_pair.items()} == {
        (1, 2): 1,
        (1, 3): 1,
        (2, 3): 0,
    }


def test_depth_leaves_later_contexts_out() -> None:
    pairs = redundancy_of_texts([_ranked("a", "b", "a")])
    figures = redundancy_figures(pairs, k=2)
    assert list(figures.by_pair) == [(1, 2)]
    assert figures.text_redundancy.value == 0.0


def test_pairs_name_sample_and_ranks_in_order() -> None:
    pairs = redundancy_of_texts([_ranked("a"), [], _ranked("a", None, "b", "a")])
    found = zip(pairs.samples.tolist(), pairs.first.tolist(), pairs.second.tolist(), strict=True)
    assert list(found) == [(2, 1, 3), (2, 1, 4), (2, 3, 4)]
    assert pairs.jaccard.tolist() == [0.0, 1.0, 0.0]


def test_contexts_without_a_token_are_in_no_pair() -> None:
    assert redundancy_of_texts([_ranked("***", "***", "a", "")]).samples.tolist() == []


@pytest.mark.parametrize("samples", [[], [[]], [_ranked("one")]])
def test_without_a_pair_redundancy_is_undefined(
    samples: list[list[tuple[int, str | None]]],
) -> None:
    document = redundancy_figures(redundancy_of_texts(samples)).as_json()
    assert document["text_redundancy"] == {}
    for name in ("mean_text_redundancy", "near_duplicates"):
        assert document[name]["value"] is None
        assert document[name]["reason"] == "no sample has two contexts with text"


def test_json_is_keyed_by_pair() -> None:
    document = redundancy_figures(redundancy_of_texts([_ranked("a", "a b")])).as_json()
    assert document["text_redundancy"] == {"1,2": {"value": 0.5, "low": None, "high": None, "n": 1}}


def test_samples_keep_their_number_over_batches() -> None:
    texts = [_ranked(f"word{number} x", "x") for number in range(2_500)]
    pairs = redundancy_of_texts(texts)
    assert pairs.samples.tolist() == list(range(2_500))
    assert set(pairs.jaccard.tolist()) == {0.5}


def test_more_contexts_than_bits_are_compared_all_the_same() -> None:
    # 120 contexts: each holds "x" and a word of its own, so every pair shares 1 of 3
    pairs = redundancy_of_texts([_ranked(*(f"x w{number}" for number in range(120)))])
    assert pairs.jaccard.size == 120 * 119 // 2
    assert pairs.jaccard == pytest.approx(1 / 3)


def test_a_sample_longer_than_a_block_stays_whole() -> None:
    long = " ".join(f"w{number}" for number in range(60_000))
    pairs = redundancy_of_texts([_ranked("a", "a"), _ranked(long, long, "w1"), _ranked("b", "b")])
    assert pairs.samples.tolist() == [0, 1, 1, 1, 2]
    assert pairs.jaccard == pytest.approx([1, 1, 1 / 60_000, 1 / 60_000, 1])


def test_ids_may_repeat_within_a_context() -> None:
    contexts = TokenIds(
        np.array([7, 7, 3, 3, 9], dtype=np.int32),
        np.array([3, 2]),
        np.array([4, 4]),
        np.array([1, 2]),
    )
    # {3, 7} and {3, 9}
    assert pairwise_jaccard(contexts).jaccard == pytest.approx([1 / 3])


def test_words_are_the_same_in_ascii_and_in_other_texts() -> None:
    encoded = Vocabulary().encode([_ranked("Fix_it: 2.5 Ohm", "fix it 2 5 ohm ü")])
    assert encoded.lengths.tolist() == [5, 6]
    assert pairwise_jaccard(encoded).jaccard == pytest.approx([5 / 6])


@pytest.mark.parametrize(
    "name", ["pubmedqa_bm25", "xquad_de_bm25", "financebench_bm25", "mtrag_human"]
)
def test_redundancy_of_real_runs(data_dir: Path, name: str) -> None:
    oracles = json.loads((data_dir / "oracles.json").read_text(encoding="utf-8"))[name]["runs"]
    runs: dict[str, list[list[tuple[int, str | None]]]] = {}
    with (data_dir / f"{name}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            contexts = [(one["rank"], one["text"]) for one in row["contexts"]]
            runs.setdefault(row["run"], []).append(contexts)
    expected = {run: one["redundancy"] for run, one in oracles.items() if "redundancy" in one}
    assert set(expected) == set(runs)
    for run, samples in runs.items():
        figures = redundancy_figures(redundancy_of_texts(samples))
        assert figures.text_redundancy.n == expected[run]["n"]
        found = (figures.text_redundancy.value, figures.near_duplicates.value)
        oracle = expected[run]
        assert found == pytest.approx(
            (oracle["mean_pairwise_jaccard"], oracle["share_with_pair_jaccard_ge_0.8"]), abs=1e-6
        ), run
