"""The answers of a run: right or wrong, who said so, and how they compare with references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.diagnosis.outcomes import (
    AnswerOutcome,
    RefusalTable,
    outcome_counts,
    outcome_of,
    refusal_table,
)
from core.judge.overlap import COMPARISONS, SPEC
from core.metrics.correlation import Correlation, correlate
from core.metrics.intervals import Rate, undefined_rate, wilson
from core.metrics.means import mean_of_sums
from core.metrics.registry import METRICS
from core.metrics.spec import CutRule
from core.model import Cause, Status
from core.store import answers
from core.store.answers import StateCount, Sums
from core.store.connection import Connection, Store
from core.store.queries import RunRow
from core.store.scores import find_set, score_sets
from core.workflows import review
from core.workflows.comparing_answers import JUDGE_ID

CORRECT = "correct"
"""Name of correctness among the scores that length and slices can be looked at by."""

JUDGE = SPEC.model
EMBEDDED = "answer_similarity_embed"
GROUPS = 5
BINS = 20
MIN_GROUPED = 20
"""With fewer answers than these a group by length would hold fewer than four."""

_NO_REFERENCE = "no sample has an expected answer"
_NO_SCORE = "no sample in view has this score"


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """One comparison over the samples in view: its mean, and how many lack it for which cause."""

    metric: str
    mean: Rate
    causes: tuple[tuple[str, str | None, int], ...]
    n_not_scored: int


@dataclass(frozen=True, slots=True)
class Answers:
    """What the page Answers shows of a view.

    ``by_source`` has (correct, incorrect) per source of correctness, ``unknown`` under "none".
    Refused answers stand in no row of it. ``embedded`` is the similarity by an embedding model,
    where one has been asked.
    """

    settings: review.Settings
    n: int
    outcomes: Mapping[AnswerOutcome, int]
    by_source: Mapping[str, Mapping[AnswerOutcome, int]]
    refusals: RefusalTable
    scores: tuple[AnswerScore, ...]
    has_references: bool
    n_uncompared: int
    embedded: AnswerScore | None = None

    @property
    def accuracy(self) -> Rate:
        """Correct of all in view."""
        return wilson(self.outcomes[AnswerOutcome.CORRECT], self.n)

    @property
    def accuracy_answered(self) -> Rate:
        """Correct of those that were answered and are known to be right or wrong."""
        right, wrong = (self.outcomes[one] for one in list(AnswerOutcome)[:2])
        return wilson(right, right + wrong, "no answer is known to be right or wrong")

    def score(self, metric: str) -> AnswerScore | None:
        """One comparison by its metric."""
        return next((one for one in self.scores if one.metric == metric), None)


@dataclass(frozen=True, slots=True)
class LengthGroup:
    """Answers of so many words, both ends included."""

    shortest: int
    longest: int
    mean: Rate


@dataclass(frozen=True, slots=True)
class ScoreView:
    """One score, or correctness, in detail.

    ``groups`` are empty with fewer than 20 values; ``correlation`` is Spearman's with the length.
    """

    name: str
    mean: Rate
    histogram: tuple[int, ...]
    groups: tuple[LengthGroup, ...]
    correlation: Correlation | None


def load_answers(store: Store, run_id: str, view: review.View) -> Answers:
    """All figures of the page but those of one score.

    Raises:
        NotFoundError: no such run.
    """
    with review.matched(store, run_id, view) as (connection, found):
        run_id = found.run.run_id
        rows = answers.patterns(connection)
        n = sum(count for _, _, count in rows)
        return Answers(
            settings=found,
            n=n,
            outcomes=outcome_counts((code, count) for code, _, count in rows),
            by_source=_by_source(rows),
            refusals=refusal_table((code, count) for code, _, count in rows),
            scores=_scores(connection, run_id, n) if found.run.has_answers else (),
            has_references=answers.has_references(connection, run_id),
            n_uncompared=len(answers.uncompared(connection, run_id, JUDGE_ID)),
            embedded=_embedded(connection, found.run, n),
        )


def _embedded(connection: Connection, run: RunRow, n: int) -> AnswerScore | None:
    sets = [one for one in score_sets(connection, run.run_id) if one.n_any_status]
    chosen = find_set(sets, EMBEDDED, run.n_samples)
    if chosen is None:
        return None
    return _score(EMBEDDED, answers.figures(connection, run.run_id, chosen.judge_id), n)


def _by_source(
    rows: list[tuple[int, str, int]],
) -> dict[str, dict[AnswerOutcome, int]]:
    found: dict[str, dict[AnswerOutcome, int]] = {}
    for code, source, n in rows:
        outcome = outcome_of(code)
        if outcome is not AnswerOutcome.REFUSED:
            counts = found.setdefault(source, dict.fromkeys(AnswerOutcome, 0))
            counts[outcome] += n
    return found


def _scores(connection: Connection, run_id: str, n: int) -> tuple[AnswerScore, ...]:
    states = answers.figures(connection, run_id, JUDGE_ID)
    return tuple(_score(metric, states, n) for metric in COMPARISONS)


def _score(metric: str, states: Sequence[StateCount], n: int) -> AnswerScore:
    mine = [one for one in states if one.metric == metric]
    values = next((one.sums for one in mine if one.status == Status.VALUE.value), None)
    missing = tuple(
        (one.status, one.cause, one.sums.n) for one in mine if one.status != Status.VALUE.value
    )
    is_without = bool(missing) and all(c == Cause.NO_REFERENCE.value for _, c, _ in missing)
    return AnswerScore(
        metric,
        mean_of(metric, values, _NO_REFERENCE if is_without else _NO_SCORE),
        missing,
        n - sum(one.sums.n for one in mine),
    )


def mean_of(name: str, sums: Sums | None, reason: str = _NO_SCORE) -> Rate:
    """Mean of a group: a share with Wilson's interval for what is 0 or 1, else a mean."""
    if sums is None:
        return undefined_rate(reason)
    if name == CORRECT or METRICS[name].cut_rule is CutRule.BINARY:
        return wilson(round(sums.total), sums.n, reason)
    rate = mean_of_sums(sums.n, sums.total, sums.squares, reason=reason)
    if rate.low is None or rate.high is None:
        return rate
    # The mean lies where the scores do.
    return Rate(rate.value, max(METRICS[name].lo, rate.low), min(1.0, rate.high), rate.n, rate.k)


