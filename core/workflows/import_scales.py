"""What a file says about its runs as a whole: scales of metrics, selection, cuts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.ingest import values
from core.ingest.directions import direction_of
from core.ingest.export_fields import FieldError, parse_judge
from core.metrics.registry import axis_of, resolve_scale
from core.model import Axis, Direction, JudgeSpec, Scale
from core.records import Notices
from core.store import queries, staged
from core.store.connection import Connection
from core.store.staging import StagedRun, Staging

# Float noise such as 0.9999999999 or 1.0000000000000002 is no other scale.
_NOISE = 1e-6


def stage_settings(
    staging: Staging, stored_scales: Mapping[str, Mapping[str, Any]], notices: Notices
) -> None:
    """Stage the scale of every imported metric, and the selection and cuts that a file brings.

    Args:
        staging: the staged file.
        stored_scales: scales of the run that is appended to, by metric; else empty.
        notices: is told where scores do not fit their scale.
    """
    staged.order_verdicts(staging)
    for run in staged.filled(staging):
        for metric, low, high in staged.metric_ranges(staging, run.run_id):
            stored = stored_scales.get(metric)
            declared = run.info.metrics.get(metric)
            found = scale_of(metric, stored or declared, low, high)
            if found is None:
                notices.add(
                    None,
                    f"Scores of {metric} in {run.info.name!r} run from {low:g} to {high:g}, "
                    "outside its scale: the scale is taken as unknown, so it has no cut.",
                )
            scale = found or Scale(None, None, _direction(metric, stored or declared))
            row = {
                "lo": scale.lo,
                "hi": scale.hi,
                "direction": scale.direction.value,
                "cut": (stored or declared or {}).get("cut"),
            }
            is_declared = stored["is_declared"] if stored else declared is not None
            staged.add_metric(staging, run.run_id, metric, row, is_declared=is_declared)
        if not run.is_appended:
            _stage_selection(staging, run)
            _stage_thresholds(staging, run)


def known_scales(connection: Connection, run_id: str) -> dict[str, dict[str, Any]]:
    """Scales of a stored run, without those that are unknown because no value has come yet."""
    valued = {row.metric for row in queries.metric_summary(connection, run_id) if row.n}
    return {
        metric: scale
        for metric, scale in queries.metric_scales(connection, run_id).items()
        if scale["lo"] is not None or scale["is_declared"] or metric in valued
    }


def _direction(metric: str, known: Mapping[str, Any] | None) -> Direction:
    return Direction(known["direction"]) if known else direction_of(metric)


def scale_of(
    metric: str, known: Mapping[str, Any] | None, low: float | None, high: float | None
) -> Scale | None:
    """Scale of a metric whose values run from low to high; None if they leave it."""
    said = None
    if known is not None:
        said = Scale(known["lo"], known["hi"], _direction(metric, known))
    has_values = low is not None and high is not None
    # What the file calls unknown stays so, whatever the values happen to be.
    in_unit = known is None and low is not None and high is not None and _is_in_unit(low, high)
    scale = resolve_scale(metric, said, all_in_unit=in_unit)
    if known is None:
        scale = replace(scale, direction=direction_of(metric))
    if not has_values or low is None or high is None or scale.lo is None or scale.hi is None:
        return scale
    return scale if low >= scale.lo - _NOISE and high <= scale.hi + _NOISE else None


def _is_in_unit(low: float, high: float) -> bool:
    return low >= -_NOISE and high <= 1 + _NOISE


def _stage_selection(staging: Staging, run: StagedRun) -> None:
    number = 0
    for axis, choice in run.info.selection.items():
        judge = _judge(choice)
        metric = choice.get("metric") if isinstance(choice, dict) else None
        if judge is None or not isinstance(metric, str) or axis not in set(Axis):
            continue
        if axis_of(metric) is not None:
            number += 1
            staged.add_choice(staging, run.run_id, number, axis, metric, judge)


def _stage_thresholds(staging: Staging, run: StagedRun) -> None:
    number = 0
    for item in run.info.thresholds:
        judge = _judge(item)
        metric = item.get("metric") if isinstance(item, dict) else None
        cut = values.as_number(item.get("cut")) if isinstance(item, dict) else None
        if judge is not None and isinstance(metric, str) and cut is not None:
            number += 1
            staged.add_threshold(staging, run.run_id, number, metric, judge, cut)


def _judge(item: Any) -> JudgeSpec | None:
    try:
        return parse_judge(item.get("judge")) if isinstance(item, dict) else None
    except FieldError:
        return None
