"""Filters that people gave a name, kept for every run and everybody who uses the store."""

import json

from core.errors import BadInputError
from core.filters import SampleFilter, from_terms
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows
from core.store.writes import now_utc


def saved_filters(connection: Connection) -> dict[str, SampleFilter]:
    """All saved filters by name; one that this version cannot read is passed over."""
    found = {}
    for name, query in fetch_rows(connection, "saved_filters"):
        try:
            found[name] = from_terms(json.loads(query))
        except (BadInputError, ValueError):
            continue
    return found


def save_filter(connection: Connection, name: str, wanted: SampleFilter) -> None:
    """Keep a filter under a name; one of the same name is replaced.

    Raises:
        BadInputError: no name, or a filter that lets everything pass.
    """
    name = name.strip()
    if not name:
        raise BadInputError("A saved filter needs a name.")
    if wanted.is_empty:
        raise BadInputError("There is no filter to save: every sample passes.")
    forget_filter(connection, name)
    connection.execute(
        sql("statements/save_filter.sql"),
        {"name": name, "query": json.dumps(wanted.terms(), ensure_ascii=False), "now": now_utc()},
    )


def forget_filter(connection: Connection, name: str) -> None:
    """Delete a saved filter; nothing happens if there is none of that name."""
    connection.execute(sql("statements/forget_filter.sql"), {"name": name})
