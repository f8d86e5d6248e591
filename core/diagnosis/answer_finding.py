"""The finding of the page Answers."""

from collections.abc import Mapping

from core.diagnosis.findings import Finding, Numbers
from core.diagnosis.outcomes import SOURCE_NAMES, AnswerOutcome
from core.metrics.intervals import wilson


def answer_finding(
    outcomes: Mapping[AnswerOutcome, int],
    by_source: Mapping[str, Mapping[AnswerOutcome, int]],
    numbers: Numbers,
    *,
    has_answers: bool,
) -> Finding:
    """How many answers are right, and who says so.

    Args:
        outcomes: samples in view by outcome.
        by_source: samples by what settled correctness and by outcome.
        numbers: how figures are written.
        has_answers: whether the run has answers.
    """
    n = sum(outcomes.values())
    right, wrong, refused, unknown = (outcomes[one] for one in AnswerOutcome)
    if n == 0:
        return Finding("No sample in view.")
    if not has_answers and not right + wrong:
        return Finding("This run records no answers.", "Nothing can be said about what was said.")
    if right + wrong == 0:
        return Finding(
            f"Whether the {numbers.count(n)} answers are right is not known.",
            "A label, an expected answer or a judge of correctness can say so.",
        )
    share = wilson(right, n)
    bold = (
        f"{numbers.count(right)} of {numbers.count(n)} answers are correct "
        f"({numbers.percent(share.value)}, {numbers.interval(share.low, share.high)})."
    )
    parts = [
        f"{numbers.count(count)} {words}"
        for count, words in (
            (wrong, "incorrect"),
            (refused, "refused"),
            (unknown, "not known to be either"),
        )
        if count
    ]
    rest = _first_upper(", ".join(parts)) + "." if parts else ""
    settled = {
        source: counts[AnswerOutcome.CORRECT] + counts[AnswerOutcome.INCORRECT]
        for source, counts in by_source.items()
    }
    main = max(settled, key=lambda source: settled[source])
    by = _said_by(SOURCE_NAMES[main])
    share_of_main = "all" if settled[main] == right + wrong else numbers.count(settled[main])
    of_them = f" for {share_of_main} of them" if right + wrong > 1 else ""
    return Finding(bold, f"{rest} Settled by {by}{of_them}.".strip())


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _said_by(name: str) -> str:
    return name[:1].lower() + name[1:]
