"""Which contexts hold the evidence, and which repeat an earlier one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.model import Cause, Context, Gold
from core.text import tokens

HitStage = Literal["gold_id", "substring", "token_recall"]
HitBasis = Literal["gold_id", "gold_text"]

TOKEN_RECALL_AT = 0.80
DUPLICATE_AT = 0.80


@dataclass(frozen=True, slots=True)
class Hits:
    """Hits of one sample.

    ``basis`` is the one kind of evidence that was used, None with a ``cause`` where hits are
    undefined. ``stages`` holds per context, in the order given, the test that fired, or None.
    """

    basis: HitBasis | None
    stages: tuple[HitStage | None, ...]
    cause: Cause | None = None

    @property
    def first(self) -> int | None:
        """Place of the first hit, from 1, or None."""
        return next((place for place, stage in enumerate(self.stages, 1) if stage), None)


def find_hits(contexts: Sequence[Context] | None, gold: Sequence[Gold]) -> Hits:
    """Contexts that hold at least one piece of the sample's evidence.

    One basis per sample, never a mixture: gold ids if there are any and the contexts have ids,
    else gold texts. A text is held if its tokens occur in the context one after another, or if at
    least 80 % of its distinct tokens occur in the context. Contexts None (not recorded) and a
    sample without usable evidence are undefined; an empty list is a miss.
    Source: the hit function of RAG-X (arXiv 2603.03541), on token boundaries.

    >>> context = Context(rank=1, text="Female 65 years and older", doc_id="a")
    >>> find_hits([context], [Gold(text="male 65 years")]).stages   # no token "male"; 2 of 3
    (None,)
    >>> find_hits([context], [Gold(text="65 years")]).stages
    ('substring',)
    """
    if contexts is None:
        return Hits(None, (), Cause.CONTEXTS_NOT_RECORDED)
    ids = {item.doc_id for item in gold if item.doc_id}
    texts = [words for item in gold if (words := tokens(item.text or ""))]
    if ids and _are_ids_usable(contexts, has_texts=bool(texts)):
        return Hits("gold_id", tuple("gold_id" if c.doc_id in ids else None for c in contexts))
    if texts:
        return Hits("gold_text", tuple(_text_stage(context, texts) for context in contexts))
    return Hits(None, (), Cause.NO_GOLD)


def _are_ids_usable(contexts: Sequence[Context], has_texts: bool) -> bool:
    with_id = sum(bool(context.doc_id) for context in contexts)
    # Where only some contexts have ids, texts can test all of them; without texts ids must do.
    return with_id == len(contexts) or (with_id > 0 and not has_texts)


def _text_stage(context: Context, texts: Sequence[Sequence[str]]) -> HitStage | None:
    words = tokens(context.text or "")
    if not words:
        return None
    # Tokens hold no white space, so that a match between spaces is a match on token boundaries.
    line = f" {' '.join(words)} "
    if any(f" {' '.join(wanted)} " in line for wanted in texts):
        return "substring"
    distinct = set(words)
    recalls = (len(distinct.intersection(wanted)) / len(set(wanted)) for wanted in texts)
    return "token_recall" if max(recalls) >= TOKEN_RECALL_AT else None


def duplicate_of(contexts: Sequence[Context]) -> list[int | None]:
    """Per context the rank of the first earlier context with the same text, or None.

    The same means equal, or a token Jaccard index |A & B| / |A | B| of at least 0.80. "Earlier"
    follows the order given. A context without text repeats nothing.

    >>> one, two = Context(1, "the red bike lamp"), Context(2, "The red bike-lamp!")
    >>> duplicate_of([one, two])
    [None, 1]
    """
    seen: list[tuple[int, str, frozenset[str]]] = []
    result: list[int | None] = []
    for context in contexts:
        if not context.text:
            result.append(None)
            continue
        words = frozenset(tokens(context.text))
        result.append(next(_repeats(context.text, words, seen), None))
        seen.append((context.rank, context.text, words))
    return result


def _repeats(
    text: str, words: frozenset[str], seen: Sequence[tuple[int, str, frozenset[str]]]
) -> Iterator[int]:
    for rank, earlier_text, earlier in seen:
        if text == earlier_text or jaccard(words, earlier) >= DUPLICATE_AT:
            yield rank


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared tokens of two sets / tokens of either; 0 when both are empty.

    >>> jaccard(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    either = len(one | other)
    return len(one & other) / either if either else 0.0
