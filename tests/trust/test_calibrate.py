"""From a file to the document of ``calibrate``: hand-made runs, every way to be undefined."""

from collections.abc import Callable
from typing import Any

import pytest

from core.model import JudgeKind, JudgeSpec, Status, Verdict
from core.store import writes
from core.store.connection import Store

Ask = Callable[..., Any]
Import = Callable[..., list[str]]

# METRICS 4.5: y = 11110000, s = 5 4 4 2 4 3 2 1 (here as eighths, so that they are on 0..1).
SCORES = [5, 4, 4, 2, 4, 3, 2, 1]
LABELS = [1, 1, 1, 1, 0, 0, 0, 0]
PAIRS = list(zip(SCORES, LABELS, strict=True))


def record(i: int, score: Any = None, label: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "run": "one",
        "sample_id": f"s{i}",
        "question": f"Question {i}?",
        "answer": "An answer.",
        **({"scores": {"quality": score}} if score is not None else {}),
        **({"labels": {"ok": label}} if label is not None else {}),
        **more,
    }


@pytest.fixture
def published(imported: Import) -> list[str]:
    return imported(*(record(i, s / 8, y) for i, (s, y) in enumerate(PAIRS)))


def test_published_example_by_hand(published: list[str], ask: Ask) -> None:
    code, found, _ = ask(
        "calibrate", "one", "--score", "quality", "--label", "ok", "--set", "quality=0.5"
    )

    assert code == 0
    assert found["run_ids"] == published
    assert (found["positive"], found["direction"]) == (1, "higher")
    assert (found["n"], found["n_positive"], found["n_dropped"]) == (8, 4, 0)
    # 12.5 of 16 pairs; S10 = S01 by symmetry, SE 0.17493.
    assert found["auc"] == 0.78125
    assert found["auc_ci"]["low"] == pytest.approx(0.78125 - 1.959964 * 0.17493, abs=1e-4)
    assert found["auc_ci"]["high"] == 1.0
    assert found["youden"]["threshold"] == 0.5
    assert (found["youden"]["tpr"], found["youden"]["fpr"]) == (0.75, 0.25)
    assert "looks better than it will be" in found["youden"]["note"]
    assert (found["cut"], found["cut_source"]) == (0.5, "address")
    assert found["confusion"] == {"tp": 3, "fn": 1, "fp": 1, "tn": 3}
    assert found["tpr"]["value"] == found["tnr"]["value"] == found["precision"]["value"] == 0.75
    assert found["f1"]["value"] == 0.75
    # Observed agreement 6/8, expected 1/2.
    assert found["kappa"]["value"] == 0.5
    assert [p["threshold"] for p in found["points"]] == [None, 0.625, 0.5, 0.375, 0.25, 0.125]
    assert [p["tpr"] for p in found["points"]] == [0, 0.25, 0.75, 0.75, 1, 1]
    # 4 of 8 pass by the score: (0.5 + 0.75 - 1) / (0.75 + 0.75 - 1).
    assert found["corrected_rate"]["raw"]["value"] == 0.5
    assert found["corrected_rate"]["human"]["value"] == 0.5


def test_positive_0_turns_label_and_score_and_keeps_the_area(
    published: list[str], ask: Ask
) -> None:
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok", "--set", "quality=0.3")
    one, zero = ask(*asked).out, ask(*asked, "--positive", "0").out

    assert (zero["positive"], zero["direction"]) == (0, "lower")
    assert zero["positive_means"] == "ok = 0"
    assert zero["auc"] == one["auc"]
    assert zero["tpr"] == one["tnr"]
    assert zero["tnr"] == one["tpr"]
    assert zero["kappa"]["value"] == one["kappa"]["value"]
    assert zero["corrected_rate"] == one["corrected_rate"]
    # At 0.3 (2.4 of 8) two are below: one labelled 1, two labelled 0.
    assert zero["confusion"] == {"tp": 2, "fn": 2, "fp": 1, "tn": 3}


def test_a_lower_is_better_metric_predicts_label_1_by_low_scores(
    imported: Import, ask: Ask
) -> None:
    info = {"metrics": {"quality": {"lo": 0, "hi": 1, "direction": "lower"}}}
    rows = [record(i, s / 8, y) for i, (s, y) in enumerate(PAIRS)]
    rows[0]["run_info"] = info
    imported(*rows)

    found = ask("calibrate", "one", "--score", "quality", "--label", "ok").out

    assert found["direction"] == "lower"
    assert found["auc"] == 1 - 0.78125
    # The default 0.7 of a ratio, mirrored: at or below 0.3 counts as high.
    assert found["cut"] == 0.3
    assert found["confusion"] == {"tp": 1, "fn": 3, "fp": 2, "tn": 2}
    forced = ask("calibrate", "one", "--score", "quality", "--label", "ok", "--direction", "higher")
    assert forced.out["auc"] == 0.78125


def test_the_area_is_never_turned_by_itself(imported: Import, ask: Ask) -> None:
    imported(*(record(i, 1 - s / 8, y) for i, (s, y) in enumerate(PAIRS)))
    assert ask("calibrate", "one", "--score", "quality", "--label", "ok").out["auc"] == 1 - 0.78125


