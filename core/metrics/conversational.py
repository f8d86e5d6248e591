"""Conversational faithfulness: groundedness that leaves small talk aside."""

from typing import NamedTuple

from core.model import Flag


class FlaggedScore(NamedTuple):
    """A score and what is to be said about the verdicts behind it."""

    value: float
    flags: frozenset[Flag]


def conversational_faithfulness(
    n_grounded: int, n_ungrounded: int, n_informative: int
) -> FlaggedScore:
    """Share of the informative sentences of an answer that rest on the contexts.

    1 if N = 0;  Y / N if Y + U <= N;  0 otherwise

    N sentences carry information, Y of them are judged grounded, U not. Range 0..1, higher is
    better; never undefined: 1 for an answer that informs about nothing (small talk, a refusal),
    so read it together with refusal. Y + U < N lowers the score without a word: flagged
    incomplete_verdicts. Y + U > N is impossible: flagged inconsistent_verdicts.
    Source: ASTRID, Findings of ACL 2025, equation 1.

    Raises:
        ValueError: a count is negative.

    >>> conversational_faithfulness(2, 1, 3).value
    0.6666666666666666
    >>> value, flags = conversational_faithfulness(3, 1, 3)
    >>> value, [str(flag) for flag in flags]
    (0.0, ['inconsistent_verdicts'])
    """
    if min(n_grounded, n_ungrounded, n_informative) < 0:
        raise ValueError(
            f"a count is negative: {n_grounded} grounded, {n_ungrounded} not, of {n_informative}"
        )
    rest = n_informative - (n_grounded + n_ungrounded)
    flags: frozenset[Flag] = frozenset()
    if rest > 0:
        flags = frozenset({Flag.INCOMPLETE_VERDICTS})
    elif rest < 0:
        flags = frozenset({Flag.INCONSISTENT_VERDICTS})
    if n_informative == 0:
        return FlaggedScore(1.0, flags)
    return FlaggedScore(n_grounded / n_informative if rest >= 0 else 0.0, flags)
