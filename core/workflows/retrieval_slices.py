"""What the retriever found and how the contexts were used, by the values of a tag."""

from dataclasses import dataclass

import numpy as np

from core.diagnosis.cue_summary import CueSummary, summarise_cue
from core.metrics.hits import HitPolicy
from core.metrics.intervals import Rate, wilson
from core.metrics.means import mean_rate
from core.metrics.retrieval_table import RetrievalTable
from core.store import derived, matching
from core.store.connection import Connection, Store
from core.workflows import review

_NO_GOLD = "no sample of the slice has gold evidence"


@dataclass(frozen=True, slots=True)
class RetrievalSlice:
    """One value of a tag: ``n_samples`` in view, and figures over those with gold evidence.

    ``hit``, ``recall`` and ``ndcg`` look at all contexts; ``hit`` follows the hit policy.
    """

    value: str
    n_samples: int
    hit: Rate
    recall: Rate
    mrr: Rate
    ndcg: Rate
    baseline_hit: Rate | None = None


@dataclass(frozen=True, slots=True)
class CueSlice:
    """One value of a tag: context use of its samples, and of the baseline's of the same value."""

    value: str
    summary: CueSummary
    baseline: CueSummary | None = None


def retrieval_slices(
    store: Store, run_id: str, view: review.View, tag: str, baseline_id: str | None = None
) -> list[RetrievalSlice]:
    """Slices of the matched samples, the largest first.

    Raises:
        NotFoundError: no such run or baseline.
    """
    policy = HitPolicy(view.hit_share)
    before: dict[str, Rate] = {}
    if baseline_id is not None:
        base_view = review.View(wanted=view.wanted, hit_share=view.hit_share)
        with review.matched(store, baseline_id, base_view) as (connection, found):
            tables, _ = _tables(connection, found.run.run_id, tag)
        before = {value: _hit(table, policy) for value, table in tables.items()}
    with review.matched(store, run_id, view) as (connection, found):
        tables, sizes = _tables(connection, found.run.run_id, tag)
    return [
        RetrievalSlice(
            value=value,
            n_samples=n,
            hit=_hit(tables[value], policy),
            recall=mean_rate(tables[value].recall_at_k(_depth(tables[value])), reason=_NO_GOLD),
            mrr=mean_rate(tables[value].mrr(), reason=_NO_GOLD),
            ndcg=mean_rate(tables[value].ndcg_at_k(_depth(tables[value])), reason=_NO_GOLD),
            baseline_hit=before.get(value),
        )
        for value, n in sizes
    ]


def _depth(table: RetrievalTable) -> int:
    return max(1, table.depth)


def _hit(table: RetrievalTable, policy: HitPolicy) -> Rate:
    return wilson(int(table.hit_at_k(_depth(table), policy).sum()), table.n, _NO_GOLD)


def _tables(
    connection: Connection, run_id: str, tag: str
) -> tuple[dict[str, RetrievalTable], list[tuple[str, int]]]:
    table = derived.retrieval_table(connection, run_id)
    rows = derived.evidence_tags(connection, run_id, tag)
    sizes = matching.tag_sizes(connection, run_id, tag)
    none = np.zeros(0, dtype=np.int64)
    return {value: table.take(rows.get(value, none)) for value, _ in sizes}, sizes


def cue_slices(
    store: Store, run_id: str, view: review.View, tag: str, baseline_id: str | None = None
) -> list[CueSlice]:
    """Context use of the matched samples by the values of a tag, the largest first.

    Raises:
        NotFoundError: no such run or baseline.
    """
    before: dict[str, CueSummary] = {}
    if baseline_id is not None:
        base_view = review.View(wanted=view.wanted, hit_share=view.hit_share)
        with review.matched(store, baseline_id, base_view) as (connection, found):
            counts = matching.cue_slices(connection, found.run.run_id, tag)
        before = {value: summarise_cue(one) for value, one in counts.items()}
    with review.matched(store, run_id, view) as (connection, found):
        counts = matching.cue_slices(connection, found.run.run_id, tag)
    slices = [
        CueSlice(value, summarise_cue(one), before.get(value)) for value, one in counts.items()
    ]
    return sorted(slices, key=lambda one: (-one.summary.n, one.value))
