"""Reading the audit trail: who decided what about a run, and when. ``writes.log`` adds to it."""

from dataclasses import dataclass
from datetime import datetime

from core.store.connection import Connection
from core.store.run_sql import fetch_rows

#: Actions of the trail in words; one that is not here is its own word.
WORDS = {
    "threshold": "Cut stored",
    "selection": "Judge chosen",
    "split": "Labels split",
    "test opened": "Test part opened",
    "judge": "Judged",
    "rename": "Renamed",
    "note": "Note changed",
    "hit rule": "Hit rule changed",
    "join": "Scores joined",
    "copy labels": "Labels copied",
    "import": "Imported",
}


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One decision; ``logged_at`` is naive UTC, ``who`` the user of the machine it was made on."""

    logged_at: datetime
    who: str
    action: str
    old: str | None
    new: str | None
    reason: str | None

    @property
    def what(self) -> str:
        """The action in words."""
        return WORDS.get(self.action, self.action.capitalize())


def audit_of(connection: Connection, run_id: str, limit: int = 200) -> tuple[AuditRow, ...]:
    """What was decided about a run, the newest first."""
    rows = fetch_rows(connection, "audit_of_run", run_id=run_id, limit=limit)
    return tuple(AuditRow(*row) for row in rows)
