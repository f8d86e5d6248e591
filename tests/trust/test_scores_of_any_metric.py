"""Scores read for calibration and for the filter are those that pages show, repeats and all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.model import JudgeKind, JudgeSpec, Status, Verdict
from core.store import calibration, scores, writes
from core.store.connection import Store

Ask = Callable[..., Any]
METRIC, BINARY = "groundedness_rubric", "context_relevance_binary"


@pytest.fixture
def run_id(imported: Callable[..., list[str]], fresh_store: Store) -> str:
    """Sixty samples with verdicts in random states, up to four repeats, some judged again."""
    rows = [
        {
            "run": "one",
            "sample_id": f"s{i}",
            "question": f"Question {i}?",
            "answer": "Yes.",
            "contexts": [{"text": "A context.", "rank": 1}],
        }
        for i in range(60)
    ]
    (run_id,) = imported(*rows)
    rng = np.random.default_rng(3)
    verdicts = []
    for _ in range(2):
        for position in range(60):
            for repeat in range(int(rng.integers(1, 5))):
                for metric, top in ((METRIC, 5), (BINARY, 1)):
                    status = rng.choice(["value", "value", "value", "not_applicable", "error"])
                    value = float(rng.integers(0 if top == 1 else 1, top + 1))
                    verdicts.append(
                        Verdict(
                            position=position,
                            metric=metric,
                            status=Status(str(status)),
                            value=value if status == "value" else None,
                            cause={"not_applicable": "no_claims", "error": "timeout"}.get(
                                str(status)
                            ),
                            repeat=repeat,
                        )
                    )
    with fresh_store.writing() as connection:
        writes.append_verdicts(connection, run_id, JudgeSpec(JudgeKind.LLM, "model-x"), verdicts)
    return run_id


@pytest.mark.parametrize(
    ("metric", "axis"), [(METRIC, "groundedness"), (BINARY, "context_relevance")]
)
def test_scores_are_those_of_the_wide_rows(
    metric: str, axis: str, run_id: str, fresh_store: Store
) -> None:
    with fresh_store.reading() as connection:
        (found,) = [s for s in scores.score_sets(connection, run_id) if s.metric == metric]
        assert found.n_repeats == 4
        scores.fill_scored(connection, run_id, found)
        ours = connection.execute("select position, value from scored order by 1").fetchall()
        wide = connection.execute(
            f"select position, {axis} from wide where run_id = $run order by 1", {"run": run_id}
        ).fetchall()
        calibration.keep(connection, run_id, only_matched=False)
        states = connection.execute(
            f"select coalesce({axis}_status, 'not_scored') as state, count(*) from wide "
            f"where run_id = $run and {axis} is null group by 1 order by 1",
            {"run": run_id},
        ).fetchall()
        read = calibration.scored_labels(connection, run_id, found, "ok", categories=[], n_raters=0)
    assert ours == wide
    assert len({value for _, value in ours}) > 2
    assert sum(one.n for one in read.unscored) == sum(n for _, n in states) > 0
    assert int((~np.isnan(read.score)).sum()) == 60 - sum(n for _, n in states)


def test_majority_of_raters_is_the_label_current_and_a_tie_is_no_label(
    imported: Callable[..., list[str]], fresh_store: Store, ask: Ask
) -> None:
    def labelled(i: int, score: float, *votes: int) -> dict[str, Any]:
        named = [
            {"criterion": "ok", "rater": f"r{n}", "value": vote} for n, vote in enumerate(votes)
        ]
        return {
            "run": "one", "sample_id": f"s{i}", "question": "Why?", "answer": "So.",
            "scores": {"quality": score}, "human_labels": named,
        }  # fmt: skip

    imported(
        labelled(0, 0.9, 1, 1, 0),
        labelled(1, 0.8, 1),
        labelled(2, 0.2, 0, 0),
        labelled(3, 0.1, 0, 0, 1),
        labelled(4, 0.5, 1, 0),
    )
    found = ask("calibrate", "one", "--score", "quality", "--label", "ok").out
    assert (found["n"], found["n_positive"], found["auc"]) == (4, 2, 1.0)
    assert found["dropped"] == {"label_unclear": 1}


def test_filter_by_a_metric_counts_what_its_range_holds(run_id: str, ask: Ask) -> None:
    def n(*terms: str) -> int:
        options = [part for term in terms for part in ("--filter", term)]
        return int(ask("diagnose", "one", *options).out["n"])

    at_least, below, all_scored = (n(f"metric.{METRIC}={text}") for text in ("3..", "..<3", ".."))
    assert at_least + below == all_scored < 60
    assert n(f"metric.{METRIC}=3..") == n("score.groundedness=3..")
    assert n(f"metric.{METRIC}@model-x=3..") == at_least
    unknown = ask("diagnose", "one", "--filter", "metric.nope=0..1")
    assert unknown.code == 2
    assert "The run has no scores named 'nope'" in unknown.out["problems"][0]["problem"]


@pytest.mark.parametrize("cut", [0.3, 0.7, 1 / 3])
@pytest.mark.parametrize("positive", ["1", "0"])
def test_cells_of_the_matrix_are_what_their_filters_hold(
    cut: float, positive: str, imported: Callable[..., list[str]], ask: Ask
) -> None:
    rng = np.random.default_rng(7)
    rows = [
        {
            "run": "one",
            "sample_id": f"s{i}",
            "question": "Why?",
            "answer": "So.",
            "scores": {"quality": float(rng.choice([0, 0.1, 0.3, 1 / 3, 0.5, 0.7, 0.9]))},
            "labels": {"ok": int(rng.integers(0, 2))},
        }
        for i in range(50)
    ]
    imported(*rows)
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok", "--positive", positive)
    cells = ask(*asked, "--set", f"quality={cut!r}").out["confusion"]

    counts = {
        (label, side): ask(
            "diagnose", "one", "--filter", f"label.ok={label}", "--filter", f"metric.quality={text}"
        ).out["n"]
        for label in (0, 1)
        for side, text in (("high", f"{cut!r}.."), ("low", f"..<{cut!r}"))
    }
    good = {
        "tp": counts[1, "high"], "fn": counts[1, "low"],
        "fp": counts[0, "high"], "tn": counts[0, "low"],
    }  # fmt: skip
    if positive == "1":
        assert cells == good
    else:
        assert [cells[k] for k in ("tn", "fp", "fn", "tp")] == list(good.values())
