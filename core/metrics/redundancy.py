"""How much the retrieved contexts of a sample repeat one another's words, for many samples.

Token ids are sorted by sample and token. Then each token of a sample gets a number whose bits say
which contexts hold it, and how often each such number occurs gives the intersections of all pairs
of contexts at once, where a loop over Python sets would visit pair after pair.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.hits import DUPLICATE_AT
from core.metrics.intervals import Rate, wilson
from core.metrics.means import mean_rate
from core.text import tokens

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_NARROW = 181
"""Below this width first * width + second fits into 16 bits."""

NO_PAIR = "no sample has two contexts with text"

_MAX_BITS = 10
"""Up to this many contexts the bits of a token fit a small histogram."""
_BLOCK_TOKENS = 1 << 15
"""Tokens that are sorted together: about what fits the fast memory of a processor."""
_BATCH_SAMPLES = 1_000
_MAX_VOCABULARY = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class TokenIds:
    """Contexts of many samples as numbers; equal tokens of one sample have equal ids.

    Attributes:
        ids: (t,) token ids from 0, context after context; repetitions do not matter.
        lengths: (c,) how many of them belong to each context, 0 for one without a token.
        samples: (c,) sample of each context, never falling.
        ranks: (c,) rank of each context, rising within a sample.
    """

    ids: NDArray[np.int32]
    lengths: Ints
    samples: Ints
    ranks: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Token overlap of pairs of contexts, ordered by sample, first and second rank.

    Attributes:
        samples: (p,) sample of the pair.
        first: (p,) rank of the earlier context.
        second: (p,) rank of the later one.
        jaccard: (p,) shared tokens / tokens of either, 0..1.
    """

    samples: Ints
    first: Ints
    second: Ints
    jaccard: Floats


_FOLDED = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)).ljust(
    256
)


def _words(text: str) -> list[bytes]:
    """The tokens of a text as bytes: most texts are ASCII, and there this is twice as fast."""
    if text.isascii():
        return text.encode("ascii").translate(_FOLDED).split()
    return [token.encode() for token in tokens(text)]


class Vocabulary:
    """Numbers the tokens that it meets, from 0."""

    def __init__(self) -> None:
        self._ids: defaultdict[bytes, int] = defaultdict()
        self._ids.default_factory = self._ids.__len__

    def __len__(self) -> int:
        """Tokens met so far."""
        return len(self._ids)

    def encode(
        self, samples: Iterable[Sequence[tuple[int, str | None]]], start: int = 0
    ) -> TokenIds:
        """Token ids of samples, each a list of (rank, text); the first sample gets number start."""
        ids, lengths, of_sample, ranks = array("i"), array("q"), array("q"), array("q")
        number = self._ids.__getitem__
        for sample, contexts in enumerate(samples, start):
            for rank, text in contexts:
                before = len(ids)
                ids.extend(map(number, _words(text or "")))
                lengths.append(len(ids) - before)
                of_sample.append(sample)
                ranks.append(rank)
        return TokenIds(
            np.array(ids, dtype=np.int32),
            np.array(lengths, dtype=np.int64),
            np.array(of_sample, dtype=np.int64),
            np.array(ranks, dtype=np.int64),
        )


def redundancy_of_texts(samples: Iterable[Sequence[tuple[int, str | None]]]) -> Pairs:
    """Overlap of all pairs of contexts; a sample is a list of (rank, text) in rank order.

    Reads the samples once, some at a time: memory grows with the pairs, not with the texts.

    >>> pairs = redundancy_of_texts([[(1, "red lamp"), (2, "a red lamp"), (3, None)]])
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.jaccard.tolist()   # 2 of 3 tokens
    ([1], [2], [0.6666666666666666])
    """
    vocabulary = Vocabulary()
    found: list[Pairs] = []
    batch: list[Sequence[tuple[int, str | None]]] = []
    start = 0
    for contexts in samples:
        batch.append(contexts)
        if len(batch) == _BATCH_SAMPLES:
            found.append(pairwise_jaccard(vocabulary.encode(batch, start)))
            start += len(batch)
            batch.clear()
            if len(vocabulary) > _MAX_VOCABULARY:
                vocabulary = Vocabulary()
    found.append(pairwise_jaccard(vocabulary.encode(batch, start)))
    return _joined(found)


