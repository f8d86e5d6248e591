"""Looking at a run: its settings, its diagnosis, its matrix, one sample. Reads only."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.diagnosis.cuts import RunCuts
from core.diagnosis.selection import Choice
from core.diagnosis.summary import PatternCount, Summary, summarise
from core.diagnosis.thresholds import Cut, resolve_cut
from core.diagnosis.triad import TABLE, Diagnosis, severity_by_code
from core.errors import BadInputError, NotFoundError
from core.filters import SampleFilter
from core.judge.lexical_cuts import CUTS
from core.metrics.registry import METRICS, axis_of, canonical_id, resolve_scale
from core.model import TRIAD, Axis, Direction, JudgeKind, Scale
from core.store import matching, queries, samples, selected
from core.store.connection import Connection, Store

#: Cuts that come with our own judges, by model and metric.
SHIPPED_CUTS = {"lexical-v1": CUTS}
_CUT_AXES = (*TRIAD, Axis.CORRECTNESS, Axis.ADHERENCE)
HISTOGRAM_BINS = 20


@dataclass(frozen=True, slots=True)
class View:
    """What somebody asks to see of a run, as the address or the command line says it.

    ``cuts`` are overrides by axis; ``selection`` overrides (metric, judge id) by axis.
    """

    cuts: tuple[tuple[Axis, float], ...] = ()
    selection: tuple[tuple[Axis, str, str], ...] = ()
    wanted: SampleFilter = field(default_factory=SampleFilter)
    hit_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What the rules settle for a run: whose verdicts count and under which cuts."""

    run: queries.RunRow
    choices: Mapping[Axis, Choice]
    models: Mapping[str, str]
    scales: Mapping[Axis, Scale]
    cuts: RunCuts
    stored_cuts: RunCuts

    def cut(self, axis: Axis) -> Cut:
        """The cut that applies to an axis."""
        return dict(self.cuts)[axis]

    def stored_cut(self, axis: Axis) -> Cut:
        """The cut that applies to an axis without the overrides of the view."""
        return dict(self.stored_cuts)[axis]


def settings(connection: Connection, run_id: str, view: View) -> Settings:
    """Selection, scales and cuts of a run under a view.

    Raises:
        NotFoundError: no such run.
        BadInputError: a cut that is no finite number.
    """
    run = queries.find_run(connection, run_id)
    override = {axis: (metric, judge) for axis, metric, judge in view.selection}
    choices = selected.run_choices(connection, run.run_id, override)
    scales = queries.metric_scales(connection, run.run_id)
    thresholds = queries.thresholds(connection, run.run_id)
    models = queries.judge_models(connection)
    cut_overrides = dict(view.cuts)
    axis_scales = {axis: _scale(choice, scales) for axis, choice in choices.items()}

    def resolved(axis: Axis, override: float | None) -> Cut:
        choice = choices.get(axis)
        metric = choice.metric if choice else axis.value
        return resolve_cut(
            metric,
            axis_scales.get(axis, Scale(None, None)),
            choice.kind if choice else JudgeKind.IMPORTED,
            models.get(choice.judge_id, "") if choice else "",
            run_cut=thresholds.get((metric, choice.judge_id)) if choice else None,
            override=override,
            judge_cuts=SHIPPED_CUTS,
        )

    def cuts(overrides: Mapping[Axis, float]) -> RunCuts:
        return RunCuts(*(resolved(axis, overrides.get(axis)) for axis in _CUT_AXES))

    return Settings(
        run=run,
        choices=choices,
        models=models,
        scales=axis_scales,
        cuts=cuts(cut_overrides),
        stored_cuts=cuts({}),
    )


def _scale(choice: Choice, scales: Mapping[str, Mapping[str, object]]) -> Scale:
    return scale_of(choice.kind, choice.metric, scales)


def scale_of(kind: JudgeKind, metric: str, scales: Mapping[str, Mapping[str, object]]) -> Scale:
    """Scale of the scores that a judge of a kind gave; ``scales`` are those of the run's file."""
    if kind is not JudgeKind.IMPORTED:
        spec = METRICS.get(metric)
        return spec.scale if spec else Scale(None, None)
    found = scales.get(metric)
    if found is None:
        return resolve_scale(metric)
    lo, hi = found["lo"], found["hi"]
    return Scale(
        lo if isinstance(lo, float) else None,
        hi if isinstance(hi, float) else None,
        Direction(str(found["direction"])),
    )


