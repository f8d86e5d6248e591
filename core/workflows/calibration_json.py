"""A calibration as the JSON document of the command line, and as lines for people."""

from collections.abc import Iterator, Mapping
from typing import Any

from core import figures
from core.metrics.agreement import Agreement
from core.metrics.curves import MAX_POINTS
from core.metrics.operating import (
    Point,
    accuracy,
    cheapest,
    confusion_kappa,
    f1_interval,
    mean_cost,
)
from core.metrics.planning import CorrectedRate
from core.metrics.resampling import Interval
from core.metrics.roc import Auc
from core.model import Direction
from core.workflows.calibrating import (
    AtCut,
    Calibration,
    Calibrations,
    Difference,
    undefined_because,
    warnings,
)
from core.workflows.labelled_scores import Paired

ASSUMPTIONS = (
    "the labelled samples are like those that only the score has judged",
    "the score errs on the labelled samples as often as on the others",
    "the labels are right",
)
OPTIMISTIC = "chosen and measured on the same labels, so it looks better than it will be"
NO_POINT = "no cut beats flagging nothing"
Costs = tuple[float, float]


def calibrations_json(found: Calibrations, costs: Costs | None = None) -> dict[str, Any]:
    """One comparison as a flat document; several as a list with their differences."""
    documents = [calibration_json(one, costs) for one in found.found]
    if len(documents) == 1:
        return documents[0]
    return {
        "results": documents,
        "differences": [_difference_json(one) for one in found.differences],
    }


def _difference_json(one: Difference) -> dict[str, Any]:
    found = one.difference
    return {
        "scores": [one.one, one.other],
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "n": found.n,
        **({"reason": found.reason} if found.reason else {}),
    }


def calibration_json(found: Calibration, costs: Costs | None = None) -> dict[str, Any]:
    """One score against one label."""
    paired, ranking = found.paired, found.ranking
    auc = ranking.auc
    return {
        **_subject(paired),
        "n": paired.n,
        "n_positive": paired.n_event,
        "n_samples": paired.n_samples,
        "n_dropped": paired.n_samples - paired.n,
        "dropped": dict(paired.left_out),
        "auc": auc.value,
        "auc_ci": _interval_json(auc.low, auc.high, auc.reason, "DeLong"),
        "bootstrap_ci": _bootstrap_json(ranking.bootstrap),
        "average_precision": ranking.average_precision,
        "youden": _point_json(ranking.youden),
        "target_tpr": {
            "target": paired.question.target_tpr,
            **(_point_json(ranking.at_target) or {"threshold": None}),
        },
        "points": _points(found),
        **_cut_json(found, costs),
        "correlations": {one.kind: one.as_json() for one in ranking.correlations},
        "warnings": list(warnings(paired)),
        **({"reason": reason} if (reason := undefined_because(paired, auc)) else {}),
    }


def _subject(paired: Paired) -> dict[str, Any]:
    target = paired.target
    is_higher = paired.rule.sign * (1 if paired.rule.event == 1 else -1) == 1
    positive = target.positive
    source = paired.sources[0]
    return {
        "run_ids": [one.run_id for one in paired.sources],
        "names": [one.name for one in paired.sources],
        "is_pooled": paired.is_pooled,
        "score": paired.question.score,
        "metric": source.score.metric,
        "judge": source.score.model,
        "judge_kind": source.score.kind.value,
        "label": target.criterion,
        "label_cut": target.cut,
        "positive": int(positive) if positive in (0, 1) else positive,
        "positive_means": target.event_name,
        "direction": (Direction.HIGHER if is_higher else Direction.LOWER).value,
        "part": paired.part,
    }


def _interval_json(
    low: float | None, high: float | None, reason: str | None, method: str
) -> dict[str, Any]:
    found: dict[str, Any] = {"low": low, "high": high, "method": method}
    if low is None:
        found["reason"] = reason
    return found


def _bootstrap_json(one: Interval) -> dict[str, Any]:
    found = _interval_json(one.low, one.high, one.reason, "percentile bootstrap by question")
    return {**found, "resamples": one.resamples}


def _point_json(point: Point | None) -> dict[str, Any] | None:
    if point is None:
        return None
    found: dict[str, Any] = {
        "threshold": point.threshold,
        "tpr": point.tpr,
        "fpr": point.fpr,
        "note": OPTIMISTIC,
    }
    if point.threshold is None or point.tpr == point.fpr == 0:
        found["reason"] = NO_POINT if point.tpr == 0 else "reached only where everything is flagged"
    return found


def _points(found: Calibration) -> list[dict[str, float | None]]:
    cuts = found.ranking.cuts
    if cuts is None:
        return []
    return [
        {
            "threshold": (point := cuts.at(place)).threshold,
            "fpr": point.fpr,
            "tpr": point.tpr,
            "precision": cuts.precision(place),
        }
        for place in cuts.thinned(MAX_POINTS)
    ]


