"""The product review of a run: everything that its overview says, read in one burst."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core import figures
from core.diagnosis.contradictions import ContradictionSpec, count_contradictions
from core.diagnosis.findings import Finding, Numbers, failure_finding
from core.diagnosis.fixes import Repair, fix_first
from core.diagnosis.headline import Headline, HeadlineId, headlines
from core.diagnosis.modes import MODES, Outcome, modes_of
from core.diagnosis.summary import Summary
from core.diagnosis.thresholds import Cut
from core.diagnosis.triad import TABLE, codes_for
from core.diagnosis.vocabulary import AXES
from core.metrics.intervals import Difference, Rate, difference, wilson
from core.metrics.roc import Auc, auc_delong
from core.model import TRIAD, Axis, Direction, JudgeKind, Mode
from core.store import derived, matching, parts, queries
from core.store import overview as reads
from core.store.connection import Connection, Store
from core.store.overview import LatencyAndCost
from core.workflows.comparability import Discord, judged_differently
from core.workflows.matrix import Matrix, read_matrix
from core.workflows.review import Settings, View

LEAST_IN_SLICE = 5
"""A slice with fewer decided samples is not compared."""

MOST_TAG_VALUES = 200
"""A tag with more values than this is more of an id than a way to slice."""

CALIBRATION_TARGETS = ("faithful", "grounded", "supported", "attributable", "faithful_strict")
"""Labels that say what groundedness claims to measure; the first that a run has is compared."""

_SLICES_KEPT = 50
_JUDGED = (*TRIAD, Axis.REFUSAL, Axis.CORRECTNESS)


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """Whose verdicts feed one axis, by which prompt, and under which cut.

    ``metric`` is None where nobody has scored the axis; refusal has no cut.
    """

    axis: Axis
    metric: str | None = None
    kind: JudgeKind | None = None
    model: str | None = None
    prompt_id: str | None = None
    prompt_sha256: str | None = None
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """How well groundedness tells the samples that people label 1 from those they label 0.

    Without a criterion the run has no label to compare with. A test part of its labels that nobody
    has opened is left out, and ``hides_test`` says so.
    """

    criterion: str | None = None
    auc: Auc | None = None
    hides_test: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """The samples with one value of one tag: ``rate.k`` of ``rate.n`` decided ones fail.

    ``against_rest`` is the failing share of the slice minus that of all other samples in view.
    ``failing`` holds the failing modes that occur, the most common one first.
    """

    name: str
    value: str
    n: int
    rate: Rate
    against_rest: Difference
    failing: tuple[tuple[Mode, int], ...]


@dataclass(frozen=True, slots=True)
class WorstSlices:
    """Slices that fail more often than the rest of the samples, the surest case first.

    They are ordered by the lower end of the interval of that difference, so that neither a handful
    of samples nor a slice that is nearly the whole run comes first. ``n_compared`` is the number
    of slices looked at, ``left_out`` the tags without slices because they have too many values.
    """

    rows: tuple[Slice, ...]
    n_compared: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that the overview of a run says, on the page and in the report.

    ``contradictions`` are (kind, samples) where the triad disagrees with what is known beside it,
    in the order of the queue; ``n_contradicting`` samples are of any kind. Of ``n_underived`` it is
    not known yet whether the evidence was retrieved.
    """

    matrix: Matrix
    headlines: tuple[Headline, ...]
    repairs: tuple[Repair, ...]
    slices: WorstSlices
    judged_by: tuple[JudgedBy, ...]
    check: LabelCheck
    n_repeats: int
    undecided: tuple[tuple[str, str | None, int], ...]
    timing: LatencyAndCost
    discords: Mapping[HeadlineId, Discord]
    contradictions: tuple[tuple[ContradictionSpec, int], ...]
    n_contradicting: int
    n_underived: int

    def headline(self, which: HeadlineId) -> Headline:
        """One of the headline rates."""
        return next(one for one in self.headlines if one.id is which)

    def finding(self, numbers: Numbers = figures) -> Finding:
        """The sentence that stands above everything else."""
        change = self.headline(HeadlineId.PASS).change
        discord = self.discords.get(HeadlineId.PASS)
        run = self.matrix.settings.run
        return failure_finding(
            self.matrix.summary,
            numbers,
            baseline=self.matrix.baseline,
            is_clear=None if change is None else change.is_clear,
            not_comparable="" if discord is None else discord.sentence,
            has_contexts=run.has_contexts,
            has_answers=run.has_answers,
            without_cut=[AXES[axis].name for axis in self.matrix.without_cut],
        )


def overview(store: Store, run_id: str, view: View, baseline_id: str | None = None) -> Overview:
    """The overview of a run under a view, and its change against a baseline under the same filter.

    Raises:
        NotFoundError: no such run or baseline.
        BadInputError: a cut that is no finite number.
    """
    with store.reading() as connection:
        matrix = read_matrix(connection, run_id, view, baseline_id, with_histograms=False)
        settings = matrix.settings
        run_id = settings.run.run_id
        kinds, n_contradicting = count_contradictions(matching.joint_counts(connection))
        return Overview(
            matrix=matrix,
            headlines=headlines(matrix.summary, matrix.baseline, matrix.paired),
            repairs=fix_first(matrix.summary),
            slices=_worst_slices(connection, run_id, matrix.summary),
            judged_by=_judged_by(connection, settings),
            check=_label_check(connection, settings),
            n_repeats=_n_repeats(connection, settings),
            undecided=tuple(
                reads.undecided_causes(connection, run_id, codes_for([Mode.UNDETERMINED]))
            ),
            timing=reads.latency_and_cost(connection, run_id),
            discords=_discords(settings, matrix.baseline_settings),
            contradictions=kinds,
            n_contradicting=n_contradicting,
            n_underived=derived.matched_underived(connection, run_id),
        )