def test_what_is_left_out_adds_up_and_says_why(imported: Import, ask: Ask) -> None:
    imported(
        record(0, 0.9, 1),
        record(1, 0.1, 0),
        record(2, 0.9, 1),
        record(3, 0.2, 0),
        record(4, 0.5),  # no label
        record(5, None, 1),  # not scored
        record(6, float("nan"), 1),
        record(7, 0.5, "maybe"),
        record(8),
    )
    found = ask("calibrate", "one", "--score", "quality", "--label", "ok").out

    assert (found["n"], found["n_samples"], found["n_dropped"]) == (4, 9, 5)
    assert found["dropped"] == {
        "error:absent_in_file": 1,
        "label_unclear": 1,
        "no_label": 1,
        "not_scored": 2,
    }
    assert sum(found["dropped"].values()) == found["n_dropped"]


def test_one_class_says_so_with_its_count_and_exits_with_2(imported: Import, ask: Ask) -> None:
    imported(*(record(i, i / 10, 1) for i in range(4)))

    code, found, err = ask("calibrate", "one", "--score", "quality", "--label", "ok")

    reason = "All 4 labels say ok = 1: a curve needs at least one ok = 0."
    assert code == 2
    assert (found["auc"], found["reason"]) == (None, reason)
    assert found["problems"] == [{"row": None, "problem": reason}]
    assert found["points"] == []
    assert found["youden"] is None
    # B47: the matrix is whole all the same; 0.1 to 0.3 are below 0.7.
    assert found["confusion"] == {"tp": 0, "fn": 4, "fp": 0, "tn": 0}
    assert found["tnr"] == {
        "value": None, "low": None, "high": None, "n": 0,
        "reason": "no sample is on the other side of the label",
    }  # fmt: skip
    assert found["kappa"]["value"] is None
    assert found["corrected_rate"]["value"] is None
    assert "all labels are on one side" in found["corrected_rate"]["reason"]
    assert err == ""


def test_few_samples_of_one_side_are_said_in_words(imported: Import, ask: Ask) -> None:
    imported(*(record(i, i / 10, int(i == 3)) for i in range(8)))
    found = ask("calibrate", "one", "--score", "quality", "--label", "ok").out
    assert found["warnings"] == [
        "Only 1 of 8 samples are on one side of the label: read the counts, not the rates."
    ]
    assert found["auc"] is not None
    assert found["auc_ci"]["low"] is None
    assert found["auc_ci"]["reason"] == "an interval needs at least two samples of either label"


def test_score_without_a_scale_has_a_curve_but_no_matrix(imported: Import, ask: Ask) -> None:
    imported(*(record(i, s * 100, y) for i, (s, y) in enumerate(PAIRS)))
    found = ask("calibrate", "one", "--score", "quality", "--label", "ok").out
    assert found["auc"] == 0.78125
    assert (found["cut"], found["cut_source"], found["confusion"]) == (None, "none", None)
    assert "scale of this score is unknown" in found["tpr"]["reason"]


def test_threshold_of_the_run_moves_the_matrix(
    published: list[str], ask: Ask, fresh_store: Store
) -> None:
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok")
    assert ask(*asked).out["cut_source"] == "registry"
    with fresh_store.writing() as connection:
        ((judge,),) = connection.execute(
            "select judge_id from judge where model = 'file'"
        ).fetchall()
        writes.set_threshold(connection, published[0], "quality", judge, 0.25)

    found = ask(*asked).out

    assert (found["cut"], found["cut_source"]) == (0.25, "run")
    # 2 of 8 is at the cut and counts as high.
    assert found["confusion"] == {"tp": 4, "fn": 0, "fp": 3, "tn": 1}


def test_axis_name_means_the_selected_metric(imported: Import, ask: Ask) -> None:
    rows = [record(i, None, y) for i, y in enumerate(LABELS)]
    for row, score in zip(rows, SCORES, strict=True):
        row["scores"] = {"faithfulness": score / 8, "groundedness_rubric": 6 - score}
    imported(*rows)

    found = ask("calibrate", "one", "--score", "groundedness", "--label", "ok").out
    other = ask("calibrate", "one", "--score", "faithfulness", "--label", "ok").out

    assert (found["metric"], found["auc"]) == ("groundedness_rubric", 1 - 0.78125)
    assert (other["metric"], other["auc"]) == ("faithfulness", 0.78125)
    assert found["cut"] == 4


def test_two_scores_are_compared_on_the_samples_that_have_both(imported: Import, ask: Ask) -> None:
    rows = [record(i, s / 8, y) for i, (s, y) in enumerate(PAIRS)]
    for i, row in enumerate(rows):
        row["scores"]["perfect"] = LABELS[i] * 0.5 + i / 100
    del rows[0]["scores"]["perfect"]
    imported(*rows)

    found = ask("calibrate", "one", "--score", "quality", "--score", "perfect", "--label", "ok").out

    assert [one["score"] for one in found["results"]] == ["quality", "perfect"]
    (difference,) = found["differences"]
    assert (difference["scores"], difference["n"]) == (["quality", "perfect"], 7)
    # Without the first sample 8.5 of 12 pairs are won.
    assert difference["value"] == pytest.approx(8.5 / 12 - 1)
    assert difference["p"] is not None


