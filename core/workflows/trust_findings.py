"""The sentences that stand above Calibration and Agreement, computed from their figures."""

from core import figures
from core.diagnosis.findings import Finding
from core.metrics.agreement import Agreement, band
from core.metrics.curves import Confusion
from core.metrics.operating import Rule, confusion_at
from core.metrics.roc import Auc
from core.workflows.agreeing import AgreementReport
from core.workflows.calibrating import FEW, undefined_because
from core.workflows.labelled_scores import Paired

GATE, SORT = 0.9, 0.7
"""Both rates above the first: good enough to gate; above the second: to sort a queue."""

SETTLED = 0.6, 0.8
"""Agreement above the first is worth measuring a judge against, above the second firm."""

NO_QUALITY = frozenset({"refused", "answerable"})
"""Labels that say what an answer is, not how good it is: to find them low is no catch."""


def calibration_finding(paired: Paired, auc: Auc, cut: float | None, score: str) -> Finding:
    """What the score is worth against the label, at the cut in use.

    Args:
        paired: the pairs.
        auc: area under their curve.
        cut: the cut in use, None if there is none.
        score: the score in words.
    """
    reason = undefined_because(paired, auc)
    if paired.n == 0:
        return Finding(
            f"No sample in view has both {score} and a usable label {paired.target.criterion}.",
            f"{figures.count(paired.n_samples)} samples were looked at.",
        )
    if reason is not None:
        return Finding(reason, "The matrix below is all that can be said.")
    area = f"AUC {figures.number(auc.value, cut=1.0)}"
    if auc.low is not None:
        area += f" ({figures.number(auc.low)} to {figures.number(auc.high)})"
    if cut is None:
        return Finding(
            f"{area} over {figures.counted(paired.n, 'sample')}.",
            "The scale of this score is not known, so it has no cut yet: choose one below.",
        )
    good = confusion_at(paired.scores, paired.labels, cut, Rule(paired.rule.sign, 1))
    n_good = good.true_positive + good.false_negative
    n_bad = good.n - n_good
    good_name, bad_name = paired.target.names
    low_bad = f"{figures.count(good.true_negative)} of {figures.count(n_bad)}"
    low_good, of_good = figures.count(good.false_negative), figures.count(n_good)
    if paired.target.criterion in NO_QUALITY:
        head = (
            f"At a cut of {cut:g} {score} is low for {low_bad} answers with {bad_name}, and for "
            f"{low_good} of {of_good} with {good_name}."
        )
    else:
        head = (
            f"At a cut of {cut:g} {score} catches {low_bad} answers with {bad_name} and raises "
            f"{low_good} false {'alarm' if good.false_negative == 1 else 'alarms'} among "
            f"{of_good} with {good_name}."
        )
    return Finding(head, f"{area}. {_verdict(good, paired)}")


def _verdict(good: Confusion, paired: Paired) -> str:
    if min(paired.n_event, paired.n - paired.n_event) < FEW:
        return "With so few labels of one side read the counts, not the rates."
    rates = [rate for rate in (good.tpr.value, good.tnr.value) if rate is not None]
    lows = [rate for rate in (good.tpr.low, good.tnr.low) if rate is not None]
    if min(rates) < SORT:
        return "One side is missed too often to rely on this cut."
    if min(lows) >= GATE:
        return "Both sides are told apart well enough to gate a release on data like these."
    if min(rates) >= GATE:
        return "Good enough to gate a release if more labels bear it out."
    return "Good enough to sort the queue, not to gate a release."


def agreement_finding(report: AgreementReport, score: str | None = None) -> Finding:
    """How far the raters agree, and how far the judge agrees with them."""
    judge = _judge(report, score)
    if report.n_units == 0:
        return Finding(f"Nothing in view has a rating of {report.criterion}.")
    if report.reason is not None:
        named = ", ".join(rater.name for rater in report.raters)
        return Finding(
            f"Only one rater ({named}) has rated {report.criterion}: no agreement to compute."
            if len(report.raters) == 1
            else f"No sample has two ratings of {report.criterion}.",
            f"The mean is {figures.number(report.mean.value)} over "
            f"{figures.count(report.n_units)}. {judge}".strip(),
        )
    best = report.ac2 or report.ac1
    value = best.value or 0.0
    ends = (
        f" ({figures.number(best.low)} to {figures.number(best.high)})"
        if best.low is not None
        else ""
    )
    equal = report.absolute
    unit = "contexts" if report.is_of_contexts else "samples"
    head = (
        f"The agreement of {figures.count(len(report.raters))} raters on {report.criterion} is "
        f"{band(value)}: {best.name} {figures.number(value)}{ends}."
    )
    rest = (
        f"They are equal on {figures.count(int(equal.k))} of {figures.count(equal.n)} {unit} that "
        f"two or more rated. {_so_what(best)} {judge}"
    )
    return Finding(head, rest.strip())


def _so_what(found: Agreement) -> str:
    """What follows for a judge that is to be measured against these people."""
    if found.n_paired < FEW:
        return "So few cannot tell whether people agree: let two people rate more of them."
    low, high = found.low, found.high
    if low is None or high is None or low <= SETTLED[0] < high:
        return "The interval is wide: more that two people rated would settle it."
    if high <= SETTLED[0]:
        return (
            "Talk the criterion over before a judge is measured against it: nobody can agree with "
            "people who do not agree."
        )
    if low <= SETTLED[1]:
        return "Read the samples on which they differ before a judge is measured against them."
    return "Firm enough to measure a judge against."


def _judge(report: AgreementReport, score: str | None) -> str:
    if report.judge is None or score is None:
        return ""
    found = next(one for one in report.judge.correlations if one.kind == "spearman")
    if found.value is None:
        return ""
    return (
        f"Against their mean {score} has a Spearman correlation of {figures.number(found.value)}."
    )
