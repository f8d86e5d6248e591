"""Scores and labels of the same samples as arrays, and the ratings of several raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.store.connection import Connection, sql
from core.store.run_sql import fetch_records, fetch_rows
from core.store.scores import ScoreSet, fill_scored


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a criterion, given ``n`` times; a category may stand for a number."""

    criterion: str
    value: float | None
    category: str | None
    n: int

    @property
    def text(self) -> str:
        """The answer as a filter names it."""
        if self.category is not None:
            return self.category
        return "unknown" if self.value is None else f"{self.value:g}"


@dataclass(frozen=True, slots=True)
class Rater:
    """Who labelled how many samples for a criterion; ``is_context`` if it was about contexts.

    ``n_of_all`` samples have a label of any rater.
    """

    criterion: str
    name: str
    is_context: bool
    n: int
    n_of_all: int


class Unscored(NamedTuple):
    """So many samples have no score for the same reason, with labels in the same part or none."""

    status: str
    cause: str | None
    part: int
    is_labelled: bool
    n: int


@dataclass(frozen=True, slots=True)
class ScoredLabels:
    """Samples with a score or a label, in the order of the file; all arrays have one length.

    ``score`` and ``label`` are NaN where there is none; ``category`` counts from 1 into the
    categories that were asked for, 0 is none of them; ``part`` is 0 for none, then train, dev,
    test. ``question`` is the same number for the same sample id in any run. ``n_kept`` samples
    were looked at; ``unscored`` says why some of them have no score.
    """

    position: NDArray[np.int64]
    score: NDArray[np.float64]
    label: NDArray[np.float64]
    category: NDArray[np.int32]
    is_labelled: NDArray[np.bool_]
    question: NDArray[np.uint64]
    part: NDArray[np.int8]
    n_kept: int
    unscored: tuple[Unscored, ...]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of samples, or of their contexts, in no order; all arrays have one length.

    ``rank`` is that of the context, 0 for a sample. ``rater`` and ``category`` count from 1 into
    the names that were asked for, 0 is none of them; ``value`` is NaN where there is no number.
    """

    position: NDArray[np.int64]
    rank: NDArray[np.int64]
    rater: NDArray[np.int32]
    value: NDArray[np.float64]
    category: NDArray[np.int32]


def answers(connection: Connection, run_id: str, *, of_contexts: bool = False) -> list[Answer]:
    """Every answer to every criterion of a run, of the latest label of each rater."""
    rows = fetch_rows(
        connection, "calibration/label_answers", run_id=run_id, is_context=of_contexts
    )
    return [Answer(*row) for row in rows]


def raters(connection: Connection, run_id: str) -> list[Rater]:
    """Who labelled what in a run."""
    return [
        Rater(*row) for row in fetch_rows(connection, "calibration/label_raters", run_id=run_id)
    ]


def keep(connection: Connection, run_id: str, *, only_matched: bool) -> int:
    """Look, for what follows, at the matched samples or at the whole run; returns how many."""
    if only_matched:
        connection.execute(sql("queries/calibration/keep_matched.sql"))
    else:
        connection.execute(sql("queries/calibration/keep_run.sql"), {"run_id": run_id})
    return int(connection.execute("select count(*) from kept").fetchall()[0][0])


def scored_labels(
    connection: Connection,
    run_id: str,
    score: ScoreSet,
    criterion: str,
    *,
    categories: Sequence[str],
    n_raters: int,
) -> ScoredLabels:
    """Scores and current labels of the kept samples."""
    here = {"run_id": run_id, "criterion": criterion}
    n_kept = int(connection.execute("select count(*) from kept").fetchall()[0][0])
    fill_scored(connection, run_id, score)
    # The majority of one rater is that rater, at a tenth of the time.
    name = "labelled_voted" if n_raters > 1 else "labelled_once"
    connection.execute(sql(f"queries/calibration/{name}.sql"), here)
    columns: dict[str, Any] = connection.execute(
        sql("queries/calibration/columns.sql"), {**here, "categories": list(categories)}
    ).fetchnumpy()
    causes = fetch_rows(
        connection,
        "calibration/unscored_causes",
        run_id=run_id,
        criterion=criterion,
        metric=score.metric,
        judge_id=score.judge_id,
    )
    return ScoredLabels(
        position=np.asarray(columns["position"], np.int64),
        score=_numbers(columns["score"]),
        label=_numbers(columns["label"]),
        category=np.asarray(columns["category"], np.int32),
        is_labelled=np.asarray(columns["is_labelled"], np.bool_),
        question=np.asarray(columns["question"], np.uint64),
        part=np.asarray(columns["part"], np.int8),
        n_kept=n_kept,
        unscored=tuple(Unscored(*row) for row in causes),
    )


def _numbers(column: Any) -> NDArray[np.float64]:
    """A column of doubles with NaN for NULL; NaN itself never gets into the store."""
    return np.ma.filled(np.ma.asarray(column, np.float64), np.nan)


def ratings(
    connection: Connection,
    run_id: str,
    criterion: str,
    *,
    raters: Sequence[str],
    categories: Sequence[str] = (),
    of_contexts: bool = False,
) -> Ratings:
    """Ratings of the kept samples (or of their contexts), the latest of each rater."""
    columns: dict[str, Any] = connection.execute(
        sql("queries/calibration/ratings.sql"),
        {
            "run_id": run_id,
            "criterion": criterion,
            "is_context": of_contexts,
            "raters": list(raters),
            "categories": list(categories),
        },
    ).fetchnumpy()
    return Ratings(
        position=np.asarray(columns["position"], np.int64),
        rank=np.asarray(columns["context_rank"], np.int64),
        rater=np.asarray(columns["rater"], np.int32),
        value=_numbers(columns["value"]),
        category=np.asarray(columns["category"], np.int32),
    )


def repeats(
    connection: Connection, run_id: str, score: ScoreSet
) -> list[tuple[int, int, float | None]]:
    """(position, repeat, value) of one metric and judge over the kept samples."""
    rows = fetch_rows(
        connection,
        "calibration/repeats",
        run_id=run_id,
        metric=score.metric,
        judge_id=score.judge_id,
    )
    return [(position, repeat, value) for position, repeat, value in rows]


def features(connection: Connection, run_id: str) -> list[dict[str, Any]]:
    """Position, sample_id, the axes' scores and hit (1, 0 or None) of the matched samples."""
    return fetch_records(connection, "calibration/features", run_id=run_id)


def current_labels(
    connection: Connection, run_id: str, criterion: str
) -> list[tuple[int, float | None, str | None]]:
    """(position, value, category): the majority of the latest labels of each rater."""
    connection.execute(
        sql("queries/calibration/labelled_voted.sql"), {"run_id": run_id, "criterion": criterion}
    )
    rows = connection.execute(
        "select position, value, category from labelled order by 1"
    ).fetchall()
    return [(position, value, category) for position, value, category in rows]


def tag_of_samples(connection: Connection, run_id: str, tag: str) -> dict[int, str]:
    """Value of one tag by position, for the kept samples that have it."""
    return dict(fetch_rows(connection, "calibration/tag_of_samples", run_id=run_id, tag=tag))
