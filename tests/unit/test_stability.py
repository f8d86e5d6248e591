"""A judge against itself: spread of one sample, and flips, vote share and AC1 over many."""

import pytest

from core.metrics.spec import Aggregate
from core.metrics.stability import NO_CUT, NO_REPEATS, spread, stability

MEDIAN, MEAN = Aggregate.MEDIAN, Aggregate.MEAN


@pytest.mark.parametrize(
    ("votes", "cut", "sign", "width", "is_flipped"),
    [
        ([4, 4, 2], 4, 1, 2, True),
        ([5, 4, 4], 4, 1, 1, False),
        # The same numbers where lower is better: 0.1 is high, 0.6 is low at a cut of 0.3.
        ([0.1, 0.6], 0.3, -1, pytest.approx(0.5), True),
        ([0.1, 0.3], 0.3, -1, pytest.approx(0.2), False),
        ([4, 2], None, 1, 2, None),
        ([4, None], 4, 1, None, None),
        ([None, None], 4, 1, None, None),
    ],
)
def test_spread_of_one_sample(
    votes: list[float | None], cut: float | None, sign: int, width: object, is_flipped: bool | None
) -> None:
    found = spread(votes, MEDIAN, cut, sign)
    assert (found.width, found.is_flipped) == (width, is_flipped)
    assert found.n_failed == votes.count(None)


def test_figures_over_samples_by_hand() -> None:
    votes = [[4, 4, 2], [5, 5, 5], [2, 2, None], [3, None, None], [4, 5, 5]]

    found = stability(votes, MEDIAN, 4)

    # Samples with two values or more: the first three and the last. Only the first changes sides.
    assert (found.n, found.flips.k, found.flips.n) == (4, 1, 4)
    # Shares of the reported vote: 2/3, 1, 1 and 2/3 (median 5), mean 10/12.
    assert found.vote_share.value == pytest.approx(10 / 12)
    # Widths 2, 0, 0, 1.
    assert found.width.value == pytest.approx(0.75)
    assert found.n_failed == 3
    # Sides (high of 3): 2/3, 3/3, 0/2, 0/1, 3/3. Agreement within samples of two or more:
    # (1/3 + 1 + 1 + 1) / 4 = 5/6. Mean share of high: (2/3 + 1 + 0 + 0 + 1) / 5 = 8/15,
    # so pe = 2 * 8/15 * 7/15 = 112/225, AC1 = (5/6 - 112/225) / (1 - 112/225).
    assert found.ac1.value == pytest.approx((5 / 6 - 112 / 225) / (1 - 112 / 225))


def test_mean_of_repeats_has_no_vote_share_and_a_score_without_cut_no_sides() -> None:
    found = stability([[0.2, 0.4], [0.5, 0.5]], MEAN, None)

    assert found.vote_share.value is None
    assert (found.flips.value, found.flips.reason) == (None, NO_CUT)
    assert found.ac1.value is None
    assert found.width.value == pytest.approx(0.1)  # (0.2 + 0) / 2


def test_nothing_repeated_is_undefined_with_a_reason() -> None:
    found = stability([[4, None], [None, None]], MEDIAN, 4)

    assert found.n == 0
    assert {found.flips.reason, found.vote_share.reason, found.width.reason} == {NO_REPEATS}
    assert found.ac1.value is None
