"""What the kinds of claims are called on the page and in documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class KindWords:
    """Name of a kind of claim, what it says, and what to do about it."""

    name: str
    meaning: str


KINDS: Mapping[str, KindWords] = MappingProxyType({
    "right_unsupported": KindWords(
        "Right, but unsupported",
        "The expected answer says so, and no context does: the model knew it, or guessed.",
    ),
    "right_supported": KindWords(
        "Right and supported", "The expected answer says so, and a context does too."
    ),
    "wrong_relevant": KindWords(
        "Wrong, from a relevant context",
        "A context that helps says so, the expected answer does not.",
    ),
    "wrong_irrelevant": KindWords(
        "Wrong, from an irrelevant context",
        "Only contexts with nothing of the expected answer say so.",
    ),
    "wrong_unsupported": KindWords(
        "Hallucinated", "Neither the expected answer nor any context says so."
    ),
    "supported": KindWords("Supported", "A context says so, in the judge's reading."),
    "not_found": KindWords(
        "Not found", "No context says so, and none says the opposite: undecided."
    ),
    "contradicted": KindWords("Contradicted", "A context says the opposite."),
})  # fmt: skip
"""In the order in which they are drawn: what no context supports stands at the two ends."""

READS: Mapping[str, str] = MappingProxyType({
    "precision": "answer claims that the expected answer makes too",
    "recall": "expected claims that the answer makes too",
    "f1": "both together, claim by claim",
    "claim_recall": "expected claims that some context makes",
    "context_precision_chunks": "contexts that make an expected claim",
    "context_utilization": "expected claims that were found and reached the answer",
    "noise_sensitivity_rel": "wrong answer claims from a context that helps",
    "noise_sensitivity_irr": "wrong answer claims from other contexts",
    "hallucination": "wrong answer claims in no context",
    "self_knowledge": "right answer claims in no context",
    "faithfulness": "answer claims that some context makes",
    "supported_precision": "right answer claims in some context",
    "faithfulness_contradiction": "answer claims that no context contradicts",
    "context_recall": "expected sentences that the contexts hold",
})  # fmt: skip
"""Of what each score is the share, by metric id."""