@contextmanager
def matched(store: Store, run_id: str, view: View) -> Iterator[tuple[Connection, Settings]]:
    """One burst over the samples of a run that pass the view's filter.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        found = settings(connection, run_id, view)
        match(connection, found, view)
        yield connection, found


def match(connection: Connection, found: Settings, view: View, position: int | None = None) -> None:
    """Classify and filter the samples of a run, or only look at the one at a position.

    Under another selection than the stored one from rows made for it.
    """
    run_id = found.run.run_id
    wide = selected.wide_choices(found.choices)
    if wide != queries.wide_choices(connection, run_id):
        only = None if position is None else [position]
        matching.use_selection(connection, run_id, wide, only)
    matching.match(
        connection,
        run_id,
        found.cuts,
        found.stored_cuts,
        view.wanted,
        view.hit_share,
        position,
    )


def summary_of(connection: Connection, found: Settings) -> Summary:
    """Diagnosis of the matched samples."""
    adherence = found.choices.get(Axis.ADHERENCE)
    is_proxy = adherence is not None and adherence.is_proxy
    return summarise(
        count._replace(adherence_proxy=is_proxy) for count in matching.pattern_counts(connection)
    )


@dataclass(frozen=True, slots=True)
class AxisCoverage:
    """States of one triad score over the matched samples.

    ``causes`` counts by (status, cause); the mean is over the values only.
    """

    axis: Axis
    n: int
    n_value: int
    n_not_applicable: int
    n_error: int
    n_not_scored: int
    mean: float | None
    causes: tuple[tuple[str, str | None, int], ...]


def axis_coverage(connection: Connection, run_id: str) -> tuple[AxisCoverage, ...]:
    """Coverage of the three triad axes over the matched samples."""
    rows = matching.coverage(connection, run_id)
    found = []
    for axis in TRIAD:
        mine = [row for row in rows if row.axis == axis.value]
        n_by = {
            status: sum(row.n for row in mine if row.status == status)
            for status in ("value", "not_applicable", "error", "not_scored")
        }
        total = next((row.total for row in mine if row.status == "value"), None)
        found.append(
            AxisCoverage(
                axis=axis,
                n=sum(n_by.values()),
                n_value=n_by["value"],
                n_not_applicable=n_by["not_applicable"],
                n_error=n_by["error"],
                n_not_scored=n_by["not_scored"],
                mean=total / n_by["value"] if total is not None and n_by["value"] else None,
                causes=tuple(
                    (row.status, row.cause, row.n) for row in mine if row.status != "value"
                ),
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Matrix:
    """All figures of the failure-mode page for one view."""

    settings: Settings
    summary: Summary
    coverage: tuple[AxisCoverage, ...]
    histograms: Mapping[Axis, tuple[int, ...]]
    moved: tuple[tuple[int, int, int], ...]
    n_run: int
    baseline: Summary | None = None
    baseline_settings: Settings | None = None
    paired: tuple[tuple[int, int, int], ...] = ()


def matrix(store: Store, run_id: str, view: View, baseline_id: str | None = None) -> Matrix:
    """The failure-mode matrix of a run, and its change against a baseline under the same filter.

    Raises:
        NotFoundError: no such run or baseline.
    """
    with store.reading() as connection:
        return read_matrix(connection, run_id, view, baseline_id)


def read_matrix(
    connection: Connection,
    run_id: str,
    view: View,
    baseline_id: str | None = None,
    *,
    with_histograms: bool = True,
) -> Matrix:
    """``matrix`` within a burst; the matched samples of the run stay there for what follows.

    Raises:
        NotFoundError: no such run or baseline.
    """
    baseline, baseline_settings = None, None
    if baseline_id is not None:
        base_view = View(cuts=(), selection=(), wanted=view.wanted)
        baseline_settings = settings(connection, baseline_id, base_view)
        match(connection, baseline_settings, base_view)
        baseline = summary_of(connection, baseline_settings)
        matching.keep_baseline(connection)
    found = settings(connection, run_id, view)
    match(connection, found, view)
    drawn = [
        axis
        for axis in (TRIAD if with_histograms else ())
        if found.cut(axis).lo is not None and found.cut(axis).hi is not None
    ]
    return Matrix(
        settings=found,
        summary=summary_of(connection, found),
        coverage=axis_coverage(connection, found.run.run_id),
        histograms={axis: tuple(_histogram(connection, found, axis)) for axis in drawn},
        moved=tuple(matching.moved_counts(connection)),
        n_run=found.run.n_samples,
        baseline=baseline,
        baseline_settings=baseline_settings,
        paired=tuple(matching.paired_counts(connection)) if baseline is not None else (),
    )


def histogram_bins(cut: Cut) -> int:
    """Steps of an axis' histogram: one per level of a rubric, else 20."""
    if cut.lo is None or cut.hi is None:
        return 0
    span = cut.hi - cut.lo
    return round(span) + 1 if span > 1 and float(span).is_integer() else HISTOGRAM_BINS


