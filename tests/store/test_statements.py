"""Every statement runs on an empty store and on the demo; what it gives has the columns it had."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from core.diagnosis.cuts import RunCuts
from core.diagnosis.thresholds import Cut, resolve_cut
from core.filters import SampleFilter
from core.store import matching
from core.store.connection import Connection, Store, sql
from core.workflows import review
from core.workflows.setup import ensure_store

ROOT = Path(str(files("core.store")))
QUERIES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("queries/**/*.sql"))
COLUMNS = Path(__file__).parents[1] / "golden" / "store_columns.csv"
PARAMETERS: dict[str, Any] = {
    "aggregate": "median",
    "amount": "latency",
    "aggregates": ["median"],
    "axes": ["groundedness"],
    "axis": "groundedness",
    "source_id": "000000000000",
    "target_id": "000000000001",
    "bins": 5,
    "categories": ["pass"],
    "causes": ["not_scored"],
    "codes": [0, 1],
    "criterion": "correct",
    "cut": 0.5,
    "cue_codes": [0, 1],
    "days": ["2026-11-30", "none"],
    "docs": ["d1"],
    "fail_codes": [0, 1],
    "first": 0,
    "file_sha256": "0" * 64,
    "flags": ["borderline"],
    "hi": 1.0,
    "hit_share": 0.0,
    "hits": ["hit"],
    "high": 1.0,
    "hit_changes": ["gained"],
    "is_context": False,
    "is_open": True,
    "joint_codes": [0, 1],
    "groups": 5,
    "judge_id": "none",
    "judge_ids": ["none"],
    "key": "created_at",
    "keys": ["created_at", "date"],
    "labels": ["1"],
    "kind": "verdict",
    "last": 10**6,
    "last_no": 10**6,
    "least": 0,
    "length": 20,
    "limit": 10,
    "lo": 0.0,
    "low": 0.0,
    "mark": "0" * 64,
    "metric": "groundedness_rubric",
    "metrics": ["groundedness_rubric"],
    "most": 20,
    "n_names": 1,
    "name": "useful",
    "names": ["topic"],
    "quantity": "hit_depth",
    "raters": ["file"],
    "ranks": [1, 2],
    "relations": ["differ"],
    "offset": 0,
    "only_failed": False,
    "open_codes": [728],
    "part": "dev",
    "parts": ["dev"],
    "position": 0,
    "positions": [0, 1],
    "rule": "",
    "sample_id": "q01",
    "sample_ids": ["q01", "q02"],
    "severity": list(range(729)),
    "sign": 1,
    "source": "",
    "sources": ["label"],
    "states": ["not_scored"],
    "step": 1,
    "tag": "topic",
    "text": "battery",
    "values": ["battery"],
    "verdict_no": 1,
}


@contextmanager
def matched(store: Store, run_id: str) -> Iterator[Connection]:
    """A burst in which the temporary tables that queries read are there."""
    with store.reading() as connection:
        if run_id == "none":
            cuts = RunCuts(*[_no_cut()] * 5)
            matching.match(connection, run_id, cuts, cuts, SampleFilter())
        else:
            found = review.settings(connection, run_id, review.View())
            review.match(connection, found, review.View())
        matching.keep_baseline(connection)
        everything = {"run_id": run_id, "first": 0, "last": 10**6}
        connection.execute(sql("statements/touch_range.sql"), everything)
        connection.execute(sql("queries/evidence.sql"), {"run_id": run_id})
        connection.execute(sql("queries/context_marks.sql"), {"run_id": run_id})
        for name in ("keep_matched", "scored_once", "labelled_once"):
            query = f"queries/calibration/{name}.sql"
            connection.execute(sql(query), parameters_of(query, run_id))
        for query in ("queries/sample_day.sql", "queries/votes.sql"):
            connection.execute(sql(query), parameters_of(query, run_id))
        yield connection


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    store, _ = ensure_store(tmp_path_factory.mktemp("empty") / "store.duckdb")
    with matched(store, "none") as connection:
        yield connection


@pytest.fixture(scope="module")
def demo(demo_store_file: Path) -> Iterator[tuple[Connection, str]]:
    store = Store(demo_store_file)
    with store.reading() as connection:
        run_id = connection.execute("select min(run_id) from run").fetchall()[0][0]
    with matched(store, run_id) as connection:
        yield connection, run_id


def _no_cut() -> Cut:
    return resolve_cut("unknown", None, "imported", "file")


def parameters_of(name: str, run_id: str) -> dict[str, Any]:
    found = {}
    for parameter in set(re.findall(r"\$([a-z0-9_]+)", sql(name))):
        if parameter == "run_id":
            found[parameter] = run_id
        elif parameter in ("cuts", "stored_cuts"):
            found[parameter] = RunCuts(*[_no_cut()] * 5).as_parameter()
        else:
            assert parameter in PARAMETERS, f"say above what ${parameter} of {name} may be"
            found[parameter] = PARAMETERS[parameter]
    return found


def run_alone(connection: Connection, name: str, run_id: str) -> None:
    """Run a query so that it leaves no trace for the next one."""
    connection.execute("begin transaction")
    try:
        connection.execute(sql(name), parameters_of(name, run_id)).fetchall()
    finally:
        connection.execute("rollback")


@pytest.mark.parametrize("name", QUERIES)
def test_query_runs_on_an_empty_store(name: str, empty: Connection) -> None:
    run_alone(empty, name, "none")


@pytest.mark.parametrize("name", QUERIES)
def test_query_runs_on_the_demo(name: str, demo: tuple[Connection, str]) -> None:
    run_alone(demo[0], name, demo[1])


def test_columns_are_those_that_were_agreed(fresh_store: Store) -> None:
    with fresh_store.reading() as connection:
        rows = connection.execute(
            "select table_name, column_name, data_type, is_nullable from duckdb_columns() "
            "where not internal and database_name not in ('system', 'temp') "
            "order by table_name, column_index"
        ).fetchall()
    found = [
        f"{table},{column},{kind},{'null' if is_null else 'not null'}"
        for table, column, kind, is_null in rows
    ]

    assert found == COLUMNS.read_text(encoding="utf-8").splitlines()[1:]
