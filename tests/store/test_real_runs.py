"""Real runs through the whole chain: imported, judged, diagnosed, exported, counted again."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.model import Axis
from core.store import queries
from core.store.connection import Store
from core.store.schema import ensure
from core.workflows.diagnosing import diagnose
from core.workflows.importing import import_file
from core.workflows.judging import Request, judge_run
from core.workflows.review import View

FILES = {
    "begin_wow": (4, 4_037),
    "delucionqa": (4, 2_278),
    "financebench_answers": (16, 2_400),
    "financebench_bm25": (2, 258),
    "mtrag_human": (3, 477),
    "pubmedqa_bm25": (3, 1_500),
    "xquad_de_bm25": (2, 1_190),
}


@pytest.fixture(scope="module")
def store(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One store with all of them."""
    found = Store(tmp_path_factory.mktemp("real") / "store.duckdb")
    ensure(found)
    for name in FILES:
        report = import_file(found, data_dir / f"{name}.jsonl")
        assert report.is_stored, (name, report.problems)
    return found


def diagnosed(store: Store, run: str) -> dict[str, Any]:
    return diagnose(store, run, View())


def rows(store: Store, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement, parameters).fetchall()


@pytest.mark.parametrize("name", FILES)
def test_every_record_of_every_file_is_there(name: str, store: Store, data_dir: Path) -> None:
    lines = (data_dir / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    counts = rows(
        store,
        "select count(*), sum(n_samples) from run where file_name = $file",
        file=f"{name}.jsonl",
    )

    assert counts == [FILES[name]]
    found = rows(
        store,
        "select name, sample_id, question, answer from sample inner join run using (run_id) "
        "where file_name = $file order by run.name, position",
        file=f"{name}.jsonl",
    )
    wanted = [(r["run"], r["sample_id"], r["question"], r["answer"]) for r in records]
    # A stable sort keeps the order of the file within a run.
    assert found == sorted(wanted, key=lambda row: row[0])


def test_mtrag_judged_offline_has_a_mode_for_every_sample(store: Store) -> None:
    runs = ("mtrag-gpt-4o", "mtrag-llama-3.1-405b-instruct", "mtrag-reference")
    for run in runs:
        outcome = judge_run(store, run, Request())
        assert (outcome.done, outcome.failed) == (159, 0)

        found = diagnosed(store, run)

        assert found["n"] == 159
        assert sum(found["triad"].values()) + sum(found["refusals"].values()) == 159
        assert sum(n > 0 for n in found["triad"].values()) >= 4
        # Undetermined only where a triad score is not applicable and the answer no refusal.
        undetermined = rows(
            store,
            "select count(*) from wide inner join run using (run_id) where name = $run "
            "and coalesce(label_refused, refusal) = 0 "
            "and (context_relevance is null or groundedness is null or answer_relevance is null)",
            run=run,
        )
        assert [(found["triad"]["undetermined"],)] == undetermined
        causes = rows(
            store,
            "select distinct groundedness_cause from wide inner join run using (run_id) "
            "where name = $run and groundedness is null",
            run=run,
        )
        assert {cause for (cause,) in causes} <= {"no_contexts", "refusal", "no_claims"}


def test_delucionqa_records_no_contexts_which_are_no_misses(store: Store) -> None:
    run = "delucionqa-ensemble"
    judge_run(store, run, Request())

    found = diagnosed(store, run)

    for axis in (Axis.CONTEXT_RELEVANCE, Axis.GROUNDEDNESS):
        row = found["axes"][axis.value]
        assert row["not_applicable"] == {"contexts_not_recorded": 290}
        assert (row["scored"]["value"], row["error"], row["not_scored"]) == (0.0, {}, 0)
    assert found["triad"] == {**dict.fromkeys(found["triad"], 0), "undetermined": 257}
    # Refusals go by their label where relevance is unknown: 33 refused, 27 of them unanswerable.
    assert found["refusals"] == {"correct_refusal": 27, "over_refusal": 6, "refusal_unverified": 0}


def test_financebench_outcomes_are_those_of_its_labels(store: Store) -> None:
    """SOURCES: 1,135 correct, 528 incorrect, 737 refused of 2,400; a refusal is not incorrect."""
    with store.reading() as connection:
        runs = [
            run.run_id
            for run in queries.runs(connection)
            if run.file_name == "financebench_answers.jsonl"
        ]
    heads = [diagnosed(store, run)["headline"] for run in runs]

    totals = {key: sum(head[key] for head in heads) for key in ("correct", "incorrect", "refused")}
    assert totals == {"correct": 1_135, "incorrect": 528, "refused": 737}
    for head in heads:
        n = head["correct"] + head["incorrect"] + head["refused"]
        assert (n, head["accuracy"]["n"]) == (150, 150)
        assert head["accuracy"]["value"] == head["correct"] / 150


def test_run_without_answers_has_no_refusals(store: Store) -> None:
    run = "financebench-bm25-single-store"
    judge_run(store, run, Request())

    found = diagnosed(store, run)

    assert sum(found["refusals"].values()) == 0
    assert found["axes"]["answer_relevance"]["not_applicable"] == {"no_answers": 129}
    assert found["axes"]["context_relevance"]["scored"]["value"] == 1.0


def test_nothing_retrieved_is_low_relevance_by_rule(store: Store) -> None:
    """Four answers of xquad are empty because nothing was retrieved; no judge has looked."""
    found = [diagnosed(store, f"xquad-de-bm25-{name}") for name in ("paragraph", "window3")]

    n_correct_refusals = rows(
        store,
        "select count(*) from sample inner join run using (run_id) "
        "where file_name = 'xquad_de_bm25.jsonl' and answer = '' "
        "and not exists (select 1 from context where context.run_id = sample.run_id "
        "and context.position = sample.position)",
    )
    assert n_correct_refusals == [(4,)]
    assert sum(row["refusals"]["correct_refusal"] for row in found) == 4


def test_demo_is_a_small_twin_of_the_real_runs(demo_store: Store) -> None:
    """The same counts that hold of real runs, on what is always there."""
    with demo_store.reading() as connection:
        runs = queries.runs(connection)
    for run in runs:
        found = diagnosed(demo_store, run.run_id)
        everything = {**found["triad"], **found["refusals"]}
        assert sum(everything.values()) == found["n"] == run.n_samples
        head = found["headline"]
        labelled = rows(
            demo_store,
            "select count(*) from wide where run_id = $run "
            "and (label_correct is not null or coalesce(label_refused, refusal) = 1)",
            run=run.run_id,
        )
        assert [(head["correct"] + head["incorrect"] + head["refused"],)] == labelled
