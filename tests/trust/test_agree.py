"""From human_labels of a file to the document of ``agree``: the published table, scales, slices."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import BadInputError
from core.model import JudgeKind, JudgeSpec, Status, Verdict
from core.store import writes
from core.store.calibration import Answer
from core.store.connection import Store
from core.workflows.criteria import criteria, criteria_lines
from core.workflows.rating_scale import parse_scale, resolve_rating_scale

Ask = Callable[..., Any]
Import = Callable[..., list[str]]

# METRICS 4.5: twelve units, four raters, codes 1 to 5, gaps.
TABLE = "11-1 2232 3333 3333 2222 1234 4444 1121 2222 -555 --11 --3-".split()


def sample(i: int, criterion: str, ratings: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "run": "one",
        "sample_id": f"s{i}",
        "question": f"Question {i}?",
        "answer": "An answer.",
        "human_labels": [
            {"criterion": criterion, "rater": rater, "value": value}
            for rater, value in ratings.items()
        ],
        **more,
    }


def table(criterion: str = "quality") -> list[dict[str, Any]]:
    return [
        sample(
            i,
            criterion,
            {f"rater {r}": int(mark) for r, mark in enumerate(row, 1) if mark != "-"},
        )
        for i, row in enumerate(TABLE)
    ]


def test_published_table_reproduces_through_the_import(imported: Import, ask: Ask) -> None:
    imported(*table())

    code, found, _ = ask("agree", "one", "--criterion", "quality", "--scale", "1..5")

    assert code == 0
    assert [r["n"] for r in found["raters"]] == [9, 10, 11, 11]
    assert (found["n_units"], found["n_paired"]) == (12, 11)
    ac1 = found["ac1"]
    assert ac1["observed"] == pytest.approx(0.81818, abs=5e-6)
    assert ac1["expected"] == pytest.approx(0.19032, abs=5e-6)
    assert ac1["value"] == pytest.approx(0.77544, abs=5e-6)
    assert ac1["standard_error"] == pytest.approx(0.14295, abs=5e-6)
    assert (ac1["low"], ac1["high"]) == (pytest.approx(0.46081, abs=5e-6), 1.0)
    assert ac1["word"] == "substantial"
    assert found["alpha"]["value"] == pytest.approx(0.74342, abs=5e-6)
    assert found["ac2"] is None
    # Units on which all agree: all but 2232, 1234 and 1121 (the last has one rating).
    assert found["absolute_agreement"]["value"] == 8 / 11
    assert "mean of 6 pairs" in found["kappa"]["note"]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [("linear", 0.85874), ("quadratic", 0.91400), ("ordinal", 0.89894)],
)
def test_weights_of_the_published_table(
    weights: str, expected: float, imported: Import, ask: Ask
) -> None:
    imported(*table())
    found = ask("agree", "one", "--criterion", "quality", "--weights", weights).out
    assert found["ac2"]["value"] == pytest.approx(expected, abs=5e-6)
    assert found["weights"] == weights
    # Whole numbers from 1 to 5: the usual rubric, and the document says that it is assumed.
    assert found["scale"] == {"values": [1, 2, 3, 4, 5], "source": "assumed"}


def test_kappa_paradox_of_two_raters(imported: Import, ask: Ask) -> None:
    # 118 both 1, 5 (1, 0), 2 (0, 1): agreement 0.944, AC1 0.94078, kappa -0.02339.
    pairs = [(1, 1)] * 118 + [(1, 0)] * 5 + [(0, 1)] * 2
    imported(*(sample(i, "ok", {"a": a, "b": b}) for i, (a, b) in enumerate(pairs)))

    found = ask("agree", "one", "--criterion", "ok").out

    assert found["scale"] == {"values": [0, 1], "source": "binary"}
    assert found["ac1"]["value"] == pytest.approx(0.94078, abs=5e-6)
    assert found["kappa"]["value"] == pytest.approx(-0.02339, abs=5e-6)
    assert found["absolute_agreement"]["value"] == 0.944
    assert found["raters"][0] == {
        "rater": "a", "n": 125, "mean": 123 / 125,
        "sd": pytest.approx((123 / 125 * 2 / 125 * 125 / 124) ** 0.5),
    }  # fmt: skip


def test_mean_counts_questions_not_ratings(imported: Import, ask: Ask) -> None:
    # Ten raters who always agree say no more about twelve questions than one.
    marks = [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1]
    many = {f"r{r}": 0 for r in range(10)}
    imported(*(sample(i, "ok", dict.fromkeys(many, mark)) for i, mark in enumerate(marks)))
    found = ask("agree", "one", "--criterion", "ok").out["mean"]

    assert found["value"] == 8 / 12
    assert found["n"] == 120
    # The standard error of 8/12 over twelve questions is 0.136; over 120 it would be 0.043.
    assert found["high"] - found["low"] > 3 * 0.136


def test_later_label_of_a_rater_supersedes_and_an_answer_off_the_scale_is_counted(
    imported: Import, ask: Ask, fresh_store: Store
) -> None:
    (run_id,) = imported(*(sample(i, "ok", {"a": 1, "b": 0}) for i in range(3)))
    with fresh_store.writing() as connection:
        for i in range(2):
            writes.append_label(
                connection, run_id, f"s{i}", i, criterion="ok", rater="b", value=1.0
            )
        writes.append_label(
            connection, run_id, "s2", 2, criterion="ok", rater="c", category="defer"
        )

    found = ask("agree", "one", "--criterion", "ok").out

    assert [r["rater"] for r in found["raters"]] == ["a", "b"]
    assert found["absolute_agreement"]["value"] == 2 / 3
    assert found["n_left_out"] == 1


def test_one_rater_is_no_agreement_but_has_a_mean(imported: Import, ask: Ask) -> None:
    imported(*(sample(i, "ok", {"ann": i % 2}) for i in range(6)))
    code, found, _ = ask("agree", "one", "--criterion", "ok")
    assert code == 2
    assert found["reason"] == (
        "agreement needs two raters on the same samples: 'ok' was rated by ann"
    )
    assert found["ac1"]["value"] is None
    assert found["kappa"]["value"] is None
    assert found["absolute_agreement"]["value"] is None
    assert found["mean"]["value"] == 0.5


def test_no_variation_says_so(imported: Import, ask: Ask) -> None:
    imported(*(sample(i, "ok", {"a": 1, "b": 1}) for i in range(4)))
    found = ask("agree", "one", "--criterion", "ok").out
    assert found["ac1"]["value"] == 1
    assert "no variation" in found["ac1"]["note"]
    assert found["kappa"]["value"] is None


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([0.5, 2], [], "The scale of 'mark' is not known. Its answers: 0.5, 2. Say which"),
        ([1, 7], [], "--scale 1..5"),
        ([1, 2, 0], ["--scale", "0..1"], "'mark' has ratings off the scale 0 or 1: 2"),
        (["good", "poor"], [], "--scale good,poor"),
        (["good", "poor"], ["--scale", "high,low"], "None of high, low occurs"),
        ([1, 2], ["--scale", "5..1"], "must look like 1..5"),
        ([1, 2], ["--weights", "cubic"], "known: identity, linear, quadratic, ordinal"),
        ([1, 2], ["--score", "nope"], "has no scores named 'nope'"),
    ],
)
def test_a_scale_that_is_not_known_is_asked_for(
    values: list[Any], options: list[str], message: str, imported: Import, ask: Ask
) -> None:
    imported(*(sample(i, "mark", {"a": v, "b": v}) for i, v in enumerate(values)))
    code, found, _ = ask("agree", "one", "--criterion", "mark", *options)
    assert code == 2
    assert message in found["problems"][0]["problem"]


def test_one_stray_code_changes_the_coefficient_so_categories_are_declared(
    imported: Import, ask: Ask
) -> None:
    # pa = 3/4 in either case; with a third category pe is halved or so and AC1 rises.
    pairs = [(1, 1), (1, 1), (0, 0), (1, 0)]
    imported(*(sample(i, "mark", {"a": a, "b": b}) for i, (a, b) in enumerate(pairs)))
    two = ask("agree", "one", "--criterion", "mark").out["ac1"]["value"]
    three = ask("agree", "one", "--criterion", "mark", "--scale", "0..2").out["ac1"]["value"]
    # pi = 5/8, 3/8: pe = 2/2·(15/64·2) = 15/32; with q = 3: 3/(3·2)·(15/32) = 15/64.
    assert two == pytest.approx((3 / 4 - 15 / 32) / (1 - 15 / 32))
    assert three == pytest.approx((3 / 4 - 15 / 64) / (1 - 15 / 64))


def test_words_are_compared_as_categories_in_the_given_order(imported: Import, ask: Ask) -> None:
    pairs = [("poor", "fair"), ("good", "good"), ("fair", "fair"), ("poor", "good")]
    imported(*(sample(i, "mark", {"a": a, "b": b}) for i, (a, b) in enumerate(pairs)))
    asked = ("agree", "one", "--criterion", "mark", "--scale", "poor,fair,good")
    found = ask(*asked, "--weights", "linear").out
    assert found["scale"]["values"] == ["poor", "fair", "good"]
    # One step away counts half, two steps nothing: (1/2 + 1 + 1 + 0) / 4.
    assert found["ac2"]["observed"] == pytest.approx(0.625)


def test_ratings_are_compared_by_slice_with_corrected_pairs(imported: Import, ask: Ask) -> None:
    levels = {"low": 1, "middle": 3, "high": 5}
    rows = [
        sample(10 * k + i, "mark", {"a": level, "b": level}, tags={"topic": topic})
        for k, (topic, level) in enumerate(levels.items())
        for i in range(6)
    ]
    rows.append(sample(99, "mark", {"a": 2}, tags={"topic": "rare"}))
    imported(*rows)

    found = ask("agree", "one", "--criterion", "mark", "--by", "topic").out["slices"]

    assert found["test"].startswith("Kruskal–Wallis")
    # Three groups of six, all alike within: H = (N - 1) = 17 with two degrees of freedom.
    assert found["statistic"] == pytest.approx(17)
    assert found["values"]["high"]["value"] == 5
    assert len(found["pairs"]) == 3
    assert all(pair["p"] < 0.05 for pair in found["pairs"])
    assert found["n_left_out"] == 1


def test_binary_ratings_are_compared_by_chi_square(imported: Import, ask: Ask) -> None:
    # 8 of 10 against 2 of 10: chi-square 7.2 without correction.
    rows = [
        sample(10 * k + i, "ok", {"a": int(i < good)}, tags={"topic": topic})
        for k, (topic, good) in enumerate({"one": 8, "two": 2}.items())
        for i in range(10)
    ]
    imported(*rows)
    found = ask("agree", "one", "--criterion", "ok", "--by", "topic").out["slices"]
    assert found["test"].startswith("chi-square, pairs by Fisher")
    assert found["statistic"] == pytest.approx(7.2)
    # Fisher: of C(20, 10) ways to deal the goods 2·(C(10,8)·C(10,2) + 10·10 + 1) are as far out.
    assert found["pairs"] == [
        {"values": ["one", "two"], "p": pytest.approx(2 * (45 * 45 + 100 + 1) / 184_756)}
    ]


def test_filter_holds_the_samples_on_which_raters_differ(imported: Import, ask: Ask) -> None:
    # 11 units have two ratings: on 8 all are equal, on 2232, 1234 and 1121 they differ.
    imported(*table())
    for relation, n in (("equal", 8), ("differ", 3)):
        found = ask(
            "agree", "one", "--criterion", "quality", "--filter", f"raters.quality={relation}"
        )
        assert (found.out["n_units"], found.out["n_paired"]) == (n, n)
        assert found.out["absolute_agreement"]["value"] == float(relation == "equal")
    both = ask("diagnose", "one", "--filter", "raters.quality=equal", "--filter",
               "raters.quality=differ").out  # fmt: skip
    assert both["n"] == 11
    assert ask("diagnose", "one", "--filter", "raters.nothing=differ").out["n"] == 0


def test_filter_by_raters_counts_numbers_or_else_words(imported: Import, ask: Ask) -> None:
    # A "defer" beside numbers is no rating; words are compared where there are only words.
    imported(
        sample(0, "ok", {"a": 1, "b": "defer"}),
        sample(1, "ok", {"a": 1, "b": 0}),
        sample(2, "mark", {"a": "good", "b": "poor"}),
        sample(3, "mark", {"a": "good", "b": "good"}),
    )
    n = [
        ask("diagnose", "one", "--filter", f"raters.{term}").out["n"]
        for term in ("ok=differ", "ok=equal", "mark=differ", "mark=equal")
    ]
    assert n == [1, 0, 1, 1]


def test_without_a_criterion_all_stand_side_by_side(
    imported: Import, ask: Ask, fresh_store: Store
) -> None:
    # "ok": equal on two of three; "mark" has words that nobody has named; "useful" is of contexts.
    marks = [(1, 1), (1, 0), (0, 0)]
    rows = []
    for i, (a, b) in enumerate(marks):
        row = sample(i, "ok", {"a": a, "b": b})
        row["contexts"] = [{"text": "c", "rank": 1}]
        row["human_labels"] += [
            {"criterion": "mark", "rater": "a", "value": "fair"},
            {"criterion": "useful", "rater": "a", "value": 1, "context_rank": 1},
        ]
        rows.append(row)
    imported(*rows)

    code, found, _ = ask("agree", "one")

    assert code == 0
    mark, ok, useful = found["criteria"]
    assert "--scale fair" in mark["reason"]
    assert (ok["unit"], ok["n_raters"], ok["n_units"], ok["n_paired"]) == ("sample", 2, 3, 3)
    assert (ok["mean"]["value"], ok["mean"]["n"]) == (3 / 6, 6)
    assert ok["absolute_agreement"]["value"] == 2 / 3
    # pi = 1/2: pe = 2·(1/2·1/2) = 1/2, pa = 2/3.
    assert ok["agreement"]["value"] == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert (useful["unit"], useful["n_units"]) == ("context", 3)
    assert useful["agreement"]["reason"] == "nothing has two ratings"
    lines = list(criteria_lines(criteria(fresh_store, "one")))
    assert lines[0].startswith("mark: The scale of 'mark' is not known.")
    assert lines[1].startswith("ok: mean 0.50 (")
    assert lines[1].endswith("on 0 or 1, 2 raters, 3 samples")
    assert lines[2] == "  AC1 0.33, moderate; all equal on 2 of 3"
    assert lines[3].endswith("1 rater, 3 contexts")
    assert lines[4] == "  no agreement: nothing has two ratings"
    code, found, _ = ask("agree", "one", "--by", "topic")
    assert code == 2
    assert "--by belongs to one criterion" in found["problems"][0]["problem"]


def test_judge_is_compared_with_the_mean_rating_and_with_itself(
    imported: Import, ask: Ask, fresh_store: Store
) -> None:
    rows = [sample(i, "mark", {"a": 1 + i % 5, "b": 1 + (i + i // 7) % 5}) for i in range(20)]
    (run_id,) = imported(*rows)
    # Three repeats: always 4, but the first five samples get one 3.
    verdicts = [
        Verdict(
            position=i, metric="groundedness_rubric", status=Status.VALUE, repeat=repeat,
            value=3.0 if i < 5 and repeat == 0 else 4.0,
        )
        for i in range(20)
        for repeat in range(3)
    ]  # fmt: skip
    with fresh_store.writing() as connection:
        writes.append_verdicts(connection, run_id, JudgeSpec(JudgeKind.LLM, "model-x"), verdicts)

    found = ask("agree", "one", "--criterion", "mark", "--score", "groundedness").out["judge"]

    assert (found["metric"], found["judge"]) == ("groundedness_rubric", "model-x")
    # The median of every sample is 4: nothing can move with it.
    assert found["correlations"]["spearman"]["value"] is None
    flips = found["repeats"]["flip_rate"]
    assert (flips["value"], flips["n"]) == (5 / 20, 20)
    # Per unit: 15 with three equal votes, 5 with 1/3 of the pairs equal; pi of low is 5/60.
    pa, low = (15 + 5 / 3) / 20, 5 / 60
    pe = 2 * low * (1 - low)
    assert found["repeats"]["ac1"]["value"] == pytest.approx((pa - pe) / (1 - pe))


def test_ratings_of_contexts_are_given_by_rank(imported: Import, ask: Ask) -> None:
    rows = [
        {
            **sample(i, "useful", {}),
            "contexts": [{"text": f"c{k}", "rank": k} for k in (1, 2)],
            "human_labels": [
                {"criterion": "useful", "rater": rater, "value": int(k == 1), "context_rank": k}
                for k in (1, 2)
                for rater in ("a", "b")
            ],
        }
        for i in range(5)
    ]
    imported(*rows)
    found = ask("agree", "one", "--criterion", "useful").out
    assert (found["n_units"], found["n_paired"]) == (10, 10)
    assert {rank: one["value"] for rank, one in found["by_rank"].items()} == {"1": 1.0, "2": 0.0}


def test_contexts_are_rated_in_words_too(imported: Import, ask: Ask) -> None:
    # The first context is good to both, the second to one: 1 and 1/2 on the scale poor = 0, good.
    marks = {1: ("good", "good"), 2: ("good", "poor")}
    rows = [
        {
            **sample(i, "useful", {}),
            "contexts": [{"text": f"c{k}", "rank": k} for k in marks],
            "human_labels": [
                {"criterion": "useful", "rater": rater, "value": value, "context_rank": k}
                for k, values in marks.items()
                for rater, value in zip("ab", values, strict=True)
            ],
        }
        for i in range(3)
    ]
    imported(*rows)
    code, found, _ = ask("agree", "one", "--criterion", "useful")
    assert code == 2
    assert "Its answers: good, poor" in found["problems"][0]["problem"]
    found = ask("agree", "one", "--criterion", "useful", "--scale", "poor,good").out
    assert {rank: one["value"] for rank, one in found["by_rank"].items()} == {"1": 1.0, "2": 0.5}
    assert found["absolute_agreement"]["value"] == 3 / 6


@pytest.mark.parametrize("text", ["1..", "..5", "1..5/0", "1..1", "0..1/0.3", "a", "", "1..1e9"])
def test_a_scale_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="must look like"):
        parse_scale(text)


def test_declared_scale_of_the_file_wins_over_the_assumed_one() -> None:
    answers = [Answer("mark", value, None, 1) for value in (1.0, 2.0)]
    found = resolve_rating_scale(answers, "mark", declared={"lo": 1.0, "hi": 3.0})
    assert (found.values, found.source) == ((1.0, 2.0, 3.0), "declared")
