"""The finding of the page Context use."""

from core.diagnosis.cue_summary import CueSummary
from core.diagnosis.findings import Finding, Numbers


def cue_finding(summary: CueSummary, numbers: Numbers, *, has_contexts: bool) -> Finding:
    """How many answers are correct, and how many of those rest on no verified evidence.

    Args:
        summary: context use of the samples in view.
        numbers: how figures are written.
        has_contexts: whether the run recorded contexts.
    """
    if not has_contexts:
        return Finding(
            "This run records no contexts.", "Whether answers rest on evidence cannot be said."
        )
    if summary.n_hit_known == 0:
        return Finding(
            "No sample in view has gold evidence.",
            "Without it there is no hit, and luck cannot be told from grounded success.",
        )
    correct, ungrounded = summary.accuracy_in_use, summary.ungrounded_correct
    if correct.value is None:
        hits = summary.hit_share
        return Finding(
            f"For {numbers.count(int(hits.k))} of {numbers.count(hits.n)} samples the evidence was "
            f"retrieved ({numbers.percent(hits.value)}, {numbers.interval(hits.low, hits.high)}).",
            "Whether the answers are correct is not known: label some, or have them judged.",
        )
    head = f"{numbers.count(int(correct.k))} of {numbers.count(correct.n)} answers are correct"
    if ungrounded.k == 0:
        return Finding(f"{head}, and all of them rest on evidence that was retrieved and used.")
    return Finding(
        f"{head}, but {numbers.count(int(ungrounded.k))} of those "
        f"({numbers.percent(ungrounded.value)} of all, "
        f"{numbers.interval(ungrounded.low, ungrounded.high)}) rest on no verified evidence.",
        "They may not survive a change of corpus or model.",
    )
