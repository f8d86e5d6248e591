"""The split of labels: shares per class, seeds, what stays, what is hidden, what is logged."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError
from core.filters import from_terms
from core.store import parts, writes
from core.store.connection import Store
from core.workflows.exporting import export
from core.workflows.importing import Options, import_file
from core.workflows.judge_table import judge_table
from core.workflows.labelled_scores import Question
from core.workflows.review import View

Ask = Callable[..., Any]


def rows(n: int, n_good: int, first: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "run": "one",
            "sample_id": f"s{first + i}",
            "question": f"Question {i}?",
            "answer": "Yes.",
            "scores": {"quality": round(i / n, 3)},
            "labels": {"ok": int(i < n_good)},
        }
        for i in range(n)
    ]


@pytest.fixture
def run_id(imported: Callable[..., list[str]]) -> str:
    return imported(*rows(200, 40))[0]


def dealt(store: Store, run_id: str) -> dict[int, str]:
    with store.reading() as connection:
        return dict(
            connection.execute(
                "select position, part from label_part where run_id = $run", {"run": run_id}
            ).fetchall()
        )


def test_each_class_is_dealt_in_the_same_shares(fresh_store: Store, run_id: str) -> None:
    with fresh_store.writing() as connection:
        sizes = parts.deal(connection, run_id, "ok")
    found = dealt(fresh_store, run_id)
    good = Counter(part for position, part in found.items() if position < 40)
    bad = Counter(part for position, part in found.items() if position >= 40)

    # 15 %, 42.5 %, 42.5 % of 40 and of 160.
    assert good == {"train": 6, "dev": 17, "test": 17}
    assert bad == {"train": 24, "dev": 68, "test": 68}
    assert sizes == {"train": 30, "dev": 85, "test": 85}


def test_the_seed_fixes_the_split_and_another_is_refused(fresh_store: Store, run_id: str) -> None:
    with fresh_store.writing() as connection:
        parts.deal(connection, run_id, "ok", seed=1)
    before = dealt(fresh_store, run_id)
    with fresh_store.writing() as connection:
        parts.deal(connection, run_id, "ok", seed=1)
    assert dealt(fresh_store, run_id) == before

    with (
        pytest.raises(BadInputError, match="split already, with seed 1"),
        fresh_store.writing() as c,
    ):
        parts.deal(c, run_id, "ok", seed=2)
    assert dealt(fresh_store, run_id) == before


def test_later_labels_fill_up_and_move_nothing(fresh_store: Store, run_id: str) -> None:
    with fresh_store.writing() as connection:
        connection.execute("delete from label where position >= 100")
        parts.deal(connection, run_id, "ok")
    before = dealt(fresh_store, run_id)
    with fresh_store.writing() as connection:
        for position in range(100, 200):
            writes.append_label(
                connection, run_id, f"s{position}", position, criterion="ok", rater="ann", value=0.0
            )
        parts.deal(connection, run_id, "ok")
    after = dealt(fresh_store, run_id)

    assert len(before) == 100
    assert len(after) == 200
    assert before.items() <= after.items()
    assert Counter(after.values()) == {"train": 30, "dev": 85, "test": 85}


def test_test_part_is_left_out_until_it_is_opened_and_opening_is_logged(
    fresh_store: Store, run_id: str, ask: Ask
) -> None:
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok")
    assert ask(*asked).out["part"] == "all"

    split = ask(*asked, "--split").out
    assert (split["part"], split["n"]) == ("open", 115)
    assert "The test part of the labels is closed and left out." in split["warnings"]
    assert ask(*asked, "--part", "dev").out["n"] == 85
    closed = ask(*asked, "--part", "test")
    assert closed.code == 2
    assert "The test part of 'ok' is closed" in closed.out["problems"][0]["problem"]

    opened = ask(*asked, "--part", "test", "--open-test").out
    assert (opened["part"], opened["n"], opened["n_samples"]) == ("test", 85, 85)
    assert (ask(*asked).out["part"], ask(*asked).out["n"]) == ("all", 200)
    ask(*asked, "--open-test")
    with fresh_store.reading() as connection:
        logged = connection.execute(
            "select action, run_id, new_value from audit where action in ('split', 'test opened') "
            "order by audit_no"
        ).fetchall()
    assert logged == [("split", run_id, "ok"), ("test opened", run_id, "ok")]


def test_each_part_says_why_samples_have_no_score(
    imported: Callable[..., list[str]], ask: Ask
) -> None:
    def without(i: int, **more: Any) -> dict[str, Any]:
        return {
            "run": "one", "sample_id": f"x{i}", "question": f"X{i}?", "answer": "Yes.", **more,
        }  # fmt: skip

    unscored = [without(i, labels={"ok": i % 2}) for i in range(20)]
    failed = [without(20 + i, labels={"ok": i % 2}, scores={"quality": None}) for i in range(20)]
    unlabelled = [without(40 + i) for i in range(5)]
    imported(*rows(200, 40), *unscored, *failed, *unlabelled)
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok")
    whole = ask(*asked).out
    assert whole["dropped"] == {"error:absent_in_file": 20, "not_scored": 25}

    ask(*asked, "--split")
    parts_of = {
        part: ask(*asked, "--part", part, "--open-test").out for part in ("train", "dev", "test")
    }
    for found in parts_of.values():
        assert found["n"] + sum(found["dropped"].values()) == found["n_samples"]
        assert set(found["dropped"]) == {"error:absent_in_file", "not_scored"}
    # The parts hold what is labelled, and nothing of it twice; five samples have no label.
    for why, n in (("error:absent_in_file", 20), ("not_scored", 20)):
        assert sum(found["dropped"][why] for found in parts_of.values()) == n


def test_what_is_open_says_why_samples_have_no_score(
    imported: Callable[..., list[str]], ask: Ask
) -> None:
    failed = [{**row, "scores": {"quality": None}} for row in rows(40, 20, first=200)]
    imported(*rows(200, 40), *failed)
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok")
    rest = ask(*asked, "--split").out
    assert rest["part"] == "open"
    assert rest["n"] + sum(rest["dropped"].values()) == rest["n_samples"]
    test = ask(*asked, "--part", "test", "--open-test").out
    # What is not in the closed part and what is in it are all 40 that failed.
    assert rest["dropped"].keys() == test["dropped"].keys() == {"error:absent_in_file"}
    assert sum(rest["dropped"].values()) + sum(test["dropped"].values()) == 40


def test_corrected_rate_takes_errors_from_the_part_and_scores_from_all(
    run_id: str, ask: Ask
) -> None:
    asked = ("calibrate", "one", "--score", "quality", "--label", "ok", "--split", "--part", "dev")
    found = ask(*asked).out
    assert found["corrected_rate"]["raw"]["n"] == 200
    assert found["corrected_rate"]["human"]["n"] == 85
    assert sum(found["confusion"].values()) == 85


def test_a_closed_test_part_stays_hidden_wherever_a_judge_is_measured(
    fresh_store: Store, run_id: str, ask: Ask
) -> None:
    def n_judged() -> tuple[int, int]:
        _, rows = judge_table(fresh_store, run_id, Question("", "ok"))
        agreed = ask("agree", "one", "--criterion", "ok", "--score", "quality").out
        spearman = agreed["judge"]["correlations"]["spearman"]["n"]
        return next(row.n for row in rows if row.score.metric == "quality"), spearman

    assert n_judged() == (200, 200)
    with fresh_store.writing() as connection:
        parts.deal(connection, run_id, "ok")
    assert n_judged() == (115, 115)
    _, dev = judge_table(fresh_store, run_id, Question("", "ok", part="dev"))
    assert next(row.n for row in dev if row.score.metric == "quality") == 85
    with pytest.raises(BadInputError, match="is closed"):
        judge_table(fresh_store, run_id, Question("", "ok", part="test"))
    with fresh_store.writing() as connection:
        parts.open_test(connection, run_id, "ok")
    assert n_judged() == (200, 200)


def test_part_is_a_filter_like_any_other(fresh_store: Store, run_id: str, ask: Ask) -> None:
    ask("calibrate", "one", "--score", "quality", "--label", "ok", "--split")
    found = ask("diagnose", "one", "--filter", "part.ok=dev", "--filter", "label.ok=1").out
    assert found["n"] == 17
    both = ask("diagnose", "one", "--filter", "part.ok=dev", "--filter", "part.ok=train").out
    assert both["n"] == 115


def test_deleting_a_run_deletes_its_split(fresh_store: Store, run_id: str) -> None:
    with fresh_store.writing() as connection:
        parts.deal(connection, run_id, "ok")
        writes.delete_run(connection, run_id)
    assert dealt(fresh_store, run_id) == {}


def test_nothing_to_split_or_to_open_says_so(fresh_store: Store, run_id: str) -> None:
    with pytest.raises(BadInputError, match="has a label 'nope'"), fresh_store.writing() as c:
        parts.deal(c, run_id, "nope")
    with pytest.raises(BadInputError, match="are not split"), fresh_store.writing() as c:
        parts.open_test(c, run_id, "ok")


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_split_survives_export_and_import(
    fresh_store: Store, run_id: str, tmp_path: Path, ending: str, is_open: bool
) -> None:
    with fresh_store.writing() as connection:
        parts.deal(connection, run_id, "ok", seed=7)
        if is_open:
            parts.open_test(connection, run_id, "ok")
        sizes = parts.part_counts(connection, run_id)
    before = dealt(fresh_store, run_id)
    exported = tmp_path / f"out{ending}"
    export(fresh_store, run_id, View(), exported)

    again = import_file(fresh_store, exported).runs[0].run_id

    assert dealt(fresh_store, again) == before
    with fresh_store.writing() as connection:
        assert parts.part_counts(connection, again) == sizes  # with the seed
        assert parts.opened_tests(connection, again) == ({"ok"} if is_open else set())
        # Labels that come later fill up the same split.
        assert parts.deal(connection, again, "ok", seed=7) == {"train": 30, "dev": 85, "test": 85}
        with pytest.raises(BadInputError, match="split already, with seed 7"):
            parts.deal(connection, again, "ok", seed=0)


def test_what_a_filter_keeps_is_exported_with_its_parts(
    fresh_store: Store, run_id: str, tmp_path: Path
) -> None:
    with fresh_store.writing() as connection:
        parts.deal(connection, run_id, "ok")
    exported = tmp_path / "dev.jsonl"
    n = export(fresh_store, run_id, View(wanted=from_terms(["part.ok=dev"])), exported)

    again = import_file(fresh_store, exported).runs[0].run_id

    assert n == 85
    assert set(dealt(fresh_store, again).values()) == {"dev"}


def test_parts_of_a_file_that_is_appended_are_left_out_and_said_so(
    fresh_store: Store, run_id: str, tmp_path: Path
) -> None:
    path = tmp_path / "more.jsonl"
    path.write_text(
        json.dumps({"sample_id": "new", "question": "q?", "label_parts": {"ok": "dev"}})
    )

    report = import_file(fresh_store, path, Options(append_to=run_id))

    assert report.is_stored
    assert any("Parts of labels were left out" in one.notice for one in report.notices)
    assert dealt(fresh_store, run_id) == {}


@pytest.mark.parametrize("found", ["dev", ["dev"], {"ok": "exam"}, {"ok": None}])
def test_parts_that_are_none_are_a_problem_of_their_row(
    fresh_store: Store, tmp_path: Path, found: Any
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps({"question": "q?", "label_parts": found}))

    report = import_file(fresh_store, path)

    assert [problem.row for problem in report.problems] == [1]
    assert "label_parts must be an object" in report.problems[0].problem


def test_a_row_that_is_left_out_takes_its_part_with_it(fresh_store: Store, tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    row = {"sample_id": "a", "question": "q?", "labels": {"ok": 1}, "label_parts": {"ok": "dev"}}
    path.write_text("\n".join(json.dumps(row) for _ in range(2)))

    (run,) = import_file(fresh_store, path, Options(skip_bad_rows=True)).runs

    assert dealt(fresh_store, run.run_id) == {0: "dev"}
    with fresh_store.reading() as connection:
        assert connection.execute("select count(*) from label_part").fetchall() == [(1,)]
