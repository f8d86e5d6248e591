"""The list of runs: what has not changed is not worked out again, what has changed is."""

from core.store import writes
from core.store.connection import Store
from core.workflows.listing import run_list, stored_runs


def test_list_takes_over_what_has_not_changed(demo_store: Store) -> None:
    first = run_list(demo_store)
    again = run_list(demo_store, first)
    assert again == first
    assert all(mine is theirs for mine, theirs in zip(again, first, strict=True))


def test_list_works_out_anew_what_has_changed(demo_store: Store) -> None:
    before = run_list(demo_store)
    changed, judge = before[-1], _judge(demo_store)
    with demo_store.writing() as connection:
        writes.set_threshold(connection, changed.run.run_id, "groundedness_rubric", judge, 5.0)
    after = {row.run.run_id: row for row in run_list(demo_store, before)}
    assert after == {row.run.run_id: row for row in run_list(demo_store)}
    assert after[changed.run.run_id].run.data_version > changed.run.data_version
    assert after[before[0].run.run_id] is before[0]


def test_list_forgets_a_deleted_run(demo_store: Store) -> None:
    before = run_list(demo_store)
    with demo_store.writing() as connection:
        writes.delete_run(connection, before[0].run.run_id)
    assert run_list(demo_store, before) == before[1:]
    assert stored_runs(demo_store) == [row.run for row in before[1:]]


def _judge(store: Store) -> str:
    with store.reading() as connection:
        query = "select judge_id from judge where kind = 'imported'"
        return str(connection.execute(query).fetchall()[0][0])
