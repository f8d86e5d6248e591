"""Answers beside their references: what is to be compared, and the figures of what was."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows


@dataclass(frozen=True, slots=True)
class AnswerTexts:
    """What is compared of one sample."""

    position: int
    question: str
    answer: str
    references: tuple[str, ...]


def uncompared(connection: Connection, run_id: str, judge_id: str) -> list[int]:
    """Positions of the samples that this judge has not compared; none where nothing can be."""
    rows = fetch_rows(connection, "answers/uncompared", run_id=run_id, judge_id=judge_id)
    return [position for (position,) in rows]


def answer_texts(
    connection: Connection, run_id: str, positions: Sequence[int]
) -> list[AnswerTexts]:
    """Texts of the samples at these positions, which lie close together."""
    rows = fetch_rows(
        connection,
        "answers/texts",
        run_id=run_id,
        positions=list(positions),
        first=min(positions),
        last=max(positions),
    )
    return [
        AnswerTexts(position, question, answer, tuple(references))
        for position, question, answer, references in rows
    ]


def answer_fit_texts(connection: Connection, run_id: str, limit: int) -> list[str]:
    """Answers and references of a bounded part of the run, chosen by the hash of the sample id."""
    rows = fetch_rows(connection, "answers/fit_texts", run_id=run_id, limit=limit)
    return [text for (text,) in rows]


def has_references(connection: Connection, run_id: str) -> bool:
    """Whether any sample of a run has a reference."""
    return bool(fetch_rows(connection, "answers/has_references", run_id=run_id)[0][0])


@dataclass(frozen=True, slots=True)
class Sums:
    """Number, sum and sum of squares of the values of a group."""

    n: int
    total: float
    squares: float


def patterns(connection: Connection) -> list[tuple[int, str, int]]:
    """(pattern code, what settled correctness, samples) of the matched samples."""
    return [(code, by, n) for code, by, n in fetch_rows(connection, "answers/patterns")]


@dataclass(frozen=True, slots=True)
class StateCount:
    """Samples with one state of one metric; the sums are those of the values."""

    metric: str
    status: str
    cause: str | None
    sums: Sums


def figures(connection: Connection, run_id: str, judge_id: str) -> list[StateCount]:
    """States of all scores of one judge over the matched samples."""
    rows = fetch_rows(connection, "answers/figures", run_id=run_id, judge_id=judge_id)
    return [
        StateCount(metric, status, cause, Sums(n, total or 0.0, squares or 0.0))
        for metric, status, cause, n, total, squares in rows
    ]


def choose_score(connection: Connection, run_id: str, metric: str, judge_id: str) -> None:
    """Make the temporary table ``scored`` of a metric for what follows in this burst."""
    connection.execute(
        sql("queries/calibration/scored_once.sql"),
        {"run_id": run_id, "metric": metric, "judge_id": judge_id},
    )


def choose_correctness(connection: Connection) -> None:
    """Make the temporary table ``scored`` of correctness over the matched answered samples."""
    connection.execute(sql("queries/answers/scored_correct.sql"))


def histogram(connection: Connection, lo: float, hi: float, bins: int) -> list[int]:
    """Matched values of ``scored`` in equal steps from lo to hi."""
    counts = [0] * bins
    for place, n in fetch_rows(connection, "answers/histogram", lo=lo, hi=hi, bins=bins):
        counts[place] = n
    return counts


def by_length(
    connection: Connection, run_id: str, judge_id: str, groups: int
) -> list[tuple[int, int, Sums]]:
    """(fewest words, most words, sums of ``scored``) of the matched samples by length."""
    rows = fetch_rows(
        connection, "answers/by_length", run_id=run_id, judge_id=judge_id, groups=groups
    )
    return [(shortest, longest, Sums(*sums)) for shortest, longest, *sums in rows]


def length_pairs(
    connection: Connection, run_id: str, judge_id: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n,) words of the answer and (n,) values of ``scored`` of the matched samples."""
    found = connection.execute(
        sql("queries/answers/length_pairs.sql"), {"run_id": run_id, "judge_id": judge_id}
    ).fetchnumpy()
    return (
        np.asarray(found["words"], dtype=np.float64),
        np.asarray(found["value"], dtype=np.float64),
    )


def by_tag(connection: Connection, run_id: str, tag: str) -> list[tuple[str, Sums]]:
    """Sums of ``scored`` of the matched samples by the values of a tag, the largest first."""
    rows = fetch_rows(connection, "answers/by_tag", run_id=run_id, tag=tag)
    return [(value, Sums(*sums)) for value, *sums in rows]
