"""What was decided about a run: cuts, judges, splits, opened test parts, notes and names."""

from core.store import queries
from core.store.audit import AuditRow, audit_of
from core.store.connection import Store


def decisions(store: Store, run_id: str) -> tuple[AuditRow, ...]:
    """The audit trail of a run, the newest entry first.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        return audit_of(connection, queries.find_run(connection, run_id).run_id)
