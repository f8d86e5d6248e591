"""The overview of a run read in one burst, over two small runs that can be counted by hand.

``overview_runs.jsonl``: s1 to s12; modes before SSSHHHHHMROU, after SSSSSSHHMROU, with S success,
H hallucination, M retrieval failure, R right refusal, O over-refusal, U without scores. Topic a is
s1 to s6, b the rest. Correct: s1 to s5 yes, s6 and s7 no. Faithful: s1 to s4 and s9 yes, s5, s7
and s8 no.
"""

import json
from pathlib import Path

import pytest

from core.diagnosis.headline import HeadlineId
from core.filters import SampleFilter, from_terms
from core.metrics.intervals import difference
from core.model import Axis, JudgeKind, Mode
from core.store.connection import Store
from core.workflows import overview as workflow
from core.workflows.importing import Options, import_file
from core.workflows.overview import Overview, as_json, overview
from core.workflows.review import View, matched
from core.workflows.setup import ensure_store
from core.workflows.trust import trust_lines

GOLDEN = Path(__file__).parents[1] / "golden" / "overview_runs.jsonl"
BEFORE, AFTER = "overview before", "overview after"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made, _ = ensure_store(tmp_path_factory.mktemp("overview") / "store.duckdb")
    assert import_file(made, GOLDEN, Options()).is_stored
    return made


@pytest.fixture(scope="module")
def found(store: Store) -> Overview:
    return overview(store, AFTER, View(), BEFORE)


def run_of(tmp_path: Path, *records: dict[str, object]) -> Store:
    """A store with one run "r" of these samples."""
    file = tmp_path / "r.jsonl"
    rows = [
        json.dumps({"run": "r", "sample_id": str(i), "question": "q", **record})
        for i, record in enumerate(records)
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    made, _ = ensure_store(tmp_path / "store.duckdb")
    assert import_file(made, file, Options()).is_stored
    return made


def test_headline_rates_and_their_change(found: Overview) -> None:
    rates = {one.id: (one.rate.k, one.rate.n) for one in found.headlines}
    assert rates == {
        HeadlineId.SUCCESS: (6, 11),
        HeadlineId.PASS: (7, 11),
        HeadlineId.CORRECT: (5, 9),  # 5 right, 2 wrong, 2 refusals
        HeadlineId.REFUSALS: (1, 2),
        HeadlineId.COVERAGE: (11, 12),
    }
    change = found.headline(HeadlineId.SUCCESS).change
    assert change is not None
    assert (change.value, change.n_pairs) == (pytest.approx(3 / 11), 11)
    # 11 of 12 is below 95 %: U might have failed or passed.
    assert found.headline(HeadlineId.PASS).cases == (7 / 12, 8 / 12)


def test_finding_calls_a_change_clear_only_if_the_card_does(found: Overview) -> None:
    # 4 of 11 fail, 7 of 11 before. Paired passes: 4 in both, 3 only now, none only before, 4 in
    # neither; Newcombe's interval of +3/11 runs from -0.04 to 0.51, so it holds zero.
    change = found.headline(HeadlineId.PASS).change
    assert change is not None
    assert (change.interval.low, change.interval.high) == pytest.approx((-0.0432, 0.5097), abs=5e-5)
    finding = found.finding()
    assert finding.bold.startswith("4 of 11 scored answers fail (36")
    assert "(−3) is within what chance gives" in finding.rest


def test_repairs(found: Overview) -> None:
    assert [(one.fix.id, one.n) for one in found.repairs] == [
        ("evidence", 2),
        ("retriever", 1),
        ("refusals", 1),
    ]


def test_worst_slice_is_compared_with_the_rest(found: Overview) -> None:
    # Topic b: 4 of 5 fail, the rest (topic a) 0 of 6. English is everybody: no slice. A ticket has
    # one sample: too few.
    (worst,) = found.slices.rows
    assert (worst.name, worst.value, worst.n) == ("topic", "b", 6)
    assert (worst.rate.k, worst.rate.n) == (4, 5)
    assert worst.against_rest == difference(4, 5, 0, 6)
    assert worst.against_rest.is_clear
    assert worst.failing == (
        (Mode.HALLUCINATION, 2),
        (Mode.RETRIEVAL_FAILURE, 1),
        (Mode.OVER_REFUSAL, 1),
    )
    assert (found.slices.n_compared, found.slices.left_out) == (2, ())


def test_a_slice_opens_exactly_the_failing_samples_it_counts(store: Store, found: Overview) -> None:
    (worst,) = found.slices.rows
    terms = [f"tag.topic={worst.value}", *(f"mode={mode}" for mode, _ in worst.failing)]
    with matched(store, AFTER, View(wanted=from_terms(terms))) as (connection, _):
        ids = connection.execute("select sample_id from matched order by position").fetchall()
    assert ids == [("s7",), ("s8",), ("s9",), ("s11",)]


def test_tags_of_too_many_values_are_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow, "MOST_TAG_VALUES", 3)
    assert overview(store, AFTER, View()).slices.left_out == ("ticket",)


