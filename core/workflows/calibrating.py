"""``ragtriage calibrate`` and the page Calibration: a score as a test for what people say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.errors import BadInputError
from core.metrics.correlation import KINDS, Correlation, correlate
from core.metrics.curves import (
    AucDifference,
    Confusion,
    delong_difference,
)
from core.metrics.operating import (
    Cuts,
    Point,
    Rule,
    all_cuts,
    average_precision_of,
    best_youden,
    confusion_at,
    first_with_tpr,
)
from core.metrics.planning import CorrectedRate, corrected_rate
from core.metrics.resampling import Interval, bootstrap_auc
from core.metrics.roc import Auc, auc_delong
from core.model import SLACK
from core.store.connection import Store
from core.workflows.labelled_scores import Paired, Question, read
from core.workflows.review import View

POOLED = (
    "The runs are pooled: differences between the runs leak into the figures, and the area can lie "
    "outside the range of theirs."
)
FEW = 5
"""With fewer samples of one side than this, counts say more than rates."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How well a score puts samples in order, whatever the cut; undefined parts carry a reason."""

    auc: Auc
    bootstrap: Interval
    average_precision: float | None
    cuts: Cuts | None
    youden: Point | None
    at_target: Point | None
    correlations: tuple[Correlation, ...]


@dataclass(frozen=True, slots=True)
class AtCut:
    """The 2×2 matrix at a cut, and the pass rate of the run as the score gives it and corrected."""

    cut: float
    confusion: Confusion
    corrected: CorrectedRate


@dataclass(frozen=True, slots=True)
class Calibration:
    """One score against one label."""

    paired: Paired
    ranking: Ranking
    at_cut: AtCut | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Area of one score minus that of the other, on the samples that have both."""

    one: str
    other: str
    difference: AucDifference


@dataclass(frozen=True, slots=True)
class Calibrations:
    """All comparisons that were asked for, and the differences between scores of the same runs."""

    found: tuple[Calibration, ...]
    differences: tuple[Difference, ...]


def calibrate(
    store: Store,
    run_ids: Sequence[str],
    questions: Sequence[Question],
    view: View | None = None,
    *,
    pool: bool = False,
) -> Calibrations:
    """Compare scores with a label, run by run or with all runs in one.

    Raises:
        NotFoundError: no such run.
        BadInputError: no such score or label, a label that has to be cut, a closed test part.
    """
    groups = [list(run_ids)] if pool else [[run_id] for run_id in dict.fromkeys(run_ids)]
    paired = [[read(store, group, question, view) for question in questions] for group in groups]
    _check_cuts([one for group in paired for one in group])
    return Calibrations(
        tuple(Calibration(one, rank(one), at_cut(one)) for group in paired for one in group),
        tuple(difference(one, other) for group in paired for one, other in combinations(group, 2)),
    )


def _check_cuts(paired: Sequence[Paired]) -> None:
    """A cut for a score that nobody asked about would change nothing, without a word."""
    known = {name for one in paired for source in one.sources for name in source.names} | {
        one.question.score for one in paired
    }
    unknown = [name for one in paired for name, _ in one.question.cuts if name not in known]
    if unknown:
        raise BadInputError(
            f"--set names {unknown[0]!r}, which is not among the scores asked about."
        )


def undefined_because(paired: Paired, auc: Auc) -> str | None:
    """Why there is no area, with the counts; None where there is one."""
    if auc.value is not None:
        return None
    if paired.n == 0:
        return f"{auc.reason} ({paired.n_samples} samples looked at)."
    good, bad = paired.target.names
    present, missing = (good, bad) if paired.labels.all() else (bad, good)
    return f"All {paired.n} labels say {present}: a curve needs at least one {missing}."


def rank(paired: Paired, *, resamples: int = 2_000) -> Ranking:
    """Area, curve, suggested cuts and correlations of pairs."""
    rule = paired.rule
    # Of the good side or of the other one: turning both score and label leaves the area alone.
    x = paired.scores * (rule.sign if rule.event == 1 else -rule.sign)
    y = paired.labels if rule.event == 1 else 1 - paired.labels
    cuts = all_cuts(paired.scores, paired.labels, rule)
    return Ranking(
        auc=auc_delong(x, y),
        bootstrap=bootstrap_auc(x, y, paired.repeated, resamples=resamples),
        average_precision=average_precision_of(cuts) if cuts is not None else None,
        cuts=cuts,
        youden=best_youden(cuts) if cuts is not None else None,
        at_target=first_with_tpr(cuts, paired.question.target_tpr) if cuts is not None else None,
        correlations=tuple(
            correlate(paired.scores, paired.raw_labels, kind, paired.repeated) for kind in KINDS
        ),
    )


def at_cut(paired: Paired, cut: float | None = None) -> AtCut | None:
    """Matrix and corrected rate at a cut, or at the one that applies; None without any."""
    if cut is None:
        applied = paired.cut
        if applied is None or applied.value is None:
            return None
        cut = applied.value
    passed = int((paired.every_score * paired.rule.sign >= cut * paired.rule.sign - SLACK).sum())
    good = confusion_at(paired.scores, paired.labels, cut, Rule(paired.rule.sign, 1))
    return AtCut(
        cut,
        confusion_at(paired.scores, paired.labels, cut, paired.rule),
        corrected_rate(
            passed,
            len(paired.every_score),
            true_positive=good.true_positive,
            false_negative=good.false_negative,
            true_negative=good.true_negative,
            false_positive=good.false_positive,
        ),
    )


def difference(one: Paired, other: Paired) -> Difference:
    """Paired DeLong test of two scores of the same runs, on the samples that have both."""
    _, here, there = np.intersect1d(one.keys, other.keys, return_indices=True)
    found = delong_difference(
        one.scores[here] * one.rule.sign, other.scores[there] * other.rule.sign, one.labels[here]
    )
    return Difference(one.question.score, other.question.score, found)


def warnings(paired: Paired) -> Iterator[str]:
    """What has to be known beside the figures, in sentences."""
    if paired.is_pooled:
        yield POOLED
    if paired.part == "open":
        yield "The test part of the labels is closed and left out."
    least = min(paired.n_event, paired.n - paired.n_event)
    if 0 < least < FEW:
        yield (
            f"Only {least} of {paired.n} samples are on one side of the label: read the counts, "
            "not the rates."
        )
    if any(source.is_proxy for source in paired.sources):
        yield "Nobody has judged adherence in this run; groundedness stands in for it."
    relatives = {source.score.model: source.family for source in paired.sources if source.family}
    for model, family in relatives.items():
        yield (
            f"The judge {model} and the system that answered seem to be of one family ({family}): "
            "a judge may favour its own kind. One of another family is the safer witness."
        )
