"""Comparison of an answer with a reference, without a judge.

A score is None where the run has no answer or the sample no reference; of several references, of
which any will do, the best one counts. Two empty texts agree, an empty one and another do not.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.metrics.item_lists import items_of, match_items
from core.metrics.lcs import lcs_length
from core.metrics.plain_text import plain, plain_tokens
from core.text import tokens

References = str | Sequence[str] | None


class Overlap(NamedTuple):
    """Shares in 0..1: of the answer that is in the reference, the reverse, and both in one."""

    precision: float
    recall: float
    f1: float


AGREE = Overlap(1.0, 1.0, 1.0)
DIFFER = Overlap(0.0, 0.0, 0.0)


def exact_match(answer: str | None, references: References) -> int | None:
    """1 if answer and reference are the same but for case, punctuation and articles, else 0.

    Other than in SQuAD, numbers stay whole: "1,577", "1577.00" and "$1577" are the same, "1.5" and
    "15" are not, and neither are "-5", "<5" and "5".
    Source: Rajpurkar et al. (2016), SQuAD, EMNLP 2016.

    >>> exact_match("The Nile.", "nile"), exact_match("15", "1.5"), exact_match("", "nile")
    (1, 0, 0)
    """
    found = _best(lambda one, other: float(plain(one) == plain(other)), answer, references)
    return None if found is None else int(found)


def token_f1(answer: str | None, references: References) -> float | None:
    """Harmonic mean of precision and recall of the tokens, each counted as often as it occurs.

    Range 0..1, higher is better. Case, punctuation and articles do not count.
    Source: Rajpurkar et al. (2016), SQuAD, EMNLP 2016.

    >>> token_f1("the red bike lamp", "a red lamp")   # P 2/3, R 2/2
    0.8
    """
    return _best(lambda one, other: token_overlap(one, other).f1, answer, references)


def token_overlap(answer: str, reference: str) -> Overlap:
    """Precision, recall and F1 of the tokens of an answer against one reference."""
    ours, theirs = plain_tokens(answer), plain_tokens(reference)
    if not ours and not theirs:
        return AGREE
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return overlap(shared, len(ours), len(theirs))


def rouge_l(answer: str | None, references: References) -> float | None:
    """F1 of the longest run of tokens that both have in the same order, gaps allowed.

    P = LCS / tokens of the answer, R = LCS / tokens of the reference, F1 = 2 P R / (P + R)

    Range 0..1, higher is better. Articles count, nothing is stemmed.
    Source: Lin (2004), ROUGE, Text Summarization Branches Out.

    >>> round(rouge_l("the cat on the mat", "the cat sat on the mat"), 4)   # P 1, R 5/6
    0.9091
    """
    return _best(lambda one, other: rouge_l_overlap(one, other).f1, answer, references)


def rouge_l_overlap(answer: str, reference: str) -> Overlap:
    """Precision, recall and F1 of ROUGE-L against one reference."""
    ours, theirs = tokens(answer), tokens(reference)
    if not ours and not theirs:
        return AGREE
    return overlap(lcs_length(ours, theirs), len(ours), len(theirs))


def list_component_f1(answer: str | None, references: References) -> float | None:
    """F1 of the items of two lists, each item matched at most once.

    P = matched / items of the answer, R = matched / items of the reference, F1 = 2 P R / (P + R)

    Range 0..1, higher is better. Items end at a comma, semicolon, line end or "and"; two match if
    at least half of their words are shared and numbers and negations are the same. As many pairs
    as possible are matched. None also where no reference has an item.
    Source: the list measure of RAG-X (arXiv 2603.03541), bounded.

    >>> list_component_f1("smoking, hypertension and obesity", "age, smoking, hypertension")
    0.6666666666666666
    >>> list_component_f1("smoking, heavy smoking, smoking history", "smoking")   # 1 of 3, 1 of 1
    0.5
    """
    if references is None:
        return None
    texts = [references] if isinstance(references, str) else references
    lists = [text for text in texts if items_of(text)]
    return _best(lambda one, other: list_overlap(one, other).f1, answer, lists)


def list_overlap(answer: str, reference: str) -> Overlap:
    """Precision, recall and F1 of the items of an answer against one reference."""
    ours, theirs = items_of(answer), items_of(reference)
    return overlap(len(match_items(ours, theirs)), len(ours), len(theirs))


def overlap(shared: int, n_answer: int, n_reference: int) -> Overlap:
    """Precision, recall and F1 of ``shared`` things among those of either side.

    >>> overlap(2, 3, 2)
    Overlap(precision=0.6666666666666666, recall=1.0, f1=0.8)
    """
    if not shared:
        return DIFFER
    return Overlap(shared / n_answer, shared / n_reference, 2 * shared / (n_answer + n_reference))


def _best(
    compare: Callable[[str, str], float], answer: str | None, references: References
) -> float | None:
    if answer is None or references is None:
        return None
    texts = [references] if isinstance(references, str) else references
    return max((compare(answer, text) for text in texts), default=None)
