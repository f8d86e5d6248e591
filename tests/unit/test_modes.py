"""What is said about each mode and flag."""

from core.diagnosis.modes import (
    FLAGS,
    MODES,
    REFUSAL_MODES,
    TRIAD_MODES,
    Outcome,
    Side,
    modes_of,
    severity_of,
)
from core.model import Flag, Mode


def test_every_mode_and_every_flag_is_described() -> None:
    assert set(MODES) == set(Mode)
    assert set(FLAGS) == set(Flag)
    assert all(spec.name and spec.code and spec.rule and spec.meaning for spec in MODES.values())
    assert all(spec.fixes for spec in MODES.values())
    assert all(spec.name and spec.meaning for spec in FLAGS.values())


def test_severity_order_is_the_published_one() -> None:
    # METRICS 3.1: confabulation, hallucination (C=0), pipeline_failure, ungrounded_answer,
    # hallucination (C=1 or unknown), generation_breakdown, retrieval_failure, lucky_guess,
    # off_target_answer, score_conflict, success
    order = [
        severity_of(Mode.CONFABULATION, 0),
        severity_of(Mode.HALLUCINATION, 0),
        severity_of(Mode.PIPELINE_FAILURE, 0),
        severity_of(Mode.UNGROUNDED_ANSWER),
        severity_of(Mode.HALLUCINATION),
        severity_of(Mode.GENERATION_BREAKDOWN),
        severity_of(Mode.RETRIEVAL_FAILURE),
        severity_of(Mode.LUCKY_GUESS, 1),
        severity_of(Mode.OFF_TARGET_ANSWER),
        severity_of(Mode.SCORE_CONFLICT),
        severity_of(Mode.SUCCESS),
    ]
    assert order == sorted(set(order))
    assert severity_of(Mode.HALLUCINATION, 1) == severity_of(Mode.HALLUCINATION)


def test_severity_ranks_are_distinct_and_fails_come_before_open_before_passes() -> None:
    ranks = [spec.severity for spec in MODES.values()] + [severity_of(Mode.HALLUCINATION, 0)]
    assert sorted(ranks) == list(range(1, 16))
    by_severity = sorted(MODES.values(), key=lambda spec: spec.severity)
    outcomes = [spec.outcome for spec in by_severity]
    assert outcomes == [Outcome.FAIL] * 10 + [Outcome.OPEN] * 2 + [Outcome.PASS] * 2


def test_outcomes_are_those_of_the_rules() -> None:
    assert set(modes_of(Outcome.PASS)) == {Mode.SUCCESS, Mode.CORRECT_REFUSAL}
    assert set(modes_of(Outcome.OPEN)) == {Mode.UNDETERMINED, Mode.REFUSAL_UNVERIFIED}
    assert set(modes_of(Outcome.FAIL)) == (
        set(TRIAD_MODES) - {Mode.SUCCESS, Mode.UNDETERMINED} | {Mode.OVER_REFUSAL}
    )


def test_triad_and_refusal_modes_are_all_modes_once() -> None:
    assert len(TRIAD_MODES) == 11
    assert sorted([*TRIAD_MODES, *REFUSAL_MODES]) == sorted(Mode)


def test_codes_are_distinct_and_show_the_triad() -> None:
    codes = [spec.code for spec in MODES.values()]
    assert len(set(codes)) == len(codes)
    assert MODES[Mode.HALLUCINATION].code == "●○●"
    assert MODES[Mode.CONFABULATION].code == "○○●✗"
    assert FLAGS[Flag.MISSED_REFUSAL].code == "!R"


def test_dots_agree_with_the_rule_in_words() -> None:
    word = {"●": "high", "○": "low"}
    for spec in MODES.values():
        if spec.code[0] in word:
            cr, g, ar = (word[dot] for dot in spec.code[:3])
            assert spec.rule.startswith(f"CR {cr}, G {g}, AR {ar}")


def test_sides_are_in_order_and_within_a_side_the_worst_is_first() -> None:
    sides = [spec.side for spec in MODES.values()]
    assert list(dict.fromkeys(sides)) == list(Side)
    assert sides == sorted(sides, key=list(Side).index)
    for side in Side:
        ranks = [spec.severity for spec in MODES.values() if spec.side is side]
        assert ranks == sorted(ranks)
