"""How the votes of several repeats become one score."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.metrics.spec import Aggregate


@dataclass(frozen=True, slots=True)
class Vote:
    """Outcome of repeats: ``value`` unless too many votes failed (error) or a tie is undetermined.

    ``vote_share`` is the share of valid votes equal to the value; None for means, where votes
    are hardly ever equal. ``is_unstable`` if it is below one half, and for a tie.
    """

    status: Literal["value", "error", "undetermined"]
    value: float | None
    vote_share: float | None
    is_unstable: bool


def aggregate_votes(votes: Sequence[float | None], aggregate: Aggregate) -> Vote:
    """One score from the votes of m repeats; a failed vote is None.

    median (of an even number the lower one), majority, or mean of the valid votes. At least half
    of the m votes, rounded up, must be valid.

    Raises:
        ValueError: there is no vote at all.

    >>> aggregate_votes([4, 4, 2], Aggregate.MEDIAN).value
    4
    >>> aggregate_votes([1, 0, None], Aggregate.MAJORITY).status
    'undetermined'
    """
    if not votes:
        raise ValueError("no vote to aggregate")
    valid = sorted(vote for vote in votes if vote is not None)
    if 2 * len(valid) < len(votes):
        return Vote("error", None, None, is_unstable=False)
    if aggregate is Aggregate.MEAN:
        return Vote("value", sum(valid) / len(valid), None, is_unstable=False)
    if aggregate is Aggregate.MEDIAN:
        value = valid[(len(valid) - 1) // 2]
    else:
        ranked = Counter(valid).most_common(2)
        if len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
            return Vote("undetermined", None, None, is_unstable=True)
        value = ranked[0][0]
    share = valid.count(value) / len(valid)
    return Vote("value", value, share, is_unstable=share < 0.5)


def straddles(votes: Sequence[bool | None]) -> bool:
    """True if some votes are high and some low; failed votes (None) do not count.

    >>> straddles([True, None, False]), straddles([True, None])
    (True, False)
    """
    return True in votes and False in votes
