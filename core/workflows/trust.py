"""Whether the figures of a run can be trusted: what was checked, and what needs a look."""

from dataclasses import dataclass

from core.diagnosis.contradictions import ContradictionId
from core.diagnosis.modes import Outcome
from core.diagnosis.vocabulary import AXES, missing_in_words
from core.figures import EN_DASH, NARROW, count, number
from core.model import TRIAD, Axis, Flag, JudgeKind, Mode
from core.workflows.comparability import mixed_judges
from core.workflows.overview import Overview

FAIR_AUC = 0.7
"""The judge passes if the lower end of its interval reaches this; 0.5 would be guessing."""

FEW_BORDERLINE = 0.05
"""Up to this share of samples near a cut is what cuts cost; more of them, and the cut decides."""


@dataclass(frozen=True, slots=True)
class TrustLine:
    """One check: fine or not, in words, with the figure behind it.

    ``terms`` filter exactly the samples that the figure counts; empty where it counts none.
    """

    is_fine: bool
    label: str
    figure: str
    why: str
    terms: tuple[str, ...] = ()


def trust_lines(found: Overview) -> tuple[TrustLine, ...]:
    """The checks of a run in the order of the page; their texts may quote names of the store."""
    return (
        _judge(found),
        _agreement(found),
        _borderline(found),
        _repeats(found),
        _undecided(found),
        *_wrong_successes(found),
        _contradictions(found),
    )


def _judge(found: Overview) -> TrustLine:
    why = "Whose verdicts feed context relevance, groundedness and answer relevance."
    triad = [one for one in found.judged_by if one.axis in TRIAD]
    missing = [one for one in triad if one.metric is None]
    if missing:
        names = ", ".join(AXES[one.axis].short for one in missing)
        return TrustLine(False, "Not judged on all axes", f"nobody scored {names}", why)
    models = dict.fromkeys(str(one.model) for one in triad)
    mixed = mixed_judges(found.matrix.settings)
    if mixed is not None:
        return TrustLine(
            False,
            "Mixed judges",
            " + ".join(models),
            f"{why} Here they are different ones: {mixed}. One may be stricter than another, and a "
            "mode compares their scores.",
        )
    kinds = {one.kind for one in triad}
    if JudgeKind.OFFLINE in kinds:
        return TrustLine(
            False,
            "Judged by similarity",
            " + ".join(models),
            f"{why} The offline judge measures similarity of texts and cannot see contradictions.",
        )
    if models == {"file": None}:
        return TrustLine(
            False, "Judge not named", "scores of the file", f"{why} The file does not say who."
        )
    return TrustLine(True, "Judge", " + ".join(models), why)


def _agreement(found: Overview) -> TrustLine:
    check = found.check
    groundedness = next(one for one in found.judged_by if one.axis is Axis.GROUNDEDNESS)
    if check.auc is None or groundedness.metric is None:
        return TrustLine(
            False,
            "Judge not checked",
            "nothing scored" if groundedness.metric is None else "no label to compare with",
            "With a score and a label of 0 or 1 such as faithful, groundedness could be compared "
            "with people.",
        )
    auc = check.auc
    why = (
        f"AUC: how often {groundedness.metric} by {groundedness.model} is higher for a sample "
        f"that people label {check.criterion} = 1 than for one they label 0, with its "
        f"95{NARROW}% interval; 0.5 is guessing. Fine if the interval begins at "
        f"{number(FAIR_AUC)} or above."
        + (" The closed test part of the labels is left out." if check.hides_test else "")
    )
    if auc.value is None:
        return TrustLine(False, "Judge not checked", auc.reason or "", why)
    n = f"n = {count(auc.n)}"
    if auc.low is None or auc.high is None:
        return TrustLine(
            False, "Judge hardly checked", f"AUC {number(auc.value)}, no interval, {n}", why
        )
    is_fine = auc.low >= FAIR_AUC
    return TrustLine(
        is_fine,
        "Agrees with people" if is_fine else "Agrees too little with people",
        f"AUC {number(auc.value)} ({number(auc.low)}{EN_DASH}{number(auc.high)}), {n}",
        why,
    )


