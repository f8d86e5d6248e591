"""How the offline judge does against labels: on a small run of our own, and on the real ones."""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from core.judge.lexical_cuts import CUTS, SENTENCE_CUT
from core.judge.offline import METRICS, fit, judge_sample
from core.model import Context, SampleText
from core.text import token_overlap

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parents[1] / "golden" / "faithful.jsonl"


@pytest.mark.parametrize("metric", sorted(CUTS))
def test_cuts_come_with_their_figures(metric: str) -> None:
    cut = CUTS[metric]
    assert metric in METRICS
    assert 0 < cut.value < 1
    assert 0 <= cut.fpr < cut.tpr <= 1
    assert 0 < cut.n_positive < cut.n


def auc(labels: list[int], scores: list[float]) -> float:
    """Share of pairs of a 1 and a 0 in which the 1 has the higher score; ties count half."""
    pairs = [
        (one > other) + 0.5 * (one == other)
        for label, one in zip(labels, scores, strict=True)
        for against, other in zip(labels, scores, strict=True)
        if (label, against) == (1, 0)
    ]
    return sum(pairs) / len(pairs)


def test_groundedness_beats_token_overlap_on_a_small_run_of_our_own() -> None:
    # Faithful answers use other forms of the words, the others share only small words.
    rows = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    weights = fit(row["context"] for row in rows)
    labels = [row["faithful"] for row in rows]
    ours = []
    for row in rows:
        text = SampleText(0, "s", "", row["answer"], [Context(1, row["context"])])
        ours.append(judge_sample(text, weights, ("groundedness",))[0].value or 0.0)
    plain = [token_overlap(row["answer"], [row["context"]]) or 0.0 for row in rows]
    assert auc(labels, ours) > auc(labels, plain)


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    """The measuring script, so that test, README and script cannot say different things."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tests" / "bench"))
        yield importlib.import_module("offline_judge")


@pytest.mark.parametrize("name", ["begin_wow", "mtrag_human"])
def test_groundedness_beats_token_overlap_on_the_test_half(
    bench: ModuleType, data_dir: Path, name: str
) -> None:
    table = bench.auc_rows(data_dir, name)
    assert all(row["n1"] > 0 and row["n0"] > 0 for row in table)
    ours = bench.weighted_mean(table, "groundedness")
    assert ours > bench.weighted_mean(table, "token_overlap")


def test_the_shipped_cuts_are_those_that_the_data_give(bench: ModuleType, data_dir: Path) -> None:
    for name, choice in bench.chosen_cuts(data_dir).items():
        cut = SENTENCE_CUT if name == "sentence" else CUTS[name]
        assert (choice.value, choice.n, choice.n_positive) == (cut.value, cut.n, cut.n_positive)
        assert (round(choice.tpr, 3), round(choice.fpr, 3)) == (cut.tpr, cut.fpr), name


def test_the_table_in_the_readme_is_the_measured_one(bench: ModuleType, data_dir: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    between = readme.split("<!-- judge-table:start -->")[1].split("<!-- judge-table:end -->")[0]
    assert between.strip() == bench.readme_table(data_dir).strip()
