"""What was said about single contexts: verdicts and labels with a rank. After a match."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.metrics.context_gains import GainFigures, gain_figures
from core.metrics.hit_rule import Marks
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows


@dataclass(frozen=True, slots=True)
class MarkSource:
    """Who marked contexts: ``kind`` is verdict, label, or axis for the selected relevance scores.

    ``name`` is the metric or criterion, ``source`` the judge's id; ``least`` and ``most`` bound
    the values of its ``n`` contexts.
    """

    kind: str
    name: str
    source: str
    n: int
    least: float
    most: float
    is_whole: bool


def mark_sources(connection: Connection, run_id: str) -> list[MarkSource]:
    """All sources of a run; the functions below read what this one keeps."""
    connection.execute(sql("queries/context_marks.sql"), {"run_id": run_id})
    return [MarkSource(*row) for row in fetch_rows(connection, "context_mark_sources")]


def useful_by_rank(
    connection: Connection, one: MarkSource, cut: float, sign: int
) -> list[tuple[int, int, int]]:
    """(rank, useful, looked at) of one source; sign is -1 where lower is better."""
    where = {"kind": one.kind, "name": one.name, "source": one.source}
    found = fetch_rows(connection, "context_mark_ranks", cut=cut, sign=sign, **where)
    return [(rank, k, n) for rank, k, n in found]


def last_mark(connection: Connection, run_id: str, one: MarkSource) -> int:
    """Number of the newest mark of a source, whether its sample is matched or not."""
    where = {"run_id": run_id, "kind": one.kind, "name": one.name, "source": one.source}
    return int(fetch_rows(connection, "last_mark", **where)[0][0])


def marked(
    connection: Connection, run_id: str, marks: Marks, positions: Sequence[int]
) -> dict[int, dict[int, bool]]:
    """By position and rank whether the marks say that a context holds the answer."""
    said: dict[int, dict[int, bool]] = {}
    for position, rank, is_held in fetch_rows(
        connection, "evidence_marks", run_id=run_id, kind=marks.kind, name=marks.name,
        source=marks.source, cut=marks.cut, sign=marks.sign, last_no=marks.last_no,
        first=min(positions), last=max(positions),
    ):  # fmt: skip
        said.setdefault(position, {})[rank] = is_held
    return said


def gains(connection: Connection, run_id: str, one: MarkSource, k: int | None) -> GainFigures:
    """Rank metrics with the values of one source as gains."""
    where = {"run_id": run_id, "kind": one.kind, "name": one.name, "source": one.source}
    found = connection.execute(sql("queries/context_gains.sql"), where).fetchnumpy()
    lengths = connection.execute(sql("queries/context_gain_lengths.sql"), where).fetchnumpy()
    return gain_figures(
        np.asarray(found["row"]),
        np.asarray(found["place"]),
        np.asarray(found["value"]),
        np.asarray(lengths["n_contexts"]),
        k,
    )
