"""Scores of one or several runs beside a label of the same samples, read in one burst."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.diagnosis.families import shared_family
from core.diagnosis.thresholds import Cut, resolve_cut
from core.errors import BadInputError
from core.filters import PARTS
from core.metrics.operating import Rule
from core.model import Axis, Direction
from core.store import calibration as reads
from core.store import parts, queries
from core.store.connection import Connection, Store
from core.store.scores import ScoreSet, find_set, score_sets
from core.workflows import review
from core.workflows.targets import Target, resolve_target


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be compared. ``part`` is a part of the label's split; "" takes all that is open.

    ``cuts`` are (score, cut) overrides; ``direction`` says which scores predict the good side where
    the metric's own direction is not to be used.
    """

    score: str
    label: str
    positive: str | None = None
    label_cut: float | None = None
    direction: Direction | None = None
    part: str = ""
    target_tpr: float = 0.9
    cuts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """The scores of one run that go into a comparison, and the cut that applies to them there.

    ``family`` names the family of models that judge and run seem to share.
    """

    run_id: str
    name: str
    score: ScoreSet
    cut: Cut
    is_proxy: bool = False
    family: str | None = None

    @property
    def names(self) -> tuple[str, str]:
        """What the scores may be called: the metric, and the metric with its judge."""
        return self.score.metric, self.score.name


@dataclass(frozen=True, slots=True)
class Paired:
    """Samples that have both a score and a usable label, of one run or of several pooled.

    ``labels`` are 1 on the good side. ``every_score`` also holds the scores of samples without a
    label. ``n_samples`` were looked at; ``left_out`` says why the others are no pairs.
    """

    question: Question
    sources: tuple[Source, ...]
    target: Target
    rule: Rule
    scores: NDArray[np.float64]
    labels: NDArray[np.int8]
    raw_labels: NDArray[np.float64]
    clusters: NDArray[np.uint64]
    keys: NDArray[np.int64]
    every_score: NDArray[np.float64]
    n_samples: int
    left_out: tuple[tuple[str, int], ...]
    part: str
    is_split: bool
    is_test_open: bool

    @property
    def n(self) -> int:
        """Pairs."""
        return len(self.scores)

    @property
    def n_event(self) -> int:
        """Pairs of the positive side."""
        good = int(self.labels.sum())
        return good if self.rule.event == 1 else self.n - good

    @property
    def is_pooled(self) -> bool:
        """True for pairs of several runs."""
        return len(self.sources) > 1

    @property
    def repeated(self) -> NDArray[np.uint64] | None:
        """Question of each pair where questions repeat, else None."""
        return self.clusters if self.is_pooled else None

    @property
    def cut(self) -> Cut | None:
        """The cut that applies, None where there is none or the runs have different ones."""
        cuts = {(source.cut.value, source.cut.direction) for source in self.sources}
        first = self.sources[0].cut
        return first if len(cuts) == 1 and first.value is not None else None

    @property
    def no_cut_reason(self) -> str:
        """Why there is no cut."""
        if all(source.cut.value is not None for source in self.sources):
            return "the runs have different cuts for this score; name one"
        return "the scale of this score is unknown, so it has no cut; name one"


def read(
    store: Store, run_ids: Sequence[str], question: Question, view: review.View | None = None
) -> Paired:
    """Pairs of score and label of one or several runs, in one burst.

    Raises:
        NotFoundError: no such run.
        BadInputError: no such score or label, a label that has to be cut, a closed test part.
    """
    view = view or review.View()
    with store.reading() as connection:
        settings = [review.settings(connection, run_id, view) for run_id in dict.fromkeys(run_ids)]
        ids = [one.run.run_id for one in settings]
        answers = [answer for run_id in ids for answer in reads.answers(connection, run_id)]
        raters = [rater for run_id in ids for rater in reads.raters(connection, run_id)]
        target = resolve_target(
            answers,
            raters,
            question.label,
            positive=question.positive,
            label_cut=question.label_cut,
        )
        sources = tuple(source_of(connection, one, question, view) for one in settings)
        part, is_split, is_open = part_in_view(connection, ids, question)
        columns = []
        for one, source in zip(settings, sources, strict=True):
            if not view.wanted.is_empty:
                review.match(connection, one, view)
            reads.keep(connection, one.run.run_id, only_matched=not view.wanted.is_empty)
            columns.append(
                reads.scored_labels(
                    connection,
                    one.run.run_id,
                    source.score,
                    question.label,
                    categories=target.categories,
                    n_raters=target.n_raters,
                )
            )
    return _paired(question, sources, target, columns, part, is_split, is_open)


def source_of(
    connection: Connection, settings: review.Settings, question: Question, view: review.View
) -> Source:
    """The scores that a name means in a run: an axis, a canonical id, or the file's own name.

    Raises:
        BadInputError: the run has no such scores; the message lists what it has.
    """
    run = settings.run
    sets = score_sets(connection, run.run_id)
    name, is_proxy = question.score, False
    found: ScoreSet | None
    if name in set(Axis) and (choice := settings.choices.get(Axis(name))) is not None:
        is_proxy = choice.is_proxy
        chosen = (choice.metric, choice.judge_id)
        found = next((one for one in sets if (one.metric, one.judge_id) == chosen), None)
    else:
        found = find_set(sets, name, run.n_samples)
        # The file's own name of a metric that bears ours in the store.
        found = found or find_set(sets, run.metric_called(name), run.n_samples)
    if found is None:
        known = ", ".join(sorted({one.metric for one in sets})) or "none"
        raise BadInputError(f"Run {run.name!r} has no scores named {name!r}. Its scores: {known}.")
    overrides = dict(question.cuts)
    override = overrides.get(name, overrides.get(found.metric))
    axis = axis_fed(settings, found)
    if override is None and axis is not None:
        override = dict(view.cuts).get(axis)
    cut = cut_of(connection, run.run_id, found, override)
    family = shared_family(found.model, run.name, run.config)
    return Source(run.run_id, run.name, found, cut, is_proxy, family)


