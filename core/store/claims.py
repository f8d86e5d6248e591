"""What is stored of claims: counts by kind, scores with their states, a model's verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.store.connection import Connection
from core.store.run_sql import fetch_rows


@dataclass(frozen=True, slots=True)
class KindCount:
    """Claims of one kind, and how many samples have any; kind "open" is of those of none."""

    kind: str
    n_claims: int
    n_samples: int


@dataclass(frozen=True, slots=True)
class StateCount:
    """Samples with one state, and one value, of one metric."""

    metric: str
    status: str
    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class JudgedCount:
    """Samples whose claims a model judged alike."""

    n_claims: int
    n_supported: int
    n_contradicted: int
    n: int


def kind_counts(connection: Connection, run_id: str) -> list[KindCount]:
    """Claims of the matched samples by kind; [] where the run's file has none."""
    return [KindCount(*row) for row in fetch_rows(connection, "claim_kinds", run_id=run_id)]


def state_counts(
    connection: Connection, run_id: str, judge_id: str, metrics: Sequence[str]
) -> list[StateCount]:
    """States and values of some metrics of one judge over the matched samples."""
    rows = fetch_rows(
        connection, "claim_scores", run_id=run_id, judge_id=judge_id, metrics=list(metrics)
    )
    return [StateCount(*row) for row in rows]


def judged_counts(
    connection: Connection, run_id: str, judge_id: str, *, has_contradictions: bool
) -> list[JudgedCount]:
    """What a model found of the claims of the matched samples.

    ``has_contradictions`` if it gave the share without contradictions too; else its lists of claims
    are read, which takes longer.
    """
    name = "claim_judged" if has_contradictions else "claim_judged_listed"
    rows = fetch_rows(connection, name, run_id=run_id, judge_id=judge_id)
    return [JudgedCount(*row) for row in rows]
