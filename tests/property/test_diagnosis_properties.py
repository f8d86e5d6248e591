"""What holds for every pattern and for every set of samples."""

from itertools import product
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from core.diagnosis.modes import Outcome
from core.diagnosis.summary import PatternCount, summarise
from core.diagnosis.triad import N_PATTERNS, TABLE, Pattern, diagnose
from core.metrics.intervals import difference, paired_difference, wilson
from core.model import Flag, Mode

OPEN = {Mode.UNDETERMINED, Mode.REFUSAL_UNVERIFIED}
PATTERNS = [Pattern.from_code(code) for code in range(N_PATTERNS)]

codes = st.integers(0, N_PATTERNS - 1)
counts = st.builds(
    PatternCount,
    code=codes,
    n=st.integers(0, 50),
    noisy=st.booleans(),
    borderline=st.booleans(),
    partial=st.booleans(),
    partial_refusal=st.booleans(),
    unstable=st.booleans(),
    adherence_proxy=st.booleans(),
)


def _fillings(pattern: Pattern) -> list[Pattern]:
    """The pattern with one more value known."""
    return [
        pattern._replace(**{name: known})
        for name, value in zip(pattern._fields, pattern, strict=True)
        if value is None
        for known in (0, 1)
    ]


def _completions(pattern: Pattern) -> list[Pattern]:
    """The pattern with all values known, in every way."""
    return [
        Pattern(*values)
        for values in product(*((0, 1) if value is None else (value,) for value in pattern))
    ]


def test_code_and_pattern_are_each_others_inverse() -> None:
    assert [pattern.code for pattern in PATTERNS] == list(range(N_PATTERNS))


def test_filling_an_unknown_of_an_open_pattern_stays_within_what_was_possible() -> None:
    for pattern in PATTERNS:
        before = diagnose(pattern)
        if before.mode in OPEN:
            for filled in _fillings(pattern):
                assert diagnose(filled).possible <= before.possible


def test_every_completion_of_an_open_pattern_is_a_possible_mode() -> None:
    for pattern in PATTERNS:
        before = diagnose(pattern)
        if before.mode in OPEN:
            reached = {diagnose(full).mode for full in _completions(pattern)}
            assert reached <= before.possible
            # and nothing is called possible that no further knowledge can lead to, except the
            # two modes that themselves say that something is still unknown
            assert before.possible - reached <= {Mode.UNGROUNDED_ANSWER, Mode.REFUSAL_UNVERIFIED}


def test_decided_modes_are_possible_alone_and_open_modes_leave_several() -> None:
    for diagnosis in TABLE:
        if diagnosis.mode in OPEN:
            assert len(diagnosis.possible) > 1
            assert diagnosis.mode not in diagnosis.possible
        else:
            assert diagnosis.possible == {diagnosis.mode}


def test_undetermined_exactly_where_an_answered_pattern_lacks_a_triad_value() -> None:
    for pattern in PATTERNS:
        is_missing = pattern.refusal != 1 and None in pattern[:3]
        assert (diagnose(pattern).mode is Mode.UNDETERMINED) == is_missing


def test_correctness_only_splits_low_low_high() -> None:
    for pattern in PATTERNS:
        if pattern.refusal == 1 or (None not in pattern[:3] and pattern[:3] != (0, 0, 1)):
            modes = {diagnose(pattern._replace(correct=c)).mode for c in (0, 1, None)}
            assert len(modes) == 1


def test_answerable_never_changes_a_triad_mode() -> None:
    for pattern in PATTERNS:
        if pattern.refusal != 1:
            modes = {diagnose(pattern._replace(answerable=a)).mode for a in (0, 1, None)}
            assert len(modes) == 1


def test_a_fully_known_pattern_is_never_open() -> None:
    for pattern in PATTERNS:
        if None not in pattern:
            assert diagnose(pattern).mode not in OPEN


@given(st.lists(counts, max_size=30))
def test_parts_of_a_summary_add_up_to_n(rows: list[PatternCount]) -> None:
    summary = summarise(rows)
    n = sum(row.n for row in rows)
    assert summary.n == n
    assert sum(summary.triad.values()) + sum(summary.refusals.values()) == n
    assert sum(summary.sides.values()) == n
    assert sum(summary.of(outcome) for outcome in Outcome) == n
    assert summary.correct + summary.incorrect + summary.refused <= n
    assert all(count <= n for count in summary.flags.values())


@given(st.lists(counts, max_size=30), st.randoms(use_true_random=False))
def test_summary_does_not_depend_on_order_or_grouping(
    rows: list[PatternCount], random: Random
) -> None:
    single = [row._replace(n=1) for row in rows for _ in range(row.n)]
    random.shuffle(single)
    assert summarise(single) == summarise(rows)


@given(codes, st.integers(1, 20))
def test_flag_of_a_pattern_is_counted_for_each_of_its_samples(code: int, n: int) -> None:
    summary = summarise([PatternCount(code, n)])
    for flag in (Flag.MISSED_REFUSAL, Flag.RETRIEVAL_GAP):
        assert summary.flags[flag] == (n if flag in TABLE[code].flags else 0)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_the_share_lies_in_range_and_mirrors(k_n: tuple[int, int]) -> None:
    k, n = k_n
    rate, mirror = wilson(k, n), wilson(n - k, n)
    assert rate.low is not None
    assert rate.high is not None
    assert rate.value is not None
    assert mirror.high is not None
    assert 0 <= rate.low <= rate.value <= rate.high <= 1
    assert abs(rate.low - (1 - mirror.high)) < 1e-12


quarters = st.tuples(*(st.integers(0, 200),) * 4).filter(any)


@given(quarters)
def test_paired_difference_is_in_range_and_antisymmetric(cells: tuple[int, int, int, int]) -> None:
    both, new, old, neither = cells
    forth = paired_difference(both, new, old, neither)
    back = paired_difference(both, old, new, neither)
    assert forth is not None
    assert back is not None
    assert -1 <= forth.low <= forth.value <= forth.high <= 1
    assert abs(forth.low + back.high) < 1e-12
    assert abs(forth.value + back.value) < 1e-12


@given(quarters)
def test_pairing_never_widens_the_interval_of_positively_related_samples(
    cells: tuple[int, int, int, int],
) -> None:
    both, new, old, neither = cells
    n = sum(cells)
    paired = paired_difference(*cells)
    unpaired = difference(both + new, n, both + old, n)
    assert paired is not None
    assert unpaired is not None
    if both * neither >= new * old:
        assert paired.high - paired.low <= unpaired.high - unpaired.low + 1e-12
