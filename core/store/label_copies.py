"""Labels of people taken over from an earlier import of the same run."""

import re
from typing import NamedTuple

from core.store import queries, writes
from core.store.connection import Connection, sql
from core.store.run_sql import Rows, fetch_rows

_NUMBERED = re.compile(r" \(\d+\)$")


class LabelSource(NamedTuple):
    """A run whose labels fit another: how many, on how many samples."""

    run_id: str
    name: str
    n_labels: int
    n_samples: int


def label_sources(connection: Connection, run_id: str) -> tuple[LabelSource, ...]:
    """Earlier imports under the name of a run with labels that it has not; the newest first.

    The name counts without the number that a second import gets behind it.

    Raises:
        NotFoundError: no such run.
    """
    run = queries.find_run(connection, run_id)
    found = []
    for other in queries.runs(connection):
        if other.run_id == run.run_id or other.imported_at > run.imported_at:
            continue
        if _NUMBERED.sub("", other.name) != _NUMBERED.sub("", run.name):
            continue
        rows = _copyable(connection, other.run_id, run.run_id)
        if rows:
            n_samples = len({position for position, *_ in rows})
            found.append(LabelSource(other.run_id, other.name, len(rows), n_samples))
    return tuple(found)


def copy_labels(connection: Connection, source_id: str, target_id: str) -> int:
    """Append the labels that fit, with their raters and times; returns how many.

    Args:
        connection: one of ``Store.writing``.
        source_id: the run that was labelled.
        target_id: the run that gets them.

    Raises:
        NotFoundError: one of the runs is not there any more.
    """
    source = queries.find_run(connection, source_id)
    target = queries.find_run(connection, target_id)
    rows = _copyable(connection, source.run_id, target.run_id)
    if not rows:
        return 0
    statement = sql("statements/next_label.sql")
    number = int(connection.execute(statement, {"run_id": target.run_id}).fetchall()[0][0])
    appender = connection.appender("label")
    appender.append_rows([(target.run_id, number + i, *row) for i, row in enumerate(rows)])
    appender.flush()
    writes.refresh_wide(connection, target.run_id, sorted({position for position, *_ in rows}))
    what = f"{len(rows)} labels of {source.name} ({source.run_id})"
    writes.log(connection, "copy labels", run_id=target.run_id, new=what)
    writes.raise_version(connection, target.run_id)
    return len(rows)


def _copyable(connection: Connection, source_id: str, target_id: str) -> Rows:
    return fetch_rows(connection, "copyable_labels", source_id=source_id, target_id=target_id)
