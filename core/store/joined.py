"""Scores and labels of a file that belong to samples of a run that is stored already."""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.model import Judged
from core.records import Notice
from core.store import writes
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_records
from core.store.taking_in import Source

#: Behind the format of an import that joined scores; such a file holds no samples of its own.
MARK = ", joined"
_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class JoinedLabel:
    """A label of the file for one stored sample."""

    position: int
    criterion: str
    rater: str
    value: float | None
    category: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A stored sample that a row may belong to; the hash is that of its answer."""

    position: int
    answer_hash: bytes | None


def text_hash(text: str) -> bytes | None:
    """Hash of a text regardless of white space and of how its accents are composed.

    >>> text_hash("a  b") == text_hash("a b "), text_hash(" ") is None
    (True, True)
    """
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    return hashlib.sha256(plain.encode()).digest()[:16] if plain else None


def targets(connection: Connection, run_id: str, by: str) -> dict[str | bytes, list[Target]]:
    """Samples of a run by their ``sample_id``, or by the hash of their ``question``."""
    found: dict[str | bytes, list[Target]] = {}
    cursor = connection.execute(sql("queries/joinable.sql"), {"run_id": run_id})
    while rows := cursor.fetchmany(_CHUNK):
        for position, sample_id, question, answer in rows:
            key = sample_id if by == "sample_id" else text_hash(question)
            if key is not None:
                found.setdefault(key, []).append(Target(position, text_hash(answer)))
    return found


def earlier_join(connection: Connection, file_sha256: str, run_id: str) -> Mapping[str, Any] | None:
    """The first time that the same bytes were joined to a run."""
    rows = fetch_records(connection, "joins_of", file_sha256=file_sha256, run_id=run_id, mark=MARK)
    return rows[0] if rows else None


def take_in(
    connection: Connection,
    run_id: str,
    source: Source,
    judged: Sequence[Judged],
    labels: Sequence[JoinedLabel],
    scales: Mapping[str, Mapping[str, Any]],
    notices: Iterable[Notice],
) -> None:
    """Append scores and labels to a run, in the transaction of the connection.

    Args:
        connection: one of ``Store.writing``.
        run_id: the run.
        source: the file.
        judged: scores; earlier ones stay.
        labels: labels; a later one of the same rater supersedes an earlier one.
        scales: lo, hi, direction, cut and is_declared of the metrics of which the run has no
            scale yet, or an unknown one and no value.
        notices: what reading the file had to repair.

    Raises:
        NotFoundError: the run is not there any more.
    """
    for metric, scale in scales.items():
        parameters = {"run_id": run_id, "metric": metric, **scale}
        known = {"run_id": run_id, "metric": metric}
        connection.execute(sql("statements/joined/forget_metric.sql"), known)
        connection.execute(sql("statements/joined/add_metric.sql"), parameters)
    writes.append_judged(connection, run_id, judged)
    _append_labels(connection, run_id, source, labels)
    connection.execute(
        sql("statements/add_import.sql"),
        {
            "import_id": source.import_id,
            "file_name": source.file_name,
            "file_sha256": source.file_sha256,
            "format": f"{source.format}{MARK}",
            "now": source.now,
            "run_ids": [run_id],
        },
    )
    for notice in notices:
        row = {
            "import_id": source.import_id,
            "row_no": notice.row,
            "kind": "notice",
            "message": notice.notice,
            "n": notice.n,
        }
        connection.execute(sql("statements/add_import_problem.sql"), row)
    what = f"{len(judged)} scores and {len(labels)} labels of {source.file_name}"
    writes.log(connection, "join", run_id=run_id, new=f"{what} ({source.file_sha256[:12]})")


def _append_labels(
    connection: Connection, run_id: str, source: Source, labels: Sequence[JoinedLabel]
) -> None:
    if not labels:
        return
    statement = sql("statements/next_label.sql")
    number = int(connection.execute(statement, {"run_id": run_id}).fetchall()[0][0])
    appender = connection.appender("label")
    appender.append_rows([
        (
            run_id, number + i, label.position, None, label.criterion, label.rater, label.value,
            label.category, label.note, None, None, False, source.now,
        )
        for i, label in enumerate(labels)
    ])  # fmt: skip
    appender.flush()
    writes.refresh_wide(connection, run_id, sorted({label.position for label in labels}))
    writes.raise_version(connection, run_id)
