"""One sentence per verdict of the offline judge, for people: what the number rests on."""

from collections.abc import Sequence

from core.judge.correctness import Comparison
from core.judge.refusal import RefusalMatch

_QUOTE_CHARS = 110


def percent(share: float) -> str:
    """A share as a whole percentage: 0.456 gives "46 %"."""
    return f"{share * 100:.0f} %"


def quote(text: str) -> str:
    """A text in quotation marks on one line, cut where it is long."""
    line = " ".join(text.split())
    if len(line) > _QUOTE_CHARS:
        line = line[:_QUOTE_CHARS].rsplit(" ", 1)[0] + "…"
    return f"“{line}”"


def context_reason(best: float, rank: int, n_contexts: int, missing: Sequence[str]) -> str:
    """Why context relevance is what it is; ``missing`` are question words in no context."""
    which = "The only context" if n_contexts == 1 else f"Context {rank} of {n_contexts}"
    text = f"{which} shares {percent(best)} of the question's words, by weight"
    text += "" if n_contexts == 1 else ", more than any other"
    if missing:
        return f"{text}; in no context: {', '.join(missing)}."
    return f"{text}."


def groundedness_reason(n: int, n_unsupported: int, weakest: str) -> str:
    """How many sentences find no support, and the weakest of them."""
    if n == 1:
        has = "too little support" if n_unsupported else "support"
        return f"The answer's only sentence finds {has} in the contexts: {quote(weakest)}"
    end = f"in the contexts; the weakest: {quote(weakest)}"
    every = "Both" if n == 2 else f"All {n}"
    if not n_unsupported:
        return f"{every} sentences find support {end}"
    if n_unsupported == n:
        return f"{every} sentences find too little support {end}"
    find = "finds" if n_unsupported == 1 else "find"
    return f"{n_unsupported} of {n} sentences {find} too little support {end}"


def adherence_reason(value: float) -> str:
    """What adherence measures, with its share."""
    return f"Taken as one text, the answer finds a support of {value:.2f} in the contexts."


def answer_reason(value: float, kind: str | None, missing: Sequence[str]) -> str:
    """How much of the question the answer takes up, or that its kind fits."""
    if kind == "number":
        return "The answer is short and holds a number, which is what the question asks for."
    if kind == "yes_no":
        return "The answer is short and says yes or no, which is what the question asks for."
    text = f"The answer takes up {percent(value)} of the question's words, by weight"
    return f"{text}; it does not mention: {', '.join(missing)}." if missing else f"{text}."


def refusal_reason(match: RefusalMatch) -> str:
    """Which pattern was found."""
    if match.is_empty:
        return "The answer is empty."
    found = f"the pattern {quote(match.pattern or '')}"
    if match.language is not None:
        found += f" ({match.language})"
    if match.is_refusal:
        return f"The answer reads as a refusal: {found}."
    if match.is_partial:
        return f"The answer hedges but does answer: {found}."
    return "Nothing in the answer reads as a refusal."


def correctness_reason(best: Comparison) -> str:
    """What answer and reference have in common."""
    if best.is_exact:
        return "The answer has the words of the reference, no more and no fewer."
    if best.is_refusal:
        if best.value == 1:
            return "Answer and reference both say that there is no answer."
        return "Either the answer or the reference says that there is no answer, but not both."
    text = f"The answer holds {percent(best.words or 0)} of the reference's content words"
    if best.numbers is not None:
        text += f" and {percent(best.numbers)} of its numbers"
    if best.polarity is False:
        text += "; one says yes, the other no"
    return f"{text}."
