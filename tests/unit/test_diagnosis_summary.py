import json

import pytest

from core.diagnosis.modes import Outcome, Side
from core.diagnosis.summary import PatternCount, Summary, summarise
from core.diagnosis.triad import Pattern
from core.model import Flag, Mode


def _count(n: int, *values: int | None, **flags: bool) -> PatternCount:
    return PatternCount(Pattern(*values).code, n, **flags)


def _run() -> Summary:
    """20 samples: 9 pass, 8 fail, 3 open."""
    return summarise(
        [
            _count(4, 1, 1, 1, 0, 1),  # success, correct
            _count(2, 1, 1, 1, 0, 0, borderline=True),  # success, but wrong
            _count(3, 1, 0, 1, 0, 0),  # hallucination, wrong
            _count(2, 0, 0, 1, 0, 1, 0),  # lucky guess, should have declined
            _count(1, 0, 1, 0, 0),  # retrieval failure, correctness unknown
            _count(2, 1, None, None, 1, 0),  # over-refusal, labelled incorrect
            _count(3, 0, None, None, 1, None, 1, noisy=False),  # correct refusal, answerable
            _count(1, None, None, None, 1),  # refusal, unverified
            _count(2, 1, None, 1, 0, partial=True),  # undetermined
        ]
    )


def test_counts_by_mode_and_outcome() -> None:
    summary = _run()
    assert summary.n == 20
    assert {mode: n for mode, n in summary.modes.items() if n} == {
        Mode.SUCCESS: 6,
        Mode.HALLUCINATION: 3,
        Mode.LUCKY_GUESS: 2,
        Mode.RETRIEVAL_FAILURE: 1,
        Mode.OVER_REFUSAL: 2,
        Mode.CORRECT_REFUSAL: 3,
        Mode.REFUSAL_UNVERIFIED: 1,
        Mode.UNDETERMINED: 2,
    }
    assert [summary.of(outcome) for outcome in Outcome] == [9, 8, 3]


def test_counts_by_side_hold_all_refusals_and_failing_only_the_failing_ones() -> None:
    summary = _run()
    assert summary.sides == {
        Side.WORKS: 6,
        Side.GENERATION: 3,
        Side.RETRIEVAL: 3,
        Side.REFUSAL: 6,
        Side.UNKNOWN: 2,
    }
    assert summary.failing(Side.REFUSAL) == 2
    assert summary.failing(Side.WORKS) == 0


def test_pass_rate_is_over_the_samples_with_a_decided_mode() -> None:
    rate = _run().pass_rate
    assert (rate.value, rate.n) == (9 / 17, 17)  # 20 - 3 open


def test_coverage_is_over_all_samples() -> None:
    rate = _run().coverage
    assert (rate.value, rate.n) == (17 / 20, 20)


def test_a_refusal_is_refused_whatever_its_correctness() -> None:
    summary = _run()
    # correct: 4 + 2; incorrect: 2 + 3; refused: 2 + 3 + 1, two of these labelled incorrect
    assert (summary.correct, summary.incorrect, summary.refused) == (6, 5, 6)


def test_accuracy_counts_refusals_in_its_denominator_and_accuracy_answered_does_not() -> None:
    summary = _run()
    assert (summary.accuracy.value, summary.accuracy.n) == (6 / 17, 17)
    assert (summary.accuracy_answered.value, summary.accuracy_answered.n) == (6 / 11, 11)


def test_accuracy_of_a_run_with_three_classes_of_labels() -> None:
    # FinanceBench, claude-2 in context: 56 correct, 91 incorrect, 3 refused of 150
    summary = summarise(
        [
            _count(56, None, None, None, 0, 1),
            _count(91, None, None, None, 0, 0),
            _count(3, None, None, None, 1, 0),
        ]
    )
    assert summary.accuracy.value == 56 / 150
    assert summary.accuracy_answered.value == 56 / 147


def test_accuracy_without_any_known_correctness_is_undefined_with_the_reason() -> None:
    summary = summarise([_count(5, 1, 1, 1, 0), _count(3, 0, None, None, 1)])
    assert summary.accuracy.as_json() == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "reason": "correctness is known for no sample",
    }
    assert summary.accuracy_answered.value is None
    assert summary.refused == 3


def test_a_success_that_is_wrong_stays_a_success_and_is_a_contradiction() -> None:
    summary = _run()
    assert summary.modes[Mode.SUCCESS] == 6
    assert summary.contradictions == 2


def test_flags_come_from_the_pattern_and_from_the_counts() -> None:
    assert _run().flags == {
        Flag.MISSED_REFUSAL: 2,
        Flag.RETRIEVAL_GAP: 3,
        Flag.NOISY_RETRIEVAL: 0,
        Flag.BORDERLINE: 2,
        Flag.PARTIAL: 2,
        Flag.PARTIAL_REFUSAL: 0,
        Flag.UNSTABLE_JUDGE: 0,
        Flag.PROXY_HIT: 0,
        Flag.ADHERENCE_PROXY: 0,
    }


@pytest.mark.parametrize(
    ("field", "flag"),
    [
        ("noisy", Flag.NOISY_RETRIEVAL),
        ("borderline", Flag.BORDERLINE),
        ("partial", Flag.PARTIAL),
        ("partial_refusal", Flag.PARTIAL_REFUSAL),
        ("unstable", Flag.UNSTABLE_JUDGE),
        ("adherence_proxy", Flag.ADHERENCE_PROXY),
    ],
)
def test_each_flag_of_a_count_has_its_own_entry(field: str, flag: Flag) -> None:
    summary = summarise([_count(4, 1, 1, 1, 0, **{field: True}), _count(1, 1, 1, 1, 0)])
    assert {name: n for name, n in summary.flags.items() if n} == {flag: 4}


def test_no_samples_give_zeros_and_undefined_rates() -> None:
    summary = summarise([])
    assert summary.n == 0
    assert set(summary.modes.values()) == {0}
    assert summary.pass_rate.reason == "no sample could be diagnosed"
    assert summary.coverage.reason == "no sample"


def test_json_has_the_keys_of_the_contract() -> None:
    document = _run().as_json()
    assert set(document) == {"n", "coverage", "triad", "refusals", "flags", "headline"}
    assert set(document["triad"]) == {
        "success",
        "off_target_answer",
        "hallucination",
        "generation_breakdown",
        "score_conflict",
        "retrieval_failure",
        "lucky_guess",
        "confabulation",
        "ungrounded_answer",
        "pipeline_failure",
        "undetermined",
    }
    assert document["refusals"] == {
        "correct_refusal": 3,
        "over_refusal": 2,
        "refusal_unverified": 1,
    }
    headline = document["headline"]
    counts = {name: headline[name] for name in headline if isinstance(headline[name], int)}
    assert counts == {
        "success": 6,
        "pass": 9,
        "fail": 8,
        "open": 3,
        "correct": 6,
        "incorrect": 5,
        "refused": 6,
    }
    assert set(headline) - set(counts) == {"pass_rate", "accuracy", "accuracy_answered"}
    assert set(headline["pass_rate"]) == {"value", "low", "high", "n"}


def test_json_is_plain_and_without_nan() -> None:
    document = summarise([_count(1)]).as_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
