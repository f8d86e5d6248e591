"""An agreement report as the JSON document of the command line, and as lines for people."""

from collections.abc import Iterator
from typing import Any

from core import figures
from core.metrics.agreement import Agreement, band
from core.workflows.agreeing import AgreementReport, JudgeLine, SelfAgreement, Slices
from core.workflows.calibration_json import agreement_json

BAND_SOURCE = (
    "words of one published radiology study: up to 0.20 low, 0.40 moderate, 0.60 satisfactory, "
    "0.80 substantial, above excellent; other authors use other words for the same numbers"
)


def report_json(report: AgreementReport) -> dict[str, Any]:
    """Everything about one criterion of a run."""
    document: dict[str, Any] = {
        "run_id": report.run.run_id,
        "name": report.run.name,
        "criterion": report.criterion,
        "scale": {
            "values": list(report.scale.names or report.scale.values),
            "source": report.scale.source,
        },
        "weights": report.weights,
        "raters": [
            {"rater": one.name, "n": one.n, "mean": one.mean, "sd": one.sd} for one in report.raters
        ],
        "n_units": report.n_units,
        "n_paired": report.n_paired,
        "n_left_out": report.n_left_out,
        "ac1": coefficient_json(report.ac1),
        "ac2": coefficient_json(report.ac2) if report.ac2 is not None else None,
        "kappa": coefficient_json(report.kappa),
        "kappas": [
            {"raters": [one, other], **coefficient_json(kappa)}
            for one, other, kappa in report.kappas
        ],
        "alpha": coefficient_json(report.alpha),
        "absolute_agreement": report.absolute.as_json(),
        "mean": {**report.mean.as_json(), "sd": report.sd},
        "by_rank": {str(rank): rate.as_json() for rank, rate in report.by_rank},
        "slices": _slices_json(report.slices) if report.slices is not None else None,
        "judge": _judge_json(report.judge) if report.judge is not None else None,
        "interpretation": BAND_SOURCE,
    }
    if report.reason is not None:
        document["reason"] = report.reason
    return document


def coefficient_json(one: Agreement) -> dict[str, Any]:
    """A coefficient with its parts and its word."""
    return {
        **agreement_json(one),
        "standard_error": one.standard_error,
        "observed": one.observed,
        "expected": one.expected,
        "n_paired": one.n_paired,
        "word": band(one.value) if one.value is not None else None,
    }


def _slices_json(slices: Slices) -> dict[str, Any]:
    test = slices.test
    return {
        "tag": slices.tag,
        "test": slices.test_name,
        "statistic": test.statistic,
        "p": test.p,
        **({"reason": test.reason} if test.reason else {}),
        "values": {line.value: line.mean.as_json() for line in slices.lines},
        "pairs": [{"values": [one, other], "p": p} for one, other, p in slices.pairs],
        "n_left_out": slices.n_left_out,
    }


def _judge_json(judge: JudgeLine) -> dict[str, Any]:
    return {
        "metric": judge.source.score.metric,
        "judge": judge.source.score.model,
        "judge_kind": judge.source.score.kind.value,
        "correlations": {one.kind: one.as_json() for one in judge.correlations},
        "repeats": self_json(judge.itself) if judge.itself is not None else None,
    }


def self_json(one: SelfAgreement) -> dict[str, Any]:
    """A judge against itself."""
    return {
        "n_repeats": one.n_repeats,
        "flip_rate": one.flips.as_json(),
        "ac1": coefficient_json(one.ac1),
    }


# --- for people -----------------------------------------------------------------------------------


def report_lines(report: AgreementReport) -> Iterator[str]:
    """What the report says, in a few lines."""
    raters = ", ".join(f"{one.name} ({one.n})" for one in report.raters)
    yield f"{report.run.name}: {report.criterion}, rated by {raters or 'nobody'}"
    yield (
        f"  scale {report.scale.text} ({report.scale.source_text}); {report.n_units} rated, "
        f"{report.n_paired} by two or more"
        + (f", {report.n_left_out} answers off the scale left out" if report.n_left_out else "")
    )
    yield (
        f"  mean {figures.number(report.mean.value)} "
        f"({_ends(report.mean.low, report.mean.high)}), SD {figures.number(report.sd)}"
    )
    if report.reason is not None:
        yield f"  no agreement: {report.reason}"
    else:
        for one in (report.ac1, report.ac2, report.kappa, report.alpha):
            if one is not None:
                yield f"  {_line(one)}"
        equal = report.absolute
        yield f"  all raters equal: {figures.share(int(equal.k), equal.n)}"
    if report.slices is not None:
        yield from _slice_lines(report.slices)
    if report.judge is not None:
        yield from _judge_lines(report.judge)
    if report.reason is None:
        yield f"  {BAND_SOURCE}"


def _line(one: Agreement) -> str:
    if one.value is None:
        return f"{one.name} not defined: {one.reason}"
    ends = f" ({_ends(one.low, one.high)})" if one.low is not None else ""
    remark = f"; {one.note}" if one.note else ""
    return f"{one.name} {figures.number(one.value)}{ends}: {band(one.value)}{remark}"


def _ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "no interval"
    return f"{figures.number(low)} to {figures.number(high)}"


def _slice_lines(slices: Slices) -> Iterator[str]:
    found = slices.test.reason or figures.p_value(slices.test.p)
    yield f"  by {slices.tag}, {slices.test_name}: {found}"
    for line in slices.lines:
        ends = _ends(line.mean.low, line.mean.high)
        yield f"    {line.value}: {figures.number(line.mean.value)} ({ends}), n {line.mean.n}"


def _judge_lines(judge: JudgeLine) -> Iterator[str]:
    for one in judge.correlations:
        if one.kind == "spearman":
            told = (
                f"{figures.number(one.value)} ({_ends(one.low, one.high)}), n {one.n}"
                if one.value is not None
                else f"not defined: {one.reason}"
            )
            yield f"  {judge.source.score.metric} against the people, Spearman {told}"
    if judge.itself is not None:
        flips = judge.itself.flips
        yield f"  repeats on both sides of the cut: {figures.share(int(flips.k), flips.n)}"
