"""The day of each sample: as its file dates it, else the day of its first verdict."""

from collections.abc import Sequence
from datetime import date

from core.store import queries
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows

KEYS = (
    "created_at", "timestamp", "createdAt", "created", "asked_at", "answered_at", "logged_at",
    "start_time", "startTime", "datetime", "date", "time", "Timestamp", "Date",
)  # fmt: skip
"""Columns of a file that may date its samples; that which dates most of them does."""
_LOOKED_AT = 5_000


def day_key(connection: Connection, run_id: str) -> str | None:
    """The extra column that dates the samples of a run, None where none does."""
    step = max(1, queries.sample_count(connection, run_id) // _LOOKED_AT)
    rows = fetch_rows(connection, "day_keys", run_id=run_id, keys=list(KEYS), step=step)
    return str(rows[0][0]) if rows else None


def fill_days(connection: Connection, run_id: str) -> str | None:
    """Make the temporary table ``sample_day`` of this burst; returns what it goes by."""
    key = day_key(connection, run_id)
    connection.execute(sql("queries/sample_day.sql"), {"run_id": run_id, "key": key})
    return key


def narrow_by_day(connection: Connection, run_id: str, days: Sequence[str]) -> None:
    """Keep the matched samples of these days, "none" being those without one."""
    fill_days(connection, run_id)
    connection.execute(sql("queries/narrow/days.sql"), {"days": list(days)})


def day_counts(connection: Connection) -> list[tuple[date | None, int, int]]:
    """(day, pattern code, number) of the matched samples, after ``fill_days``."""
    return [(day, code, n) for day, code, n in fetch_rows(connection, "day_counts")]
