"""Lists written in a text: their items, and which items of two lists mean the same."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from core.metrics.plain_text import plain_tokens

SAME_FROM = 0.5
"""Two items are the same from this share of common words (|A & B| / |A | B|)."""

MAX_ITEMS = 500
"""Further items are not read: where all items are alike, time and memory grow with the square."""

Item = frozenset[str]

# A comma between digits belongs to a number.
_END = re.compile(
    r"[;\n\u2028\u2029；、，،؛•]|(?<!\d),|,(?!\d)|(?<![\w-])(?:and|und)(?![\w-])|\s&\s",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*+–—>]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s")
_DIGIT = re.compile(r"\d")
_NEGATIONS = frozenset(
    "no not non without never none neither nor kein keine keinen ohne nicht nie pas sans jamais sin"
    " sem não nunca senza mai niet geen zonder".split()
)


# A reference is read by several measures and beside several answers.
@lru_cache(maxsize=32)
def items_of(text: str) -> tuple[Item, ...]:
    r"""Words of each item of a list, in order; bullets are cut off and repeated items left out.

    Items end at a comma, semicolon, bullet, line end, "and" or "und".

    >>> [sorted(item) for item in items_of("1. Smoking\n2. High blood pressure, and smoking")]
    [['smoking'], ['blood', 'high', 'pressure']]
    """
    found: dict[Item, None] = {}
    for part in _END.split(text):
        item = frozenset(plain_tokens(_BULLET.sub("", part)))
        if item:
            found[item] = None
            if len(found) == MAX_ITEMS:
                break
    return tuple(found)


def match_items(ours: Sequence[Item], theirs: Sequence[Item]) -> list[tuple[int, int]]:
    """As many pairs of items that mean the same as there can be, each item in one pair at most.

    Two items mean the same if they share at least half of their words and have the same numbers
    and negations: "heavy smoking" is smoking, "type 1 diabetes" is not "type 2 diabetes".
    """
    edges = _edges(ours, theirs)
    one, other = Counter(i for i, _ in edges), Counter(j for _, j in edges)
    if len(one) == len(edges) == len(other):
        return edges
    # scipy takes long to import, and most lists need no search.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    graph = csr_array(
        ([1] * len(edges), ([i for i, _ in edges], [j for _, j in edges])),
        shape=(len(ours), len(theirs)),
    )
    partner = maximum_bipartite_matching(graph, perm_type="column")
    return [(i, int(j)) for i, j in enumerate(partner) if j >= 0]


def _edges(ours: Sequence[Item], theirs: Sequence[Item]) -> list[tuple[int, int]]:
    """Pairs of items that mean the same."""
    holders: dict[str, list[int]] = {}
    for j, item in enumerate(theirs):
        for word in item:
            holders.setdefault(word, []).append(j)
    edges = []
    for i, item in enumerate(ours):
        shared = Counter(j for word in item for j in holders.get(word, ()))
        edges += [
            (i, j)
            for j, n in sorted(shared.items())
            if n >= SAME_FROM * (len(item) + len(theirs[j]) - n)
            and _strict(item) == _strict(theirs[j])
        ]
    return edges


def _strict(item: Item) -> Item:
    """The words in which two items must not differ."""
    return frozenset(word for word in item if word in _NEGATIONS or _DIGIT.search(word))
