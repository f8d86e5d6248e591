"""Repairs: every failing mode has one, and their counts add up to the failures."""

from core.diagnosis.fixes import FIXES, fix_first
from core.diagnosis.modes import MODES, Outcome, modes_of
from core.diagnosis.summary import PatternCount, summarise
from core.diagnosis.triad import N_PATTERNS, Pattern
from core.model import Mode

MISS = Pattern(0, 1, 0, 0)
CONFABULATION = Pattern(0, 0, 1, 0, 0)
HALLUCINATION = Pattern(1, 0, 1, 0)
OFF_TARGET = Pattern(1, 1, 0, 0)


def test_every_failing_mode_belongs_to_exactly_one_repair() -> None:
    addressed = [mode for fix in FIXES.values() for mode in fix.modes]
    assert sorted(addressed) == sorted(modes_of(Outcome.FAIL))


def test_a_repair_is_of_the_side_of_its_modes() -> None:
    for fix in FIXES.values():
        assert {MODES[mode].side for mode in fix.modes} == {fix.side}
        assert fix.step == MODES[fix.modes[0]].fixes[0]


def test_the_largest_repair_stands_first_with_its_modes() -> None:
    summary = summarise(
        [
            PatternCount(Pattern(1, 1, 1, 0).code, 50),
            PatternCount(MISS.code, 4),
            PatternCount(CONFABULATION.code, 3),
            PatternCount(HALLUCINATION.code, 6),
        ]
    )
    found = [(repair.fix.id, repair.n, repair.modes) for repair in fix_first(summary)]
    assert found == [
        ("retriever", 7, ((Mode.RETRIEVAL_FAILURE, 4), (Mode.CONFABULATION, 3))),
        ("evidence", 6, ((Mode.HALLUCINATION, 6),)),
    ]


def test_at_a_tie_the_worse_mode_decides() -> None:
    summary = summarise([PatternCount(OFF_TARGET.code, 2), PatternCount(HALLUCINATION.code, 2)])
    assert [repair.fix.id for repair in fix_first(summary)] == ["evidence", "question"]


def test_repairs_add_up_to_the_failures() -> None:
    summary = summarise(PatternCount(code, 1 + code % 3) for code in range(N_PATTERNS))
    assert sum(repair.n for repair in fix_first(summary)) == summary.of(Outcome.FAIL)


def test_without_failures_there_is_nothing_to_repair() -> None:
    assert fix_first(summarise([PatternCount(Pattern(1, 1, 1, 0).code, 9)])) == ()
