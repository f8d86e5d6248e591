"""What the overview asks of the store, over two small runs that can be counted by hand.

``overview_runs.jsonl``: s1 to s12; modes before SSSHHHHHMROU, after SSSSSSHHMROU, with S success,
H hallucination, M retrieval failure, R right refusal, O over-refusal, U without scores. s1 to s6
have topic a, the others b; every sample has a ticket of its own; all are in English.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.diagnosis.modes import Outcome, modes_of
from core.diagnosis.triad import TABLE, codes_for
from core.filters import SampleFilter
from core.model import Mode
from core.store import overview, queries
from core.store.connection import Connection, Store
from core.store.overview import SliceCount
from core.workflows import review
from core.workflows.importing import Options, import_file
from core.workflows.setup import ensure_store

GOLDEN = Path(__file__).parents[1] / "golden" / "overview_runs.jsonl"
FAIL, OPEN = codes_for(modes_of(Outcome.FAIL)), codes_for(modes_of(Outcome.OPEN))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made, _ = ensure_store(tmp_path_factory.mktemp("overview") / "store.duckdb")
    assert import_file(made, GOLDEN, Options()).is_stored
    return made


@pytest.fixture
def burst(store: Store) -> Iterator[tuple[Connection, str]]:
    """The run "after" with all its samples matched, and its id."""
    with review.matched(store, "overview after", review.View()) as (connection, found):
        yield connection, found.run.run_id


def slices(connection: Connection, run_id: str, **bounds: int) -> list[SliceCount]:
    return overview.slice_counts(
        connection, run_id, fail_codes=FAIL, open_codes=OPEN, **{"least": 1, "most": 5} | bounds
    )


def test_slices_count_decided_and_failing_samples(burst: tuple[Connection, str]) -> None:
    # a: six successes; b: H H M O fail, R passes, U is open.
    assert slices(*burst) == [
        SliceCount("language", "en", n=12, scored=11, failing=4),
        SliceCount("topic", "a", n=6, scored=6, failing=0),
        SliceCount("topic", "b", n=6, scored=5, failing=4),
    ]


def test_small_slices_and_tags_of_too_many_values_are_left_out(
    burst: tuple[Connection, str],
) -> None:
    connection, run_id = burst
    assert [one.value for one in slices(connection, run_id, least=6)] == ["en", "a"]
    assert overview.tags_left_out(connection, run_id, 5) == ["ticket"]
    assert overview.tags_left_out(connection, run_id, 12) == []
    # With room for twelve values each ticket is a slice; t12 has no decided sample.
    tickets = [one for one in slices(connection, run_id, most=12) if one.name == "ticket"]
    assert len(tickets) == 11
    assert sum(one.failing for one in tickets) == 4


def test_slices_follow_the_filter(store: Store) -> None:
    view = review.View(wanted=SampleFilter(modes=(Mode.HALLUCINATION,)))
    with review.matched(store, "overview after", view) as (connection, found):
        assert slices(connection, found.run.run_id) == [
            SliceCount("language", "en", 2, 2, 2),
            SliceCount("topic", "b", 2, 2, 2),
        ]


def test_patterns_of_a_slice(burst: tuple[Connection, str]) -> None:
    connection, run_id = burst
    b = SliceCount("topic", "b", 6, 5, 4)
    found = overview.slice_patterns(connection, run_id, [b])
    modes: dict[Mode, int] = {}
    for code, n in found["topic", "b"]:
        modes[TABLE[code].mode] = modes.get(TABLE[code].mode, 0) + n
    assert list(found) == [("topic", "b")]
    assert modes == {
        Mode.HALLUCINATION: 2,
        Mode.RETRIEVAL_FAILURE: 1,
        Mode.CORRECT_REFUSAL: 1,
        Mode.OVER_REFUSAL: 1,
        Mode.UNDETERMINED: 1,
    }


def test_a_value_of_one_tag_is_not_taken_for_that_of_another(tmp_path: Path) -> None:
    file = tmp_path / "crossed.jsonl"
    rows = [
        '{"run": "crossed", "sample_id": "1", "question": "q", "tags": {"x": "u", "y": "v"}}',
        '{"run": "crossed", "sample_id": "2", "question": "q", "tags": {"x": "v", "y": "u"}}',
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    made, _ = ensure_store(tmp_path / "store.duckdb")
    import_file(made, file, Options())
    with review.matched(made, "crossed", review.View()) as (connection, found):
        wanted = [SliceCount("x", "u", 1, 0, 0), SliceCount("y", "u", 1, 0, 0)]
        patterns = overview.slice_patterns(connection, found.run.run_id, wanted)
    assert {key: sum(n for _, n in rows) for key, rows in patterns.items()} == {
        ("x", "u"): 1,
        ("y", "u"): 1,
    }


def test_causes_of_undecided_samples_count_each_sample_once_per_cause(
    burst: tuple[Connection, str],
) -> None:
    # U lacks all three scores for one and the same reason; the refusals are decided without G, AR.
    undetermined = codes_for([Mode.UNDETERMINED])
    assert overview.undecided_causes(*burst, undetermined) == [("not_scored", None, 1)]


def test_binary_labels_keep_the_order_asked_for(burst: tuple[Connection, str]) -> None:
    assert overview.binary_labels(*burst, ["faithful", "nobody", "correct"]) == [
        ("faithful", 8),
        ("correct", 7),
    ]


def test_a_label_that_was_ever_something_else_is_not_binary(tmp_path: Path) -> None:
    file = tmp_path / "halves.jsonl"
    rows = [
        f'{{"run": "halves", "sample_id": "{i}", "question": "q", "labels": {{"faithful": {v}}}}}'
        for i, v in enumerate((0, 1, 0.5))
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    made, _ = ensure_store(tmp_path / "store.duckdb")
    import_file(made, file, Options())
    with made.reading() as connection:
        run_id = queries.runs(connection)[0].run_id
        assert overview.binary_labels(connection, run_id, ["faithful"]) == []


def test_scores_stand_beside_labels(burst: tuple[Connection, str]) -> None:
    # s1 to s4 and s9 are labelled 1 with groundedness 5; s5 is labelled 0 with 5, s7, s8 with 1.
    scores, labels = overview.scores_and_labels(*burst, "faithful", with_test=True)
    pairs = sorted(zip(scores.tolist(), labels.tolist(), strict=True))
    assert pairs == [(1, 0), (1, 0), (5, 0), *[(5, 1)] * 5]


def test_scores_without_a_label_are_left_out(burst: tuple[Connection, str]) -> None:
    scores, labels = overview.scores_and_labels(*burst, "nobody", with_test=True)
    assert (scores.size, labels.size) == (0, 0)


def test_a_file_has_one_repeat(burst: tuple[Connection, str]) -> None:
    connection, run_id = burst
    judge_ids = [row["judge_id"] for row in queries.candidates(connection, run_id)]
    assert overview.repeats_of(connection, run_id, ["groundedness_rubric"], judge_ids[:1]) == 1
    assert overview.repeats_of(connection, run_id, ["nothing"], judge_ids[:1]) == 0


def test_latency_and_cost_say_of_how_many(burst: tuple[Connection, str]) -> None:
    # Latencies 1, 2, 3, 10: median 2.5; the 95th percentile stands 0.85 of the way from 3 to 10.
    found = overview.latency_and_cost(*burst)
    assert (found.n_latency, found.p50, found.p95) == (4, 2.5, pytest.approx(8.95))
    assert (found.n_cost, found.cost) == (2, pytest.approx(0.04))


def test_what_is_not_recorded_is_unknown(store: Store) -> None:
    with review.matched(store, "overview before", review.View()) as (connection, found):
        timing = overview.latency_and_cost(connection, found.run.run_id)
    assert (timing.n_latency, timing.p50, timing.n_cost, timing.cost) == (0, None, 0, None)


def test_candidates_count_samples_not_verdicts(burst: tuple[Connection, str]) -> None:
    connection, run_id = burst
    found = {row["metric"]: row for row in queries.candidates(connection, run_id)}
    assert found["context_relevance_rubric"]["n_value"] == 11  # all but U
    assert found["groundedness_rubric"]["n_any_status"] == 9  # nor the two refusals


def test_labels_are_those_that_count_everywhere_else(tmp_path: Path) -> None:
    # Up to four raters change their minds, agree, tie, and some say only a word.
    rng = random.Random(5)
    file = tmp_path / "raters.jsonl"
    rows = []
    for i in range(200):
        human = []
        for _ in range(rng.randrange(7)):
            label = {"criterion": "faithful", "rater": rng.choice("abcd")}
            kind = rng.randrange(5)
            label |= {"category": rng.choice(["unsure", "skip"])} if kind == 0 else {}
            label |= {"value": rng.choice([0, 1])} if kind else {}
            human.append(label)
        row = {"run": "raters", "sample_id": str(i), "question": "q", "answer": "a"}
        rows.append({**row, "scores": {"groundedness_rubric": 4}, "human_labels": human})
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    made, _ = ensure_store(tmp_path / "store.duckdb")
    assert import_file(made, file, Options()).is_stored

    with review.matched(made, "raters", review.View()) as (connection, found):
        _, labels = overview.scores_and_labels(
            connection, found.run.run_id, "faithful", with_test=True
        )
        expected = connection.execute(
            "select value from label_current where criterion = 'faithful' and value in (0, 1)"
        ).fetchall()

    assert sorted(labels.tolist()) == sorted(int(value) for (value,) in expected)
    assert 50 < labels.size < 200