def test_runs_stay_apart_unless_they_are_pooled(imported: Import, ask: Ask) -> None:
    # Within each run the score tells nothing; between the runs it goes with the label.
    first = [record(i, 0.1 + (i % 2) / 10, int(i < 2), run="one") for i in range(8)]
    second = [record(i, 0.8 + (i % 2) / 10, int(i >= 2), run="two") for i in range(8)]
    imported(*first, *second)
    asked = ("calibrate", "one", "two", "--score", "quality", "--label", "ok")

    apart, pooled = ask(*asked).out, ask(*asked, "--pool").out

    assert [one["auc"] for one in apart["results"]] == [0.5, 0.5]
    assert pooled["auc"] > 0.7
    assert pooled["is_pooled"] is True
    assert any("differences between the runs leak" in text for text in pooled["warnings"])
    assert pooled["n"] == 16


def test_pooled_bootstrap_draws_questions_not_rows(imported: Import, ask: Ask) -> None:
    rows = [
        record(i, s / 8, y, run=run)
        for run in ("one", "two", "three", "four")
        for i, (s, y) in enumerate(PAIRS)
    ]
    imported(*rows)
    one = ask("calibrate", "one", "--score", "quality", "--label", "ok").out
    pooled = ask(
        "calibrate", "one", "two", "three", "four", "--pool", "--score", "quality", "--label", "ok"
    ).out

    def width(found: dict[str, Any]) -> float:
        return float(found["bootstrap_ci"]["high"] - found["bootstrap_ci"]["low"])

    # Four copies of the same eight questions tell no more than one.
    assert width(pooled) == pytest.approx(width(one), rel=0.1)
    assert pooled["correlations"]["spearman"]["method"] == "bootstrap by question"
    assert one["correlations"]["spearman"]["method"] == "Fisher z"


def test_costs_move_the_cheapest_cut(published: list[str], ask: Ask) -> None:
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok", "--set", "quality=0.5")
    found = ask(*asked, "--cost", "5:1").out["cost"]
    # One miss and one false alarm among eight.
    assert found["per_sample"] == 6 / 8
    assert found["cheapest"]["threshold"] == 0.25


def test_constant_score_has_no_correlation(imported: Import, ask: Ask) -> None:
    imported(*(record(i, 0.5, i % 2) for i in range(6)))
    found = ask("calibrate", "one", "--score", "quality", "--label", "ok").out
    assert found["auc"] == 0.5
    assert found["correlations"]["kendall"]["value"] is None
    assert "same for all samples" in found["correlations"]["kendall"]["reason"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "nope", "--label", "ok"], "has no scores named 'nope'. Its scores: quality"),
        (["--score", "quality", "--label", "nope"], "No sample has a label 'nope'"),
        (["--score", "quality", "--label", "ok", "--set", "bleu=1"], "--set names 'bleu'"),
        (["--score", "quality", "--label", "ok", "--set", "quality"], "must look like bleu=0.3"),
        (["--score", "quality", "--label", "ok", "--cost", "5"], "must look like 5:1"),
        (["--score", "quality", "--label", "ok", "--direction", "up"], "higher or lower"),
        (["--score", "quality", "--label", "ok", "--part", "dev"], "are not split into parts"),
    ],
)
def test_bad_options_exit_with_2_and_a_sentence(
    options: list[str], message: str, published: list[str], ask: Ask
) -> None:
    code, found, err = ask("calibrate", "one", *options)
    assert code == 2
    assert message in found["problems"][0]["problem"]
    assert message in err


def test_judge_of_the_same_family_is_warned_of(
    imported: Import, ask: Ask, fresh_store: Store
) -> None:
    rows = [
        {
            "run": "bot-gpt-4o",
            "sample_id": f"s{i}",
            "question": f"Question {i}?",
            "answer": "Yes.",
            "labels": {"ok": i % 2},
        }
        for i in range(6)
    ]
    (run_id,) = imported(*rows)
    for model in ("openai/gpt-4o-mini", "claude-x"):
        verdicts = [
            Verdict(
                position=i, metric="groundedness_rubric", status=Status.VALUE, value=1.0 + i % 5
            )
            for i in range(6)
        ]
        with fresh_store.writing() as connection:
            writes.append_verdicts(connection, run_id, JudgeSpec(JudgeKind.LLM, model), verdicts)

    def warned(model: str) -> list[str]:
        name = f"groundedness_rubric@{model}"
        found = ask("calibrate", "bot-gpt-4o", "--score", name, "--label", "ok").out["warnings"]
        return [text for text in found if "family" in text]

    (warning,) = warned("openai/gpt-4o-mini")
    assert "seem to be of one family (GPT)" in warning
    assert warned("claude-x") == []
