"""How far texts support other texts, by the words that they share.

The support of a sentence is the mean of two numbers in 0..1:

- *at one place*: the cosine between the sentence's terms and those that its best window holds.
  A window is three neighbouring sentences of one context. Rare terms weigh more (``TermWeights``),
  and a tenth of the weight lies on pairs of neighbouring terms.
- *anywhere*: the share of its words that stand in the contexts in the very same form. A word that
  several sentences of the answer repeat counts in each for its part only, since the name of the
  subject in every sentence supports nothing.

Both only grow with more contexts. Source: the definition of this product; plain token overlap is
what it is measured against (``tests/bench/offline_judge.py``).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from core.judge.terms import TermWeights, content, stem, words
from core.model import Context
from core.text import Span, sentences

PAIR_SHARE = 0.1
WINDOW = 3
ANYWHERE_SHARE = 0.5
MIN_CONTENT = 3
MAX_UNITS = 2_000
"""Neighbouring sentences are joined where the contexts of a sample have more than this many, so
that judging takes time in proportion to the length of the answer."""
_BLOCK = 16

Pair = tuple[str, str]


def pairs(found: Sequence[str]) -> set[Pair]:
    """The distinct pairs of neighbouring terms."""
    return set(pairwise(found))


def coverage(
    wanted: Sequence[str],
    there: set[str],
    there_pairs: set[Pair],
    weights: TermWeights,
    power: int = 1,
) -> float:
    """Share (0..1) of the weight of the wanted terms, and of their pairs, that is there.

    ``power`` 2 weighs by the square, as a cosine of term vectors does: then rare terms decide.
    0 without a wanted term.
    """
    total = found = 0.0
    for term in sorted(set(wanted)):
        weight = weights(term) ** power
        total += weight
        if term in there:
            found += weight
    if not total:
        return 0.0
    share = found / total
    total = found = 0.0
    for pair in sorted(pairs(wanted)):
        weight = weights(pair[0]) ** power + weights(pair[1]) ** power
        total += weight
        if pair in there_pairs:
            found += weight
    pair_share = found / total if total else share
    return min(1.0, (1 - PAIR_SHARE) * share + PAIR_SHARE * pair_share)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, or several short ones: where it stands and its words."""

    span: Span
    words: list[str]

    @property
    def terms(self) -> list[str]:
        """The words without their endings, in order."""
        return list(map(stem, self.words))


def claims(text: str) -> list[Claim]:
    """The sentences of a text, each with enough words to be compared.

    A sentence with fewer than three content words ("Yes.", a heading, an item of a list) and one
    that ends in a colon are taken together with the next one, the last with the one before.
    Empty if the text has no content word at all.
    """
    found: list[Claim] = []
    start = end = 0
    waiting: list[str] = []
    subjects: set[str] = set()
    for begin, end in sentences(text):
        start = start if waiting else begin
        own = words(text[begin:end])
        waiting.extend(own)
        subjects |= content(own)
        if len(subjects) >= MIN_CONTENT and not _announces(text[begin:end]):
            found.append(Claim((start, end), waiting))
            waiting, subjects = [], set()
    if not waiting:
        return found
    if found:
        before = found.pop()
        return [*found, Claim((before.span[0], end), before.words + waiting)]
    return [Claim((start, end), waiting)] if subjects else []


def _announces(sentence: str) -> bool:
    return sentence[-8:].rstrip("*_ ").endswith((":", "\uff1a"))


