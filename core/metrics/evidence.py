"""Pieces of gold evidence, and the tests whether a text holds one."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from core.model import Gold
from core.text import sentences, tokens

TextStage = Literal["substring", "token_recall", "embedding", "judge"]
TEXT_STAGES: tuple[TextStage, ...] = ("substring", "token_recall", "embedding", "judge")
"""The tests of a text, the most certain first."""

TOKEN_RECALL_AT = 0.80
EMBEDDING_AT = 0.75
WINDOW_FACTOR = 2
MIN_WINDOW = 40
"""Scattered tokens count only within a stretch of the context: twice as long as the evidence, but
at least this many tokens. Over a whole page common words alone would reach the share."""

Rewrite = Callable[[str], str]
Similarity = Callable[[str, str], float]


class Piece(NamedTuple):
    """One piece of evidence: its ids or its texts, of which any will do."""

    grade: float
    options: frozenset[str]


def is_evidence(item: Gold) -> bool:
    """True unless the item is graded 0 or less: then it was judged not relevant."""
    return item.grade is None or item.grade > 0


def pieces_by_id(items: Sequence[Gold]) -> list[Piece]:
    """Pieces of the items with an id: groups are one piece each, and so is an id named twice."""
    return _pieces([(item, item.doc_id) for item in items if item.doc_id])


def pieces_by_text(items: Sequence[Gold]) -> list[Piece]:
    """Pieces of the items with a text that has a token."""
    return _pieces([(item, item.text) for item in items if item.text and tokens(item.text)])


def _pieces(items: Sequence[tuple[Gold, str]]) -> list[Piece]:
    grouped: dict[tuple[bool, str], list[tuple[Gold, str]]] = {}
    for item, option in items:
        is_group = item.group is not None
        key = item.group if item.group is not None else option
        grouped.setdefault((is_group, key), []).append((item, option))
    return [
        Piece(
            max(1.0 if item.grade is None else item.grade for item, _ in members),
            frozenset(option for _, option in members),
        )
        for members in grouped.values()
    ]


class Wanted(NamedTuple):
    """A text to look for, as tokens."""

    text: str
    line: str
    distinct: frozenset[str]
    window: int


def wanted(piece: Piece, rewrite: Rewrite | None) -> list[Wanted]:
    """What to look for; a text without a token cannot be found."""
    found = []
    for text in sorted(piece.options):
        words = tokens(rewrite(text) if rewrite else text)
        if words:
            window = max(MIN_WINDOW, WINDOW_FACTOR * len(words))
            found.append(Wanted(text, _line(words), frozenset(words), window))
    return found


def _line(words: Sequence[str]) -> str:
    # Tokens hold no white space, so that a match between spaces is a match on token boundaries.
    return f" {' '.join(words)} "


def find_text(
    text: str,
    pieces: Sequence[Sequence[Wanted]],
    rewrite: Rewrite | None = None,
    similarity: Similarity | None = None,
    is_judged: bool | None = None,
) -> tuple[TextStage | None, tuple[int, ...]]:
    """The most certain test that any piece passes, and all pieces that pass one."""
    words = tokens(rewrite(text) if rewrite else text)
    if not words:
        return None, ()
    line, distinct = _line(words), set(words)
    found: dict[int, TextStage] = {}
    for number, one in enumerate(pieces):
        stage = _stage(one, line, words, distinct)
        if stage is None and similarity is not None and _is_similar(one, text, similarity):
            stage = "embedding"
        if stage is None and is_judged:
            stage = "judge"
        if stage is not None:
            found[number] = stage
    best = min(found.values(), key=TEXT_STAGES.index, default=None)
    return best, tuple(found)


def _stage(
    options: Sequence[Wanted], line: str, words: Sequence[str], distinct: set[str]
) -> TextStage | None:
    if any(one.line in line for one in options):
        return "substring"
    for one in options:
        needed = TOKEN_RECALL_AT * len(one.distinct)
        if len(distinct & one.distinct) >= needed and _densest(words, one) >= needed:
            return "token_recall"
    return None


def _is_similar(options: Sequence[Wanted], text: str, similarity: Similarity) -> bool:
    parts = [text[start:end] for start, end in sentences(text)]
    return any(similarity(part, one.text) >= EMBEDDING_AT for one in options for part in parts)


def _densest(words: Sequence[str], one: Wanted) -> int:
    """Most distinct wanted tokens within one window of the context."""
    inside: Counter[str] = Counter()
    most = 0
    for end, word in enumerate(words):
        if word in one.distinct:
            inside[word] += 1
        start = end - one.window
        if start >= 0 and words[start] in one.distinct:
            inside[words[start]] -= 1
            if not inside[words[start]]:
                del inside[words[start]]
        most = max(most, len(inside))
    return most
