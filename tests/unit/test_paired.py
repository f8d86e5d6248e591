"""Paired and group tests against published cases and scipy, statsmodels."""

import numpy as np
import pytest

from core.metrics.paired import chi_square, corrected_p, kruskal_wallis, mcnemar, wilcoxon


def test_mcnemar_of_a_teaching_example():
    assert mcnemar(12, 3).exact_p == pytest.approx(0.0352, abs=5e-5)


def test_mcnemar_with_equal_counts():
    # exact 1; mid-p 1 - P(X = 2) / 2 with P = C(4, 2) / 16 = 0.375
    found = mcnemar(2, 2)
    assert (found.exact_p, found.mid_p) == (1.0, pytest.approx(1 - 0.375 / 2))


@pytest.mark.parametrize(("b", "c"), [(0, 5), (7, 2), (30, 18), (1, 0)])
def test_mcnemar_exact_agrees_with_statsmodels(b, c):
    from statsmodels.stats.contingency_tables import mcnemar as other

    expected = other([[0, b], [c, 0]], exact=True).pvalue
    assert mcnemar(b, c).exact_p == pytest.approx(expected)


def test_wilcoxon_without_ties_agrees_with_scipy_exact():
    from scipy.stats import wilcoxon as other

    values = np.random.default_rng(3).normal(0.3, 1, 15)
    assert wilcoxon(values).p == pytest.approx(other(values, method="exact").pvalue)


def test_wilcoxon_of_many_pairs_agrees_with_scipy_normal():
    from scipy.stats import wilcoxon as other

    values = np.round(np.random.default_rng(4).normal(0.2, 2, 200))
    expected = other(values, method="approx", correction=False).pvalue
    assert wilcoxon(values).p == pytest.approx(expected)


def test_wilcoxon_of_equal_pairs():
    found = wilcoxon([0, 0, 0])
    assert (found.p, found.n_used, found.note) == (1.0, 0, "all pairs are equal")
    assert wilcoxon([]).note == "no pairs"


@pytest.mark.parametrize(("statistic", "p"), [(6.114, 0.047), (5.099, 0.078), (4.356, 0.113)])
def test_published_chi_square_values_have_two_degrees_of_freedom(statistic, p):
    from scipy.stats import chi2

    assert chi2.sf(statistic, 2) == pytest.approx(p, abs=5e-4)


def test_chi_square_by_hand():
    # Rows 10/10 and 20/0: expected 15/5 each, so 25/15 + 25/5 + 25/15 + 25/5 = 13.333
    assert chi_square([[10, 10], [20, 0]]).statistic == pytest.approx(40 / 3)
    assert chi_square([[10, 0], [20, 0]]).reason == "one outcome does not occur"


def test_kruskal_wallis_names_what_it_cannot_test():
    assert kruskal_wallis([[1, 2], []]).reason == "fewer than two groups have scores"
    assert kruskal_wallis([[1, 1], [1]]).reason == "all scores are equal"


def test_kruskal_wallis_by_hand():
    # Ranks 1 2 3 | 4 5 6: H = 12 / (6·7) · (6²/3 + 15²/3) - 3·7 = 3.857
    found = kruskal_wallis([[1, 2, 3], [4, 5, 6]])
    assert found.statistic == pytest.approx(3.857, abs=5e-4)
    assert len(found.pairs) == 1


def test_holm_agrees_with_statsmodels():
    from statsmodels.stats.multitest import multipletests

    values = [0.01, 0.2, 0.03, 0.5, 0.001]
    assert corrected_p(values) == pytest.approx(multipletests(values, method="holm")[1])
    assert corrected_p(values, "bonferroni") == pytest.approx(
        multipletests(values, method="bonferroni")[1]
    )
