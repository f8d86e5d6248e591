"""Every judge of a run against one label: how often it is right, and how steadily."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.diagnosis.thresholds import Cut
from core.metrics.curves import Confusion
from core.metrics.intervals import Rate
from core.metrics.operating import Rule, accuracy, confusion_at, confusion_kappa, f1_interval
from core.metrics.roc import Auc, auc_delong
from core.model import Direction
from core.store import calibration as reads
from core.store.connection import Connection, Store
from core.store.scores import ScoreSet, score_sets
from core.workflows import review
from core.workflows.labelled_scores import PART_CODES, Question, cut_of, part_in_view
from core.workflows.targets import Target, resolve_target


@dataclass(frozen=True, slots=True)
class Repeated:
    """Accuracy and F1 of single repeats: their mean and standard deviation over the repeats."""

    n_repeats: int
    accuracy: float
    accuracy_sd: float
    f1: float | None
    f1_sd: float | None


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One metric of one judge against the label, at the cut that applies to it.

    ``n_error`` and ``n_not_applicable`` count the run's samples that the judge gave no score;
    ``repeated`` is None for a judge that judged once. Without a cut there is only the area.
    """

    score: ScoreSet
    cut: Cut
    n: int
    n_error: int
    n_not_applicable: int
    auc: Auc
    confusion: Confusion | None
    repeated: Repeated | None

    @property
    def accuracy(self) -> Rate | None:
        """Share of the samples on which judge and label agree."""
        return accuracy(self.confusion) if self.confusion is not None else None

    @property
    def f1(self) -> Rate | None:
        """F1 of the positive side."""
        return f1_interval(self.confusion) if self.confusion is not None else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of judge and label."""
        return confusion_kappa(self.confusion).value if self.confusion is not None else None


def judge_table(
    store: Store, run_id: str, question: Question, view: review.View | None = None
) -> tuple[Target, tuple[JudgeRow, ...]]:
    """All judges and metrics of a run that have pairs with a label; those that feed an axis first.

    Raises:
        NotFoundError: no such run.
        BadInputError: no such label, one that has to be cut, or a closed test part.
    """
    view = view or review.View()
    with store.reading() as connection:
        settings = review.settings(connection, run_id, view)
        run_id = settings.run.run_id
        target = resolve_target(
            reads.answers(connection, run_id),
            reads.raters(connection, run_id),
            question.label,
            positive=question.positive,
            label_cut=question.label_cut,
        )
        if not view.wanted.is_empty:
            review.match(connection, settings, view)
        reads.keep(connection, run_id, only_matched=not view.wanted.is_empty)
        part, _, _ = part_in_view(connection, [run_id], question)
        rows = [
            row
            for score in score_sets(connection, run_id)
            if (row := _row(connection, settings, score, question, target, part)) is not None
        ]
    return target, tuple(sorted(rows, key=_order))


def _order(row: JudgeRow) -> tuple[bool, str, str, str]:
    axis = row.score.axis
    return axis is None, str(axis or ""), row.score.metric, row.score.model


def _row(
    connection: Connection,
    settings: review.Settings,
    score: ScoreSet,
    question: Question,
    target: Target,
    part: str,
) -> JudgeRow | None:
    run_id = settings.run.run_id
    cut = cut_of(connection, run_id, score)
    rule = Rule(-1 if cut.direction is Direction.LOWER else 1, target.event)
    columns = reads.scored_labels(
        connection,
        run_id,
        score,
        question.label,
        categories=target.categories,
        n_raters=target.n_raters,
    )
    # A label outside the part in view is as good as none.
    sides = np.where(np.isin(columns.part, PART_CODES[part]), target.sides(columns), -1)
    is_pair = ~np.isnan(columns.score) & (sides >= 0)
    if not is_pair.any():
        return None
    scores, labels = columns.score[is_pair], sides[is_pair]
    states = {"error": 0, "not_applicable": 0}
    for one in columns.unscored:
        if one.status in states:
            states[one.status] += one.n
    repeated = None
    if score.n_repeats > 1 and cut.value is not None:
        known = dict(zip(columns.position.tolist(), sides.tolist(), strict=True))
        votes = [
            (repeat, value, known[position])
            for position, repeat, value in reads.repeats(connection, run_id, score)
            if value is not None and known.get(position, -1) >= 0
        ]
        repeated = _repeated(votes, score.n_repeats, cut.value, rule)
    return JudgeRow(
        score=score,
        cut=cut,
        n=len(scores),
        n_error=states["error"],
        n_not_applicable=states["not_applicable"],
        auc=auc_delong(scores * rule.sign, labels),
        confusion=confusion_at(scores, labels, cut.value, rule) if cut.value is not None else None,
        repeated=repeated,
    )


def _repeated(
    votes: list[tuple[int, float, int]], n_repeats: int, cut: float, rule: Rule
) -> Repeated | None:
    shares, f1s = [], []
    for matrix in _matrices(votes, n_repeats, cut, rule):
        share = accuracy(matrix).value
        if share is not None:
            shares.append(share)
            f1s.append(matrix.f1)
    if len(shares) < 2:
        return None
    known = [f1 for f1 in f1s if f1 is not None]
    return Repeated(
        len(shares),
        float(np.mean(shares)),
        float(np.std(shares, ddof=1)),
        float(np.mean(known)) if known else None,
        float(np.std(known, ddof=1)) if len(known) > 1 else None,
    )


def _matrices(
    votes: list[tuple[int, float, int]], n_repeats: int, cut: float, rule: Rule
) -> Iterator[Confusion]:
    for wanted in range(n_repeats):
        mine = [(value, side) for repeat, value, side in votes if repeat == wanted]
        yield confusion_at([value for value, _ in mine], [side for _, side in mine], cut, rule)
