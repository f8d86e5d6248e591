"""Tests of two runs on the same samples, and of several groups of samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

ZeroMethod = Literal["wilcox", "pratt"]


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two binary outcomes of the same samples: ``b`` only the first, ``c`` only the second.

    ``note`` says where there is nothing to test.
    """

    b: int
    c: int
    exact_p: float
    mid_p: float
    note: str | None = None


def mcnemar(b: int, c: int) -> McNemar:
    """McNemar's test on the discordant pairs: exact p and mid-p (the default to report).

    exact = min(1, 2 P(Bin(b + c, 1/2) <= min(b, c))); mid-p = exact - P(X = min(b, c)), and for
    b = c it is 1 - P(X = b) / 2. Source: Fagerland, Lydersen and Laake (2013).

    >>> found = mcnemar(10, 3)
    >>> round(found.exact_p, 5), round(found.mid_p, 5)
    (0.09229, 0.05737)
    >>> mcnemar(0, 0).note
    'no discordant pairs'
    """
    from scipy.stats import binom

    n, least = b + c, min(b, c)
    if n == 0:
        return McNemar(b, c, 1.0, 1.0, "no discordant pairs")
    exact = min(1.0, 2 * float(binom.cdf(least, n, 0.5)))
    at = float(binom.pmf(least, n, 0.5))
    return McNemar(b, c, exact, 1 - at / 2 if b == c else exact - at)


@dataclass(frozen=True, slots=True)
class Wilcoxon:
    """Signed ranks of the differences of paired scores.

    ``n`` pairs, of which ``n_zero`` are equal and ``n_used`` are ranked; ``plus`` and ``minus`` are
    the rank sums; ``rank_biserial`` is (plus - minus) / (plus + minus), None without ranks.
    """

    n: int
    n_zero: int
    n_used: int
    plus: float
    minus: float
    p: float
    rank_biserial: float | None
    median_difference: float | None
    note: str | None = None


def wilcoxon(differences: Sequence[float], zero_method: ZeroMethod = "wilcox") -> Wilcoxon:
    """Wilcoxon's signed-rank test, two-sided; exact over all sign patterns up to 20 ranked pairs.

    "wilcox" leaves equal pairs out before ranking, "pratt" ranks them and leaves their ranks out.
    Source: Wilcoxon (1945); Pratt (1959).

    >>> found = wilcoxon([1, -1, 2, 0, 3, 2, 0, -1, 4, 2])
    >>> found.n_used, found.plus, found.minus, round(found.rank_biserial, 3), round(found.p, 4)
    (8, 32.0, 4.0, 0.778, 0.0547)
    >>> round(wilcoxon([1, -1, 2, 0, 3, 2, 0, -1, 4, 2], "pratt").p, 4)
    0.0781
    """
    import numpy as np
    from scipy.stats import norm, rankdata

    values = np.asarray(differences, dtype=float)
    n, n_zero = len(values), int((values == 0).sum())
    used = values[values != 0]
    median = float(np.median(values)) if n else None
    if len(used) == 0:
        note = "all pairs are equal" if n else "no pairs"
        return Wilcoxon(n, n_zero, 0, 0.0, 0.0, 1.0, None, median, note)
    ranked = values if zero_method == "pratt" else used
    ranks = rankdata(np.abs(ranked))[ranked != 0]
    plus, minus = float(ranks[used > 0].sum()), float(ranks[used < 0].sum())
    if len(used) <= _EXACT_UP_TO:
        p = _exact_p(ranks.tolist(), min(plus, minus))
    else:
        mean, variance = ranks.sum() / 2, (ranks**2).sum() / 4
        p = 2 * float(norm.sf(abs(plus - mean) / np.sqrt(variance)))
    biserial = (plus - minus) / (plus + minus)
    return Wilcoxon(n, n_zero, len(used), plus, minus, min(1.0, p), biserial, median)


_EXACT_UP_TO = 20


