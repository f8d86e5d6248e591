"""The longest sequence of tokens that two texts share."""

from collections.abc import Sequence

_BITS = 2_048


def lcs_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest sequence that is in both in the same order, gaps allowed.

    Memory grows with the lengths, not with their product; time with the product / 2,048.
    Source: Hyyrö (2004), AWOCA, 16-27, in blocks of bits.

    >>> lcs_length("abcbdab", "bdcaba")
    4
    """
    if len(one) < len(other):
        one, other = other, one
    # Each block of the shorter sequence is a number whose bits are the rows of the usual table.
    # A zero bit marks a row where the length has grown; what an addition carries out of a block
    # goes into the next one, at the same place of the longer sequence.
    carries = bytearray(len(one))
    length = 0
    for start in range(0, len(other), _BITS):
        block = other[start : start + _BITS]
        places: dict[str, int] = {}
        for place, token in enumerate(block):
            places[token] = places.get(token, 0) | 1 << place
        full = (1 << len(block)) - 1
        row = full
        for column, token in enumerate(one):
            here = places.get(token, 0)
            total = row + (row & here) + carries[column]
            carries[column] = total >> len(block)
            row = (total & full) | (row & ~here)
        length += len(block) - row.bit_count()
    return length
