"""The key ``claims`` of the neutral format: checked, put in the order of ranks, and counted."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.ingest import values
from core.metrics.claim_sets import (
    AD,
    AG,
    CONTEXT_USEFUL,
    GA,
    GD,
    JUDGE,
    ClaimSet,
    Entailment,
    Row,
    ScoreState,
    claim_counts,
    score_states,
    unsupported_claims,
    useful_states,
    width_of,
)
from core.model import JudgeKind
from core.records import Notices, ParsedClaims, ParsedContext, ParsedScore, ParsedVerdict

_KEYS = ("answer", "reference", AG, GA, AD, GD)
MAX_CLAIMS = 1_000
ROUNDING = 0.005
"""Scores are often saved with two decimals."""
_WORDS = {
    "entailed": Entailment.ENTAILED,
    "entailment": Entailment.ENTAILED,
    "supported": Entailment.ENTAILED,
    "contradicted": Entailment.CONTRADICTED,
    "contradiction": Entailment.CONTRADICTED,
    "neutral": Entailment.NEUTRAL,
    "not_found": Entailment.NEUTRAL,
    "not_entailed": Entailment.NOT_ENTAILED,
}


class ClaimError(ValueError):
    """Claims that cannot be stored as they stand; the message says why, and the way out."""


def parse_claims(
    value: Mapping[str, Any], contexts: Sequence[ParsedContext] | None
) -> ClaimSet | None:
    """The claims of one sample, columns in the order of the contexts' ranks; None without any.

    Raises:
        ClaimError: they do not belong together; the message names the key and the way out.
    """
    unknown = [key for key in value if key not in _KEYS]
    if unknown:
        raise ClaimError(f"claims has the key {unknown[0]!r}; known are {', '.join(_KEYS)}.")
    found = ClaimSet(
        answer=_texts("answer", value.get("answer")),
        reference=_texts("reference", value.get("reference")),
        answer_by_reference=_row(AG, value.get(AG)),
        reference_by_answer=_row(GA, value.get(GA)),
        answer_by_context=_rows(AD, value.get(AD)),
        reference_by_context=_rows(GD, value.get(GD)),
    )
    if found.is_empty:
        return None
    _check_lengths(found)
    return _in_rank_order(found, contexts)


def _texts(key: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ClaimError(f"claims.{key} must be a list of texts, one per claim.")
    if len(value) > MAX_CLAIMS:
        raise ClaimError(
            f"claims.{key} has {len(value):,} claims, more than the limit of {MAX_CLAIMS:,}."
        )
    return tuple(value)


def _row(key: str, value: Any) -> Row | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise ClaimError(f"claims.{key} must be a list with one verdict per claim.")
    return tuple(_word(f"{key}[{place}]", item) for place, item in enumerate(value))


def _rows(key: str, value: Any) -> tuple[Row, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise ClaimError(
            f"claims.{key} must be a list with one list per claim, which has one verdict per "
            "context."
        )
    return tuple(_row(f"{key}[{place}]", row) or () for place, row in enumerate(value))


def _word(place: str, value: Any) -> Entailment | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return Entailment.ENTAILED if value else Entailment.NOT_ENTAILED
    word = _WORDS.get(value.strip().lower()) if isinstance(value, str) else None
    if word is None:
        raise ClaimError(
            f"claims.{place} is {values.as_json(value)}; write entailed, contradicted, neutral, "
            "true or false, and null where there is no verdict."
        )
    return word


def _check_lengths(found: ClaimSet) -> None:
    for side, row, rows in (("answer", AG, AD), ("reference", GA, GD)):
        claims = getattr(found, side)
        if claims is None:
            if getattr(found, row) is not None or getattr(found, rows) is not None:
                key = row if getattr(found, row) is not None else rows
                raise ClaimError(f"claims.{key} needs the texts of its claims in claims.{side}.")
            continue
        for key in (row, rows):
            table = getattr(found, key)
            if table is not None and len(table) != len(claims):
                raise ClaimError(
                    f"claims.{key} has {len(table)} entries, and claims.{side} has {len(claims)} "
                    "claims. Give one entry per claim in the same order, null where there is no "
                    "verdict."
                )


def _in_rank_order(found: ClaimSet, contexts: Sequence[ParsedContext] | None) -> ClaimSet:
    if contexts is None:
        return found
    if width_of(found) > len(contexts):
        raise ClaimError(
            f"claims has verdicts about {width_of(found)} contexts, and the sample has "
            f"{len(contexts)}. Give the contexts in the same order, or leave the verdicts out."
        )
    ranks = [context.rank for context in contexts]
    if ranks == sorted(ranks):
        return found
    order = sorted(range(len(ranks)), key=ranks.__getitem__)

    def sorted_row(row: Row) -> Row:
        return tuple(row[place] if place < len(row) else None for place in order)

    def sorted_rows(rows: tuple[Row, ...] | None) -> tuple[Row, ...] | None:
        return None if rows is None else tuple(map(sorted_row, rows))

    return ClaimSet(
        found.answer,
        found.reference,
        found.answer_by_reference,
        found.reference_by_answer,
        sorted_rows(found.answer_by_context),
        sorted_rows(found.reference_by_context),
    )


def counted(found: ClaimSet, contexts: Sequence[ParsedContext] | None) -> ParsedClaims:
    """The claims as the store keeps them."""
    n_contexts = None if contexts is None else len(contexts)
    return ParsedClaims(values.as_json(found.as_json()), *claim_counts(found, n_contexts))


def claim_verdicts(
    found: ClaimSet, contexts: Sequence[ParsedContext] | None
) -> list[ParsedVerdict]:
    """All scores that the claims give, for the sample and for each of its contexts."""
    states = score_states(found, None if contexts is None else len(contexts))
    verdicts = [_verdict(name, state, None) for name, state in states.items()]
    for verdict in verdicts:
        if verdict.metric == "faithfulness" and verdict.value is not None:
            _explain(verdict, found)
    ranks = sorted(context.rank for context in contexts or ())
    for rank, state in zip(ranks, useful_states(found, len(ranks)), strict=False):
        verdicts.append(_verdict(CONTEXT_USEFUL, state, rank))
    return verdicts


def _explain(verdict: ParsedVerdict, found: ClaimSet) -> None:
    """Say which claims of the answer no context entails, so that the answer can be marked."""
    n, unsupported = unsupported_claims(found)
    verdict.reasoning = f"{n - len(unsupported)} of {n} claims are in a context."
    verdict.detail = values.as_json({"unsupported_claims": unsupported})


def _verdict(metric: str, state: ScoreState, rank: int | None) -> ParsedVerdict:
    return ParsedVerdict(
        metric=metric,
        judge=JUDGE,
        repeat=0,
        status=state.status.value,
        value=state.value,
        cause=state.cause,
        reasoning=None,
        detail=None,
        raw=None,
        context_rank=rank,
        judged_at=None,
        latency=None,
        cost=None,
        tokens=None,
    )


def say_differences(
    row: int,
    computed: Sequence[ParsedVerdict],
    scores: Sequence[ParsedScore],
    verdicts: Sequence[ParsedVerdict],
    notices: Notices,
) -> None:
    """Tell of scores of the file that are not what its own claims give; both are kept."""
    ours: Mapping[str, float] = {
        one.metric: one.value
        for one in computed
        if one.context_rank is None and one.value is not None
    }
    theirs = [(one.metric, one.value) for one in scores]
    theirs += [(one.metric, one.value) for one in verdicts if one.context_rank is None
               and (one.judge == JUDGE or one.judge.kind is JudgeKind.IMPORTED)]  # fmt: skip
    for metric, value in theirs:
        mine = ours.get(metric)
        if mine is not None and value is not None and abs(mine - value) > ROUNDING:
            notices.add(
                row,
                f"{metric} differs from what the claims of the same sample give; both were kept.",
            )


def is_counted(verdicts: Sequence[ParsedVerdict]) -> bool:
    """True if the file brings the scores of its claims itself, as our export does."""
    return any(one.judge == JUDGE for one in verdicts)
