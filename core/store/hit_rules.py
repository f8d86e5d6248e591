"""The hit rule of a run: which it is, setting it, and what it changes."""

from core.metrics.hit_rule import PLAIN, HitRule, Marks
from core.store import queries, writes
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows


def hit_rule(connection: Connection, run_id: str) -> HitRule:
    """The rule of a run, the plain one where none was set."""
    for _, use_reference, terms, terms_name, marks in fetch_rows(
        connection, "hit_rule", run_id=run_id
    ):
        return HitRule(use_reference, terms, terms_name, Marks.from_json(marks) if marks else None)
    return PLAIN


def set_hit_rule(connection: Connection, run_id: str, rule: HitRule) -> None:
    """Let a rule count from now on; its hits should have been worked out.

    Raises:
        NotFoundError: no such run.
    """
    run_id = queries.find_run(connection, run_id).run_id
    old = hit_rule(connection, run_id)
    if old.key == rule.key:
        return
    parameters = {
        "run_id": run_id,
        "rule": rule.key,
        "use_reference": rule.use_reference,
        "terms": rule.terms,
        "terms_name": rule.terms_name,
        "marks": None if rule.marks is None else rule.marks.as_json(),
        "now": writes.now_utc(),
    }
    connection.execute(sql("statements/add_hit_rule.sql"), parameters)
    forget = {"run_id": run_id, "rule": rule.key}
    connection.execute(sql("statements/forget_other_hits.sql"), forget)
    writes.log(connection, "hit rule", run_id=run_id, old=in_words(old), new=in_words(rule))
    writes.refresh_wide(connection, run_id)
    writes.raise_version(connection, run_id)


def in_words(rule: HitRule) -> str:
    """The rule as the audit trail says it."""
    parts = ["gold evidence"]
    if rule.use_reference:
        parts.append("the reference where there is none")
    if rule.terms is not None:
        name = rule.terms_name or "a table"
        parts.append(f"medical terms of {name} ({rule.terms_key})")
    if rule.marks is not None:
        parts.append(f"marks of {rule.marks.title}")
    return ", ".join(parts)


def hit_changes(
    connection: Connection, run_id: str, hit_share: float
) -> dict[tuple[int, int], int]:
    """(plain, by the rule): matched samples; 1 hit, 0 miss, 2 undefined."""
    found = fetch_rows(connection, "hit_changes", run_id=run_id, hit_share=hit_share)
    return {(before, after): n for before, after, n in found}
