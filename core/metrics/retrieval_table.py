"""What the retriever found in many samples at once, as arrays."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.hits import ANY, HitPolicy, Hits
from core.model import Cause

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Sums of ones are exact in single precision up to 2^24 of them.
_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalTable:
    """Samples with gold evidence (rows) and their contexts in rank order (columns).

    Rows are padded with nothing: a sample with fewer contexts than columns misses there.

    Attributes:
        hits: (n, depth) the context holds evidence.
        relevant: (n, depth) the same, a document that was retrieved twice counted once.
        new: (n, depth) pieces of evidence that no earlier context holds.
        gains: (n, depth) the largest grade among these, else 0.
        piece_sample: (p,) row that each piece of evidence belongs to; every row has one.
        piece_place: (p,) its place from 0 among the row's pieces, the largest grade first.
        piece_grade: (p,) its grade, above 0.
        n_contexts: (n,) contexts that were retrieved.
        n_no_gold: samples without evidence; they are in no row.
        n_contexts_not_recorded: samples whose contexts are not known; in no row either.
    """

    hits: Bools
    relevant: Bools
    new: Ints
    gains: Floats
    piece_sample: Ints
    piece_place: Ints
    piece_grade: Floats
    n_contexts: Ints
    n_no_gold: int = 0
    n_contexts_not_recorded: int = 0

    @property
    def n(self) -> int:
        """Samples with gold evidence: the denominator of every figure."""
        return int(self.hits.shape[0])

    @property
    def depth(self) -> int:
        """Contexts of the longest list."""
        return int(self.hits.shape[1])

    @property
    def n_pieces(self) -> Ints:
        """(n,) pieces of evidence per sample."""
        return np.bincount(self.piece_sample, minlength=self.n).astype(np.int64)

    def cut(self, k: int) -> "RetrievalTable":
        """The same samples as if only the first k contexts had been retrieved.

        Raises:
            ValueError: k is below 1.
        """
        if k < 1:
            raise ValueError(f"k = {k}: the first rank is 1")
        if k >= self.depth:
            return self
        return replace(
            self,
            hits=self.hits[:, :k],
            relevant=self.relevant[:, :k],
            new=self.new[:, :k],
            gains=self.gains[:, :k],
            n_contexts=np.minimum(self.n_contexts, k),
        )

    def take(self, rows: Ints) -> "RetrievalTable":
        """The same table of some of its rows, in their order here.

        The counts of samples without evidence are not known of a part; they are 0.
        """
        chosen = np.zeros(self.n, dtype=np.bool_)
        chosen[rows] = True
        number = np.cumsum(chosen) - 1
        pieces = chosen[self.piece_sample]
        return RetrievalTable(
            self.hits[chosen],
            self.relevant[chosen],
            self.new[chosen],
            self.gains[chosen],
            number[self.piece_sample[pieces]],
            self.piece_place[pieces],
            self.piece_grade[pieces],
            self.n_contexts[chosen],
        )

    def hit_at_k(self, k: int, policy: HitPolicy = ANY) -> Bools:
        """(n,) True where the first k contexts hold enough evidence."""
        held: Ints = self.new[:, :k].sum(axis=1)
        is_hit: Bools = (held > 0) & (held >= policy.share * self.n_pieces - 1e-9)
        return is_hit

    def precision_at_k(self, k: int) -> Floats:
        """(n,) precision of the first k contexts."""
        precision: Floats = self.relevant[:, :k].sum(axis=1) / k
        return precision

    def recall_at_k(self, k: int) -> Floats:
        """(n,) share of the pieces of evidence that the first k contexts hold."""
        recall: Floats = self.new[:, :k].sum(axis=1) / self.n_pieces
        return recall

    def mrr(self) -> Floats:
        """(n,) 1 / rank of the first hit, 0 without one."""
        if not self.depth:
            return np.zeros(self.n)
        return np.where(self.hits.any(axis=1), 1.0 / (self.hits.argmax(axis=1) + 1), 0.0)

    def map_trec(self) -> Floats:
        """(n,) average precision over all pieces of evidence."""
        average: Floats = (self._precisions() * self.new).sum(axis=1) / self.n_pieces
        return average

    def map_retrieved(self) -> Floats:
        """(n,) average precision over the relevant contexts, 0 without one."""
        total: Floats = (self._precisions() * self.relevant).sum(axis=1)
        average: Floats = total / np.maximum(self.relevant.sum(axis=1), 1)
        return average

    def _precisions(self) -> Floats:
        ranks = np.arange(1, self.depth + 1)
        precisions: Floats = self.relevant.cumsum(axis=1) / ranks
        return precisions

    def ndcg_at_k(self, k: int, *, is_exponential: bool = False) -> Floats:
        """(n,) nDCG of the first k contexts, with gain g or 2^g - 1."""
        gains, grades = self.gains[:, :k], self.piece_grade
        if is_exponential:
            gains, grades = np.exp2(gains) - 1, np.exp2(grades) - 1
        counted = self.piece_place < k
        best = np.bincount(
            self.piece_sample[counted],
            weights=(grades / np.log2(self.piece_place + 2))[counted],
            minlength=self.n,
        )
        found: Floats = gains @ (1 / np.log2(np.arange(2, gains.shape[1] + 2)))
        return found / best

    def joint_hits(self) -> Floats:
        """(depth, depth) samples whose contexts i and j both hold evidence."""
        joint = np.zeros((self.depth, self.depth))
        for start in range(0, self.n, _BLOCK):
            block = self.hits[start : start + _BLOCK].astype(np.float32)
            joint += block.T @ block
        return joint


def table_from_hits(samples: Iterable[Hits]) -> RetrievalTable:
    """Table of samples whose hits are known one by one."""
    n_contexts: list[int] = []
    piece_sample: list[int] = []
    grades: list[float] = []
    matches: list[tuple[int, int, int]] = []
    repeats: list[tuple[int, int]] = []
    no_gold = not_recorded = 0
    for hits in samples:
        if hits.basis is None:
            not_recorded += hits.cause is Cause.CONTEXTS_NOT_RECORDED
            no_gold += hits.cause is not Cause.CONTEXTS_NOT_RECORDED
            continue
        row, start = len(n_contexts), len(grades)
        n_contexts.append(len(hits.stages))
        piece_sample.extend([row] * len(hits.grades))
        grades.extend(hits.grades)
        for place, held in enumerate(hits.held, 1):
            matches.extend((row, place, start + piece) for piece in held)
        repeats.extend((row, place) for place, is_one in enumerate(hits.repeats, 1) if is_one)
    return table_from_matches(
        n_contexts,
        piece_sample,
        grades,
        matches,
        repeats,
        n_no_gold=no_gold,
        n_contexts_not_recorded=not_recorded,
    )


def table_from_matches(
    n_contexts: ArrayLike,
    piece_sample: ArrayLike,
    piece_grade: ArrayLike,
    matches: ArrayLike,
    repeats: ArrayLike = (),
    *,
    n_no_gold: int = 0,
    n_contexts_not_recorded: int = 0,
) -> RetrievalTable:
    """Table from flat lists, as a query yields them.

    Args:
        n_contexts: (n,) contexts per sample; a sample is its place in this list, from 0.
        piece_sample: (p,) sample of each piece of evidence; every sample has at least one.
        piece_grade: (p,) grade of each piece, above 0.
        matches: (m, 3) rows of sample, place of the context from 1, and piece (its place in
            ``piece_sample``): this context holds this piece.
        repeats: (r, 2) rows of sample and place: an earlier context is the same document.
        n_no_gold: samples left out for want of evidence.
        n_contexts_not_recorded: samples left out because their contexts are not known.

    Raises:
        ValueError: a sample without a piece, or a grade that is not above 0.
    """
    counts = np.asarray(n_contexts, dtype=np.int64).reshape(-1)
    owner = np.asarray(piece_sample, dtype=np.int64).reshape(-1)
    grade = np.asarray(piece_grade, dtype=np.float64).reshape(-1)
    found = np.asarray(matches, dtype=np.int64).reshape(-1, 3)
    again = np.asarray(repeats, dtype=np.int64).reshape(-1, 2)
    n, depth = counts.size, int(counts.max(initial=0))
    n_pieces = np.bincount(owner, minlength=n).astype(np.int64)
    if (n_pieces == 0).any() or not (grade > 0).all():
        raise ValueError("every sample of the table needs evidence, and every piece a grade")
    sample, place, piece = found[:, 0], found[:, 1] - 1, found[:, 2]
    hits = np.zeros((n, depth), dtype=np.bool_)
    hits[sample, place] = True
    relevant = hits.copy()
    relevant[again[:, 0], again[:, 1] - 1] = False
    # Per piece the first context that holds it: pieces in order, within one the places in order.
    order = np.lexsort((place, piece))
    is_first = np.ones(order.size, dtype=np.bool_)
    is_first[1:] = piece[order][1:] != piece[order][:-1]
    first = order[is_first]
    new = np.zeros((n, depth), dtype=np.int64)
    np.add.at(new, (sample[first], place[first]), 1)
    gains = np.zeros((n, depth), dtype=np.float64)
    np.maximum.at(gains, (sample[first], place[first]), grade[piece[first]])
    by_grade = np.lexsort((-grade, owner))
    return RetrievalTable(
        hits,
        relevant,
        new,
        gains,
        owner[by_grade],
        np.arange(owner.size) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces),
        grade[by_grade],
        counts,
        n_no_gold,
        n_contexts_not_recorded,
    )
