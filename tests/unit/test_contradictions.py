import pytest

from core.diagnosis.contradictions import (
    CONTRADICTIONS,
    N_JOINT,
    ContradictionId,
    Evidence,
    Urgency,
    codes_with,
    contradictions,
    contradictions_by_code,
    from_joint_code,
    joint_code,
    queue_key,
)
from core.diagnosis.cue import CuePattern
from core.diagnosis.triad import Pattern
from core.model import Flag


def _found(triad: Pattern, hit: int | None = None, adherence: int | None = None) -> list[str]:
    cue = CuePattern(hit, adherence, triad.correct, triad.refusal)
    return [str(one.id) for one in contradictions(triad, cue)]


@pytest.mark.parametrize(
    ("triad", "hit", "adherence", "expected"),
    # METRICS 3.4, row by row
    [
        (Pattern(1, 1, 1, 0, 0), 1, 1, ["wrong_success"]),
        (Pattern(0, 0, 1, 0, 0), 0, 0, ["confabulated"]),
        (Pattern(1, 0, 1, 0, 1), 1, 1, ["credited_without_support"]),
        (Pattern(1, 1, 1, 0, 1), 1, 0, ["supported_without_credit"]),
        (Pattern(0, 1, 0, 0, 0), 1, 1, ["hit_without_relevance"]),
        (Pattern(1, 1, 1, 0, 1), 0, 1, ["relevant_without_hit"]),
        (Pattern(1, 1, 0, 0, 1), 1, 1, ["correct_but_off_target"]),
        (Pattern(0, None, 1, 1), 0, None, ["refusal_in_doubt"]),
        (Pattern(0, 0, 0, 1), 0, None, ["refusal_in_doubt"]),
    ],
)
def test_each_disagreement_is_found(
    triad: Pattern, hit: int, adherence: int | None, expected: list[str]
) -> None:
    assert _found(triad, hit, adherence) == expected


@pytest.mark.parametrize(
    ("triad", "hit", "adherence"),
    [
        (Pattern(1, 1, 1, 0, 1), 1, 1),
        (Pattern(0, 0, 0, 0, 0), 0, 0),
        (Pattern(0, 1, 0, 0, 0), 0, 1),
        (Pattern(0, None, 0, 1), 0, None),
        (Pattern(), None, None),
        (Pattern(1, 1, 1, 0, None), None, None),
    ],
)
def test_where_triad_and_context_use_agree_nothing_is_found(
    triad: Pattern, hit: int | None, adherence: int | None
) -> None:
    assert _found(triad, hit, adherence) == []


def test_refusals_are_doubted_by_their_own_rule_alone() -> None:
    # adherence high and groundedness low, answer correct and off target: not for a refusal
    assert _found(Pattern(0, 0, 0, 1, 1), 0, 1) == ["refusal_in_doubt"]


def test_a_refusal_from_relevant_contexts_without_a_hit_is_a_disagreement() -> None:
    assert _found(Pattern(1, None, 0, 1), 0) == ["relevant_without_hit"]


def test_several_disagreements_come_most_urgent_first() -> None:
    assert _found(Pattern(1, 0, 0, 0, 1), 0, 1) == [
        "credited_without_support",
        "relevant_without_hit",
        "correct_but_off_target",
    ]
    urgencies = [spec.urgency for spec in CONTRADICTIONS.values()]
    assert urgencies == sorted(urgencies)


@pytest.mark.parametrize("flag", [Flag.UNSTABLE_JUDGE, Flag.BORDERLINE, Flag.PARTIAL])
def test_uncertain_measurements_are_judged_again(flag: Flag) -> None:
    (found,) = contradictions(Pattern(1, 1, 1, 0), CuePattern(), {flag})
    assert (found.id, found.urgency) == (ContradictionId.MEASUREMENT, Urgency.REJUDGE)