class Evidence:
    """The contexts of one sample, cut into sentences once and asked many times."""

    def __init__(self, contexts: Iterable[Context], weights: TermWeights) -> None:
        self._weights = weights
        self.ranks: list[int] = []
        self.context_terms: list[list[str]] = []
        self.all_words: set[str] = set()
        units: list[tuple[int, list[list[str]]]] = []
        for context in sorted(contexts, key=lambda one: one.rank):
            text = context.text or ""
            parts = [words(text[start:end]) for start, end in sentences(text)]
            self.all_words.update(*parts)
            parts = [list(map(stem, part)) for part in parts]
            self.ranks.append(context.rank)
            self.context_terms.append([term for part in parts for term in part])
            units.append((context.rank, parts))
        n_units = sum(len(parts) for _, parts in units)
        size = -(-n_units // MAX_UNITS) if n_units > MAX_UNITS else 1
        self._units: list[list[str]] = []
        self._unit_ranks: list[int] = []
        starts: list[int] = []
        for rank, parts in units:
            first = len(self._units)
            for at in range(0, len(parts), size):
                self._units.append([term for part in parts[at : at + size] for term in part])
                self._unit_ranks.append(rank)
                starts.append(first)
        self._starts = np.array(starts, dtype=np.int64)

    @cached_property
    def _term_sets(self) -> list[set[str]]:
        return [set(found) for found in self.context_terms]

    @cached_property
    def _pair_sets(self) -> list[set[Pair]]:
        return [pairs(found) for found in self.context_terms]

    @cached_property
    def all_terms(self) -> set[str]:
        """Terms of all contexts together."""
        return set().union(*self._term_sets)

    def per_context(self, question: Sequence[str]) -> list[float]:
        """Share of the question's squared term weight in each context, by rank."""
        return [
            coverage(question, there, there_pairs, self._weights, power=2)
            for there, there_pairs in zip(self._term_sets, self._pair_sets, strict=True)
        ]

    def of_whole(self, wanted: Sequence[str]) -> float:
        """Support of the words of a text by all contexts together; no pair spans two contexts."""
        there_pairs: set[Pair] = set().union(*self._pair_sets)
        wanted_terms = list(map(stem, wanted))
        cosine = sqrt(coverage(wanted_terms, self.all_terms, there_pairs, self._weights))
        distinct = set(wanted)
        share = len(distinct & self.all_words) / len(distinct) if distinct else 0.0
        return (1 - ANYWHERE_SHARE) * cosine + ANYWHERE_SHARE * share

    def of_claims(self, found: Sequence[Claim]) -> list[tuple[float, int | None]]:
        """For each claim its support, and the rank of the context that holds its best window.

        Ties go to the window that stands first. The rank is None where no window shares a term.
        """
        uses = Counter(word for claim in found for word in set(claim.words))
        return [
            (
                (1 - ANYWHERE_SHARE) * sqrt(place) + ANYWHERE_SHARE * self._anywhere(claim, uses),
                rank,
            )
            for claim, (place, rank) in zip(found, self._best_windows(found), strict=True)
        ]

    def _anywhere(self, claim: Claim, uses: Mapping[str, int]) -> float:
        parts = {word: 1 / uses[word] for word in dict.fromkeys(claim.words)}
        return sum(part for word, part in parts.items() if word in self.all_words) / sum(
            parts.values()
        )

    def _best_windows(self, found: Sequence[Claim]) -> list[tuple[float, int | None]]:
        """For each claim the largest coverage by a window, and the rank of its context."""
        if not self._units:
            return [(0.0, None) for _ in found]
        wanted = [claim.terms for claim in found]
        postings = self._postings(set().union(*wanted))
        result: list[tuple[float, int | None]] = []
        for at in range(0, len(wanted), _BLOCK):
            supports = self._block(wanted[at : at + _BLOCK], postings)
            best = supports.argmax(axis=1)
            for row, column in enumerate(best):
                value = min(1.0, float(supports[row, column]))
                result.append((value, self._unit_ranks[column] if value > 0 else None))
        return result

    def _postings(self, wanted: set[str]) -> dict[str | Pair, list[int]]:
        """Units that hold each wanted term, and each pair of wanted terms."""
        postings: dict[str | Pair, list[int]] = {}
        for unit, found in enumerate(self._units):
            for term in wanted.intersection(found):
                postings.setdefault(term, []).append(unit)
            for pair in set(pairwise(found)):
                if pair[0] in wanted and pair[1] in wanted:
                    postings.setdefault(pair, []).append(unit)
        return postings

    def _block(
        self, wanted: Sequence[list[str]], postings: dict[str | Pair, list[int]]
    ) -> NDArray[np.float64]:
        """Coverage of each claim (rows) by the window that begins at each unit (columns)."""
        numbers: dict[str | Pair, int] = {}
        cells: list[tuple[int, int, float]] = []
        for row, claim_terms in enumerate(wanted):
            shares: list[tuple[str | Pair, float]] = []
            own = sorted(set(claim_terms))
            own_pairs = sorted(pairs(claim_terms))
            total = sum(self._weights(term) for term in own)
            part = (1 - PAIR_SHARE if own_pairs else 1.0) / total
            shares += ((term, part * self._weights(term)) for term in own)
            if own_pairs:
                both = [self._weights(first) + self._weights(second) for first, second in own_pairs]
                part = PAIR_SHARE / sum(both)
                shares += zip(own_pairs, (part * weight for weight in both), strict=True)
            cells += (
                (row, numbers.setdefault(key, len(numbers)), share)
                for key, share in shares
                if key in postings
            )
        n_units = len(self._units)
        if not cells:
            return np.zeros((len(wanted), n_units))
        matrix = np.zeros((len(wanted), len(numbers)))
        rows, columns, shares_of = zip(*cells, strict=True)
        matrix[rows, columns] = shares_of
        lengths = [len(postings[key]) for key in numbers]
        at = np.repeat(np.arange(len(numbers)), lengths)
        units = np.fromiter(
            (unit for key in numbers for unit in postings[key]), np.int64, sum(lengths)
        )
        windows = np.zeros((len(numbers), n_units))
        for back in range(WINDOW):
            windows[at, np.maximum(units - back, self._starts[units])] = 1.0
        return matrix @ windows
