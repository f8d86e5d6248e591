"""Semantic similarity of two texts, as far as rare words that they share can tell."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from core.text import tokens

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TfidfSimilarity:
    """Cosine of TF-IDF vectors whose weights come from the texts of a run.

    Blind to negation, to numbers of the same digits, and to other words for the same thing: never
    the only evidence that an answer is right. Made by ``fit``.
    """

    _idf: Mapping[str, float]
    _unseen: float | None

    @classmethod
    def fit(cls, texts: Iterable[str]) -> "TfidfSimilarity":
        """Weights from the texts of a run, such as all its answers and references.

        idf = ln((1 + n) / (1 + texts with the word)) + 1, a word's weight in a text (1 + ln tf)
        idf; a word that none of the texts holds weighs as the rarest.
        Source: the smoothed weights of scikit-learn, whose figures these are.

        >>> similarity = TfidfSimilarity.fit(["a red lamp", "a blue lamp", "a horn"])
        >>> round(similarity("red lamp", "red lamp"), 6), similarity("red lamp", "a horn")
        (1.0, 0.0)
        """
        n = 0
        n_with: Counter[str] = Counter()
        for text in texts:
            known = set(tokens(text))
            n += bool(known)
            n_with.update(known)
        if not n:
            return cls({}, None)
        idf = {word: log((1 + n) / (1 + found)) + 1 for word, found in n_with.items()}
        return cls(idf, log(1 + n) + 1)

    def vector(self, words: Sequence[str]) -> Vector:
        """Weights of the words of a text; the length of the vector is 1, or 0 without a word."""
        unseen = self._unseen
        if unseen is None:
            return {}
        idf = self._idf
        weights = {
            word: (1 + log(n) if n > 1 else 1.0) * idf.get(word, unseen)
            for word, n in Counter(words).items()
        }
        length = sqrt(sum(weight * weight for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()}

    def __call__(self, answer: str, reference: str) -> float | None:
        """Cosine of two texts, 0..1; None where one of them has no word."""
        return cosine(self.vector(tokens(answer)), self.vector(tokens(reference)))

    def of_many(self, answers: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """(n,) cosine of each answer with the reference at the same place, NaN where undefined.

        Raises:
            ValueError: there are not as many references as answers.
        """
        if len(answers) != len(references):
            raise ValueError(f"{len(answers)} answers and {len(references)} references")
        found = [self(*pair) for pair in zip(answers, references, strict=True)]
        return np.array([np.nan if one is None else one for one in found], dtype=np.float64)


def cosine(one: Vector, other: Vector) -> float | None:
    """Cosine of two vectors of length 1, 0..1; None where one of them is empty."""
    if not one or not other:
        return None
    if len(one) > len(other):
        one, other = other, one
    return min(1.0, sum(weight * other.get(word, 0.0) for word, weight in one.items()))


def semantic_similarity(
    similarity: TfidfSimilarity, answer: str | None, references: str | Sequence[str] | None
) -> float | None:
    """Best cosine of an answer with its references, 0..1; None without an answer or reference.

    >>> similarity = TfidfSimilarity.fit(["a red lamp", "a horn"])
    >>> round(semantic_similarity(similarity, "red lamp", ["a horn", "red lamp"]), 6)
    1.0
    """
    if answer is None or references is None:
        return None
    texts = [references] if isinstance(references, str) else references
    found = [similarity(answer, text) for text in texts]
    return max((one for one in found if one is not None), default=None)
