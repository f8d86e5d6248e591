"""What the repeats of a judge said about each sample, and the samples on which they differ."""

from core.ranges import compared
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows
from core.store.scores import ScoreSet, named_set

Vote = tuple[int, int, float | None]
"""Position, repeat, value; None where the repeat gave none."""


def fill_votes(connection: Connection, run_id: str, score: ScoreSet) -> None:
    """Make the temporary table ``votes`` of this burst."""
    parameters = {"run_id": run_id, "metric": score.metric, "judge_id": score.judge_id}
    connection.execute(sql("queries/votes.sql"), parameters)


def votes_of_matched(connection: Connection, run_id: str, score: ScoreSet) -> list[Vote]:
    """All repeats of the matched samples that have more than one."""
    fill_votes(connection, run_id, score)
    return [(p, repeat, value) for p, repeat, value in fetch_rows(connection, "votes_of_matched")]


def narrow_by_repeats(
    connection: Connection, run_id: str, name: str, low: float, high: float
) -> None:
    """Keep the matched samples of which so many repeats of a judge gave a value.

    Raises:
        BadInputError: the run has no such metric.
    """
    fill_votes(connection, run_id, named_set(connection, run_id, name))
    connection.execute(sql("queries/narrow/repeats.sql"), {"low": low, "high": high})


def narrow_by_flip(connection: Connection, run_id: str, name: str, low: float, high: float) -> None:
    """Keep the matched samples of which some repeats lie within a range and some beside it.

    Raises:
        BadInputError: the run has no such metric.
    """
    fill_votes(connection, run_id, named_set(connection, run_id, name))
    low, high = compared(low, high)
    connection.execute(sql("queries/narrow/flips.sql"), {"low": low, "high": high})
