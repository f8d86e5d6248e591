"""Every change of the store. All take a connection of ``Store.writing``: one call, one transaction.

Each change of a run raises its data_version, which is what caches are keyed by, and refreshes the
wide rows of the samples it touched.
"""

import getpass
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from core.errors import BadInputError
from core.model import JudgeSpec, Verdict
from core.records import Notice, Problem
from core.store import matching
from core.store.connection import Connection, Store, sql
from core.store.judges import judge_id, judge_row
from core.store.selected import default_choices
from core.store.staging import Staging, copied_tables
from core.store.values import json_text


def now_utc() -> datetime:
    """The present as naive UTC, which is how the store keeps times."""
    return datetime.now(UTC).replace(tzinfo=None)


def _run(connection: Connection, name: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
    return connection.execute(sql(f"statements/{name}.sql"), parameters).fetchall()


def take_in(
    store: Store,
    staging: Staging,
    *,
    import_id: str,
    file_name: str,
    file_sha256: str,
    format_name: str,
    found: Iterable[Problem | Notice],
    now: datetime,
) -> None:
    """Move a checked staging database into the store: all of it in one transaction, or nothing."""
    staging.detach()
    with store.exclusive() as connection:
        # A path cannot be a parameter of ATTACH; the quoting is DuckDB's own.
        quoted = str(staging.path).replace("'", "''")
        connection.execute(f"attach '{quoted}' as staging (read_only)")
        try:
            connection.execute("begin transaction")
            try:
                _copy(connection, staging)
                _run(
                    connection,
                    "add_import",
                    import_id=import_id,
                    file_name=file_name,
                    file_sha256=file_sha256,
                    format=format_name,
                    now=now,
                    run_ids=[run.run_id for run in staging.runs.values() if run.n_samples],
                )
                for item in found:
                    is_problem = isinstance(item, Problem)
                    _run(
                        connection,
                        "add_import_problem",
                        import_id=import_id,
                        row_no=item.row,
                        kind="problem" if is_problem else "notice",
                        message=item[1],
                        n=1 if isinstance(item, Problem) else item.n,
                    )
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit")
        finally:
            connection.execute("detach staging")


def _copy(connection: Connection, staging: Staging) -> None:
    for table in copied_tables():
        if table != "judge":
            connection.execute(sql(f"statements/take_in/{table}.sql"))
    connection.execute(sql("statements/take_in/judge.sql"))
    for run in staging.runs.values():
        if not run.n_samples:
            continue
        if run.is_appended:
            _run(
                connection,
                "grow_run",
                run_id=run.run_id,
                n_samples=run.n_samples,
                has_contexts=run.n_contexts > 0,
                has_answers=run.has_answers,
            )
            log(connection, "append", run_id=run.run_id, new=str(run.n_samples))
        else:
            name = unique_name(connection, run.run_id, run.info.name)
            _run(connection, "rename_run", run_id=run.run_id, name=name)
            log(connection, "import", run_id=run.run_id, new=name)
        refresh_wide(connection, run.run_id)


def unique_name(connection: Connection, run_id: str, name: str) -> str:
    """The name, or "name (2)" and so on where another run bears it already."""
    taken = {
        other for other_id, other in connection.execute("select run_id, name from run").fetchall()
        if other_id != run_id
    }  # fmt: skip
    if name not in taken:
        return name
    n = 2
    while f"{name} ({n})" in taken:
        n += 1
    return f"{name} ({n})"


def refresh_wide(
    connection: Connection, run_id: str, positions: Sequence[int] | None = None
) -> None:
    """Make the wide rows anew: of these positions, or of the run if its selection has changed."""
    choices = default_choices(connection, run_id)
    stored = connection.execute(sql("queries/wide_choices.sql"), {"run_id": run_id}).fetchall()
    if stored != choices:
        _run(connection, "forget_wide_choices", run_id=run_id)
        for axis, metric, judge, aggregate in choices:
            _run(
                connection,
                "add_wide_choice",
                run_id=run_id,
                axis=axis,
                metric=metric,
                judge_id=judge,
                aggregate=aggregate,
            )
        positions = None
    if positions is None:
        _run(connection, "touch_all", run_id=run_id)
    else:
        _run(connection, "touch", positions=list(positions))
    _run(connection, "forget_wide", run_id=run_id)
    connection.execute(sql("queries/wide_rows.sql"), matching.wide_parameters(run_id, choices))
    _run(connection, "fill_wide")


def raise_version(connection: Connection, run_id: str) -> None:
    """Tell every cache that the run has changed."""
    _run(connection, "raise_version", run_id=run_id)


def log(
    connection: Connection,
    action: str,
    *,
    run_id: str | None = None,
    sample_id: str | None = None,
    old: str | None = None,
    new: str | None = None,
    reason: str | None = None,
) -> None:
    """Append one line to the audit trail."""
    _run(
        connection,
        "add_audit",
        now=now_utc(),
        who=_who(),
        action=action,
        run_id=run_id,
        sample_id=sample_id,
        old_value=old,
        new_value=new,
        reason=reason,
    )


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def append_verdicts(
    connection: Connection, run_id: str, judge: JudgeSpec, verdicts: Sequence[Verdict]
) -> None:
    """Append verdicts of one judge; earlier ones stay."""
    if not verdicts:
        return
    _run(connection, "add_judge", **dict(zip(_JUDGE_COLUMNS, judge_row(judge), strict=True)))
    number = next_number(connection, "verdict", run_id)
    now = now_utc()
    found = judge_id(judge)
    appender = connection.appender("verdict")
    appender.append_rows([
        (
            run_id, number + i, verdict.position, verdict.context_rank, verdict.metric,
            verdict.repeat, found, verdict.status.value, verdict.value, verdict.cause,
            verdict.reasoning, json_text(verdict.detail), verdict.raw, verdict.latency,
            verdict.cost, verdict.tokens, now,
        )
        for i, verdict in enumerate(verdicts)
    ])  # fmt: skip
    appender.flush()
    refresh_wide(connection, run_id, sorted({verdict.position for verdict in verdicts}))
    raise_version(connection, run_id)


_JUDGE_COLUMNS = (
    "judge_id", "kind", "model", "prompt_id", "prompt_sha256", "params", "definition_version",
)  # fmt: skip


def next_number(connection: Connection, table: str, run_id: str) -> int:
    """The number that the next verdict or label of a run gets."""
    return int(_run(connection, f"next_{table}", run_id=run_id)[0][0])


def append_label(
    connection: Connection,
    run_id: str,
    sample_id: str,
    position: int,
    *,
    criterion: str,
    rater: str,
    value: float | None = None,
    category: str | None = None,
    note: str | None = None,
    tags: Sequence[str] = (),
    rubric: str | None = None,
    is_blind: bool = False,
) -> None:
    """Append a label; an earlier one of the same rater stays and is superseded.

    Raises:
        BadInputError: the sample at this position is not the one named (the run has changed).
    """
    rows = connection.execute(
        sql("queries/sample_position.sql"), {"run_id": run_id, "sample_id": sample_id}
    ).fetchall()
    if (position,) not in rows:
        raise BadInputError(
            f"Sample {sample_id!r} is no longer where it was; the label was not saved. "
            "Reload the page and try again."
        )
    _run(
        connection,
        "add_label",
        run_id=run_id,
        label_no=next_number(connection, "label", run_id),
        position=position,
        criterion=criterion,
        rater=rater,
        value=value,
        category=category,
        note=note,
        tags=list(tags) or None,
        rubric=rubric,
        is_blind=is_blind,
        now=now_utc(),
    )
    if criterion in ("correct", "refused", "answerable"):
        refresh_wide(connection, run_id, [position])
    raise_version(connection, run_id)


def set_threshold(
    connection: Connection, run_id: str, metric: str, judge: str, cut: float | None
) -> None:
    """Set the cut of one metric and judge for a run, or take it back with None."""
    _run(
        connection,
        "add_threshold",
        run_id=run_id,
        metric=metric,
        judge_id=judge,
        cut=cut,
        now=now_utc(),
    )
    log(connection, "threshold", run_id=run_id, new=f"{metric} = {cut}")
    raise_version(connection, run_id)


def set_choice(
    connection: Connection, run_id: str, axis: str, metric: str | None, judge: str | None
) -> None:
    """Choose whose verdicts count on an axis of a run, or go back to the default with None."""
    _run(
        connection,
        "add_choice",
        run_id=run_id,
        axis=axis,
        metric=metric,
        judge_id=judge,
        now=now_utc(),
    )
    log(connection, "selection", run_id=run_id, new=f"{axis} = {metric} of {judge}")
    refresh_wide(connection, run_id)
    raise_version(connection, run_id)


def rename_run(connection: Connection, run_id: str, name: str) -> None:
    """Give a run another name.

    Raises:
        BadInputError: the name is empty or another run bears it.
    """
    name = name.strip()
    if not name:
        raise BadInputError("A run needs a name.")
    if unique_name(connection, run_id, name) != name:
        raise BadInputError(f"Another run is named {name!r} already. Choose another name.")
    old = connection.execute("select name from run where run_id = $id", {"id": run_id}).fetchall()
    _run(connection, "rename_run", run_id=run_id, name=name)
    log(connection, "rename", run_id=run_id, old=old[0][0] if old else None, new=name)
    raise_version(connection, run_id)


def set_note(connection: Connection, run_id: str, note: str) -> None:
    """Set the note of a run; an empty one takes it away."""
    _run(connection, "set_note", run_id=run_id, note=note.strip() or None)
    log(connection, "note", run_id=run_id, new=note.strip() or None)
    raise_version(connection, run_id)


def delete_run(connection: Connection, run_id: str) -> None:
    """Delete a run with everything that belongs to it; the audit trail keeps its name."""
    rows = connection.execute(
        "select name, n_samples from run where run_id = $id", {"id": run_id}
    ).fetchall()
    for table in _TABLES_OF_A_RUN:
        connection.execute(sql(f"statements/delete_run/{table}.sql"), {"run_id": run_id})
    if rows:
        log(connection, "delete", run_id=run_id, old=f"{rows[0][0]} ({rows[0][1]} samples)")


_TABLES_OF_A_RUN = (
    "wide", "wide_selection", "threshold", "selection", "run_metric", "call", "label", "verdict",
    "gold", "context", "tag", "sample", "run",
)  # fmt: skip
