"""Every change of a run: what it keeps, what it logs, and that caches learn of it."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import BadInputError, NotFoundError
from core.metrics.repeats import aggregate_votes
from core.metrics.spec import Aggregate
from core.model import JudgeKind, JudgeSpec, Status, Verdict
from core.store import queries, samples, writes
from core.store.connection import Connection, Store
from core.store.judges import FILE_JUDGE, judge_id

LLM = JudgeSpec(JudgeKind.LLM, "m-1", prompt_id="p", params={"temperature": 0})


def run_of(store: Store) -> queries.RunRow:
    with store.reading() as connection:
        # A name may change here, and with it the order of the list.
        return min(queries.runs(connection), key=lambda run: run.run_id)


def rows(store: Store, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement, parameters).fetchall()


def change(store: Store, work: Callable[[Connection, str], object]) -> None:
    run_id = run_of(store).run_id
    with store.writing() as connection:
        work(connection, run_id)


def verdict(value: float | None, status: Status = Status.VALUE, **more: Any) -> Verdict:
    cause = None if status is Status.VALUE else "timeout"
    return Verdict(0, "groundedness_rubric", status, value, cause, **more)


CHANGES: dict[str, Callable[[Connection, str], object]] = {
    "verdicts": lambda c, run: writes.append_verdicts(c, run, LLM, [verdict(3.0)]),
    "label": lambda c, run: writes.append_label(
        c, run, _first_id(c, run), 0, criterion="x", rater="me", value=1.0
    ),
    "threshold": lambda c, run: writes.set_threshold(c, run, "m", judge_id(FILE_JUDGE), 0.4),
    "choice": lambda c, run: writes.set_choice(
        c, run, "groundedness", "groundedness_rubric", judge_id(FILE_JUDGE)
    ),
    "rename": lambda c, run: writes.rename_run(c, run, "another name"),
    "note": lambda c, run: writes.set_note(c, run, "a note"),
}


def _first_id(connection: Connection, run_id: str) -> str:
    return samples.all_positions(connection, run_id)[0][1]


@pytest.mark.parametrize("name", CHANGES)
def test_b72_each_change_raises_the_version_of_its_run_alone(name: str, demo_store: Store) -> None:
    with demo_store.reading() as connection:
        before = queries.data_versions(connection)
    stamp = demo_store.stamp()

    change(demo_store, CHANGES[name])

    with demo_store.reading() as connection:
        after = queries.data_versions(connection)
        changed = queries.runs(connection)
    (other,) = [run.run_id for run in changed if after[run.run_id] == before[run.run_id]]
    (mine,) = [run for run in before if run != other]
    assert after[mine] == before[mine] + 1
    assert demo_store.stamp() != stamp


def test_audit_says_who_changed_what_from_what_to_what(demo_store: Store) -> None:
    run = run_of(demo_store)
    file = judge_id(FILE_JUDGE)
    change(demo_store, lambda c, r: writes.rename_run(c, r, "second name"))
    change(demo_store, lambda c, r: writes.set_note(c, r, "  a note "))
    change(demo_store, lambda c, r: writes.set_threshold(c, r, "m", file, 0.4))
    change(demo_store, lambda c, r: writes.set_threshold(c, r, "m", file, None))
    change(demo_store, lambda c, r: writes.set_choice(c, r, "groundedness", "faithfulness", file))
    change(demo_store, lambda c, r: writes.set_choice(c, r, "groundedness", None, None))
    change(demo_store, lambda c, r: writes.delete_run(c, r))

    found = rows(
        demo_store,
        "select action, old_value, new_value from audit where run_id = $run order by audit_no",
        run=run.run_id,
    )

    assert found[0][0] == "import"
    assert found[1:] == [
        ("rename", run.name, "second name"),
        ("note", run.note, "a note"),
        ("threshold", "m = default", "m = 0.4"),
        ("threshold", "m = 0.4", "m = default"),
        ("selection", "groundedness = default", f"groundedness = faithfulness of {file}"),
        ("selection", f"groundedness = faithfulness of {file}", "groundedness = default"),
        ("delete", f"second name ({run.n_samples} samples)", None),
    ]
    assert all(who for (who,) in rows(demo_store, "select who from audit"))


def test_deleted_run_leaves_nothing_but_its_trail(demo_store: Store) -> None:
    run_id = run_of(demo_store).run_id
    for work in CHANGES.values():
        change(demo_store, work)

    change(demo_store, lambda c, r: writes.delete_run(c, run_id))

    tables = rows(
        demo_store,
        "select distinct table_name from duckdb_columns() inner join duckdb_tables() "
        "using (table_name) where column_name = 'run_id'",
    )
    left = {
        table: rows(demo_store, f"select count(*) from {table} where run_id = $id", id=run_id)[0][0]
        for (table,) in tables
    }
    assert {table for table, n in left.items() if n} == {"audit"}
    assert len(left) > 10


# --- verdicts -------------------------------------------------------------------------------------


def current(store: Store) -> tuple[Any, ...]:
    """Groundedness of the first sample of a run whose selection is the model's."""
    return rows(
        store,
        "select groundedness, groundedness_status, groundedness_cause from wide "
        "where run_id = $run and position = 0",
        run=run_of(store).run_id,
    )[0]


