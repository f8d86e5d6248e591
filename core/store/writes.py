"""Every change of the store. All take a connection of ``Store.writing``: one call, one transaction.

Each change of a run raises its data_version, which is what caches are keyed by, and refreshes the
wide rows of the samples it touched.
"""

import getpass
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from core.errors import BadInputError
from core.model import Judged, JudgeSpec, Verdict
from core.records import clean_text
from core.store import calls, queries, wide
from core.store.connection import Connection, sql
from core.store.judges import judge_id, judge_row
from core.store.selected import default_choices
from core.store.values import json_text


def now_utc() -> datetime:
    """The present as naive UTC, which is how the store keeps times."""
    return datetime.now(UTC).replace(tzinfo=None)


def _run(connection: Connection, name: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
    return connection.execute(sql(f"statements/{name}.sql"), parameters).fetchall()


def unique_name(connection: Connection, run_id: str, name: str) -> str:
    """The name, or "name (2)" and so on where another run bears it already."""
    return free_name(name, {run.name for run in queries.runs(connection) if run.run_id != run_id})


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or "name (2)" and so on where it is taken."""
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
        connection.execute(sql("statements/delete_run/wide.sql"), {"run_id": run_id})
    for _ in wide.make(connection, run_id, choices, positions):
        _run(connection, "forget_wide", run_id=run_id)
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
    """Append verdicts of one judge; earlier ones stay.

    Raises:
        NotFoundError: the run is not there (any more).
    """
    append_judged(connection, run_id, [Judged(judge, verdict) for verdict in verdicts])


def append_judged(connection: Connection, run_id: str, judged: Sequence[Judged]) -> None:
    """Append verdicts of any judges with the requests behind them; earlier ones stay.

    Raises:
        NotFoundError: the run is not there (any more).
    """
    if not judged:
        return
    run_id = queries.find_run(connection, run_id).run_id
    specs = {judge_id(one.judge): one.judge for one in judged}
    for spec in specs.values():
        _run(connection, "add_judge", **dict(zip(_JUDGE_COLUMNS, judge_row(spec), strict=True)))
    number = _next_number(connection, "verdict", run_id)
    now = now_utc()
    appender = connection.appender("verdict")
    appender.append_rows([
        (
            run_id, number + i, one.verdict.position, one.verdict.context_rank,
            one.verdict.metric, one.verdict.repeat, judge_id(one.judge), one.verdict.status.value,
            one.verdict.value, one.verdict.cause, _clean(one.verdict.reasoning),
            json_text(one.verdict.detail), _clean(one.verdict.raw), one.verdict.latency,
            one.verdict.cost, one.verdict.tokens, now,
        )
        for i, one in enumerate(judged)
    ])  # fmt: skip
    appender.flush()
    calls.append_calls(
        connection, run_id, [(number + i, one.calls) for i, one in enumerate(judged)], now
    )
    refresh_wide(connection, run_id, sorted({one.verdict.position for one in judged}))
    raise_version(connection, run_id)


_JUDGE_COLUMNS = (
    "judge_id", "kind", "model", "prompt_id", "prompt_sha256", "params", "definition_version",
)  # fmt: skip


def _next_number(connection: Connection, table: str, run_id: str) -> int:
    return int(_run(connection, f"next_{table}", run_id=run_id)[0][0])


def _clean(text: str | None) -> str | None:
    return None if text is None else clean_text(text)[0]


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
        label_no=_next_number(connection, "label", run_id),
        position=position,
        criterion=_clean(criterion),
        rater=_clean(rater),
        value=value,
        category=_clean(category),
        note=_clean(note),
        tags=[_clean(tag) for tag in tags] or None,
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
    """Set the cut of one metric and judge for a run, or take it back with None.

    Raises:
        BadInputError: the cut is no finite number.
        NotFoundError: no such run.
    """
    run_id = queries.find_run(connection, run_id).run_id
    if cut is not None and not isfinite(cut):
        raise BadInputError(f"The cut of {metric} is {cut}; it must be a finite number.")
    old = queries.thresholds(connection, run_id).get((metric, judge))
    _run(
        connection,
        "add_threshold",
        run_id=run_id,
        metric=metric,
        judge_id=judge,
        cut=cut,
        now=now_utc(),
    )
    log(
        connection,
        "threshold",
        run_id=run_id,
        old=f"{metric} = {old if old is not None else 'default'}",
        new=f"{metric} = {cut if cut is not None else 'default'}",
    )
    raise_version(connection, run_id)


def set_choice(
    connection: Connection, run_id: str, axis: str, metric: str | None, judge: str | None
) -> None:
    """Choose whose verdicts count on an axis of a run, or go back to the default with None.

    Raises:
        NotFoundError: no such run.
    """
    run_id = queries.find_run(connection, run_id).run_id
    old = queries.saved_choices(connection, run_id).get(axis)
    _run(
        connection,
        "add_choice",
        run_id=run_id,
        axis=axis,
        metric=metric,
        judge_id=judge,
        now=now_utc(),
    )
    log(
        connection,
        "selection",
        run_id=run_id,
        old=f"{axis} = {f'{old[0]} of {old[1]}' if old else 'default'}",
        new=f"{axis} = {f'{metric} of {judge}' if judge else 'default'}",
    )
    refresh_wide(connection, run_id)
    raise_version(connection, run_id)


def rename_run(connection: Connection, run_id: str, name: str) -> None:
    """Give a run another name.

    Raises:
        BadInputError: the name is empty or another run bears it.
    """
    name = clean_text(name.strip())[0]
    if not name:
        raise BadInputError("A run needs a name.")
    old = queries.find_run(connection, run_id)
    if unique_name(connection, old.run_id, name) != name:
        raise BadInputError(f"Another run is named {name!r} already. Choose another name.")
    rename(connection, old.run_id, name)
    log(connection, "rename", run_id=old.run_id, old=old.name, new=name)
    raise_version(connection, old.run_id)


def rename(connection: Connection, run_id: str, name: str) -> None:
    """Set the name of a run that has just come in; see ``rename_run`` for any other."""
    _run(connection, "rename_run", run_id=run_id, name=name)


def set_note(connection: Connection, run_id: str, note: str) -> None:
    """Set the note of a run; an empty one takes it away."""
    old = queries.find_run(connection, run_id)
    new = _clean(note.strip()) or None
    _run(connection, "set_note", run_id=old.run_id, note=new)
    log(connection, "note", run_id=old.run_id, old=old.note, new=new)
    raise_version(connection, old.run_id)


def delete_run(connection: Connection, run_id: str) -> None:
    """Delete a run with everything that belongs to it; the audit trail keeps its name.

    Raises:
        NotFoundError: no such run.
    """
    run = queries.find_run(connection, run_id)
    for table in _TABLES_OF_A_RUN:
        connection.execute(sql(f"statements/delete_run/{table}.sql"), {"run_id": run.run_id})
    log(connection, "delete", run_id=run.run_id, old=f"{run.name} ({run.n_samples} samples)")


_TABLES_OF_A_RUN = (
    "wide", "wide_selection", "threshold", "selection", "run_metric", "call", "label_part", "label",
    "verdict", "redundancy", "sample_hits", "hit_rule", "claim_set", "gold", "context", "tag",
    "sample", "run",
)  # fmt: skip
