"""What is worked out once per sample from contexts and gold: hits, and how contexts repeat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.hits import Hits
from core.metrics.redundancy import Pairs
from core.metrics.retrieval_table import RetrievalTable, table_from_matches
from core.model import Cause, Context, Gold
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows


@dataclass(frozen=True, slots=True)
class EvidenceInput:
    """What hits and redundancy of one sample are worked out from; contexts None: not recorded."""

    position: int
    contexts: tuple[Context, ...] | None
    gold: tuple[Gold, ...]
    references: tuple[str, ...]


def underived(connection: Connection, run_id: str, rule: str = "") -> list[int]:
    """Positions of the samples whose hits by a rule have not been worked out yet."""
    found = fetch_rows(connection, "underived", run_id=run_id, rule=rule)
    return [position for (position,) in found]


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


def append_hits(
    connection: Connection, run_id: str, found: Sequence[tuple[int, Hits]], rule: str = ""
) -> None:
    """Store the hits of samples that have none by this rule yet."""
    if not found:
        return
    appender = connection.appender("sample_hits")
    appender.append_rows([
        (
            run_id, position, hits.basis, None if hits.cause is None else hits.cause.value,
            list(hits.stages), [list(held) for held in hits.held], list(hits.grades),
            list(hits.repeats), hits.n_left_out, rule,
        )
        for position, hits in found
    ])  # fmt: skip
    appender.flush()


def append_redundancy(
    connection: Connection, run_id: str, positions: Sequence[int], pairs: Pairs
) -> None:
    """Store the pairs of samples; ``pairs`` numbers them by their place in ``positions``."""
    rows = zip(
        pairs.samples.tolist(), pairs.first.tolist(), pairs.second.tolist(), pairs.jaccard.tolist(),
        strict=True,
    )  # fmt: skip
    found = [(run_id, positions[sample], a, b, share) for sample, a, b, share in rows]
    if found:
        appender = connection.appender("redundancy")
        appender.append_rows(found)
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


def redundancy_pairs(connection: Connection, run_id: str) -> Pairs:
    """Token overlap of the pairs of contexts of the matched samples."""
    found = connection.execute(sql("queries/redundancy.sql"), {"run_id": run_id}).fetchnumpy()
    return Pairs(
        samples=np.asarray(found["position"], dtype=np.int64),
        first=np.asarray(found["rank_a"], dtype=np.int64),
        second=np.asarray(found["rank_b"], dtype=np.int64),
        jaccard=np.asarray(found["jaccard"], dtype=np.float64),
    )


def matched_underived(connection: Connection, run_id: str) -> int:
    """Matched samples whose hits have not been worked out yet."""
    return int(fetch_rows(connection, "matched_underived", run_id=run_id)[0][0])


def n_reference_without_gold(connection: Connection, run_id: str) -> int:
    """Matched samples with a reference and without gold evidence."""
    return int(fetch_rows(connection, "reference_without_gold", run_id=run_id)[0][0])


def evidence_tags(connection: Connection, run_id: str, tag: str) -> dict[str, NDArray[np.int64]]:
    """Rows of ``retrieval_table`` by the values of one tag; after it."""
    parameters = {"run_id": run_id, "tag": tag}
    found = connection.execute(sql("queries/evidence_tags.sql"), parameters).fetchnumpy()
    rows = np.asarray(found["row"], dtype=np.int64)
    values = np.asarray(found["value"], dtype=object)
    starts = np.flatnonzero(np.r_[values.size > 0, values[1:] != values[:-1]])
    parts = np.split(rows, starts[1:])
    return {str(values[start]): part for start, part in zip(starts.tolist(), parts, strict=False)}


def n_several_pieces(connection: Connection, run_id: str) -> int:
    """Matched samples with more than one piece of evidence."""
    return int(fetch_rows(connection, "several_pieces", run_id=run_id)[0][0])


def useless_documents(
    connection: Connection, run_id: str, limit: int
) -> list[tuple[str, int, float]]:
    """(doc_id, samples, mean rank) of documents without evidence; after ``retrieval_table``."""
    found = fetch_rows(connection, "useless_documents", run_id=run_id, limit=limit)
    return [(doc_id, n, mean_rank) for doc_id, n, mean_rank in found]


def questions(
    connection: Connection, run_id: str, positions: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """(sample id, beginning of the question) by position."""
    here = {"run_id": run_id, "positions": list(positions), "length": 160}
    return {
        position: (sample_id, question)
        for position, sample_id, question, _ in fetch_rows(connection, "sample_texts", **here)
    }
