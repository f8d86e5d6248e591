"""Running one SQL file of ``queries/`` and fetching all that it gives."""

import json
from typing import Any

from core.store.connection import Connection, sql

Rows = list[tuple[Any, ...]]


def fetch_rows(connection: Connection, name: str, /, **parameters: Any) -> Rows:
    """Run ``queries/<name>.sql`` and fetch its rows."""
    return connection.execute(sql(f"queries/{name}.sql"), parameters).fetchall()


def fetch_records(connection: Connection, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
    """Run ``queries/<name>.sql`` and fetch its rows as dicts by column name."""
    cursor = connection.execute(sql(f"queries/{name}.sql"), parameters)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def loaded(text: str | None) -> Any:
    """Value of a JSON column, None where it is NULL."""
    return None if text is None else json.loads(text)