def _cut_json(found: Calibration, costs: Costs | None) -> dict[str, Any]:
    names = ("confusion", "tpr", "tnr", "precision", "f1", "accuracy", "kappa", "corrected_rate")
    paired, here = found.paired, found.at_cut
    if here is None:
        reason = {"value": None, "low": None, "high": None, "reason": paired.no_cut_reason}
        return {
            "cut": None,
            "cut_source": "none",
            **{name: reason if name != "confusion" else None for name in names},
        }
    matrix = here.confusion
    document: dict[str, Any] = {
        "cut": here.cut,
        "cut_source": paired.cut.source if paired.cut is not None else "address",
        "confusion": {
            "tp": matrix.true_positive,
            "fn": matrix.false_negative,
            "fp": matrix.false_positive,
            "tn": matrix.true_negative,
        },
        "tpr": matrix.tpr.as_json(),
        "tnr": matrix.tnr.as_json(),
        "precision": matrix.precision.as_json(),
        "f1": f1_interval(matrix).as_json(),
        "accuracy": accuracy(matrix).as_json(),
        "kappa": agreement_json(confusion_kappa(matrix)),
        "corrected_rate": corrected_json(here.corrected),
    }
    if costs is not None:
        miss, false_alarm = costs
        cuts = found.ranking.cuts
        best = cheapest(cuts, miss, false_alarm) if cuts is not None else None
        document["cost"] = {
            "miss": miss,
            "false_alarm": false_alarm,
            "per_sample": mean_cost(matrix, miss, false_alarm),
            "cheapest": _point_json(best),
        }
    return document


def agreement_json(one: Agreement) -> dict[str, Any]:
    """A coefficient of agreement as the command line prints it."""
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        **({"reason": one.reason} if one.reason is not None else {}),
        **({"note": one.note} if one.note is not None else {}),
    }


def corrected_json(one: CorrectedRate) -> dict[str, Any]:
    """The rate of the label's good side over all scored samples: corrected, raw, by people."""
    document: dict[str, Any] = {
        "value": one.corrected,
        "low": one.low,
        "high": one.high,
        "n": one.raw.n,
        "raw": one.raw.as_json(),
        "human": one.human.as_json(),
        "assumptions": list(ASSUMPTIONS),
    }
    if one.reason is not None:
        document["reason"] = one.reason
    return document


# --- for people -----------------------------------------------------------------------------------


def calibration_lines(found: Calibrations) -> Iterator[str]:
    """What the comparison says, in a few lines."""
    for one in found.found:
        yield from _lines(one)
    for two in found.differences:
        change = two.difference
        yield f"{two.one} against {two.other}, same {change.n} samples: " + (
            f"AUC {figures.signed(change.value, digits=3)} "
            f"({_pair(change.low, change.high)}), {figures.p_value(change.p)}"
            if change.p is not None
            else f"no test: {change.reason}"
        )


def _lines(one: Calibration) -> Iterator[str]:
    paired, ranking = one.paired, one.ranking
    names = ", ".join(source.name for source in paired.sources)
    subject = _subject(paired)
    yield (
        f"{names}: {paired.question.score} ({subject['metric']} of {subject['judge']}) against "
        f"{paired.target.event_name}; a {subject['direction']} score predicts it"
    )
    yield (
        f"  n {paired.n} of {paired.n_samples} samples, {paired.n_event} positive"
        + _left_out_text(dict(paired.left_out))
    )
    yield f"  AUC {undefined_because(paired, ranking.auc) or auc_text(ranking.auc)}"
    if ranking.youden is not None and ranking.youden.threshold is not None:
        best = ranking.youden
        yield (
            f"  best Youden cut {best.threshold:g}: TPR {best.tpr:.2f}, FPR {best.fpr:.2f} "
            "(optimistic: chosen on these labels)"
        )
    yield from _cut_lines(one.at_cut, paired)
    for warning in warnings(paired):
        yield f"  note: {warning}"


def _cut_lines(here: AtCut | None, paired: Paired) -> Iterator[str]:
    if here is None:
        yield f"  no matrix: {paired.no_cut_reason}"
        return
    matrix = here.confusion
    origin = paired.cut.source if paired.cut is not None else "address"
    source = "--set" if origin == "address" else origin
    kappa = confusion_kappa(matrix)
    yield (
        f"  at cut {here.cut:g} ({source}): TP {matrix.true_positive}, FN {matrix.false_negative}, "
        f"FP {matrix.false_positive}, TN {matrix.true_negative}; TPR "
        f"{figures.percent(matrix.tpr.value)}, TNR {figures.percent(matrix.tnr.value)}, kappa "
        f"{figures.number(kappa.value)}"
    )
    corrected = here.corrected
    by_score, by_people = corrected.raw.value, corrected.human.value
    yield (
        f"  rate of {paired.target.names[0]}: {figures.percent(by_score)} by the score, "
        f"{figures.percent(by_people)} by people, corrected "
        + (
            f"{figures.percent(corrected.corrected)} "
            f"({figures.interval(corrected.low, corrected.high)})"
            if corrected.corrected is not None
            else f"not given: {corrected.reason}"
        )
    )


def auc_text(auc: Auc) -> str:
    """An area with its interval, or why there is none."""
    if auc.value is None:
        return f"not defined: {auc.reason}"
    ends = (
        f"({_pair(auc.low, auc.high)})" if auc.low is not None else f"(no interval: {auc.reason})"
    )
    return f"{auc.value:.2f} {ends}"


def _pair(low: float | None, high: float | None) -> str:
    return "no interval" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def _left_out_text(left_out: Mapping[str, int]) -> str:
    named = ", ".join(f"{n} {why.replace('_', ' ')}" for why, n in left_out.items())
    return f"; left out: {named}" if named else ""
