"""Every judge against one label: accuracy, F1, errors, and the spread over repeats, by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from core.model import JudgeKind, JudgeSpec, Status, Verdict
from core.store import writes
from core.store.connection import Store
from core.workflows.judge_table import judge_table
from core.workflows.labelled_scores import Question


@pytest.fixture
def run_id(imported: Callable[..., list[str]], fresh_store: Store) -> str:
    rows: list[dict[str, Any]] = [
        {
            "run": "one",
            "sample_id": f"s{i}",
            "question": "Why?",
            "answer": "So.",
            "scores": {"bleu": 10 * i, "faithfulness": 1.0 if i < 3 else 0.0},
            "labels": {"ok": int(i < 5)},
        }
        for i in range(10)
    ]
    del rows[9]["labels"]
    (run_id,) = imported(*rows)
    # Three repeats: all right; samples 0 and 1 called low; sample 8 called high. Sample 9 failed.
    wrong = {1: {0, 1}, 2: {8}}
    verdicts = [
        Verdict(
            position=i,
            metric="groundedness_rubric",
            status=Status.VALUE,
            value=5.0 if (i < 5) != (i in wrong.get(repeat, ())) else 1.0,
            repeat=repeat,
        )
        for repeat in range(3)
        for i in range(9)
    ]
    failed = Verdict(9, "groundedness_rubric", Status.ERROR, cause="timeout")
    with fresh_store.writing() as connection:
        writes.append_verdicts(
            connection, run_id, JudgeSpec(JudgeKind.LLM, "model-x"), [*verdicts, failed]
        )
    return run_id


def test_rows_are_judges_with_what_they_got_right(fresh_store: Store, run_id: str) -> None:
    target, rows = judge_table(fresh_store, run_id, Question("", "ok"))

    by_name = {row.score.metric: row for row in rows}
    # Those that feed an axis come first; the refusal patterns are a judge like any other.
    assert list(by_name) == ["faithfulness", "groundedness_rubric", "refusal", "bleu"]
    assert target.event_name == "ok = 1"

    file = by_name["faithfulness"]
    assert file.confusion is not None
    # 3 of 5 found, none of 4 wrongly: accuracy 7/9, F1 6/(6 + 2).
    assert file.accuracy.value == pytest.approx(7 / 9)  # type: ignore[union-attr]
    assert file.f1.value == pytest.approx(0.75)  # type: ignore[union-attr]
    assert (file.n, file.n_error, file.repeated) == (9, 0, None)

    unknown = by_name["bleu"]
    assert (unknown.confusion, unknown.accuracy, unknown.kappa) == (None, None, None)
    assert unknown.auc.value == 0.0


def test_spread_over_repeats_is_of_the_single_repeats(fresh_store: Store, run_id: str) -> None:
    _, rows = judge_table(fresh_store, run_id, Question("", "ok"))
    (judge,) = [row for row in rows if row.score.metric == "groundedness_rubric"]

    # The median of three is right throughout, although single repeats are not.
    assert judge.accuracy.value == 1.0  # type: ignore[union-attr]
    assert judge.n_error == 1
    found = judge.repeated
    assert found is not None
    # Accuracies 9/9, 7/9, 8/9: mean 8/9, SD 1/9. F1: 1, 6/8, 10/11.
    assert found.n_repeats == 3
    assert found.accuracy == pytest.approx(8 / 9)
    assert found.accuracy_sd == pytest.approx(1 / 9)
    assert found.f1 == pytest.approx((1 + 3 / 4 + 10 / 11) / 3)


def test_f1_is_of_the_positive_side(fresh_store: Store, run_id: str) -> None:
    _, rows = judge_table(fresh_store, run_id, Question("", "ok", positive="0"))
    (file,) = [row for row in rows if row.score.metric == "faithfulness"]
    # Flagged low: 2 of label 1 and all 4 of label 0: F1 8/(8 + 2).
    assert file.f1.value == pytest.approx(0.8)  # type: ignore[union-attr]
    assert file.accuracy.value == pytest.approx(7 / 9)  # type: ignore[union-attr]
