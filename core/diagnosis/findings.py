"""The one sentence that stands above the failure modes, computed from the counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.diagnosis.modes import Outcome, Side
from core.diagnosis.summary import Summary
from core.metrics.intervals import difference
from core.model import Mode

TINY = 10
"""Below this many decided samples a rate says less than the counts."""

SPOT_CHECK = 20


class Numbers(Protocol):
    """How figures are written; ``dashboard.theme`` fits."""

    def count(self, n: int | None, /) -> str:
        """A count with thousands separators."""

    def percent(self, share: float | None, /) -> str:
        """A share in 0..1 as per cent."""

    def interval(self, low: float | None, high: float | None, /) -> str:
        """Both ends of an interval of shares."""

    def points(self, difference: float | None, /) -> str:
        """A difference of shares with its sign."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the numbers say, and what follows from it; plain text, to be shown side by side."""

    bold: str
    rest: str = ""

    @property
    def text(self) -> str:
        """Both parts as one text."""
        return f"{self.bold} {self.rest}".strip()


def failure_finding(
    summary: Summary,
    numbers: Numbers,
    *,
    baseline: Summary | None = None,
    is_clear: bool | None = None,
    not_comparable: str = "",
    has_contexts: bool = True,
    has_answers: bool = True,
    without_cut: Sequence[str] = (),
) -> Finding:
    """The finding of the page Failure modes.

    Args:
        summary: counts of the samples in view.
        numbers: how figures are written.
        baseline: counts of the baseline's samples in the same view.
        is_clear: whether the difference to the baseline exceeds chance, where the caller has
            paired the samples; without it the two shares are compared as if of different samples.
        not_comparable: sentence that says why the baseline cannot be compared, else empty.
        has_contexts: whether the run recorded contexts.
        has_answers: whether the run has answers.
        without_cut: names of axes that are scored and have no cut.
    """
    if summary.n == 0:
        return Finding("No sample in view.")
    if summary.scored == 0:
        return _nothing_scored(summary, numbers, has_contexts, has_answers, without_cut)
    if sum(summary.refusals.values()) == summary.n:
        return _all_refusals(summary, numbers)
    if 2 * summary.scored < summary.n:
        return _mostly_unscored(summary, numbers, has_contexts, without_cut)
    if summary.scored < TINY:
        return _tiny(summary, numbers)
    fails = summary.of(Outcome.FAIL)
    if fails == 0:
        return _all_good(summary, numbers, not_comparable)
    head = f"{_fails(summary, numbers)} ({_rate(summary, numbers)})"
    where = _where(summary, numbers, fails)
    if not_comparable:
        return Finding(f"{head}.", f"{not_comparable} {where}")
    if baseline is None or baseline.scored == 0:
        return Finding(f"{head}.", where)
    if is_clear is None:
        change = difference(fails, summary.scored, baseline.of(Outcome.FAIL), baseline.scored)
        is_clear = change is not None and change.is_clear
    if not is_clear:
        by = _change(summary, baseline, numbers)
        return Finding(
            f"{head};",
            f"the difference to the baseline ({by}) is within what chance gives. {where}",
        )
    return Finding(f"{head}, {_against(summary, baseline, numbers)}.", where)


def _answers(n: int, numbers: Numbers, word: str = "") -> str:
    noun = "answer" if n == 1 else "answers"
    return f"{numbers.count(n)} {word}{noun}"


def _fails(summary: Summary, numbers: Numbers) -> str:
    fails = summary.of(Outcome.FAIL)
    word = "scored " if summary.scored < summary.n else ""
    verb = "fails" if fails == 1 else "fail"
    return f"{numbers.count(fails)} of {_answers(summary.scored, numbers, word)} {verb}"


def _rate(summary: Summary, numbers: Numbers) -> str:
    rate = summary.fail_rate
    return f"{numbers.percent(rate.value)}, {numbers.interval(rate.low, rate.high)}"


def _where(summary: Summary, numbers: Numbers, fails: int) -> str:
    """Which side most failures are on; at a tie the retriever, because the rest depends on it."""
    sides = (Side.RETRIEVAL, Side.GENERATION, Side.REFUSAL)
    worst = max(sides, key=lambda side: (summary.failing(side), -sides.index(side)))
    n = summary.failing(worst)
    if fails == 1:
        many = "There"
    elif n == fails:
        many = "For all of them"
    else:
        many = f"For {numbers.count(n)} of them"
    if worst is Side.RETRIEVAL:
        return f"{many} retrieval missed the evidence; repair the retriever first."
    if worst is Side.GENERATION:
        return f"{many} the evidence was there and generation failed; repair the prompt first."
    return f"{many} the system declined despite evidence; loosen the refusal rule first."


def _change(summary: Summary, baseline: Summary, numbers: Numbers) -> str:
    """Signed difference: in samples where the denominators are equal, else in points."""
    if summary.scored == baseline.scored:
        by = summary.of(Outcome.FAIL) - baseline.of(Outcome.FAIL)
        sign = "+" if by > 0 else "−" if by < 0 else "±"
        return f"{sign}{numbers.count(abs(by))}"
    now, then = summary.fail_rate.value, baseline.fail_rate.value
    return numbers.points(None if now is None or then is None else now - then)