def test_slices_come_in_the_order_of_the_surest_difference(tmp_path: Path) -> None:
    # big: 12 of 20 fail; tiny: 5 of 5 fail; rest: 2 of 75. The large slice is the surer finding.
    def samples(n: int, n_fail: int, value: str) -> list[dict[str, object]]:
        return [
            {
                "answer": "a",
                "tags": {"t": value},
                "scores": {
                    "context_relevance_rubric": 5,
                    "groundedness_rubric": 1 if i < n_fail else 5,
                    "answer_relevance_rubric": 5,
                },
            }
            for i in range(n)
        ]

    made = run_of(
        tmp_path, *samples(20, 12, "big"), *samples(5, 5, "tiny"), *samples(75, 2, "rest")
    )
    rows = overview(made, "r", View()).slices.rows
    lows = [one.against_rest.low for one in rows]
    assert [one.value for one in rows] == ["tiny", "big"]
    assert lows == sorted(lows, reverse=True)
    assert all(one.against_rest.value > 0 for one in rows)


def test_groundedness_is_compared_with_the_label(found: Overview) -> None:
    # Ones: 5 five times; zeros: 5, 1, 1: of 15 pairs 10 won and 5 tied: 12.5 / 15
    assert found.check.criterion == "faithful"
    assert found.check.auc is not None
    assert found.check.auc.value == pytest.approx(12.5 / 15)
    assert (found.check.auc.n, found.check.auc.n_positive) == (8, 5)


def test_a_lower_is_better_score_is_turned_around(tmp_path: Path) -> None:
    # The score falls with faithfulness: 0.1 and 0.2 are faithful, 0.8 and 0.9 are not: all pairs.
    made = run_of(
        tmp_path,
        *(
            {
                "answer": "a",
                "scores": {"faithfulness": score},
                "labels": {"faithful": label},
                "run_info": {
                    "name": "r",
                    "metrics": {
                        "faithfulness": {"lo": 0, "hi": 1, "direction": "lower", "cut": 0.3}
                    },
                },
            }
            for score, label in ((0.1, 1), (0.2, 1), (0.8, 0), (0.9, 0))
        ),
    )
    check = overview(made, "r", View()).check
    assert check.auc is not None
    assert check.auc.value == 1.0


def test_without_labels_there_is_no_check(store: Store, tmp_path: Path) -> None:
    made = run_of(tmp_path, {"answer": "a", "scores": {"groundedness_rubric": 4}})
    check = overview(made, "r", View()).check
    assert (check.criterion, check.auc) == (None, None)


def test_judges_with_their_cuts(found: Overview) -> None:
    by_axis = {one.axis: one for one in found.judged_by}
    groundedness = by_axis[Axis.GROUNDEDNESS]
    assert (groundedness.metric, groundedness.kind, groundedness.model) == (
        "groundedness_rubric",
        JudgeKind.IMPORTED,
        "file",
    )
    assert groundedness.cut is not None
    assert groundedness.cut.value == 4
    assert by_axis[Axis.REFUSAL].model == "lexical-v1"
    assert by_axis[Axis.CORRECTNESS].metric is None


def test_moved_cut_is_no_fair_comparison(store: Store) -> None:
    moved = overview(store, AFTER, View(cuts=((Axis.GROUNDEDNESS, 5.0),)), BEFORE)
    assert set(moved.discords) == {HeadlineId.SUCCESS, HeadlineId.PASS, HeadlineId.REFUSALS}
    assert moved.discords[HeadlineId.PASS].sentence == (
        "The cut of groundedness differs from the baseline's."
    )


def test_another_judge_is_named(tmp_path: Path) -> None:
    scores = {
        "context_relevance_rubric": 5,
        "groundedness_rubric": 5,
        "answer_relevance_rubric": 5,
    }
    judge = {"kind": "imported", "model": "rubric-v2"}
    verdict = {"metric": "groundedness_rubric", "judge": judge, "status": "value", "value": 5}
    rows = [
        {"run": "new", "sample_id": "1", "question": "q", "answer": "a", "scores": scores},
        {
            "run": "old",
            "sample_id": "1",
            "question": "q",
            "answer": "a",
            "scores": {name: v for name, v in scores.items() if name != "groundedness_rubric"},
            "verdicts": [verdict],
        },
    ]
    file = tmp_path / "two.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    made, _ = ensure_store(tmp_path / "store.duckdb")
    assert import_file(made, file, Options()).is_stored
    discord = overview(made, "new", View(), "old").discords[HeadlineId.SUCCESS]
    assert discord.axis is Axis.GROUNDEDNESS
    assert discord.short == "The baseline used another judge (rubric-v2)."


def test_filter_applies_to_everything(store: Store) -> None:
    view = View(wanted=SampleFilter(tags=(("topic", "a"),)))
    narrow = overview(store, AFTER, view, BEFORE)
    assert narrow.matrix.summary.n == 6
    assert narrow.headline(HeadlineId.SUCCESS).baseline is not None
    assert (narrow.repairs, narrow.slices.n_compared, narrow.undecided) == ((), 0, ())
    assert narrow.timing.n_latency == 4
    assert narrow.check.auc is not None
    assert narrow.check.auc.n == 5


def test_no_match_is_empty_and_no_error(store: Store) -> None:
    empty = overview(store, AFTER, View(wanted=SampleFilter(text="zebra")), BEFORE)
    assert empty.matrix.summary.n == 0
    assert all(one.rate.value is None for one in empty.headlines)
    assert (empty.repairs, empty.slices.rows) == ((), ())
    assert empty.finding().text == "No sample in view."
    assert len(trust_lines(empty)) == 6


def test_json_holds_numbers_or_reasons(found: Overview) -> None:
    document = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert document["headline"]["success"]["change"]["n_pairs"] == 11
    assert document["fix_first"][0] == {"fix": "evidence", "samples": 2}
    assert document["groundedness_against_labels"]["auc"]["n"] == 8
    assert document["cost"] == {"value": pytest.approx(0.04), "n": 2}
