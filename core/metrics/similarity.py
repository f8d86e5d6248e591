"""Semantic similarity of two texts, as far as rare words that they share can tell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.text import tokens


@dataclass(frozen=True, slots=True)
class TfidfSimilarity:
    """Cosine of TF-IDF vectors whose weights come from the texts of a run.

    Blind to negation, to numbers of the same digits, and to other words for the same thing: never
    the only evidence that an answer is right. Made by ``fit``.
    """

    _vectorizer: Any

    @classmethod
    def fit(cls, texts: Iterable[str]) -> "TfidfSimilarity":
        """Weights from the texts of a run, such as all its answers and references.

        >>> similarity = TfidfSimilarity.fit(["a red lamp", "a blue lamp", "a horn"])
        >>> round(similarity("red lamp", "red lamp"), 6), similarity("red lamp", "a horn")
        (1.0, 0.0)
        """
        # scikit-learn takes a second to import, and most commands do without it.
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(
            tokenizer=tokens, token_pattern=None, lowercase=False, sublinear_tf=True
        )
        known = [text for text in texts if tokens(text)]
        return cls(vectorizer.fit(known) if known else None)

    def __call__(self, answer: str, reference: str) -> float | None:
        """Cosine of two texts, 0..1; None where one of them has no token that the run knows."""
        value = self.of_many([answer], [reference])[0]
        return None if np.isnan(value) else float(value)

    def of_many(self, answers: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """(n,) cosine of each answer with the reference at the same place, NaN where undefined.

        Raises:
            ValueError: there are not as many references as answers.
        """
        if len(answers) != len(references):
            raise ValueError(f"{len(answers)} answers and {len(references)} references")
        if self._vectorizer is None or not answers:
            return np.full(len(answers), np.nan)
        ours = self._vectorizer.transform(answers)
        theirs = self._vectorizer.transform(references)
        # Vectors have length 1, or 0 where no token is known.
        is_known = (ours.getnnz(axis=1) > 0) & (theirs.getnnz(axis=1) > 0)
        cosine = np.asarray(ours.multiply(theirs).sum(axis=1), dtype=np.float64).reshape(-1)
        return np.where(is_known, np.minimum(cosine, 1.0), np.nan)


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