def _choose(connection: Connection, run_id: str, name: str) -> None:
    if name == CORRECT:
        answers.choose_correctness(connection)
    else:
        answers.choose_score(connection, run_id, name, JUDGE_ID)


def score_view(store: Store, run_id: str, view: review.View, name: str) -> ScoreView:
    """One comparison, or correctness, over the samples in view, and how it follows the length.

    Raises:
        NotFoundError: no such run.
    """
    with review.matched(store, run_id, view) as (connection, found):
        run_id = found.run.run_id
        _choose(connection, run_id, name)
        words, values = answers.length_pairs(connection, run_id, JUDGE_ID)
        groups: tuple[LengthGroup, ...] = ()
        if len(values) >= MIN_GROUPED:
            groups = tuple(
                LengthGroup(shortest, longest, mean_of(name, sums))
                for shortest, longest, sums in answers.by_length(
                    connection, run_id, JUDGE_ID, GROUPS
                )
            )
        return ScoreView(
            name=name,
            mean=mean_of(name, _sums(values)),
            histogram=tuple(answers.histogram(connection, 0.0, 1.0, BINS)),
            groups=groups,
            correlation=correlate(words, values, "spearman") if len(values) > 1 else None,
        )


def _sums(values: np.typing.NDArray[np.float64]) -> Sums | None:
    if not len(values):
        return None
    return Sums(len(values), float(values.sum()), float(values @ values))


def score_slices(
    store: Store, run_id: str, view: review.View, name: str, tag: str
) -> list[tuple[str, Rate]]:
    """One comparison, or correctness, by the values of a tag, the largest first.

    Raises:
        NotFoundError: no such run.
    """
    with review.matched(store, run_id, view) as (connection, found):
        _choose(connection, found.run.run_id, name)
        return [
            (value, mean_of(name, sums))
            for value, sums in answers.by_tag(connection, found.run.run_id, tag)
        ]
