"""A run as somebody asks to see it: whose verdicts count, which cuts, which samples. Reads only."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.diagnosis.cuts import RunCuts
from core.diagnosis.selection import Choice
from core.diagnosis.summary import Summary, summarise
from core.diagnosis.thresholds import Cut, resolve_cut
from core.errors import BadInputError
from core.filters import SampleFilter
from core.judge.lexical_cuts import CUTS
from core.metrics.hits import ANY, HitPolicy
from core.metrics.registry import METRICS, resolve_scale
from core.model import TRIAD, Axis, Direction, JudgeKind, Scale
from core.store import matching, queries, selected
from core.store.connection import Connection, Store

#: Cuts that come with our own judges, by model and metric.
SHIPPED_CUTS = {"lexical-v1": CUTS}
CUT_AXES = (*TRIAD, Axis.CORRECTNESS, Axis.ADHERENCE)


@dataclass(frozen=True, slots=True)
class View:
    """What somebody asks to see of a run, as the address or the command line says it.

    ``cuts`` are overrides by axis; ``selection`` overrides (metric, judge id) by axis.
    """

    cuts: tuple[tuple[Axis, float], ...] = ()
    selection: tuple[tuple[Axis, str, str], ...] = ()
    wanted: SampleFilter = field(default_factory=SampleFilter)
    hit_share: float = 0.0


def parse_policy(text: str | None) -> HitPolicy:
    """The hit policy as an address or an option says it; any evidence where it says nothing.

    Raises:
        BadInputError: it is none.
    """
    try:
        return HitPolicy.parse(text) if text else ANY
    except ValueError:
        raise BadInputError(
            f"The hit policy {text!r} is none: write any, all, or a share from 0 to 1 such as 0.5."
        ) from None


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
        return RunCuts(*(resolved(axis, overrides.get(axis)) for axis in CUT_AXES))

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
