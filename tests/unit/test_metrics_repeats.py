import pytest

from core.metrics.repeats import Vote, aggregate_votes, straddles
from core.metrics.spec import Aggregate

MEDIAN, MAJORITY, MEAN = Aggregate.MEDIAN, Aggregate.MAJORITY, Aggregate.MEAN


@pytest.mark.parametrize(
    ("votes", "aggregate", "expected"),
    [
        # METRICS 4.2
        ([4, 4, 2], MEDIAN, Vote("value", 4, 2 / 3, False)),
        ([1, 3, 5], MEDIAN, Vote("value", 3, 1 / 3, True)),
        ([1, 0, None], MAJORITY, Vote("undetermined", None, None, True)),
        # an even number: the lower median
        ([2, 5], MEDIAN, Vote("value", 2, 0.5, False)),
        ([1, 2, 4, 5], MEDIAN, Vote("value", 2, 0.25, True)),
        ([1, 1, 0], MAJORITY, Vote("value", 1, 2 / 3, False)),
        ([0, 1], MAJORITY, Vote("undetermined", None, None, True)),
        ([0.5, 0.7], MEAN, Vote("value", 0.6, None, False)),
        # a zero is a vote, a failure is not
        ([0, 0, None], MAJORITY, Vote("value", 0, 1.0, False)),
        ([0.0, None], MEAN, Vote("value", 0.0, None, False)),
        # at least ceil(m / 2) valid votes
        ([4, None, None], MEDIAN, Vote("error", None, None, False)),
        ([4, None], MEDIAN, Vote("value", 4, 1.0, False)),
        ([None], MEAN, Vote("error", None, None, False)),
    ],
)
def test_votes_become_one_score(
    votes: list[float | None], aggregate: Aggregate, expected: Vote
) -> None:
    assert aggregate_votes(votes, aggregate) == expected


def test_no_vote_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no vote"):
        aggregate_votes([], MEAN)


@pytest.mark.parametrize(
    ("votes", "expected"),
    [([True, False], True), ([True, True], False), ([None, False], False), ([], False)],
)
def test_votes_straddle_the_cut(votes: list[bool | None], expected: bool) -> None:
    assert straddles(votes) is expected
