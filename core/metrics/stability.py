"""How steady a judge is over its repeats, for one sample and over many."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.metrics.agreement import Agreement, gwet
from core.metrics.intervals import Rate, wilson
from core.metrics.means import mean_rate
from core.metrics.repeats import aggregate_votes, straddles
from core.metrics.spec import Aggregate
from core.model import SLACK

NO_REPEATS = "no sample has two repeats with a score"
NO_CUT = "the scale of this score is unknown, so it has no cut and no sides"


@dataclass(frozen=True, slots=True)
class Spread:
    """The repeats of one sample.

    ``values`` are those that gave a score, in the order of the repeats; ``n_failed`` gave none.
    ``width`` is the largest less the smallest. ``is_flipped`` if some lie on the high side of the
    cut and some on the low; None without a cut or with fewer than two values. ``vote_share`` is the
    share of the values equal to the one that is reported, None for means.
    """

    values: tuple[float, ...]
    n_failed: int
    width: float | None
    is_flipped: bool | None
    vote_share: float | None


def spread(
    votes: Sequence[float | None], aggregate: Aggregate, cut: float | None, sign: int = 1
) -> Spread:
    """How far the repeats of one sample lie apart.

    Args:
        votes: one per repeat; None for a repeat that gave no score.
        aggregate: how the repeats become one score.
        cut: where the high side begins, in the metric's units.
        sign: 1 where higher is better, else -1.

    >>> found = spread([4, 4, 2], Aggregate.MEDIAN, cut=4)
    >>> found.width, found.is_flipped, round(found.vote_share, 3)
    (2, True, 0.667)
    """
    values = tuple(vote for vote in votes if vote is not None)
    is_flipped = None
    if cut is not None and len(values) > 1:
        is_flipped = straddles([value * sign >= cut * sign - SLACK for value in values])
    return Spread(
        values=values,
        n_failed=len(votes) - len(values),
        width=max(values) - min(values) if len(values) > 1 else None,
        is_flipped=is_flipped,
        vote_share=aggregate_votes(list(votes), aggregate).vote_share if votes else None,
    )


@dataclass(frozen=True, slots=True)
class Stability:
    """A judge against itself over the samples with at least two repeats that gave a score.

    ``flips`` is the share of them whose repeats lie on both sides of the cut; ``vote_share`` and
    ``width`` are means over them, in the metric's units for the latter; ``ac1`` is Gwet's AC1 of
    the repeats' sides. ``n_failed`` counts repeats without a score.
    """

    n: int
    flips: Rate
    vote_share: Rate
    width: Rate
    ac1: Agreement
    n_failed: int


def stability(
    votes: Sequence[Sequence[float | None]],
    aggregate: Aggregate,
    cut: float | None,
    sign: int = 1,
) -> Stability:
    """How steady a judge is; ``votes`` has a row per sample with one entry per repeat."""
    # Judges repeat themselves: of many samples only few rows are different.
    rows = [tuple(row) for row in votes]
    known = {row: spread(row, aggregate, cut, sign) for row in set(rows)}
    on_sides = {
        row: [None if cut is None or vote is None else float(vote * sign >= cut * sign - SLACK)
              for vote in row]
        for row in known
    }  # fmt: skip
    spreads = [known[row] for row in rows]
    repeated = [one for one in spreads if len(one.values) > 1]
    n = len(repeated)
    reason = NO_REPEATS if cut is not None or not n else NO_CUT
    shares = [one.vote_share for one in repeated if one.vote_share is not None]
    widths = [one.width for one in repeated if one.width is not None]
    no_share = "a mean of repeats is hardly ever equal to one of them" if n else NO_REPEATS
    sides = [on_sides[row] for row in rows]
    return Stability(
        n=n,
        flips=wilson(
            sum(one.is_flipped is True for one in repeated), n if cut is not None else 0, reason
        ),
        vote_share=mean_rate(shares, reason=no_share),
        width=mean_rate(widths, reason=NO_REPEATS),
        ac1=gwet(sides, (0.0, 1.0)),
        n_failed=sum(one.n_failed for one in spreads),
    )
