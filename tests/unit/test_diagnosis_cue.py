import csv
from itertools import product
from pathlib import Path

import pytest

from core.diagnosis.cue import (
    CUE_ROW_FIELDS,
    CUE_TABLE,
    N_CUE_PATTERNS,
    OPEN,
    CuePattern,
    assign_quadrants,
    codes_for_extended,
    codes_for_published,
    cue_table_rows,
)
from core.diagnosis.modes import Side
from core.diagnosis.quadrants import EXTENDED, PUBLISHED, Extended, Published

GOLDEN = Path(__file__).parents[1] / "golden" / "quadrants.csv"
PATTERNS = [CuePattern.from_code(code) for code in range(N_CUE_PATTERNS)]


def _golden() -> list[dict[str, str]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _pattern(row: dict[str, str]) -> CuePattern:
    return CuePattern(*(int(row[name]) if row[name] else None for name in CuePattern._fields))


@pytest.mark.parametrize(
    "row", _golden(), ids=lambda row: "".join(row[name] or "?" for name in CuePattern._fields)
)
def test_quadrants_of_the_published_and_of_the_extended_table(row: dict[str, str]) -> None:
    found = assign_quadrants(_pattern(row))
    assert (found.published, found.extended) == (row["published"], row["extended"])


def test_every_extended_quadrant_is_worked_out_in_the_golden_table() -> None:
    assert {row["extended"] for row in _golden()} == set(Extended)


def test_code_and_pattern_are_each_others_inverse() -> None:
    assert [pattern.code for pattern in PATTERNS] == list(range(81))


@pytest.mark.parametrize("code", [-1, 81])
def test_a_number_that_is_no_code_is_refused(code: int) -> None:
    with pytest.raises(ValueError, match="no code of context use"):
        CuePattern.from_code(code)


def test_the_extended_table_collapses_to_the_published_one() -> None:
    # all but refusals whose adherence is high or unknown: the published table does not know them
    for pattern in PATTERNS:
        found = assign_quadrants(pattern)
        if pattern.refusal != 1 or pattern.adherence == 0:
            assert EXTENDED[found.extended].published is found.published


def test_refusals_that_do_not_collapse_are_those_the_extended_table_is_for() -> None:
    differ = {
        pattern
        for pattern in PATTERNS
        if EXTENDED[CUE_TABLE[pattern.code].extended].published
        is not CUE_TABLE[pattern.code].published
    }
    expected = {
        CuePattern(hit, adherence, correct, 1)
        for hit, adherence, correct in product((0, 1), (1, None), (0, 1, None))
    }
    assert differ == expected


def test_the_published_table_looks_at_hit_and_adherence_alone() -> None:
    for pattern in PATTERNS:
        others = {
            assign_quadrants(pattern._replace(correct=c, refusal=f)).published
            for c, f in product((0, 1, None), repeat=2)
        }
        assert len(others) == 1


def test_a_refusal_needs_neither_adherence_nor_correctness() -> None:
    for hit, quadrant in ((1, Extended.OVER_REFUSAL), (0, Extended.CORRECT_REJECTION)):
        found = {
            assign_quadrants(CuePattern(hit, a, c, 1)).extended
            for a, c in product((0, 1, None), repeat=2)
        }
        assert found == {quadrant}


def test_open_quadrants_say_what_is_still_possible() -> None:
    found = assign_quadrants(CuePattern(1, 1, None, 0))
    assert found.possible == {Extended.EFFECTIVE_USE, Extended.MISREAD_EVIDENCE}
    found = assign_quadrants(CuePattern(None, 0, 1, 0))
    assert found.possible == {Extended.PARAMETRIC_BYPASS, Extended.LUCKY_GUESS_PARAMETRIC}
    found = assign_quadrants(CuePattern(None, None, None, 1))
    assert found.possible == {Extended.OVER_REFUSAL, Extended.CORRECT_REJECTION}


def test_possible_is_what_some_completion_reaches() -> None:
    for pattern in PATTERNS:
        reached = {
            assign_quadrants(CuePattern(*values)).extended
            for values in product(*((0, 1) if value is None else (value,) for value in pattern))
        }
        found = assign_quadrants(pattern)
        if found.extended in OPEN:
            assert found.possible == reached
            assert not reached & OPEN
        else:
            assert found.possible == {found.extended}


def test_codes_of_quadrants_partition_the_table() -> None:
    for codes_for, kinds in (
        (codes_for_published, list(Published)),
        (codes_for_extended, list(Extended)),
    ):
        codes = [code for kind in kinds for code in codes_for([kind])]  # type: ignore[operator]
        assert sorted(codes) == list(range(81))
    with pytest.raises(ValueError, match="bucket"):
        codes_for_extended(["bucket"])


def test_rows_for_queries_are_plain_values() -> None:
    rows = cue_table_rows()
    assert len(rows) == 81
    assert dict(zip(CUE_ROW_FIELDS, rows[CuePattern(0, 0, 0, 0).code], strict=True)) == {
        "code": 0,
        "published": "correct_rejection",
        "extended": "ungrounded_error",
        "side": "retrieval",
    }
    assert {type(value) for row in rows for value in row} == {int, str}


# --- words ----------------------------------------------------------------------------------------


def test_every_quadrant_is_described() -> None:
    assert list(PUBLISHED) == list(Published)
    assert list(EXTENDED) == list(Extended)
    for spec in (*PUBLISHED.values(), *EXTENDED.values()):
        assert all((spec.name, spec.code, spec.rule, spec.meaning, spec.fixes))


def test_codes_show_hit_and_adherence() -> None:
    codes = [PUBLISHED[quadrant].code for quadrant in Published]
    assert codes == ["■■", "■□", "□■", "□□", "··"]
    for code, spec in ((spec.code, spec) for spec in EXTENDED.values()):
        if spec.side not in (Side.REFUSAL, Side.UNKNOWN):
            assert code[:2] == PUBLISHED[spec.published].code
    assert len({spec.code for spec in EXTENDED.values()}) == len(EXTENDED)


def test_names_are_distinct_and_say_where_correctness_is_unknown() -> None:
    names = [spec.name for spec in EXTENDED.values()]
    assert len(set(names)) == len(names)
    for quadrant, spec in EXTENDED.items():
        if quadrant in OPEN - {Extended.UNDETERMINED}:
            assert spec.name == f"{PUBLISHED[spec.published].name} (correctness unknown)"


def test_blindness_is_repaired_at_the_model_and_luck_at_the_retriever() -> None:
    # METRICS 3.3: the source swaps the two in one place; logic and the restatement agree
    assert EXTENDED[Extended.INFORMATION_BLINDNESS].side is Side.GENERATION
    for quadrant in (
        Extended.LUCKY_GUESS_PARAMETRIC,
        Extended.LUCKY_GUESS_ATTRIBUTED,
        Extended.MISLED_BY_CONTEXT,
        Extended.UNGROUNDED_ERROR,
    ):
        assert EXTENDED[quadrant].side is Side.RETRIEVAL