def histogram_range(cut: Cut) -> tuple[float, float, int]:
    """(from, to, steps) of an axis' histogram; of an unknown scale 0 to 1 in no step."""
    bins = histogram_bins(cut)
    if cut.lo is None or cut.hi is None:
        return 0.0, 1.0, bins
    # The bars of a rubric stand on its levels, so each step is centred on one.
    half = 0.5 if bins != HISTOGRAM_BINS else 0.0
    return cut.lo - half, cut.hi + half, bins


def _histogram(connection: Connection, found: Settings, axis: Axis) -> list[int]:
    cut = found.cut(axis)
    if cut.lo is None or cut.hi is None:
        return []
    return matching.score_histogram(connection, axis.value, *histogram_range(cut))


def tag_slices(store: Store, run_id: str, view: View, tag: str) -> list[tuple[str, Summary]]:
    """Diagnosis of the matched samples by the values of one tag, the largest slice first."""
    with matched(store, run_id, view) as (connection, found):
        counts: dict[str, list[PatternCount]] = {}
        for value, code, n in matching.slices(connection, found.run.run_id, tag):
            counts.setdefault(value, []).append(PatternCount(code, n))
    found_slices = [(value, summarise(rows)) for value, rows in counts.items()]
    return sorted(found_slices, key=lambda item: (-item[1].n, item[0]))


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One line of a list of samples, with the beginnings of its texts."""

    place: int
    sample_id: str
    diagnosis: Diagnosis
    question: str
    answer: str


def sample_rows(
    store: Store, run_id: str, view: View, limit: int, offset: int = 0, length: int = 160
) -> tuple[int, list[SampleRow]]:
    """Number of matched samples, and one page of them in queue order (most severe first)."""
    with matched(store, run_id, view) as (connection, found):
        total = matching.matched_count(connection)
        page = matching.sample_page(connection, severity_by_code(), limit, offset)
        texts = samples.sample_texts(
            connection, found.run.run_id, [row.position for row in page], length
        )
    return total, [
        SampleRow(offset + i, row.sample_id, TABLE[row.code], *texts[row.position])
        for i, row in enumerate(page, 1)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """The samples of a run that pass a view's filter, the most severe first, by position.

    It takes long in a large run and stays the same from sample to sample, so pages keep it.
    """

    settings: Settings
    positions: NDArray[np.int64]

    def place(self, position: int) -> int | None:
        """Place from 1 of the sample at a position; None if it does not pass the filter."""
        found = np.flatnonzero(self.positions == position)
        return int(found[0]) + 1 if len(found) else None

    def at(self, place: int) -> int | None:
        """Position of the sample at a place from 1, None where the queue has none."""
        return int(self.positions[place - 1]) if 1 <= place <= len(self.positions) else None


def queue(store: Store, run_id: str, view: View) -> Queue:
    """The queue of a view.

    Raises:
        NotFoundError: no such run.
    """
    with matched(store, run_id, view) as (connection, found):
        return Queue(found, matching.queue(connection, severity_by_code()))


@dataclass(frozen=True, slots=True)
class SampleView:
    """One sample, its diagnosis under a view, and its place in the queue of that view.

    ``place`` is None when the sample does not pass the filter.
    """

    settings: Settings
    detail: samples.SampleDetail
    diagnosis: Diagnosis
    flags: PatternCount
    total: int
    place: matching.Place | None
    first_id: str | None


def sample_view(
    store: Store, run_id: str, view: View, sample_id: str | None, waiting: Queue | None = None
) -> SampleView | None:
    """Open one sample, or the first of the queue with None; None if nothing matches.

    Args:
        store: the store that holds the run.
        run_id: id or unique name.
        view: what is asked for.
        sample_id: the sample, which need not pass the filter.
        waiting: the queue of this view, where the caller has kept it; made here otherwise.

    Raises:
        NotFoundError: no such run, or the run has no sample of that id.
    """
    with store.reading() as connection:
        waiting = waiting or queue(store, run_id, view)
        found = waiting.settings
        position = waiting.at(1) if sample_id is None else _position(connection, found, sample_id)
        if position is None:
            return None
        place = waiting.place(position)
        beside = (waiting.at(place - 1), waiting.at(place + 1)) if place else (None, None)
        places = (waiting.at(1), *beside)
        ids = samples.sample_ids(connection, found.run.run_id, [p for p in places if p is not None])
        first_id, previous_id, next_id = (None if p is None else ids[p] for p in places)
        return _opened(
            connection,
            found,
            view,
            position,
            total=len(waiting.positions),
            place=matching.Place(place, previous_id, next_id) if place else None,
            first_id=first_id,
        )


def sample_alone(store: Store, run_id: str, view: View, sample_id: str) -> SampleView:
    """Open one sample without asking where it stands: total is 0, there is no place.

    Raises:
        NotFoundError: no such run, or the run has no sample of that id.
    """
    with store.reading() as connection:
        found = settings(connection, run_id, view)
        return _opened(connection, found, view, _position(connection, found, sample_id))


def _position(connection: Connection, found: Settings, sample_id: str) -> int:
    position = samples.sample_position(connection, found.run.run_id, sample_id)
    if position is None:
        raise NotFoundError(f"Run {found.run.name!r} has no sample {sample_id!r}.")
    return position


def _opened(
    connection: Connection,
    found: Settings,
    view: View,
    position: int,
    *,
    total: int = 0,
    place: matching.Place | None = None,
    first_id: str | None = None,
) -> SampleView:
    match(connection, found, replace(view, wanted=SampleFilter()), position)
    flags = matching.pattern_of(connection, position)
    return SampleView(
        settings=found,
        detail=samples.sample_detail(connection, found.run.run_id, position),
        diagnosis=TABLE[flags.code],
        flags=flags,
        total=total,
        place=place,
        first_id=first_id,
    )


def metric_name_to_axis(choices: Mapping[Axis, Choice], name: str) -> Axis:
    """The axis that a name on the command line means: an axis, or the metric that feeds it.

    Raises:
        BadInputError: the name feeds no axis with a cut in this run.
    """
    for axis in _CUT_AXES:
        choice = choices.get(axis)
        if name == axis.value or (
            choice is not None and choice.metric in (name, canonical_id(name))
        ):
            return axis
    known = ", ".join(
        f"{axis.value} ({choices[axis].metric})" if axis in choices else axis.value
        for axis in _CUT_AXES
    )
    raise BadInputError(f"{name!r} feeds no axis of this run. Cuts can be set for: {known}.")


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What a run can be filtered by, each with its number of samples.

    ``causes`` are those of the triad scores under the run's own selection.
    """

    tags: tuple[tuple[str, str, int], ...]
    labels: tuple[tuple[str, str, int], ...]
    causes: tuple[tuple[str, int], ...]