def _exact_p(ranks: Sequence[float], least: float) -> float:
    """Share of sign patterns whose smaller rank sum is at most ``least``; ties need half ranks."""
    sums = {0: 1}
    for rank in ranks:
        step = round(2 * rank)
        grown = dict(sums)
        for total, n in sums.items():
            grown[total + step] = grown.get(total + step, 0) + n
        sums = grown
    at_most = sum(n for total, n in sums.items() if total <= 2 * least + 1e-9)
    return float(min(1.0, 2 * at_most / 2 ** len(ranks)))


@dataclass(frozen=True, slots=True)
class GroupTest:
    """One test over several groups, and the pairs behind it with corrected p values."""

    statistic: float | None
    p: float | None
    n_groups: int
    pairs: tuple[tuple[int, int, float], ...] = ()
    reason: str | None = None


def kruskal_wallis(
    groups: Sequence[Sequence[float]], correction: Literal["holm", "bonferroni"] = "holm"
) -> GroupTest:
    """Kruskal–Wallis over groups of scores, then Mann–Whitney for each pair, p corrected.

    Source: Kruskal and Wallis (1952); Mann and Whitney (1947); Holm (1979).
    """
    import numpy as np
    from scipy.stats import kruskal, mannwhitneyu

    filled = [list(group) for group in groups if len(group) > 0]
    if len(filled) < 2:
        return GroupTest(None, None, len(filled), reason="fewer than two groups have scores")
    if len(np.unique(np.concatenate([np.asarray(group) for group in filled]))) < 2:
        return GroupTest(None, None, len(filled), reason="all scores are equal")
    found = kruskal(*filled)
    keys = [(i, j) for i in range(len(filled)) for j in range(i + 1, len(filled))]
    raw = [float(mannwhitneyu(filled[i], filled[j]).pvalue) for i, j in keys]
    pairs = tuple((i, j, p) for (i, j), p in zip(keys, corrected_p(raw, correction), strict=True))
    return GroupTest(float(found.statistic), float(found.pvalue), len(filled), pairs)


def chi_square(
    table: Sequence[Sequence[int]], correction: Literal["holm", "bonferroni"] = "holm"
) -> GroupTest:
    """Chi-square test that the share of a binary outcome is the same in all groups (rows).

    Pairs of groups are compared by Fisher's exact test, which holds for small groups too. The pairs
    count the groups that have samples.

    >>> found = chi_square([[2, 8], [8, 2]])
    >>> round(found.statistic, 6), [(i, j, round(p, 4)) for i, j, p in found.pairs]
    (7.2, [(0, 1, 0.023)])
    """
    import numpy as np
    from scipy.stats import chi2_contingency, fisher_exact

    counts = np.asarray([row for row in table if sum(row) > 0])
    if len(counts) < 2:
        return GroupTest(None, None, len(counts), reason="fewer than two groups have samples")
    if (counts.sum(axis=0) == 0).any():
        return GroupTest(None, None, len(counts), reason="one outcome does not occur")
    found = chi2_contingency(counts, correction=False)
    keys = [(i, j) for i in range(len(counts)) for j in range(i + 1, len(counts))]
    raw = [float(fisher_exact(counts[[i, j]]).pvalue) for i, j in keys]
    pairs = tuple((i, j, p) for (i, j), p in zip(keys, corrected_p(raw, correction), strict=True))
    return GroupTest(float(found.statistic), float(found.pvalue), len(counts), pairs)


def corrected_p(
    values: Sequence[float], correction: Literal["holm", "bonferroni"] = "holm"
) -> list[float]:
    """P values corrected for their number, in the order given.

    >>> corrected_p([0.01, 0.04, 0.03])   # sorted 0.01·3, 0.03·2, 0.04·1, never falling
    [0.03, 0.06, 0.06]
    """
    m = len(values)
    if correction == "bonferroni":
        return [min(1.0, p * m) for p in values]
    order = sorted(range(m), key=lambda i: values[i])
    found, worst = [0.0] * m, 0.0
    for step, i in enumerate(order):
        worst = max(worst, min(1.0, values[i] * (m - step)))
        found[i] = worst
    return found
