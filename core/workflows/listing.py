"""``ragtriage runs`` and the page Runs: every run with its pass rate at its own cuts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.diagnosis.summary import Summary
from core.store import queries
from core.store.connection import Connection, Store
from core.workflows import matrix, review


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run and the diagnosis of all its samples; ``n_errors`` counts failed triad scores."""

    run: queries.RunRow
    summary: Summary
    n_errors: int

    def as_json(self) -> dict[str, Any]:
        """One entry of the document of ``ragtriage runs``."""
        run = self.run
        return {
            "run_id": run.run_id,
            "name": run.name,
            "dataset": run.dataset,
            "tool": run.tool,
            "created_at": _iso(run.created_at),
            "imported_at": _iso(run.imported_at),
            "file": run.file_name,
            "file_sha256": run.file_sha256,
            "samples": run.n_samples,
            "has_contexts": run.has_contexts,
            "has_answers": run.has_answers,
            "judges": run.judges,
            "pass_rate": self.summary.pass_rate.as_json(),
            "open": self.summary.n - self.summary.scored,
            "errors": self.n_errors,
            "note": run.note,
        }


def _iso(time: datetime | None) -> str | None:
    return None if time is None else f"{time.isoformat(timespec='seconds')}Z"


def stored_runs(store: Store) -> list[queries.RunRow]:
    """All runs without their diagnosis, the newest import first."""
    with store.reading() as connection:
        return queries.runs(connection)


def run_list(store: Store, earlier: Iterable[ListedRun] = ()) -> list[ListedRun]:
    """All runs, the newest import first; runs that have not changed are taken from ``earlier``."""
    known = {(row.run.run_id, row.run.data_version): row for row in earlier}
    with store.reading() as connection:
        return [
            known.get((run.run_id, run.data_version)) or listed_run(connection, run)
            for run in queries.runs(connection)
        ]


def listed_run(connection: Connection, run: queries.RunRow) -> ListedRun:
    """One run with its diagnosis."""
    view = review.View()
    found = review.settings(connection, run.run_id, view)
    review.match(connection, found, view)
    coverage = matrix.axis_coverage(connection, run.run_id)
    return ListedRun(
        run=run,
        summary=review.summary_of(connection, found),
        n_errors=sum(row.n_error for row in coverage),
    )