def pairwise_jaccard(contexts: TokenIds) -> Pairs:
    """Overlap |A & B| / |A | B| of all pairs of contexts of each sample.

    Contexts without a token are in no pair: there is nothing to compare.
    """
    is_filled = contexts.lengths > 0
    lengths, samples = contexts.lengths[is_filled], contexts.samples[is_filled]
    ranks = contexts.ranks[is_filled]
    ends = np.cumsum(lengths)
    # Contexts where a new sample begins, and one past the last.
    bounds = np.flatnonzero(np.diff(samples, prepend=-1, append=-1))
    if samples.size == 0:
        bounds = np.zeros(1, dtype=np.int64)
    found: list[Pairs] = []
    for low, high in _blocks(bounds, ends):
        begin = int(ends[low] - lengths[low])
        found.append(
            _block_pairs(
                contexts.ids[begin : int(ends[high - 1])],
                lengths[low:high],
                samples[low:high],
                ranks[low:high],
            )
        )
    return _joined(found)


def _blocks(bounds: Ints, ends: Ints) -> Iterable[tuple[int, int]]:
    """Runs of contexts of whole samples, of about the same number of tokens each."""
    low = 0
    while low < bounds.size - 1:
        done = int(ends[bounds[low] - 1]) if bounds[low] else 0
        last = int(np.searchsorted(ends, done + _BLOCK_TOKENS))
        high = int(np.searchsorted(bounds, last, side="right")) - 1
        high = min(max(high, low + 1), bounds.size - 1)
        yield int(bounds[low]), int(bounds[high])
        low = high


def _block_pairs(ids: NDArray[np.int32], lengths: Ints, samples: Ints, ranks: Ints) -> Pairs:
    """Pairs of the contexts of some samples that follow one another."""
    row = np.cumsum(np.diff(samples, prepend=samples[:1]) != 0)
    first_of_row = np.searchsorted(row, np.arange(row[-1] + 1))
    column = np.arange(row.size) - first_of_row[row]
    n, width = int(row[-1]) + 1, int(column.max()) + 1
    shared = _intersections(ids, np.repeat(row, lengths), np.repeat(column, lengths), n, width)
    size = np.diagonal(shared, axis1=1, axis2=2)
    either = size[:, :, None] + size[:, None, :] - shared
    is_there = (size > 0)[:, :, None] & (size > 0)[:, None, :] & np.triu(_ones(width), 1)
    sample, one, other = np.nonzero(is_there)
    start = first_of_row[sample]
    return Pairs(
        samples[start],
        ranks[start + one],
        ranks[start + other],
        shared[sample, one, other] / either[sample, one, other],
    )


def _ones(width: int) -> NDArray[np.bool_]:
    return np.ones((width, width), dtype=np.bool_)


def _intersections(ids: NDArray[np.int32], row: Ints, column: Ints, n: int, width: int) -> Floats:
    """(n, width, width) tokens that contexts i and j of a row both hold; i = j: all of i."""
    if width > _MAX_BITS:
        return _intersections_of_many(ids, row, column, n, width)
    key = (row * (int(ids.max()) + 1) + ids) << 4 | column
    key.sort()
    token = key >> 4
    starts = np.flatnonzero(np.diff(token, prepend=-1))
    bits = np.bitwise_or.reduceat(1 << (key & 15), starts)
    of_row = token[starts] // (int(ids.max()) + 1)
    counts = np.bincount((of_row << width) | bits, minlength=n << width).reshape(n, -1)
    holds = (np.arange(1 << width)[:, None] >> np.arange(width)) & 1
    both = (holds[:, :, None] & holds[:, None, :]).reshape(1 << width, -1)
    return (counts.astype(np.float64) @ both.astype(np.float64)).reshape(n, width, width)


def _intersections_of_many(
    ids: NDArray[np.int32], row: Ints, column: Ints, n: int, width: int
) -> Floats:
    shared = np.zeros((n, width, width))
    ends = np.searchsorted(row, np.arange(1, n + 1))
    start = 0
    for number, end in enumerate(ends.tolist()):
        words, place = np.unique(ids[start:end], return_inverse=True)
        holds = np.zeros((width, words.size), dtype=np.float32)
        holds[column[start:end], place] = 1
        shared[number] = holds @ holds.T
        start = end
    return shared