def test_a_failed_verdict_is_judged_again() -> None:
    (found,) = contradictions(Pattern(1, None, 1, 0), CuePattern(), evidence={Evidence.ERROR})
    assert found.urgency is Urgency.REJUDGE


def test_other_flags_are_no_disagreement() -> None:
    flags = {Flag.NOISY_RETRIEVAL, Flag.ADHERENCE_PROXY, Flag.MISSED_REFUSAL}
    assert contradictions(Pattern(1, 1, 1, 0), CuePattern(), flags) == ()


def test_small_talk_explains_low_groundedness() -> None:
    found = contradictions(Pattern(1, 0, 1, 0), CuePattern(), evidence={Evidence.SMALL_TALK})
    assert [one.urgency for one in found] == [Urgency.LAST]
    assert contradictions(Pattern(1, 1, 1, 0), CuePattern(), evidence={Evidence.SMALL_TALK}) == ()


def test_every_kind_is_described() -> None:
    assert list(CONTRADICTIONS) == list(ContradictionId)
    for spec in CONTRADICTIONS.values():
        assert all((spec.name, spec.rule, spec.reading, spec.step))
    names = [spec.name for spec in CONTRADICTIONS.values()]
    assert len(set(names)) == len(names)


def test_urgencies_are_those_of_the_table() -> None:
    by_urgency = {
        urgency: {spec.id.value for spec in CONTRADICTIONS.values() if spec.urgency is urgency}
        for urgency in Urgency
    }
    assert by_urgency == {
        Urgency.FIRST: {"wrong_success", "confabulated"},
        Urgency.SECOND: {"credited_without_support", "relevant_without_hit"},
        Urgency.THIRD: {
            "supported_without_credit",
            "hit_without_relevance",
            "correct_but_off_target",
            "refusal_in_doubt",
        },
        Urgency.LAST: {"small_talk"},
        Urgency.REJUDGE: {"measurement"},
    }


# --- codes and queue ------------------------------------------------------------------------------


def test_joint_codes_are_the_numbers_of_both_patterns() -> None:
    for code in range(0, N_JOINT, 7):
        triad, cue = from_joint_code(code)
        assert joint_code(triad, cue.hit, cue.adherence) == code
        assert (cue.correct, cue.refusal) == (triad.correct, triad.refusal)


def test_the_table_of_codes_says_the_same_as_the_function() -> None:
    table = contradictions_by_code()
    assert len(table) == N_JOINT == 6561
    for code in range(0, N_JOINT, 11):
        found = contradictions(*from_joint_code(code))
        assert table[code] == tuple(one.id for one in found)


def test_codes_of_a_kind_are_those_where_it_is_found() -> None:
    codes = codes_with(["wrong_success"])
    # success and incorrect leave answerable, hit and adherence free, and a refusal 0 or unknown
    assert len(codes) == 3 * 3 * 3 * 2
    assert all(_found(*_split(code))[0] == "wrong_success" for code in codes)
    with pytest.raises(ValueError, match="quarrel"):
        codes_with(["quarrel"])


def _split(code: int) -> tuple[Pattern, int | None, int | None]:
    triad, cue = from_joint_code(code)
    return triad, cue.hit, cue.adherence


def test_queue_goes_by_urgency_then_severity_then_nearness_then_id() -> None:
    first = [CONTRADICTIONS[ContradictionId.WRONG_SUCCESS]]
    third = [CONTRADICTIONS[ContradictionId.HIT_WITHOUT_RELEVANCE]]
    both = [*third, *first]
    keys = {
        "a": queue_key([], 1, 0.0, "a"),
        "b": queue_key(third, 1, 0.5, "b"),
        "c": queue_key(third, 1, -0.1, "c"),
        "d": queue_key(first, 14, None, "d"),
        "e": queue_key(both, 14, 0.3, "e"),
        "f": queue_key(third, 1, 0.1, "f"),
    }
    assert sorted(keys, key=keys.__getitem__) == ["e", "d", "c", "f", "b", "a"]
