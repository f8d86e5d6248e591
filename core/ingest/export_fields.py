"""The fields of the neutral format that only our own export writes: verdicts, labels, run_info."""

import json
from typing import Any

from core.filters import PARTS
from core.ingest import values
from core.model import Direction, ErrorKind, JudgeKind, JudgeSpec, Status
from core.records import ParsedHumanLabel, ParsedRun, ParsedVerdict


class FieldError(ValueError):
    """A field that our export writes holds something it never writes."""


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value if isinstance(value, str) else values.as_json(value)


def _json_text(value: Any) -> str | None:
    return None if value is None else values.as_json(value)


def _whole(value: Any, highest: int = 2**31 - 1) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and 0 <= value <= highest else None


def parse_judge(value: Any) -> JudgeSpec:
    """A judge from ``{kind, model, prompt_id, prompt_sha256, params}``.

    Raises:
        FieldError: it is no object, or its kind is not one of ours.
    """
    if not isinstance(value, dict):
        raise FieldError("the judge of a verdict must be an object with kind and model")
    try:
        kind = JudgeKind(str(value.get("kind")))
    except ValueError:
        kinds = ", ".join(kind.value for kind in JudgeKind)
        raise FieldError(f"a judge has the kind {value.get('kind')!r}; known are {kinds}") from None
    params = value.get("params")
    # Through JSON text, so that NaN and the like are gone.
    known = json.loads(values.as_json(params)) if isinstance(params, dict) else {}
    return JudgeSpec(
        kind=kind,
        model=_text(value.get("model")) or "unknown",
        prompt_id=_text(value.get("prompt_id")),
        prompt_sha256=_text(value.get("prompt_sha256")),
        params=known,
        definition_version=_text(value.get("definition_version")) or "1",
    )


def parse_verdicts(items: list[Any]) -> list[ParsedVerdict]:
    """Verdicts of one sample; a value that is no number becomes an error that keeps it as raw."""
    return [_verdict(item) for item in items]


def _verdict(item: Any) -> ParsedVerdict:
    if not isinstance(item, dict) or not isinstance(item.get("metric"), str):
        raise FieldError("a verdict must be an object with metric, judge and status")
    status, value, cause = str(item.get("status")), None, _text(item.get("cause"))
    raw = _text(item.get("raw"))
    if status not in {known.value for known in Status}:
        raise FieldError(f"a verdict has the status {status!r}")
    if status == Status.VALUE.value:
        value = values.as_number(item.get("value"))
        if value is None:
            status, cause = Status.ERROR.value, ErrorKind.UNPARSABLE.value
            raw = raw or _json_text(item.get("value"))
    elif cause is None:
        raise FieldError(f"a verdict with the status {status!r} needs a cause")
    return ParsedVerdict(
        metric=_text(item["metric"]) or "",
        judge=parse_judge(item.get("judge")),
        repeat=_whole(item.get("repeat")) or 0,
        status=status,
        value=value,
        cause=cause,
        reasoning=_text(item.get("reasoning")),
        detail=_json_text(item.get("detail")),
        raw=raw,
        context_rank=_whole(item.get("context_rank")),
        judged_at=_text(item.get("judged_at")),
        latency=values.as_number(item.get("latency")),
        cost=values.as_number(item.get("cost")),
        tokens=_whole(item.get("tokens"), 2**63 - 1),
    )


def parse_human_labels(items: list[Any]) -> list[ParsedHumanLabel]:
    """Labels of one sample with their raters."""
    return [_human_label(item) for item in items]


def _human_label(item: Any) -> ParsedHumanLabel:
    if not isinstance(item, dict) or item.get("criterion") is None or not item.get("rater"):
        raise FieldError("a human label must be an object with criterion and rater")
    label = values.as_label("", item.get("value"))
    tags = item.get("tags")
    return ParsedHumanLabel(
        criterion=_text(item["criterion"]) or "",
        rater=_text(item["rater"]) or "",
        value=label.value if label else None,
        category=_text(item.get("category")) or (label.category if label else None),
        note=_text(item.get("note")),
        tags=[text for tag in tags if (text := _text(tag))] if isinstance(tags, list) else [],
        is_blind=item.get("blind") is True,
        rubric=_text(item.get("rubric")),
        context_rank=_whole(item.get("context_rank")),
        labelled_at=_text(item.get("labelled_at")),
    )


def parse_label_parts(parts: Any) -> list[tuple[str, str]]:
    """(criterion, part) of one sample: where the split of its labels put it."""
    if parts is None:
        return []
    if not isinstance(parts, dict) or not all(part in PARTS for part in parts.values()):
        raise FieldError(
            f"label_parts must be an object of criteria, each with one of {', '.join(PARTS)}"
        )
    return list(parts.items())


def parse_run_info(run: str, dataset: str, info: dict[str, Any]) -> ParsedRun:
    """The description of a run: name, tool, config, note, metrics, selection, splits and more."""
    metrics = info.get("metrics")
    splits = info.get("splits")
    splits = splits if isinstance(splits, dict) else {}
    known = {str(name): split for name, split in splits.items() if isinstance(split, dict)}
    selection, thresholds = info.get("selection"), info.get("thresholds")
    return ParsedRun(
        key=run,
        name=_text(info.get("name")) or run,
        dataset=_text(info.get("dataset")) or dataset,
        tool=_text(info.get("tool")),
        tool_version=_text(info.get("tool_version")),
        created_at=_text(info.get("created_at")),
        config=_json_text(info.get("config")),
        note=_text(info.get("note")),
        metrics=_metric_scales(metrics) if isinstance(metrics, dict) else {},
        selection=selection if isinstance(selection, dict) else {},
        thresholds=thresholds if isinstance(thresholds, list) else [],
        splits={name: _whole(split.get("seed"), 2**63 - 1) or 0 for name, split in known.items()},
        opened_tests=tuple(n for n, split in known.items() if split.get("is_test_open") is True),
    )


def _metric_scales(metrics: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {}
    for name, scale in metrics.items():
        if not isinstance(scale, dict):
            raise FieldError(
                f"run_info.metrics.{name} must be an object with lo, hi, direction, cut"
            )
        direction = scale.get("direction", Direction.HIGHER.value)
        if direction not in {known.value for known in Direction}:
            raise FieldError(f"run_info.metrics.{name} has the direction {direction!r}")
        lo, hi = values.as_number(scale.get("lo")), values.as_number(scale.get("hi"))
        if lo is not None and hi is not None and lo >= hi:
            raise FieldError(f"run_info.metrics.{name} has lo {lo:g} that is not below hi {hi:g}")
        found[name] = {
            "lo": lo,
            "hi": hi,
            "direction": direction,
            "cut": values.as_number(scale.get("cut")),
        }
    return found