def cut_of(
    connection: Connection, run_id: str, score: ScoreSet, override: float | None = None
) -> Cut:
    """The cut that applies to the scores of one judge in a run: override, run's, default."""
    return resolve_cut(
        score.metric,
        review.scale_of(score.kind, score.metric, queries.metric_scales(connection, run_id)),
        score.kind,
        score.model,
        run_cut=queries.thresholds(connection, run_id).get((score.metric, score.judge_id)),
        override=override,
        judge_cuts=review.SHIPPED_CUTS,
    )


def axis_fed(settings: review.Settings, score: ScoreSet) -> Axis | None:
    """The axis that these scores feed under a view's selection, None if they feed none."""
    for axis, choice in settings.choices.items():
        if not choice.is_proxy and (choice.metric, choice.judge_id) == (
            score.metric,
            score.judge_id,
        ):
            return axis
    return None


def part_in_view(
    connection: Connection, run_ids: Sequence[str], question: Question
) -> tuple[str, bool, bool]:
    """Which labels may be looked at: the part, whether there is a split, whether test is open.

    The part is one of ``PART_CODES``: "all", "open" (all but a closed test part), or the one asked
    for.

    Raises:
        BadInputError: the labels are not split, or the test part is closed.
    """
    label = question.label
    split = [run_id for run_id in run_ids if label in parts.part_counts(connection, run_id)]
    closed = [run_id for run_id in split if label not in parts.opened_tests(connection, run_id)]
    if question.part == "":
        return ("open" if closed else "all"), bool(split), bool(split) and not closed
    if question.part not in PARTS:
        raise BadInputError(f"There is no part {question.part!r}; parts: {', '.join(PARTS)}.")
    if len(split) < len(run_ids):
        raise BadInputError(
            f"The labels {label!r} are not split into parts; split them first (--split)."
        )
    if question.part == "test" and closed:
        raise BadInputError(
            f"The test part of {label!r} is closed: it is to be looked at once, when everything is "
            "decided. Open it with --open-test; that is logged."
        )
    return question.part, True, not closed


def _paired(
    question: Question,
    sources: tuple[Source, ...],
    target: Target,
    columns: Sequence[reads.ScoredLabels],
    part: str,
    is_split: bool,
    is_test_open: bool,
) -> Paired:
    rule = Rule(-1 if _direction(question, sources) is Direction.LOWER else 1, target.event)
    pieces: list[tuple[NDArray[Any], ...]] = []
    left_out: dict[str, int] = {}
    n_samples = 0
    for run, one in enumerate(columns):
        sides = target.sides(one)
        has_score = ~np.isnan(one.score)
        in_part = np.isin(one.part, PART_CODES[part])
        is_pair = has_score & (sides >= 0) & in_part
        n_here, missing = _left_out(one, sides, has_score, in_part, part)
        n_samples += n_here
        for why, n in missing.items():
            left_out[why] = left_out.get(why, 0) + n
        raw = np.where(np.isnan(one.label), sides, one.label)
        pieces.append(
            (
                one.score[is_pair],
                sides[is_pair],
                raw[is_pair],
                one.question[is_pair],
                one.position[is_pair] * len(columns) + run,
                one.score[has_score],
            )
        )
    scores, labels, raw_labels, clusters, keys, every_score = (
        np.concatenate(column) for column in zip(*pieces, strict=True)
    )
    return Paired(
        question=question,
        sources=sources,
        target=target,
        rule=rule,
        scores=scores,
        labels=labels,
        raw_labels=raw_labels,
        clusters=clusters,
        keys=keys,
        every_score=every_score,
        n_samples=n_samples,
        left_out=tuple(sorted((why, n) for why, n in left_out.items() if n)),
        part=part,
        is_split=is_split,
        is_test_open=is_test_open,
    )


#: Codes of ``ScoredLabels.part`` that belong to a part in view.
PART_CODES = {
    "all": (0, 1, 2, 3),
    "open": (0, 1, 2),
    **{part: (code,) for code, part in enumerate(PARTS, 1)},
}


def _left_out(
    one: reads.ScoredLabels,
    sides: NDArray[np.int8],
    has_score: NDArray[np.bool_],
    in_part: NDArray[np.bool_],
    part: str,
) -> tuple[int, dict[str, int]]:
    """Samples that were looked at, and how many of them are no pairs and why."""
    found = {"label_unclear": int((has_score & one.is_labelled & (sides < 0) & in_part).sum())}
    is_one_part = part in PARTS
    for status, cause, code, is_labelled, n in one.unscored:
        if code in PART_CODES[part] and (is_labelled or not is_one_part):
            why = f"{status}:{cause}" if cause else status
            found[why] = found.get(why, 0) + n
    if is_one_part:
        return int((in_part & one.is_labelled).sum()), found
    found["no_label"] = int((has_score & ~one.is_labelled & in_part).sum())
    return one.n_kept - int((~in_part).sum()), found


def _direction(question: Question, sources: Sequence[Source]) -> Direction:
    if question.direction is not None:
        return question.direction
    directions = {source.cut.direction for source in sources}
    if len(directions) > 1:
        raise BadInputError(
            f"{question.score!r} is better higher in one of the runs and better lower in another; "
            "say which with --direction."
        )
    return sources[0].cut.direction