def filter_choices(store: Store, run_id: str) -> FilterChoices:
    """Tags, labels and causes of missing scores that occur in a run."""
    view = View()
    with matched(store, run_id, view) as (connection, found):
        run_id = found.run.run_id
        causes: dict[str, int] = {}
        for axis in axis_coverage(connection, run_id):
            for status, cause, n in axis.causes:
                name = f"{status}:{cause}" if cause else status
                causes[name] = max(causes.get(name, 0), n)
        return FilterChoices(
            tags=tuple(queries.tag_values(connection, run_id)),
            labels=tuple(queries.label_values(connection, run_id)),
            causes=tuple(sorted(causes.items())),
        )


@dataclass(frozen=True, slots=True)
class JudgeOption:
    """One set of verdicts that can feed an axis of a run."""

    axis: Axis
    metric: str
    judge_id: str
    kind: JudgeKind
    model: str
    n_value: int


def judge_options(store: Store, run_id: str) -> tuple[JudgeOption, ...]:
    """Everything that can feed an axis of a run, in the order of axes and metrics."""
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        rows = queries.candidates(connection, run.run_id)
    return tuple(
        JudgeOption(
            axis=axis,
            metric=row["metric"],
            judge_id=row["judge_id"],
            kind=JudgeKind(row["kind"]),
            model=row["model"],
            n_value=row["n_value"],
        )
        for row in rows
        if (axis := axis_of(row["metric"])) is not None
    )


def sample_ids(store: Store, run_id: str, view: View) -> tuple[str, ...]:
    """Ids of the samples that pass the filter of a view, in the order of the file."""
    with matched(store, run_id, view) as (connection, found):
        positions = matching.matched_positions(connection)
        ids = samples.sample_ids(connection, found.run.run_id, positions)
    return tuple(ids[position] for position in positions)