def _joined(parts: Sequence[Pairs]) -> Pairs:
    def column(name: str, kind: Any) -> NDArray[Any]:
        values = [getattr(part, name) for part in parts]
        return np.concatenate(values) if values else np.zeros(0, dtype=kind)

    return Pairs(
        column("samples", np.int64),
        column("first", np.int64),
        column("second", np.int64),
        column("jaccard", np.float64),
    )


# --- figures --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RedundancyFigures:
    """Text redundancy of a run; all of it is lower where contexts add something new.

    Attributes:
        text_redundancy: mean over samples of the mean overlap of their pairs.
        near_duplicates: samples whose most similar pair overlaps by at least 0.80.
        by_pair: mean overlap of the contexts at ranks i and j, of samples that have both.
        near_by_pair: samples among these whose pair overlaps by at least 0.80.
    """

    text_redundancy: Rate
    near_duplicates: Rate
    by_pair: Mapping[tuple[int, int], Rate]
    near_by_pair: Mapping[tuple[int, int], Rate]

    def as_json(self) -> dict[str, Any]:
        """Figures for ``ragtriage retrieval``; pairs are keyed like "1,2"."""
        return {
            "text_redundancy": {
                f"{i},{j}": rate.as_json() for (i, j), rate in self.by_pair.items()
            },
            "near_duplicate_pairs": {
                f"{i},{j}": rate.as_json() for (i, j), rate in self.near_by_pair.items()
            },
            "mean_text_redundancy": self.text_redundancy.as_json(),
            "near_duplicates": self.near_duplicates.as_json(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class SampleRedundancy:
    """Redundancy of each sample that has a pair: its mean and its largest overlap, 0..1."""

    samples: Ints
    mean: Floats
    largest: Floats


def redundancy_by_sample(pairs: Pairs) -> SampleRedundancy:
    """Mean and largest overlap of the pairs of each sample; samples without a pair are absent."""
    if pairs.samples.size == 0:
        return SampleRedundancy(pairs.samples, pairs.jaccard, pairs.jaccard)
    starts = _starts(pairs.samples)
    counts = np.diff(starts, append=pairs.samples.size)
    return SampleRedundancy(
        pairs.samples[starts],
        np.add.reduceat(pairs.jaccard, starts) / counts,
        np.maximum.reduceat(pairs.jaccard, starts),
    )


def _starts(values: NDArray[Any]) -> Ints:
    """Where each stretch of equal values begins."""
    changes: Ints = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate([np.zeros(1, dtype=np.int64), changes])


def redundancy_figures(pairs: Pairs, k: int | None = None, *, seed: int = 0) -> RedundancyFigures:
    """Figures of a run over the contexts of rank 1 to k; all of them without k."""
    if k is not None:
        is_in = pairs.second <= k
        pairs = Pairs(
            pairs.samples[is_in], pairs.first[is_in], pairs.second[is_in], pairs.jaccard[is_in]
        )
    samples = redundancy_by_sample(pairs)
    by_pair: dict[tuple[int, int], Rate] = {}
    near_by_pair: dict[tuple[int, int], Rate] = {}
    width = int(pairs.second.max(initial=0)) + 1
    code = pairs.first * width + pairs.second
    if width <= _NARROW:
        code = code.astype(np.int16)  # numpy sorts these by their digits, much faster
    order = np.argsort(code, kind="stable")
    for chosen in np.split(order, _starts(code[order])[1:]) if code.size else ():
        pair = divmod(int(code[chosen[0]]), width)
        values = pairs.jaccard[chosen]
        by_pair[pair] = mean_rate(values, seed=seed)
        near_by_pair[pair] = wilson(int((values >= DUPLICATE_AT).sum()), values.size)
    return RedundancyFigures(
        mean_rate(samples.mean, seed=seed, reason=NO_PAIR),
        wilson(int((samples.largest >= DUPLICATE_AT).sum()), samples.largest.size, NO_PAIR),
        by_pair,
        near_by_pair,
    )
