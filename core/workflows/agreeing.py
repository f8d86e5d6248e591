"""``ragtriage agree`` and the page Agreement: raters with each other, and a judge with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.metrics.agreement import (
    Agreement,
    Weights,
    absolute_agreement,
    cohen_kappa,
    gwet,
    krippendorff_alpha,
)
from core.metrics.correlation import KINDS, Correlation, correlate
from core.metrics.intervals import Rate, wilson
from core.metrics.means import mean_rate
from core.metrics.paired import GroupTest, chi_square, kruskal_wallis
from core.metrics.roc import Floats
from core.model import SLACK
from core.store import calibration as reads
from core.store import queries
from core.store.connection import Connection, Store
from core.workflows import review
from core.workflows.labelled_scores import PART_CODES, Question, Source, part_in_view, source_of
from core.workflows.rating_scale import RatingScale
from core.workflows.ratings import Rated, label_facts, read_ratings, spread

LEAST_IN_SLICE = 5
"""A slice with fewer rated samples is not compared."""

MOST_SLICES = 20
NEEDS_TWO = "agreement needs two raters on the same samples"


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater: how many units, the mean of the ratings and their standard deviation."""

    name: str
    n: int
    mean: float | None
    sd: float | None


@dataclass(frozen=True, slots=True)
class SliceLine:
    """Rated samples with one value of a tag; the mean is of one rating per sample."""

    value: str
    mean: Rate


@dataclass(frozen=True, slots=True)
class Slices:
    """One test over the values of a tag; pairs are (value, value, corrected p)."""

    tag: str
    test_name: str
    lines: tuple[SliceLine, ...]
    test: GroupTest
    pairs: tuple[tuple[str, str, float], ...]
    n_left_out: int


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """A judge against itself: samples whose side of the cut changes over repeats."""

    n_repeats: int
    flips: Rate
    ac1: Agreement


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """A judge against the people: correlations with the mean rating, and with itself."""

    source: Source
    correlations: tuple[Correlation, ...]
    itself: SelfAgreement | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Everything about one criterion of a run.

    Units are samples, or contexts where people rated those. ``n_units`` have a rating, ``n_paired``
    at least two; ``n_left_out`` answers are none of the scale. ``mean`` is over all ratings, its
    interval over questions.
    """

    run: queries.RunRow
    criterion: str
    scale: RatingScale
    weights: Weights
    raters: tuple[RaterLine, ...]
    n_units: int
    n_paired: int
    n_left_out: int
    ac1: Agreement
    ac2: Agreement | None
    kappas: tuple[tuple[str, str, Agreement], ...]
    alpha: Agreement
    absolute: Rate
    mean: Rate
    sd: float | None
    by_rank: tuple[tuple[int, Rate], ...] = ()
    slices: Slices | None = None
    judge: JudgeLine | None = None
    is_of_contexts: bool = False

    @property
    def reason(self) -> str | None:
        """Why there is no agreement, None if there is one."""
        if self.ac1.value is not None:
            return None
        named = ", ".join(rater.name for rater in self.raters) or "nobody"
        return f"{NEEDS_TWO}: {self.criterion!r} was rated by {named}"

    @property
    def kappa(self) -> Agreement:
        """Cohen's kappa of two raters, of more the mean over their pairs."""
        if len(self.kappas) == 1:
            return self.kappas[0][2]
        defined = [one.value for _, _, one in self.kappas if one.value is not None]
        if not defined:
            return Agreement("kappa", None, n=self.n_paired, reason=NEEDS_TWO)
        note = f"mean of {len(defined)} pairs of raters"
        mean = float(np.mean(defined))
        return Agreement("kappa", mean, n=self.n_paired, n_paired=self.n_paired, note=note)


def agree(
    store: Store,
    run_id: str,
    criterion: str,
    *,
    weights: Weights = "identity",
    scale: str | None = None,
    view: review.View | None = None,
    tag: str | None = None,
    score: str | None = None,
) -> AgreementReport:
    """How far raters agree on a criterion; with a score also how far the judge agrees with them.

    Raises:
        NotFoundError: no such run.
        BadInputError: no such label or score, or a scale that is not known.
    """
    view = view or review.View()
    with store.reading() as connection:
        settings = review.settings(connection, run_id, view)
        run_id = settings.run.run_id
        if not view.wanted.is_empty:
            review.match(connection, settings, view)
        reads.keep(connection, run_id, only_matched=not view.wanted.is_empty)
        facts = label_facts(connection, run_id)
        rated = read_ratings(connection, run_id, criterion, facts, given_scale=scale)
        tags = reads.tag_of_samples(connection, run_id, tag) if tag is not None else None
        judge = (
            _judge_line(connection, settings, view, rated, criterion, score)
            if score is not None and not rated.is_of_contexts
            else None
        )
    return _report(settings.run, criterion, rated, weights, tag, tags, judge)


