"""The failure-mode matrix of a run: counts, coverage, histograms, slices. Reads only."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.diagnosis.summary import PatternCount, Summary, summarise
from core.diagnosis.thresholds import Cut
from core.model import TRIAD, Axis
from core.store import matching
from core.store.connection import Connection, Store
from core.workflows.review import Settings, View, match, matched, settings, summary_of

HISTOGRAM_BINS = 20
#: Between the ends of the longest rubric whose every level gets a bar of its own: 0 to 10.
MOST_LEVELS = 10


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
    ends: Mapping[Axis, tuple[float, float]]
    histograms: Mapping[Axis, tuple[int, ...]]
    moved: tuple[tuple[int, int, int], ...]
    n_run: int
    baseline: Summary | None = None
    baseline_settings: Settings | None = None
    paired: tuple[tuple[int, int, int], ...] = ()

    @property
    def without_cut(self) -> tuple[Axis, ...]:
        """Axes that are scored, but have no cut because the scale of their scores is unknown."""
        return tuple(
            one.axis
            for one in self.coverage
            if one.n_value and self.settings.cut(one.axis).value is None
        )


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
    ends = _ends(connection, found) if with_histograms else {}
    return Matrix(
        settings=found,
        summary=summary_of(connection, found),
        coverage=axis_coverage(connection, found.run.run_id),
        ends=ends,
        histograms={
            axis: tuple(matching.score_histogram(connection, axis.value, *_steps(*of_axis)))
            for axis, of_axis in ends.items()
        },
        moved=tuple(matching.moved_counts(connection)),
        n_run=found.run.n_samples,
        baseline=baseline,
        baseline_settings=baseline_settings,
        paired=tuple(matching.paired_counts(connection)) if baseline is not None else (),
    )


def histogram_range(cut: Cut) -> tuple[float, float, int]:
    """(from, to, steps) of an axis' histogram; of an unknown scale 0 to 1 in no step."""
    if cut.lo is None or cut.hi is None:
        return 0.0, 1.0, 0
    return _steps(cut.lo, cut.hi)


def _steps(lo: float, hi: float) -> tuple[float, float, int]:
    """(from, to, steps): one step per level of a rubric, else 20."""
    span = hi - lo
    if 1 < span <= MOST_LEVELS and float(span).is_integer():
        # The bars of a rubric stand on its levels, so each step is centred on one.
        return lo - 0.5, hi + 0.5, round(span) + 1
    return lo, hi, HISTOGRAM_BINS


def _ends(connection: Connection, found: Settings) -> dict[Axis, tuple[float, float]]:
    scales = {axis: (found.cut(axis).lo, found.cut(axis).hi) for axis in TRIAD}
    if any(lo is None or hi is None for lo, hi in scales.values()):
        of_scores = matching.score_ends(connection)
        scales = {
            axis: of_scores[axis.value] if None in scale else scale
            for axis, scale in scales.items()
        }
    return {
        axis: (lo, hi)
        for axis, (lo, hi) in scales.items()
        if lo is not None and hi is not None and lo < hi
    }


def tag_slices(store: Store, run_id: str, view: View, tag: str) -> list[tuple[str, Summary]]:
    """Diagnosis of the matched samples by the values of one tag, the largest slice first."""
    with matched(store, run_id, view) as (connection, found):
        counts: dict[str, list[PatternCount]] = {}
        for value, code, n in matching.slices(connection, found.run.run_id, tag):
            counts.setdefault(value, []).append(PatternCount(code, n))
    found_slices = [(value, summarise(rows)) for value, rows in counts.items()]
    return sorted(found_slices, key=lambda item: (-item[1].n, item[0]))
