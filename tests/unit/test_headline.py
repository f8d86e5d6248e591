"""Headline rates: their denominators, the worst and best case, and paired changes."""

import pytest

from core.diagnosis.headline import HEADLINES, HeadlineId, headlines, rate_of
from core.diagnosis.summary import PatternCount, Summary, summarise
from core.diagnosis.triad import N_PATTERNS, Pattern
from core.metrics.intervals import paired_difference

SUCCESS = Pattern(1, 1, 1, 0)
SUCCESS_WRONG = Pattern(1, 1, 1, 0, 0)
SUCCESS_RIGHT = Pattern(1, 1, 1, 0, 1)
HALLUCINATION = Pattern(1, 0, 1, 0)
MISS = Pattern(0, 1, 0, 0)
RIGHT_REFUSAL = Pattern(0, None, None, 1)
OVER_REFUSAL = Pattern(1, None, None, 1)
OPEN_REFUSAL = Pattern(None, None, None, 1)
UNSCORED = Pattern(None, None, None, 0)


def summary(*counts: tuple[int, Pattern]) -> Summary:
    return summarise([PatternCount(pattern.code, n) for n, pattern in counts])


def pairs(*counts: tuple[Pattern, Pattern, int]) -> list[tuple[int, int, int]]:
    return [(old.code, new.code, n) for old, new, n in counts]


def test_every_rate_counts_over_its_own_samples() -> None:
    # 20 samples: 8 + 2 + 2 successes (2 known right, 2 known wrong), 3 hallucinations, 2 right
    # refusals, 1 wrong one, 1 open one, 1 without scores.
    run = summary(
        (8, SUCCESS),
        (2, SUCCESS_RIGHT),
        (2, SUCCESS_WRONG),
        (3, HALLUCINATION),
        (2, RIGHT_REFUSAL),
        (1, OVER_REFUSAL),
        (1, OPEN_REFUSAL),
        (1, UNSCORED),
    )
    found = {one.id: (one.rate.k, one.rate.n) for one in headlines(run)}
    assert found == {
        HeadlineId.SUCCESS: (12, 18),
        HeadlineId.PASS: (14, 18),
        HeadlineId.CORRECT: (2, 8),  # 2 right, 2 wrong, and all 4 refusals
        HeadlineId.REFUSALS: (2, 3),
        HeadlineId.COVERAGE: (18, 20),
    }


def test_worst_and_best_case_are_given_below_95_per_cent() -> None:
    # 15 of 20 decided, 12 of them a success: 12/20 if the other five failed, 17/20 if they passed.
    run = summary((12, SUCCESS), (3, HALLUCINATION), (5, UNSCORED))
    cases = {one.id: one.cases for one in headlines(run)}
    assert cases[HeadlineId.SUCCESS] == (12 / 20, 17 / 20)
    assert cases[HeadlineId.PASS] == (12 / 20, 17 / 20)
    assert cases[HeadlineId.COVERAGE] is None


def test_with_95_per_cent_decided_there_are_no_cases() -> None:
    run = summary((19, SUCCESS), (1, UNSCORED))
    assert all(one.cases is None for one in headlines(run))


def test_rates_without_samples_say_why() -> None:
    run = summary((3, UNSCORED), (1, OPEN_REFUSAL))
    reasons = {which: rate_of(which, run).reason for which in HeadlineId}
    assert reasons == {
        HeadlineId.SUCCESS: "no sample could be diagnosed",
        HeadlineId.PASS: "no sample could be diagnosed",
        HeadlineId.CORRECT: "correctness is known for no sample",
        HeadlineId.REFUSALS: "whether a refusal is right is known for none",
        HeadlineId.COVERAGE: None,
    }
    assert rate_of(HeadlineId.REFUSALS, summary((2, SUCCESS))).reason == "no sample was refused"


def test_change_is_the_difference_of_the_shown_rates_with_the_paired_interval() -> None:
    # Baseline 3 of 11, candidate 6 of 11: three samples became a success, none was lost.
    run = summary((6, SUCCESS), (5, HALLUCINATION), (1, UNSCORED))
    base = summary((3, SUCCESS), (8, HALLUCINATION), (1, UNSCORED))
    both = pairs(
        (SUCCESS, SUCCESS, 3),
        (HALLUCINATION, SUCCESS, 3),
        (HALLUCINATION, HALLUCINATION, 5),
        (UNSCORED, UNSCORED, 1),
    )
    change = headlines(run, base, both)[0].change
    assert change is not None
    assert change.value == pytest.approx(3 / 11)
    assert change.n_pairs == 11  # the one without scores counts in neither run
    assert change.interval == paired_difference(both=3, only_new=3, only_old=0, neither=5)


def test_a_sample_decided_in_one_run_only_is_no_pair() -> None:
    run = summary((10, SUCCESS), (2, HALLUCINATION))
    base = summary((8, SUCCESS), (2, HALLUCINATION), (2, UNSCORED))
    both = pairs((SUCCESS, SUCCESS, 8), (HALLUCINATION, HALLUCINATION, 2), (UNSCORED, SUCCESS, 2))
    success, *_, coverage = headlines(run, base, both)
    assert success.change is not None
    assert success.change.n_pairs == 10
    assert coverage.change is not None
    assert coverage.change.n_pairs == 12


def test_runs_of_other_samples_are_compared_as_such() -> None:
    run, base = summary((80, SUCCESS), (20, HALLUCINATION)), summary((40, SUCCESS), (60, MISS))
    change = headlines(run, base, [])[0].change
    assert change is not None
    assert (change.n_pairs, change.is_clear) == (0, True)


def test_an_undefined_rate_has_no_change() -> None:
    run, base = summary((10, SUCCESS)), summary((10, SUCCESS_RIGHT))
    correct = headlines(run, base, pairs((SUCCESS_RIGHT, SUCCESS, 10)))[2]
    assert correct.rate.value is None
    assert correct.baseline is not None
    assert correct.change is None


@pytest.mark.parametrize("which", list(HeadlineId))
def test_pairs_are_read_as_the_summary_reads_samples(which: HeadlineId) -> None:
    # Every pattern once in both runs: each sample equals itself, so all pairs agree, and their
    # number and the share of them must be the summary's.
    every = [Pattern.from_code(code) for code in range(N_PATTERNS)]
    run = summary(*((1, pattern) for pattern in every))
    found = headlines(run, run, pairs(*((pattern, pattern, 1) for pattern in every)))
    one = next(one for one in found if one.id is which)
    assert one.change is not None
    assert one.change.n_pairs == one.rate.n
    assert one.change.value == 0
    k, n = int(one.rate.k), one.rate.n
    assert one.change.interval == paired_difference(k, 0, 0, n - k)


def test_every_rate_is_in_words() -> None:
    assert set(HEADLINES) == set(HeadlineId)
