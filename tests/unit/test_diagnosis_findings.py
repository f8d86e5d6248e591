"""The sentence above the failure modes. Figures are written as plainly as possible here."""

from core.diagnosis.findings import Finding, failure_finding
from core.diagnosis.summary import PatternCount, Summary, summarise
from core.diagnosis.triad import Pattern


class _Plain:
    """Numbers without typography, so that the sentences can be read."""

    def count(self, n: int | None) -> str:
        return str(n)

    def percent(self, share: float | None) -> str:
        return "-" if share is None else f"{100 * share:.0f}%"

    def interval(self, low: float | None, high: float | None) -> str:
        return "-" if low is None or high is None else f"{100 * low:.0f}-{100 * high:.0f}"

    def points(self, difference: float | None) -> str:
        return "-" if difference is None else f"{100 * difference:+.0f} points"


SUCCESS = Pattern(1, 1, 1, 0)
HALLUCINATION = Pattern(1, 0, 1, 0)
MISS = Pattern(0, 1, 0, 0)
OVER_REFUSAL = Pattern(1, None, None, 1)
RIGHT_REFUSAL = Pattern(0, None, None, 1)
UNSCORED = Pattern(None, None, None, 0)


def _summary(*counts: tuple[int, Pattern]) -> Summary:
    return summarise([PatternCount(pattern.code, n) for n, pattern in counts])


def _finding(summary: Summary, baseline: Summary | None = None) -> Finding:
    return failure_finding(summary, _Plain(), baseline=baseline)


def test_typical_run_with_a_clear_change() -> None:
    run = _summary((108, SUCCESS), (17, HALLUCINATION), (19, MISS), (6, UNSCORED))
    baseline = _summary((93, SUCCESS), (20, HALLUCINATION), (31, MISS), (6, UNSCORED))
    # 36 of 144 = 25 %; baseline 51 of 144 = 35 %: difference -10.4 points, Newcombe -20.7 to 0.2
    finding = failure_finding(run, _Plain(), baseline=baseline, is_clear=True)
    assert finding == Finding(
        "36 of 144 scored answers fail (25%, 19-33), 15 fewer than the baseline.",
        "For 19 of them retrieval missed the evidence; repair the retriever first.",
    )


def test_change_within_chance_is_said_to_be_so() -> None:
    run = _summary((103, SUCCESS), (41, MISS))
    baseline = _summary((100, SUCCESS), (44, MISS))
    assert _finding(run, baseline) == Finding(
        "41 of 144 answers fail (28%, 22-36);",
        "the difference to the baseline (−3) is within what chance gives. "
        "For all of them retrieval missed the evidence; repair the retriever first.",
    )


def test_without_paired_samples_the_shares_decide_whether_a_change_is_clear() -> None:
    # 20 of 100 against 60 of 100: far apart; 20 of 100 against 22 of 100: not
    run = _summary((80, SUCCESS), (20, MISS))
    assert "40 fewer than" in _finding(run, _summary((40, SUCCESS), (60, MISS))).bold
    assert "chance" in _finding(run, _summary((78, SUCCESS), (22, MISS))).rest


def test_runs_of_different_size_are_compared_in_points() -> None:
    run = _summary((80, SUCCESS), (20, MISS))
    baseline = _summary((80, SUCCESS), (120, MISS))  # 60 %
    assert _finding(run, baseline).bold == (
        "20 of 100 answers fail (20%, 13-29), -40 points against the baseline."
    )


def test_baseline_that_cannot_be_compared_is_named_and_not_compared() -> None:
    run = _summary((80, SUCCESS), (20, MISS))
    finding = failure_finding(
        run,
        _Plain(),
        baseline=_summary((10, SUCCESS), (90, MISS)),
        not_comparable="Baseline was scored by another judge; changes are not shown.",
    )
    assert finding.bold == "20 of 100 answers fail (20%, 13-29)."
    assert finding.rest.startswith("Baseline was scored by another judge; changes are not shown.")


def test_the_side_with_most_failures_is_named() -> None:
    generation = _finding(_summary((20, SUCCESS), (9, HALLUCINATION), (3, MISS)))
    refusal = _finding(_summary((20, SUCCESS), (1, HALLUCINATION), (5, OVER_REFUSAL)))
    assert generation.rest == (
        "For 9 of them the evidence was there and generation failed; repair the prompt first."
    )
    assert refusal.rest == (
        "For 5 of them the system declined despite evidence; loosen the refusal rule first."
    )