def _against(summary: Summary, baseline: Summary, numbers: Numbers) -> str:
    if summary.scored != baseline.scored:
        return f"{_change(summary, baseline, numbers)} against the baseline"
    by = summary.of(Outcome.FAIL) - baseline.of(Outcome.FAIL)
    return f"{numbers.count(abs(by))} {'fewer' if by < 0 else 'more'} than the baseline"


def _all_refusals(summary: Summary, numbers: Numbers) -> Finding:
    """Of refusals alone the scores say nothing; what counts is whether they should be."""
    counts = [
        f"{numbers.count(summary.refusals[mode])} {word}"
        for mode, word in (
            (Mode.CORRECT_REFUSAL, "rightly"),
            (Mode.OVER_REFUSAL, "despite evidence"),
            (Mode.REFUSAL_UNVERIFIED, "unverified"),
        )
        if summary.refusals[mode]
    ]
    noun = "answer is a refusal" if summary.n == 1 else "answers are refusals"
    many = "The" if summary.n == 1 else f"All {numbers.count(summary.n)}"
    is_open = summary.refusals[Mode.REFUSAL_UNVERIFIED] > 0
    return Finding(
        f"{many} {noun}: {', '.join(counts)}.",
        "Judge context relevance, or label what can be answered." if is_open else "",
    )


def _all_good(summary: Summary, numbers: Numbers, not_comparable: str) -> Finding:
    word = "scored " if summary.scored < summary.n else ""
    bold = f"None of {_answers(summary.scored, numbers, word)} fails ({_rate(summary, numbers)})."
    if summary.contradictions:
        n = summary.contradictions
        what = (
            "1 is known to be wrong: read it" if n == 1 else f"{n} are known to be wrong: read them"
        )
        rest = f"The triad cannot see a wrong source, and {what} first."
    else:
        check = min(SPOT_CHECK, summary.modes[Mode.SUCCESS])
        rest = "The triad cannot see a wrong source" + (f": spot-check {check}." if check else ".")
    return Finding(bold, f"{not_comparable} {rest}".strip())


def _tiny(summary: Summary, numbers: Numbers) -> Finding:
    noun = "sample" if summary.n == 1 else "samples"
    counts = [
        f"{numbers.count(summary.of(outcome))} {one if summary.of(outcome) == 1 else several}"
        for outcome, one, several in (
            (Outcome.FAIL, "fails", "fail"),
            (Outcome.PASS, "passes", "pass"),
            (Outcome.OPEN, "open", "open"),
        )
        if summary.of(outcome)
    ]
    return Finding(f"{numbers.count(summary.n)} {noun}: counts only.", f"{', '.join(counts)}.")


def _mostly_unscored(
    summary: Summary, numbers: Numbers, has_contexts: bool, without_cut: Sequence[str]
) -> Finding:
    scored, total = numbers.count(summary.scored), numbers.count(summary.n)
    rest_n = summary.n - summary.scored
    verb = "has" if summary.scored == 1 else "have"
    settled = sum(summary.refusals.values()) - summary.refusals[Mode.REFUSAL_UNVERIFIED]
    if settled == summary.scored:
        bold = f"Only {scored} of {total} samples could be diagnosed, all of them refusals"
    elif settled:
        bold = f"Only {scored} of {total} samples {verb} all three scores or a settled refusal"
    else:
        bold = f"Only {scored} of {total} samples {verb} all three scores"
    if without_cut:
        return Finding(f"{bold}; {_lack_cuts(without_cut)}.", _SAY_CUTS)
    if not has_contexts:
        return Finding(
            f"{bold}.",
            "The run recorded no contexts, so our judges cannot score context relevance and "
            "groundedness; no verdict on the run.",
        )
    others = f"{numbers.count(rest_n)} {'is' if rest_n == 1 else 'are'}"
    return Finding(f"{bold};", f"no verdict on the run until the other {others} judged.")


_SAY_CUTS = (
    "The scale of these scores is not known: say on Failure modes from which score on they are "
    "high."
)


def _lack_cuts(names: Sequence[str]) -> str:
    """The first letter is that of the sentence's middle."""
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"{listed.lower()} {'has' if len(names) == 1 else 'have'} no cut"


def _nothing_scored(
    summary: Summary,
    numbers: Numbers,
    has_contexts: bool,
    has_answers: bool,
    without_cut: Sequence[str],
) -> Finding:
    total = f"{numbers.count(summary.n)} {'sample' if summary.n == 1 else 'samples'}"
    if not has_answers:
        return Finding(
            f"The run has no answers: {total} with retrieval only.",
            "Groundedness, answer relevance and refusals need answers; context relevance does not.",
        )
    if without_cut:
        return Finding(f"None of {total} can be diagnosed: {_lack_cuts(without_cut)}.", _SAY_CUTS)
    if not has_contexts:
        return Finding(
            f"None of {total} can be diagnosed: the run recorded no contexts.",
            "Context relevance and groundedness need the retrieved texts, or scores that the "
            "file brings.",
        )
    if sum(summary.refusals.values()) == summary.n:
        return Finding(
            f"All {total} are refusals, and whether they should be is not known.",
            "Judge context relevance, or label what can be answered.",
        )
    return Finding(
        f"None of {total} has all three scores yet.", "Judge the run to see its failure modes."
    )
