"""How many labels are needed, and what a judge's pass rate is worth once its errors are known."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from core.metrics.intervals import Rate, wilson

_Z = 1.959963984540054


def cochran(margin: float, p: float = 0.5, population: int | None = None) -> int:
    """Sample size for a share p within ± margin at 95 %, with the finite correction.

    n0 = z² p (1 - p) / E²; finite N: n0 / (1 + (n0 - 1) / N). Source: Cochran (1977).

    Raises:
        ValueError: a margin or share outside (0, 1).

    >>> cochran(0.05), cochran(0.10), cochran(0.03), cochran(0.05, population=400)
    (385, 97, 1068, 197)
    """
    if not (0 < margin < 1 and 0 < p < 1):
        raise ValueError("margin and share must lie between 0 and 1")
    n = _Z**2 * p * (1 - p) / margin**2
    if population is not None:
        n = n / (1 + (n - 1) / population)
    return ceil(n)


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A pass rate three ways: as judged, corrected for the judge's errors, and by people alone.

    ``corrected`` is None with a ``reason`` where the correction does not hold.
    """

    raw: Rate
    human: Rate
    corrected: float | None
    low: float | None
    high: float | None
    tpr: Rate
    tnr: Rate
    reason: str | None = None


def corrected_rate(
    passed: int,
    judged: int,
    *,
    true_positive: int,
    false_negative: int,
    true_negative: int,
    false_positive: int,
    seed: int = 0,
    resamples: int = 2000,
) -> CorrectedRate:
    """Rogan–Gladen correction of a judge's pass rate by its TPR and TNR on labelled samples.

    corrected = (observed + TNR - 1) / (TPR + TNR - 1), clipped to 0..1; the interval is a
    percentile bootstrap over both sets. "Positive" is a sample that people passed.
    Source: Rogan and Gladen (1978). Assumes that the labelled samples are like the judged ones.

    >>> found = corrected_rate(70, 100, true_positive=45, false_negative=5, true_negative=40,
    ...     false_positive=10)
    >>> round(found.corrected, 6)   # (0.7 + 0.8 - 1) / (0.9 + 0.8 - 1)
    0.714286
    """
    n_pass, n_fail = true_positive + false_negative, true_negative + false_positive
    raw, human = wilson(passed, judged), wilson(n_pass, n_pass + n_fail)
    tpr, tnr = wilson(true_positive, n_pass), wilson(true_negative, n_fail)

    def undefined(reason: str) -> CorrectedRate:
        return CorrectedRate(raw, human, None, None, None, tpr, tnr, reason)

    if raw.value is None:
        return undefined("the judge has scored nothing")
    if tpr.value is None or tnr.value is None:
        return undefined("all labels are on one side: how the score errs on the other is unknown")
    if tpr.value + tnr.value - 1 <= 0.05:
        return undefined("the judge is hardly better than chance, so its errors cannot be undone")
    value = _rogan_gladen(raw.value, tpr.value, tnr.value)
    rng = np.random.default_rng(seed)
    observed = rng.binomial(judged, raw.value, resamples) / judged
    hits = rng.binomial(n_pass, tpr.value, resamples) / n_pass
    rejections = rng.binomial(n_fail, tnr.value, resamples) / n_fail
    youden = hits + rejections - 1
    usable = youden > 0.05
    if usable.mean() < 0.95:
        return undefined("too few labels: in many resamples the judge is no better than chance")
    values = np.clip((observed + rejections - 1)[usable] / youden[usable], 0, 1)
    low, high = np.percentile(values, [2.5, 97.5])
    return CorrectedRate(raw, human, value, float(low), float(high), tpr, tnr)


def _rogan_gladen(observed: float, tpr: float, tnr: float) -> float:
    return min(1.0, max(0.0, (observed + tnr - 1) / (tpr + tnr - 1)))