def _report(
    run: queries.RunRow,
    criterion: str,
    rated: Rated,
    weights: Weights,
    tag: str | None,
    tags: Mapping[int, str] | None,
    judge: JudgeLine | None,
) -> AgreementReport:
    matrix, categories = rated.matrix, rated.scale.values
    n_equal, n_paired = absolute_agreement(matrix)
    return AgreementReport(
        run=run,
        criterion=criterion,
        scale=rated.scale,
        weights=weights,
        raters=tuple(_rater(name, matrix[:, i]) for i, name in enumerate(rated.names)),
        n_units=len(matrix),
        n_paired=n_paired,
        n_left_out=rated.n_left_out,
        ac1=gwet(matrix, categories),
        ac2=gwet(matrix, categories, weights) if weights != "identity" else None,
        kappas=tuple(
            (a, b, cohen_kappa(matrix[:, i], matrix[:, j], categories, weights))
            for (i, a), (j, b) in combinations(enumerate(rated.names), 2)
        ),
        alpha=krippendorff_alpha(matrix, categories, weights),
        absolute=wilson(n_equal, n_paired, NEEDS_TWO),
        mean=rated.mean(),
        sd=spread(rated.values),
        by_rank=tuple(
            (int(rank), rated.of_rank(int(rank))) for rank in np.unique(rated.rank) if rank > 0
        ),
        slices=_slices(rated, tag, tags) if tag is not None and tags is not None else None,
        judge=judge,
        is_of_contexts=rated.is_of_contexts,
    )


def _rater(name: str, ratings: Floats) -> RaterLine:
    given = ratings[~np.isnan(ratings)]
    return RaterLine(name, len(given), float(given.mean()) if len(given) else None, spread(given))


def _slices(rated: Rated, tag: str, tags: Mapping[int, str]) -> Slices:
    groups: dict[str, list[float]] = {}
    for position, mean in zip(*(column.tolist() for column in rated.sample_means()), strict=True):
        if position in tags:
            groups.setdefault(tags[position], []).append(mean)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    kept = [(value, means) for value, means in ordered if len(means) >= LEAST_IN_SLICE]
    kept = kept[:MOST_SLICES]
    lines = tuple(SliceLine(value, mean_rate(means)) for value, means in kept)
    if rated.scale.is_binary:
        name = "chi-square, pairs by Fisher's exact test with Holm's correction"
        outcomes = [_outcomes(means, rated.scale.values) for _, means in kept]
        # A slice of ties only has no outcome, and no place in the test.
        kept = [one for one, row in zip(kept, outcomes, strict=True) if any(row)]
        test = chi_square(outcomes)
    else:
        name = "Kruskal–Wallis, pairs by Mann–Whitney with Holm's correction"
        test = kruskal_wallis([means for _, means in kept])
    pairs = tuple((kept[i][0], kept[j][0], p) for i, j, p in test.pairs)
    return Slices(tag, name, lines, test, pairs, len(ordered) - len(kept))


def _outcomes(means: Sequence[float], values: Sequence[float]) -> list[int]:
    """Samples by the majority of their raters; a tie is neither."""
    middle = (values[0] + values[1]) / 2
    return [sum(mean < middle for mean in means), sum(mean > middle for mean in means)]


def _judge_line(
    connection: Connection,
    settings: review.Settings,
    view: review.View,
    rated: Rated,
    criterion: str,
    score: str,
) -> JudgeLine:
    run_id = settings.run.run_id
    question = Question(score, criterion)
    source = source_of(connection, settings, question, view)
    part, _, _ = part_in_view(connection, [run_id], question)
    columns = reads.scored_labels(
        connection, run_id, source.score, criterion, categories=(), n_raters=1
    )
    # What a judge is worth on a closed test part stays hidden here too.
    shown = np.where(np.isin(columns.part, PART_CODES[part]), columns.score, np.nan)
    samples, means = rated.sample_means()
    _, here, there = np.intersect1d(columns.position, samples, return_indices=True)
    scored = ~np.isnan(shown[here])
    pairs = shown[here][scored], means[there][scored]
    return JudgeLine(
        source=source,
        correlations=tuple(correlate(*pairs, kind) for kind in KINDS),
        itself=self_agreement(connection, run_id, source),
    )


def self_agreement(connection: Connection, run_id: str, source: Source) -> SelfAgreement | None:
    """A judge over its repeats on the kept samples; None where it judged only once."""
    if source.score.n_repeats < 2 or source.cut.value is None:
        return None
    sign = -1 if source.cut.direction.value == "lower" else 1
    cut = source.cut.value * sign
    votes = reads.repeats(connection, run_id, source.score)
    samples, row = np.unique([position for position, _, _ in votes], return_inverse=True)
    values = np.asarray([value for _, _, value in votes], dtype=np.float64)
    sides = np.full((len(samples), source.score.n_repeats), np.nan)
    sides[row, [repeat for _, repeat, _ in votes]] = np.where(
        np.isnan(values), np.nan, values * sign >= cut - SLACK
    )
    n_equal, n_voted = absolute_agreement(sides)
    return SelfAgreement(
        source.score.n_repeats,
        wilson(n_voted - n_equal, n_voted, "no sample has two valid repeats"),
        gwet(sides, (0.0, 1.0)),
    )
