"""What is worked out once per sample from contexts and gold: hits, and how contexts repeat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.hits import Hits
from core.metrics.retrieval_table import RetrievalTable, table_from_matches
from core.model import Cause, Context, Gold
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_records, fetch_rows

NEAR_DUPLICATE = 0.8
"""Contexts whose token Jaccard reaches this are near duplicates."""


@dataclass(frozen=True, slots=True)
class EvidenceInput:
    """What hits and redundancy of one sample are worked out from; contexts None: not recorded."""

    position: int
    contexts: tuple[Context, ...] | None
    gold: tuple[Gold, ...]
    references: tuple[str, ...]


def underived(connection: Connection, run_id: str) -> list[int]:
    """Positions of the samples whose hits have not been worked out yet."""
    return [position for (position,) in fetch_rows(connection, "underived", run_id=run_id)]


def evidence_inputs(
    connection: Connection, run_id: str, has_contexts: bool, positions: Sequence[int]
) -> list[EvidenceInput]:
    """Contexts, gold and references of the samples at these positions, which lie close together."""
    here = {
        "run_id": run_id,
        "positions": list(positions),
        "first": min(positions),
        "last": max(positions),
    }
    contexts: dict[int, list[Context]] = {}
    for position, rank, doc_id, text in fetch_rows(connection, "evidence_contexts", **here):
        contexts.setdefault(position, []).append(Context(rank, text, doc_id))
    gold: dict[int, list[Gold]] = {}
    for position, doc_id, text, grade, group in fetch_rows(connection, "evidence_gold", **here):
        gold.setdefault(position, []).append(Gold(doc_id, text, grade, group))
    return [
        EvidenceInput(
            position,
            tuple(contexts.get(position, ())) if has_contexts and is_recorded else None,
            tuple(gold.get(position, ())),
            tuple(references),
        )
        for position, references, is_recorded in fetch_rows(connection, "evidence_samples", **here)
    ]


def append_hits(connection: Connection, run_id: str, found: Sequence[tuple[int, Hits]]) -> None:
    """Store the hits of samples that have none yet."""
    if not found:
        return
    appender = connection.appender("sample_hits")
    appender.append_rows([
        (
            run_id, position, hits.basis, None if hits.cause is None else hits.cause.value,
            list(hits.stages), [list(held) for held in hits.held], list(hits.grades),
            list(hits.repeats), hits.n_left_out,
        )
        for position, hits in found
    ])  # fmt: skip
    appender.flush()


def append_redundancy(
    connection: Connection, run_id: str, found: Sequence[tuple[int, int, int, float]]
) -> None:
    """Store (position, lower rank, higher rank, Jaccard) of pairs of contexts."""
    if not found:
        return
    appender = connection.appender("redundancy")
    appender.append_rows([(run_id, *row) for row in found])
    appender.flush()


def retrieval_table(connection: Connection, run_id: str) -> RetrievalTable:
    """Hits of the matched samples as arrays; what has no evidence is counted by its cause."""
    connection.execute(sql("queries/evidence.sql"), {"run_id": run_id})
    missing: dict[str | None, int] = dict(fetch_rows(connection, "evidence_missing", run_id=run_id))
    pieces = _arrays(connection, "evidence_pieces")
    matches = _arrays(connection, "evidence_matches")
    repeats = _arrays(connection, "evidence_repeats")
    return table_from_matches(
        _arrays(connection, "evidence_counts")["n_contexts"],
        pieces["row"],
        pieces["grade"],
        np.column_stack([matches["row"], matches["place"], matches["piece"]]),
        np.column_stack([repeats["row"], repeats["place"]]),
        n_no_gold=missing.get(Cause.NO_GOLD.value, 0),
        n_contexts_not_recorded=missing.get(Cause.CONTEXTS_NOT_RECORDED.value, 0),
    )


def _arrays(connection: Connection, name: str) -> dict[str, NDArray[Any]]:
    found = connection.execute(sql(f"queries/{name}.sql")).fetchnumpy()
    return {column: np.asarray(values) for column, values in found.items()}


@dataclass(frozen=True, slots=True)
class PairRow:
    """Token Jaccard of two ranks over ``n`` samples; ``n_near`` of them are near duplicates."""

    rank_a: int
    rank_b: int
    n: int
    mean: float
    sd: float
    n_near: int


def redundancy_pairs(connection: Connection, run_id: str) -> list[PairRow]:
    """Redundancy of the matched samples by pair of ranks."""
    rows = fetch_rows(connection, "redundancy_pairs", run_id=run_id, near=NEAR_DUPLICATE)
    return [PairRow(*row) for row in rows]


def redundancy_samples(connection: Connection, run_id: str) -> dict[str, Any]:
    """Over the matched samples with two contexts or more: n, mean, sd, n_near."""
    here = {"run_id": run_id, "near": NEAR_DUPLICATE}
    return fetch_records(connection, "redundancy_samples", **here)[0]
