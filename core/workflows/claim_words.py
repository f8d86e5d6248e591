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
        "A context that also holds something of the expected answer says so, the expected answer "
        "does not: it was copied from beside the evidence.",
    ),
    "wrong_irrelevant": KindWords(
        "Wrong, from an irrelevant context",
        "Only contexts without anything of the expected answer say so: noise that the retriever "
        "let in.",
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
