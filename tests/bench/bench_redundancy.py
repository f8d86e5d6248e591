"""Text redundancy of a run against a loop over Python sets on the same token ids."""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from core.metrics.redundancy import (
    TokenIds,
    Vocabulary,
    pairwise_jaccard,
    redundancy_figures,
    redundancy_of_texts,
)

N_SAMPLES = 100_000
N_CONTEXTS = 5
N_TOKENS = 110
N_WORDS = 50_000


def texts(n: int, seed: int = 0) -> Iterator[list[tuple[int, str]]]:
    """Samples of five contexts whose words are as unevenly frequent as those of a language."""
    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(1 / np.arange(1, N_WORDS + 1))
    words = np.array([f"word{number:x}" for number in range(N_WORDS)])
    for _ in range(n):
        draws = rng.random((N_CONTEXTS, N_TOKENS)) * cumulative[-1]
        chosen = words[np.searchsorted(cumulative, draws)]
        yield [(rank, " ".join(row)) for rank, row in enumerate(chosen, 1)]


def loop_over_sets(contexts: list[list[int]]) -> list[float]:
    found = []
    for start in range(0, len(contexts), N_CONTEXTS):
        sets = [set(ids) for ids in contexts[start : start + N_CONTEXTS]]
        for one, other in combinations(sets, 2):
            shared = len(one & other)
            found.append(shared / (len(one) + len(other) - shared))
    return found


def as_lists(encoded: TokenIds) -> list[list[int]]:
    return [part.tolist() for part in np.split(encoded.ids, np.cumsum(encoded.lengths)[:-1])]


def clocked(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float, float]:
    """Result of a call, its seconds, and its seconds of processor time: the best of three."""
    walls, works = [], []
    for _ in range(3):
        started, worked = time.perf_counter(), time.process_time()
        result = function(*arguments)
        works.append(time.process_time() - worked)
        walls.append(time.perf_counter() - started)
    return result, min(walls), min(works)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else N_SAMPLES
    encoded = Vocabulary().encode(texts(n // 5))
    expected, loop, loop_work = clocked(loop_over_sets, as_lists(encoded))
    pairs, ours, our_work = clocked(pairwise_jaccard, encoded)
    print(f"{n // 5:,} samples, {len(expected):,} pairs of contexts")
    print(f"  the same result: {np.allclose(expected, pairs.jaccard)}")
    print(f"  loop over sets {loop:.2f} s, arrays {ours:.2f} s: {loop / ours:.1f} times as fast")
    print(f"  by processor time {loop_work / our_work:.1f} times (wanted: at least 2)")
    del expected, encoded
    prepared = list(texts(n))
    started, worked = time.perf_counter(), time.process_time()
    pairs = redundancy_of_texts(prepared)
    taken, work = time.perf_counter() - started, time.process_time() - worked
    print(f"{n:,} samples from their texts: {taken:.1f} s, {work:.1f} s of work (wanted: < 20 s)")
    _, figures, _ = clocked(redundancy_figures, pairs)
    print(f"  figures of the run {figures:.2f} s")


if __name__ == "__main__":
    main()