@pytest.fixture
def judged_store(demo_store: Store) -> Store:
    def judge(connection: Connection, run_id: str) -> None:
        writes.append_verdicts(connection, run_id, LLM, [verdict(3.0)])
        writes.set_choice(connection, run_id, "groundedness", "groundedness_rubric", judge_id(LLM))

    change(demo_store, judge)
    return demo_store


def test_newest_value_counts_and_earlier_ones_stay(judged_store: Store) -> None:
    change(judged_store, lambda c, r: writes.append_verdicts(c, r, LLM, [verdict(5.0)]))

    assert current(judged_store) == (5.0, "value", None)
    assert rows(
        judged_store,
        "select value from verdict where judge_id = $judge order by verdict_no",
        judge=judge_id(LLM),
    ) == [(3.0,), (5.0,)]


def test_later_error_does_not_displace_a_value(judged_store: Store) -> None:
    error = verdict(None, Status.ERROR)

    change(judged_store, lambda c, r: writes.append_verdicts(c, r, LLM, [error]))

    assert current(judged_store) == (3.0, "value", None)


def test_repeats_are_aggregated_and_need_half_of_them_valid(judged_store: Store) -> None:
    """3, 5, error: the lower median of two valid is 3. With two more errors only 2 of 5 are."""
    more = [verdict(5.0, repeat=1), verdict(None, Status.ERROR, repeat=2)]
    change(judged_store, lambda c, r: writes.append_verdicts(c, r, LLM, more))
    assert current(judged_store) == (3.0, "value", None)

    failed = [verdict(None, Status.ERROR, repeat=n) for n in (3, 4)]
    change(judged_store, lambda c, r: writes.append_verdicts(c, r, LLM, failed))
    assert current(judged_store)[:2] == (None, "error")


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([0.54], 0.54),  # a graded score of one judge is no vote that could be rounded
        ([0.5], 0.5),
        ([1.0, 0.0, 1.0], 1.0),
        ([1.0, 0.0], None),  # a tie
        ([0.5, 1.0, 0.5, 0.0], 0.5),
        ([0.2, 0.9, 0.4], None),
    ],
)
def test_majority_of_repeats_is_the_most_frequent_vote(
    votes: list[float], expected: float | None, demo_store: Store
) -> None:
    """Correctness takes the majority; the same as in core.metrics.repeats."""
    verdicts = [
        Verdict(0, "correctness", Status.VALUE, vote, repeat=n) for n, vote in enumerate(votes)
    ]

    def judge(connection: Connection, run_id: str) -> None:
        writes.append_verdicts(connection, run_id, LLM, verdicts)
        writes.set_choice(connection, run_id, "correctness", "correctness", judge_id(LLM))

    change(demo_store, judge)

    found = rows(
        demo_store,
        "select correctness, correctness_status, correctness_cause from wide "
        "where run_id = $run and position = 0",
        run=run_of(demo_store).run_id,
    )
    state = ("value", None) if expected is not None else ("error", "inconsistent")
    assert found == [(expected, *state)]
    assert aggregate_votes(votes, Aggregate.MAJORITY).value == expected