def _borderline(found: Overview) -> TrustLine:
    summary = found.matrix.summary
    n, scored = summary.flags[Flag.BORDERLINE], _n_scored(found)
    has_cuts = not found.matrix.without_cut
    is_fine = has_cuts and scored > 0 and n <= FEW_BORDERLINE * scored
    near = f"{count(n)} of {count(scored)} near a cut" if has_cuts else "scores without a cut"
    return TrustLine(
        is_fine,
        "Few borderline scores" if is_fine else "Borderline scores",
        near if scored else "nothing scored",
        "Samples with a score so close to its cut that the mode could as well be another one. "
        "Scores in steps, such as 1 to 5, are borderline only where repeats straddle the cut.",
        (f"flag={Flag.BORDERLINE.value}",) if n else (),
    )


def _n_scored(found: Overview) -> int:
    """Samples with a score on the axis that has most: what has none can neither pass nor fail."""
    return max(one.n_value for one in found.matrix.coverage)


def _repeats(found: Overview) -> TrustLine:
    summary = found.matrix.summary
    if found.n_repeats < 2:
        return TrustLine(
            False,
            "Judged once" if found.n_repeats else "Not judged",
            "stability unknown",
            "Judging the same samples again shows how often the judge contradicts itself.",
        )
    n = summary.flags[Flag.UNSTABLE_JUDGE]
    is_fine = n <= FEW_BORDERLINE * summary.n
    return TrustLine(
        is_fine,
        "Repeats agree" if is_fine else "Repeats disagree",
        f"{count(n)} of {count(summary.n)} differ over {count(found.n_repeats)} repeats",
        "Samples with a triad score that is not the same in all repeats.",
        (f"flag={Flag.UNSTABLE_JUDGE.value}",) if n else (),
    )


def _undecided(found: Overview) -> TrustLine:
    summary = found.matrix.summary
    n = summary.of(Outcome.OPEN)
    modes = [mode for mode in (Mode.UNDETERMINED, Mode.REFUSAL_UNVERIFIED) if summary.modes[mode]]
    causes = [
        f"{count(k)} {missing_in_words(k, status, cause)}" for status, cause, k in found.undecided
    ]
    unverified = summary.modes[Mode.REFUSAL_UNVERIFIED]
    if unverified:
        noun = "refusal" if unverified == 1 else "refusals"
        causes.append(f"{count(unverified)} {noun}, right or wrong not known")
    return TrustLine(
        n == 0,
        "Every sample decided" if n == 0 else "Undecided samples",
        f"{count(n)} of {count(summary.n)}",
        "Samples without a mode are in no rate"
        + (f": {'; '.join(causes)}. One sample can lack several scores." if causes else "."),
        tuple(f"mode={mode.value}" for mode in modes),
    )


def _wrong_successes(found: Overview) -> tuple[TrustLine, ...]:
    """The blind spot of the triad, where correctness shows it."""
    kinds = {spec.id: (spec, n) for spec, n in found.contradictions}
    if ContradictionId.WRONG_SUCCESS not in kinds:
        return ()
    spec, n = kinds[ContradictionId.WRONG_SUCCESS]
    of = found.matrix.summary.modes[Mode.SUCCESS]
    return (
        TrustLine(
            False,
            spec.name,
            f"{count(n)} of {count(of)} {'success' if of == 1 else 'successes'}",
            f"{spec.reading} They count as passed.",
            (f"contradiction={spec.id.value}",),
        ),
    )


def _contradictions(found: Overview) -> TrustLine:
    n, scored, n_unknown = found.n_contradicting, _n_scored(found), found.n_underived
    is_fine = scored > 0 and n == n_unknown == 0
    kinds = "; ".join(f"{count(k)} {spec.name.lower()}" for spec, k in found.contradictions)
    return TrustLine(
        is_fine,
        "No contradictions" if is_fine else "Contradictions",
        f"{count(n)} of {count(scored)}" if scored else "nothing scored",
        "Samples where the three scores disagree with what else is known: whether the evidence "
        "was retrieved, whether the answer keeps to it, whether it is correct"
        + (f": {kinds}. One sample can be of several kinds. " if kinds else ". ")
        + (
            f"Of {count(n_unknown)} it is not known yet whether the evidence was retrieved. "
            if n_unknown
            else ""
        )
        + "The page Context use explains each kind.",
        tuple(f"contradiction={spec.id.value}" for spec, _ in found.contradictions),
    )
