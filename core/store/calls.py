"""Requests to judge models: kept with their verdicts, listed, and answered from again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.model import Call
from core.records import clean_text
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_records, fetch_rows, loaded
from core.store.values import json_text


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A reply that an equal request got before."""

    reply: str
    finish_reason: str | None
    settings: Mapping[str, Any]
    called_at: datetime


def append_calls(
    connection: Connection, run_id: str, calls: Sequence[tuple[int, Sequence[Call]]], now: datetime
) -> None:
    """Append the requests behind verdicts, given by verdict number."""
    rows = [
        (
            run_id, verdict_no, n, call.step, call.context_rank, clean_text(call.prompt)[0],
            _clean(call.reply), _clean(call.finish_reason), call.error_kind, _clean(call.error),
            call.is_cached, call.request_sha256, call.latency, call.cost, call.tokens_in,
            call.tokens_out, json_text(call.settings), now,
        )
        for verdict_no, made in calls
        for n, call in enumerate(made, 1)
    ]  # fmt: skip
    if rows:
        appender = connection.appender("call")
        appender.append_rows(rows)
        appender.flush()


def _clean(text: str | None) -> str | None:
    return None if text is None else clean_text(text)[0]


def cached_replies(connection: Connection, keys: Sequence[str]) -> dict[str, CachedReply]:
    """The newest usable reply to each of these requests, by request hash."""
    found = fetch_rows(connection, "cached_replies", keys=list(keys))
    return {
        key: CachedReply(
            reply=row["reply"],
            finish_reason=row["finish_reason"],
            settings=json.loads(row["settings"]),
            called_at=row["called_at"],
        )
        for key, row in found
    }


def has_calls(connection: Connection) -> bool:
    """Whether any request was ever made; without one there is nothing to look up."""
    return bool(fetch_rows(connection, "has_calls")[0][0])


def calls_of(connection: Connection, run_id: str, verdict_no: int) -> list[dict[str, Any]]:
    """The requests behind one verdict in the order they were made, with all their texts."""
    found = fetch_records(connection, "calls_of", run_id=run_id, verdict_no=verdict_no)
    for record in found:
        record["prompt"] = json.loads(record["prompt"])
        record["settings"] = loaded(record["settings"])
    return found


def call_log(
    connection: Connection,
    run_id: str,
    *,
    only_failed: bool = False,
    limit: int = 100,
    offset: int = 0,
) -> list[dict[str, Any]]:
    """Requests of a run, the newest first, without their texts."""
    return fetch_records(
        connection, "call_log", run_id=run_id, only_failed=only_failed, limit=limit, offset=offset
    )


def call_counts(connection: Connection, run_id: str) -> dict[str, Any]:
    """How many requests a run has led to, what is known of their cost, tokens and latency."""
    return fetch_records(connection, "call_counts", run_id=run_id)[0]


def newest_verdict(connection: Connection, run_id: str) -> int:
    """Number of the newest verdict of a run, 0 if it has none."""
    return int(fetch_rows(connection, "newest_verdict", run_id=run_id)[0][0])


def declare_scale(connection: Connection, run_id: str, metric: str, lo: float, hi: float) -> None:
    """Note the scale of a metric that a person's own prompt defines; one that is there stays."""
    connection.execute(
        sql("statements/declare_scale.sql"),
        {"run_id": run_id, "metric": metric, "lo": lo, "hi": hi},
    )
