"""The table of patterns against rows written by hand."""

import csv
from pathlib import Path

import pytest

from core.diagnosis.modes import MODES
from core.diagnosis.triad import (
    N_PATTERNS,
    RETRIEVAL_HINT,
    ROW_FIELDS,
    TABLE,
    Pattern,
    codes_for,
    codes_with_flag,
    diagnose,
    severity_by_code,
    table_rows,
)
from core.model import Flag, Mode

GOLDEN = Path(__file__).parents[1] / "golden" / "modes.csv"


def _golden() -> list[dict[str, str]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _pattern(row: dict[str, str]) -> Pattern:
    return Pattern(**{name: int(row[name]) if row[name] else None for name in Pattern._fields})


@pytest.mark.parametrize(
    "row", _golden(), ids=lambda row: "".join(row[f] or "-" for f in Pattern._fields)
)
def test_diagnosis_of_a_pattern_is_the_one_written_by_hand(row: dict[str, str]) -> None:
    diagnosis = diagnose(_pattern(row))
    result = {
        "mode": str(diagnosis.mode),
        "severity": str(diagnosis.severity),
        "missed_refusal": str(int(Flag.MISSED_REFUSAL in diagnosis.flags)),
        "retrieval_gap": str(int(Flag.RETRIEVAL_GAP in diagnosis.flags)),
    }
    assert result == {name: row[name] for name in result}


def test_golden_rows_cover_all_triad_cells_by_correctness_and_the_whole_refusal_branch() -> None:
    patterns = {_pattern(row) for row in _golden()}
    cells = {
        Pattern(cr, g, ar, 0, correct, None)
        for cr in (0, 1)
        for g in (0, 1)
        for ar in (0, 1)
        for correct in (0, 1, None)
    }
    refusals = {
        Pattern(cr, None, None, 1, None, answerable)
        for cr in (0, 1, None)
        for answerable in (0, 1, None)
    }
    assert len(patterns) == len(_golden())  # no row twice
    assert cells | refusals <= patterns


def test_code_puts_context_relevance_first_and_two_for_unknown() -> None:
    # ((((1*3 + 0)*3 + 2)*3 + 1)*3 + 0)*3 + 2 = (((3*3 + 2)*3 + 1)*3 + 0)*3 + 2 = 34*9 + 2 = 308
    assert Pattern(1, 0, None, 1, 0, None).code == 308


def test_code_of_nothing_known_is_the_last() -> None:
    assert Pattern().code == N_PATTERNS - 1 == 728


@pytest.mark.parametrize("code", [-1, 729])
def test_from_code_refuses_numbers_that_are_no_code(code: int) -> None:
    with pytest.raises(ValueError, match="no pattern code"):
        Pattern.from_code(code)


def test_every_code_has_exactly_one_mode() -> None:
    codes = [code for mode in Mode for code in codes_for([mode])]
    assert sorted(codes) == list(range(729))


def test_every_mode_occurs() -> None:
    assert {diagnosis.mode for diagnosis in TABLE} == set(Mode)


def test_codes_for_takes_several_names_of_modes() -> None:
    both = codes_for(["success", Mode.LUCKY_GUESS])
    assert both == sorted(codes_for(["success"]) + codes_for(["lucky_guess"]))
    # success: CR = G = AR = 1, refusal 0 or unknown, 3 x 3 for correct and answerable
    assert len(codes_for(["success"])) == 2 * 9
    # lucky guess: the same with correct = 1
    assert len(codes_for(["lucky_guess"])) == 2 * 3


def test_codes_for_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(ValueError, match="catastrophe"):
        codes_for(["catastrophe"])


def test_missed_refusal_is_on_exactly_the_answered_unanswerable_patterns() -> None:
    codes = codes_with_flag(Flag.MISSED_REFUSAL)
    assert len(codes) == 3**4
    assert all(Pattern.from_code(c).refusal == 0 for c in codes)
    assert all(Pattern.from_code(c).answerable == 0 for c in codes)


def test_retrieval_gap_needs_a_refusal_a_low_context_relevance_and_an_answerable_label() -> None:
    expected = [
        code
        for code in range(729)
        if (p := Pattern.from_code(code)).refusal == 1
        and p.context_relevance == 0
        and p.answerable == 1
    ]
    assert codes_with_flag("retrieval_gap") == expected
    assert codes_with_flag(Flag.BORDERLINE) == []


def test_possible_modes_when_groundedness_is_missing_after_poor_retrieval() -> None:
    diagnosis = diagnose(Pattern(0, None, 1, refusal=0))
    assert diagnosis.possible == {
        Mode.SCORE_CONFLICT,
        Mode.UNGROUNDED_ANSWER,
        Mode.LUCKY_GUESS,
        Mode.CONFABULATION,
    }
    assert diagnosis.hint == RETRIEVAL_HINT


def test_possible_modes_when_the_answer_is_known_to_be_wrong() -> None:
    diagnosis = diagnose(Pattern(0, None, 1, refusal=0, correct=0))
    assert diagnosis.possible == {Mode.SCORE_CONFLICT, Mode.CONFABULATION}


def test_possible_modes_when_only_context_relevance_is_missing() -> None:
    diagnosis = diagnose(Pattern(None, 1, 0, refusal=0))
    assert diagnosis.possible == {Mode.OFF_TARGET_ANSWER, Mode.RETRIEVAL_FAILURE}
    assert diagnosis.hint is None


def test_possible_modes_include_refusals_when_refusal_is_unknown() -> None:
    answered = diagnose(Pattern(1, 1, None, refusal=0))
    unknown = diagnose(Pattern(1, 1, None))
    assert answered.possible == {Mode.SUCCESS, Mode.OFF_TARGET_ANSWER}
    # CR is high: a refusal would be an over-refusal, or right if labelled unanswerable.
    assert unknown.possible == answered.possible | {Mode.OVER_REFUSAL, Mode.CORRECT_REFUSAL}


def test_possible_modes_of_nothing_known_are_all_but_undetermined() -> None:
    assert diagnose(Pattern()).possible == set(Mode) - {Mode.UNDETERMINED}


def test_possible_modes_of_an_unverified_refusal_are_the_two_verified_ones() -> None:
    diagnosis = diagnose(Pattern(refusal=1))
    assert diagnosis.possible == {Mode.CORRECT_REFUSAL, Mode.OVER_REFUSAL}


def test_a_refusal_with_low_context_relevance_gives_no_hint() -> None:
    assert diagnose(Pattern(0, None, None, refusal=1)).hint is None


def test_table_rows_carry_what_a_query_joins() -> None:
    rows = table_rows()
    code = Pattern(1, 0, 1, 0, 0, 0).code
    assert len(rows) == 729
    assert dict(zip(ROW_FIELDS, rows[code], strict=True)) == {
        "code": code,
        "mode": "hallucination",
        "side": "generation",
        "outcome": "fail",
        "severity": 2,
        "is_missed_refusal": True,
        "is_retrieval_gap": False,
    }


def test_severity_by_code_ranks_only_a_wrong_hallucination_off_its_mode() -> None:
    severities = severity_by_code()
    off = {
        Pattern.from_code(code)
        for code, diagnosis in enumerate(TABLE)
        if severities[code] != MODES[diagnosis.mode].severity
    }
    assert off == {
        Pattern(1, 0, 1, refusal, 0, answerable)
        for refusal in (0, None)
        for answerable in (0, 1, None)
    }