def _worst_slices(connection: Connection, run_id: str, summary: Summary) -> WorstSlices:
    counts = reads.slice_counts(
        connection,
        run_id,
        fail_codes=codes_for(modes_of(Outcome.FAIL)),
        open_codes=codes_for(modes_of(Outcome.OPEN)),
        least=LEAST_IN_SLICE,
        most=MOST_TAG_VALUES,
    )
    # A value that every sample has is no slice.
    compared = [one for one in counts if one.n < summary.n]
    worse = [
        (one, against)
        for one in compared
        if (against := _against_rest(one, summary)) is not None and against.value > 0
    ]
    worse.sort(key=lambda item: (-item[1].low, -item[0].failing, item[0].name, item[0].value))
    kept = worse[:_SLICES_KEPT]
    patterns = reads.slice_patterns(connection, run_id, [one for one, _ in kept]) if kept else {}
    return WorstSlices(
        rows=tuple(
            Slice(
                one.name,
                one.value,
                one.n,
                wilson(one.failing, one.scored),
                against,
                _failing_modes(patterns[one.name, one.value]),
            )
            for one, against in kept
        ),
        n_compared=len(compared),
        left_out=tuple(reads.tags_left_out(connection, run_id, MOST_TAG_VALUES)),
    )


def _against_rest(one: reads.SliceCount, summary: Summary) -> Difference | None:
    rest = summary.scored - one.scored
    # A tag can name a sample twice; the rest then cannot be told.
    failing = summary.of(Outcome.FAIL) - one.failing
    if not 0 <= failing <= rest:
        return None
    return difference(one.failing, one.scored, failing, rest)


def _failing_modes(patterns: Sequence[tuple[int, int]]) -> tuple[tuple[Mode, int], ...]:
    counts: dict[Mode, int] = {}
    for code, n in patterns:
        mode = TABLE[code].mode
        if MODES[mode].outcome is Outcome.FAIL:
            counts[mode] = counts.get(mode, 0) + n
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], MODES[item[0]].severity)))


def _judged_by(connection: Connection, settings: Settings) -> tuple[JudgedBy, ...]:
    judges = {row["judge_id"]: row for row in queries.judges(connection)}
    cuts = dict(settings.cuts)
    found = []
    for axis in _JUDGED:
        choice = settings.choices.get(axis)
        if choice is None:
            found.append(JudgedBy(axis))
            continue
        judge = judges[choice.judge_id]
        found.append(
            JudgedBy(
                axis,
                choice.metric,
                choice.kind,
                judge["model"],
                judge["prompt_id"],
                judge["prompt_sha256"],
                cuts.get(axis),
            )
        )
    return tuple(found)


def _label_check(connection: Connection, settings: Settings) -> LabelCheck:
    run_id = settings.run.run_id
    labels = reads.binary_labels(connection, run_id, CALIBRATION_TARGETS)
    if not labels:
        return LabelCheck()
    criterion = labels[0][0]
    is_split = criterion in parts.part_counts(connection, run_id)
    hides_test = is_split and criterion not in parts.opened_tests(connection, run_id)
    scores, given = reads.scores_and_labels(connection, run_id, criterion, with_test=not hides_test)
    if settings.cuts.groundedness.direction is Direction.LOWER:
        scores = -scores
    return LabelCheck(criterion, auc_delong(scores, given), hides_test)


def _n_repeats(connection: Connection, settings: Settings) -> int:
    chosen = [settings.choices[axis] for axis in TRIAD if axis in settings.choices]
    return reads.repeats_of(
        connection,
        settings.run.run_id,
        [choice.metric for choice in chosen],
        [choice.judge_id for choice in chosen],
    )


def _discords(mine: Settings, theirs: Settings | None) -> dict[HeadlineId, Discord]:
    if theirs is None:
        return {}
    triad = judged_differently(mine, theirs)
    correctness = judged_differently(mine, theirs, [Axis.CORRECTNESS])
    found = {
        HeadlineId.SUCCESS: triad,
        HeadlineId.PASS: triad,
        HeadlineId.REFUSALS: triad,
        HeadlineId.CORRECT: correctness,
    }
    return {which: discord for which, discord in found.items() if discord is not None}


def as_json(found: Overview) -> dict[str, Any]:
    """The figures of the overview as the command line prints them."""
    return {
        "run_id": found.matrix.settings.run.run_id,
        "name": found.matrix.settings.run.name,
        "n": found.matrix.summary.n,
        "headline": {
            str(one.id): {
                **one.rate.as_json(),
                **({"worst": one.cases[0], "best": one.cases[1]} if one.cases else {}),
                **(
                    {
                        "change": {
                            "value": one.change.value,
                            "low": one.change.interval.low,
                            "high": one.change.interval.high,
                            "n_pairs": one.change.n_pairs,
                        }
                    }
                    if one.change and one.id not in found.discords
                    else {}
                ),
            }
            for one in found.headlines
        },
        "fix_first": [{"fix": repair.fix.id, "samples": repair.n} for repair in found.repairs],
        "slices": [
            {"tag": one.name, "value": one.value, "n": one.n, "fail_rate": one.rate.as_json()}
            for one in found.slices.rows
        ],
        "slices_compared": found.slices.n_compared,
        "groundedness_against_labels": None
        if found.check.auc is None
        else {"criterion": found.check.criterion, "auc": found.check.auc.as_json()},
        "contradictions": {
            "n": found.n_contradicting,
            **{str(spec.id): n for spec, n in found.contradictions},
        },
        "latency": {
            "p50": found.timing.p50,
            "p95": found.timing.p95,
            "n": found.timing.n_latency,
        },
        "cost": {"value": found.timing.cost, "n": found.timing.n_cost},
    }