def test_texts_of_a_judge_are_cleaned_at_the_door(judged_store: Store) -> None:
    """NUL and lone surrogates, which DuckDB refuses, occur in replies of models."""
    bad = verdict(4.0, reasoning="a\x00b", raw="\ud83d", detail={"k\x00": ["\udc00"]})

    change(judged_store, lambda c, r: writes.append_verdicts(c, r, LLM, [bad]))

    assert rows(
        judged_store, "select reasoning, raw, detail from verdict where reasoning like 'a%b'"
    ) == [("a\ufffdb", "\ufffd", '{"k\ufffd": ["\ufffd"]}')]


@pytest.mark.parametrize("name", ["verdicts", "threshold", "choice", "rename", "note"])
def test_run_that_is_gone_takes_no_change(name: str, demo_store: Store) -> None:
    with pytest.raises(NotFoundError), demo_store.writing() as connection:
        CHANGES[name](connection, "0123456789ab")


# --- labels ---------------------------------------------------------------------------------------


def label(store: Store, rater: str, **more: Any) -> None:
    change(
        store,
        lambda c, r: writes.append_label(
            c, r, _first_id(c, r), 0, criterion="fine", rater=rater, **more
        ),
    )


def label_now(store: Store) -> list[tuple[Any, ...]]:
    return rows(store, "select value, category from label_current where criterion = 'fine'")


def test_later_label_of_a_rater_supersedes_and_nothing_is_overwritten(demo_store: Store) -> None:
    label(demo_store, "me", value=1.0)
    label(demo_store, "me", value=0.0, note="second thoughts")

    assert label_now(demo_store) == [(0.0, None)]
    kept = rows(demo_store, "select value from label where criterion = 'fine' order by label_no")
    assert kept == [(1.0,), (0.0,)]


def test_majority_of_raters_counts_and_a_tie_is_unknown(demo_store: Store) -> None:
    label(demo_store, "a", value=1.0)
    label(demo_store, "b", value=0.0)
    assert label_now(demo_store) == [(None, None)]

    # A yes is a 1, whoever wrote it how.
    label(demo_store, "c", value=1.0, category="yes")
    assert label_now(demo_store) == [(1.0, "yes")]


def test_b09_label_0_is_a_label(demo_store: Store) -> None:
    label(demo_store, "me", value=0.0)

    assert label_now(demo_store) == [(0.0, None)]


def test_label_for_another_place_than_the_sample_has_is_refused(demo_store: Store) -> None:
    """B53: a page that shows an old order must not label another sample."""
    with pytest.raises(BadInputError, match="no longer where it was"):
        change(
            demo_store,
            lambda c, r: writes.append_label(
                c, r, _first_id(c, r), 1, criterion="fine", rater="me", value=1.0
            ),
        )


# --- names ----------------------------------------------------------------------------------------


def test_name_of_another_run_is_refused(demo_store: Store) -> None:
    with demo_store.reading() as connection:
        first, second = queries.runs(connection)
    with (
        pytest.raises(BadInputError, match="Another run is named"),
        demo_store.writing() as connection,
    ):
        writes.rename_run(connection, first.run_id, second.name)


@pytest.mark.parametrize("name", ["", "   "])
def test_run_needs_a_name(name: str, demo_store: Store) -> None:
    with pytest.raises(BadInputError, match="needs a name"):
        change(demo_store, lambda c, r: writes.rename_run(c, r, name))


def test_cut_must_be_finite(demo_store: Store) -> None:
    with pytest.raises(BadInputError, match="finite"):
        change(demo_store, lambda c, r: writes.set_threshold(c, r, "m", "j", float("nan")))