def test_at_a_tie_the_retriever_comes_first() -> None:
    finding = _finding(_summary((20, SUCCESS), (4, HALLUCINATION), (4, MISS)))
    assert finding.rest.startswith("For 4 of them retrieval missed")


def test_a_right_refusal_is_no_failure() -> None:
    finding = _finding(_summary((8, SUCCESS), (9, RIGHT_REFUSAL), (1, HALLUCINATION)))
    assert finding.bold == "1 of 18 answers fails (6%, 1-26)."


def test_all_good_still_asks_for_a_spot_check() -> None:
    assert _finding(_summary((150, SUCCESS))) == Finding(
        "None of 150 answers fails (0%, 0-2).",
        "The triad cannot see a wrong source: spot-check 20.",
    )


def test_all_good_but_known_to_be_wrong_says_so() -> None:
    finding = _finding(_summary((47, SUCCESS), (3, Pattern(1, 1, 1, 0, 0))))
    assert finding.rest == (
        "The triad cannot see a wrong source, and 3 are known to be wrong: read them first."
    )


def test_mostly_unscored_gives_no_verdict() -> None:
    assert _finding(_summary((51, SUCCESS), (10, MISS), (89, UNSCORED))) == Finding(
        "Only 61 of 150 samples have all three scores;",
        "no verdict on the run until the other 89 are judged.",
    )


def test_half_scored_is_enough() -> None:
    assert _finding(_summary((75, SUCCESS), (75, UNSCORED))).bold.startswith("None of 75 scored")


def test_few_samples_are_only_counted() -> None:
    finding = _finding(_summary((4, SUCCESS), (2, MISS), (1, UNSCORED)))
    assert finding == Finding("7 samples: counts only.", "2 fail, 4 pass, 1 open.")
    finding = _finding(_summary((1, SUCCESS), (1, MISS)))
    assert finding == Finding("2 samples: counts only.", "1 fails, 1 passes.")


def test_ten_scored_samples_get_a_rate() -> None:
    assert _finding(_summary((8, SUCCESS), (2, MISS))).bold.startswith("2 of 10 answers fail (20%")


def test_contexts_not_recorded_with_nothing_scored() -> None:
    finding = failure_finding(_summary((12, UNSCORED)), _Plain(), has_contexts=False)
    assert finding.bold == "None of 12 samples can be diagnosed: the run recorded no contexts."


def test_contexts_not_recorded_with_labelled_refusals() -> None:
    run = _summary((88, UNSCORED), (12, Pattern(None, None, None, 1, None, 0)))
    finding = failure_finding(run, _Plain(), has_contexts=False)
    assert finding.bold == "Only 12 of 100 samples could be diagnosed, all of them refusals."
    assert "recorded no contexts" in finding.rest


def test_no_answers() -> None:
    finding = failure_finding(_summary((129, Pattern())), _Plain(), has_answers=False)
    assert finding.bold == "The run has no answers: 129 samples with retrieval only."


def test_not_yet_judged() -> None:
    finding = _finding(_summary((30, UNSCORED)))
    assert finding.bold == "None of 30 samples has all three scores yet."


def test_only_unverified_refusals() -> None:
    finding = _finding(_summary((30, Pattern(refusal=1))))
    assert finding.bold == "All 30 samples are refusals, and whether they should be is not known."


def test_no_sample_in_view() -> None:
    assert _finding(_summary()).text == "No sample in view."


def test_a_run_of_refusals_says_which_are_right() -> None:
    finding = _finding(_summary((10, RIGHT_REFUSAL), (2, OVER_REFUSAL), (8, Pattern(refusal=1))))
    assert finding == Finding(
        "All 20 answers are refusals: 10 rightly, 2 despite evidence, 8 unverified.",
        "Judge context relevance, or label what can be answered.",
    )
    assert _finding(_summary((1, OVER_REFUSAL))) == Finding(
        "The answer is a refusal: 1 despite evidence."
    )


def test_scores_without_a_cut_are_not_said_to_be_missing() -> None:
    def finding(summary: Summary, *names: str) -> Finding:
        return failure_finding(summary, _Plain(), without_cut=names)

    say = (
        "The scale of these scores is not known: say on Failure modes from which score on they "
        "are high."
    )
    none = finding(_summary((40, UNSCORED)), "Groundedness")
    assert none == Finding("None of 40 samples can be diagnosed: groundedness has no cut.", say)
    some = finding(_summary((30, UNSCORED), (10, RIGHT_REFUSAL)), "Context relevance", "Adherence")
    assert some == Finding(
        "Only 10 of 40 samples could be diagnosed, all of them refusals; context relevance and "
        "adherence have no cut.",
        say,
    )
