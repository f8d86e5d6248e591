from hypothesis import given
from hypothesis import strategies as st

from core.diagnosis.cue import N_CUE_PATTERNS, CuePattern
from core.diagnosis.cue_summary import CueCount, joint_bounds, summarise_cue

counts = st.builds(CueCount, st.integers(0, N_CUE_PATTERNS - 1), st.integers(0, 40))
known = st.builds(
    CueCount,
    st.tuples(*(st.integers(0, 1),) * 3).map(lambda values: CuePattern(*values, 0).code),
    st.integers(1, 40),
)


@given(st.lists(counts, max_size=20))
def test_quadrants_add_up_to_n_in_both_tables(rows: list[CueCount]) -> None:
    summary = summarise_cue(rows)
    assert summary.n == sum(row.n for row in rows)
    assert sum(summary.published.values()) == summary.n
    assert sum(summary.extended.values()) == summary.n
    for rate in (summary.hit_share, summary.effective_use, summary.ungrounded_correct):
        assert 0 <= rate.k <= rate.n <= summary.n


@given(st.lists(known, min_size=1, max_size=20))
def test_margins_bound_the_joint_figures(rows: list[CueCount]) -> None:
    summary = summarise_cue(rows)
    correct, hit = int(summary.accuracy_in_use.k), int(summary.hit_share.k)
    used, n = int(summary.effective_use.k), summary.n
    low, high = joint_bounds(correct, n - used, n)
    assert low <= summary.ungrounded_correct.k <= high
    assert summary.ungrounded_correct.k >= summary.gap_effective.k >= summary.gap_hit.k
    assert summary.gap_hit.k == correct - hit
    assert max(0, summary.gap_hit.k) == joint_bounds(correct, n - hit, n)[0]
    assert summary.grounded_correct.k + summary.ungrounded_correct.k == correct


@given(st.lists(known, min_size=1, max_size=20))
def test_gaps_lie_within_their_intervals(rows: list[CueCount]) -> None:
    summary = summarise_cue(rows)
    for gap in (summary.gap_hit, summary.gap_effective):
        assert gap.low is not None
        assert gap.value is not None
        assert gap.high is not None
        assert -1 <= gap.low <= gap.value <= gap.high <= 1
