"""Whether an answer is right, from the best evidence that there is, and which evidence that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.metrics.answers import exact_match, list_component_f1
from core.metrics.choices import choice_letter, options_of
from core.metrics.item_lists import items_of

LIST_AT = 0.70
"""F1 of two lists from which they count as the same."""


class CorrectSource(StrEnum):
    """What settled correctness, the most trusted first."""

    LABEL = "label"
    CHOICE = "choice"
    EXACT = "exact"
    LIST = "list"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Correctness:
    """1, 0 or None for unknown, and what settled it; without a source nothing did."""

    value: int | None
    source: CorrectSource | None = None


UNKNOWN = Correctness(None)


def settle(
    label: int | None = None,
    choice: int | None = None,
    exact: int | None = None,
    list_f1: float | None = None,
    judged: int | None = None,
) -> Correctness:
    """Correctness from what is known; the first that says something decides.

    A label, a chosen letter and a judge decide both ways. The same text and the same list show
    that an answer is right; other words do not show that it is wrong, so then the next is asked.

    Args:
        label: what people said, 1 or 0.
        choice: whether the letter chosen is that of the reference.
        exact: ``exact_match`` with the reference or one of its aliases.
        list_f1: ``list_component_f1`` where the reference is a list.
        judged: the judge's correctness at or above its cut, 1 or 0.

    >>> settle(label=0, exact=1)
    Correctness(value=0, source=<CorrectSource.LABEL: 'label'>)
    >>> settle(exact=0, list_f1=0.4), settle(exact=0, judged=1).source
    (Correctness(value=None, source=None), <CorrectSource.JUDGE: 'judge'>)
    """
    if label is not None:
        return Correctness(label, CorrectSource.LABEL)
    if choice is not None:
        return Correctness(choice, CorrectSource.CHOICE)
    if exact == 1:
        return Correctness(1, CorrectSource.EXACT)
    if list_f1 is not None and list_f1 >= LIST_AT:
        return Correctness(1, CorrectSource.LIST)
    if judged is not None:
        return Correctness(judged, CorrectSource.JUDGE)
    return UNKNOWN


def correctness(
    answer: str | None,
    references: Sequence[str] = (),
    *,
    question: str = "",
    label: int | None = None,
    judged: int | None = None,
) -> Correctness:
    """Correctness of an answer from its texts and from what people and the judge said.

    ``label`` and ``judged`` are 1, 0 or None. A run without answers (None) has no texts to
    compare; an empty answer is the same as an empty reference only.

    >>> correctness("Metformin", ["B"], question="Which? A) aspirin B) metformin")
    Correctness(value=1, source=<CorrectSource.CHOICE: 'choice'>)
    """
    if answer is None:
        return settle(label, judged=judged)
    lists = [text for text in references if len(items_of(text)) > 1]
    return settle(
        label,
        choice_match(answer, references, question),
        exact_match(answer, references),
        list_component_f1(answer, lists),
        judged,
    )


def choice_match(answer: str, references: Sequence[str], question: str = "") -> int | None:
    """1 if the answer chooses the letter of a reference, 0 if another, None without two letters.

    Where the question lists no options, a reference counts as a letter only if it is nothing else
    or the letter is in brackets.

    >>> choice_match("(b)", ["B) metformin"]), choice_match("C", ["B"]), choice_match("x", ["B"])
    (1, 0, None)
    """
    options = options_of(question)
    letters = (choice_letter(text, options, is_strict=not options) for text in references)
    wanted = {letter for letter in letters if letter}
    chosen = choice_letter(answer, options) if wanted else None
    return None if chosen is None else int(chosen in wanted)
