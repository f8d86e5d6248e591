"""The finding of the page Retrieval."""

from core.diagnosis.findings import Finding, Numbers
from core.metrics.hits import HitPolicy
from core.metrics.retrieval_figures import RetrievalFigures


def retrieval_finding(
    figures: RetrievalFigures, numbers: Numbers, *, has_contexts: bool
) -> Finding:
    """How often the evidence was found at all, and how often at the first rank.

    Args:
        figures: figures of the samples in view.
        numbers: how figures are written.
        has_contexts: whether the run recorded contexts.
    """
    if not has_contexts:
        return Finding(
            "This run records no contexts.", "Nothing can be said about what was retrieved."
        )
    if figures.n == 0:
        return Finding(
            "No sample in view has gold evidence.",
            "Hits need gold ids or gold texts; how contexts repeat each other shows below.",
        )
    depth = figures.depth
    found, first = figures.hit_at_k[depth], figures.hit_at_k[1]
    what = _amount(figures.policy, numbers)
    bold = (
        f"For {numbers.count(int(found.k))} of {numbers.count(found.n)} questions the first "
        f"{depth} contexts hold {what} ({numbers.percent(found.value)}, "
        f"{numbers.interval(found.low, found.high)})."
    )
    at_first = numbers.count(int(first.k))
    missed = found.n - int(found.k)
    if missed == 0:
        return Finding(bold, f"For {at_first} it stands at the first rank.")
    never = "never hit" if not figures.policy.share else "are incomplete"
    rest = f"For {at_first} it stands at the first rank; {numbers.count(missed)} {never}."
    if found.value is not None and first.value is not None and found.value - first.value > 0.2:
        rest += " Much of it comes late: reordering may help more than retrieving more."
    return Finding(bold, rest)


def _amount(policy: HitPolicy, numbers: Numbers) -> str:
    if not policy.share:
        return "evidence"
    if policy.share == 1:
        return "all their evidence"
    return f"{numbers.percent(policy.share)} of their evidence"
