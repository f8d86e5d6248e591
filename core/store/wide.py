"""Wide rows, one per sample, made from the tall verdicts for one judge selection."""

from collections.abc import Iterator, Sequence

from core.store import queries
from core.store.connection import Connection, sql
from core.store.selected import WideChoice

#: So many samples are made at once: memory stays bounded, however large the run.
CHUNK = 100_000


def make(
    connection: Connection,
    run_id: str,
    choices: Sequence[WideChoice],
    positions: Sequence[int] | None = None,
) -> Iterator[None]:
    """Make the rows of these positions, or of the whole run, in the temporary table ``wide_rows``.

    Yields whenever the next part of them is there; ``touched`` then holds its positions.
    """
    if positions is not None:
        if positions:
            connection.execute(sql("statements/touch.sql"), {"positions": list(positions)})
            _make(connection, run_id, choices, min(positions), max(positions))
            yield
        return
    for first in range(0, queries.next_position(connection, run_id), CHUNK):
        last = first + CHUNK - 1
        here = {"run_id": run_id, "first": first, "last": last}
        connection.execute(sql("statements/touch_range.sql"), here)
        _make(connection, run_id, choices, first, last)
        yield


def _make(
    connection: Connection, run_id: str, choices: Sequence[WideChoice], first: int, last: int
) -> None:
    parameters = {
        "run_id": run_id,
        "first": first,
        "last": last,
        "axes": [choice[0] for choice in choices],
        "metrics": [choice[1] for choice in choices],
        "judge_ids": [choice[2] for choice in choices],
        "aggregates": [choice[3] for choice in choices],
    }
    connection.execute(sql("queries/wide_rows.sql"), parameters)
