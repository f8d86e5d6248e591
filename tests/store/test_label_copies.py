"""Labels of an earlier import go over to a later one where the answer is still the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import NotFoundError
from core.store import writes
from core.store.connection import Store
from core.store.label_copies import copy_labels, label_sources
from core.workflows.importing import import_file

LABELS = (
    "select sample_id, context_rank, criterion, rater, value, category, note, tags, is_blind "
    "from label join sample using (run_id, position) where run_id = $run_id order by label_no"
)


def imported(store: Store, folder: Path, file: str, *rows: dict[str, Any], run: str = "r") -> str:
    path = folder / file
    lines = [json.dumps({"run": run, "question": "?", **row}) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return import_file(store, path).runs[0].run_id


def sample(sample_id: str, answer: str, *contexts: str, **more: Any) -> dict[str, Any]:
    return {"sample_id": sample_id, "answer": answer, "contexts": list(contexts), **more}


def label(store: Store, run_id: str, sample_id: str, position: int, **what: Any) -> None:
    with store.writing() as connection:
        writes.append_label(
            connection, run_id, sample_id, position, **{"criterion": "pass", "rater": "me", **what}
        )


def rows(store: Store, run_id: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(LABELS, {"run_id": run_id}).fetchall()


@pytest.fixture
def two(fresh_store: Store, tmp_path: Path) -> tuple[Store, str, str]:
    """a stays, b has another answer, c is gone, d is new; in the later file a stands last."""
    first = imported(
        fresh_store, tmp_path, "1.jsonl", sample("a", "x", "one", "two", labels={"correct": 1}),
        sample("b", "x"), sample("c", "x"),
    )  # fmt: skip
    second = imported(
        fresh_store, tmp_path, "2.jsonl", sample("b", "y"), sample("d", "x"),
        sample("a", "x", "one", "other"),
    )  # fmt: skip
    for position, sample_id in enumerate("abc"):
        label(fresh_store, first, sample_id, position, value=1.0, note=f"n{sample_id}", tags=["t"])
    label(fresh_store, first, "a", 0, criterion="correct", rater="you", value=0.0, is_blind=True)
    return fresh_store, first, second


def test_labels_of_equal_answers_are_offered_and_copied_once(two: tuple[Store, str, str]) -> None:
    store, first, second = two
    with store.reading() as connection:
        assert label_sources(connection, second) == ((first, "r", 2, 1),)
        # Nothing goes back to the earlier run, and the file's own label is none of these.
        assert label_sources(connection, first) == ()

    with store.writing() as connection:
        assert copy_labels(connection, first, second) == 2
    copied = [
        ("a", None, "pass", "me", 1.0, None, "na", ["t"], False),
        ("a", None, "correct", "you", 0.0, None, None, None, True),
    ]
    assert rows(store, second) == copied
    with store.reading() as connection:
        assert label_sources(connection, second) == ()
        wide = connection.execute(
            "select label_correct from wide where run_id = $run_id and sample_id = 'a'",
            {"run_id": second},
        ).fetchall()
        audit = connection.execute(
            "select action, run_id, new_value from audit order by audit_no desc limit 1"
        ).fetchall()
    assert wide == [(0,)]
    assert audit == [("copy labels", second, f"2 labels of r ({first})")]

    with store.writing() as connection:
        assert copy_labels(connection, first, second) == 0
    assert rows(store, second) == copied


def test_what_is_labelled_later_is_offered_again(two: tuple[Store, str, str]) -> None:
    store, first, second = two
    with store.writing() as connection:
        copy_labels(connection, first, second)
    label(store, first, "a", 0, value=0.0)
    with store.reading() as connection:
        assert label_sources(connection, second) == ((first, "r", 1, 1),)


def test_label_of_a_context_needs_the_same_context(two: tuple[Store, str, str]) -> None:
    store, first, second = two
    with store.writing() as connection:
        for rank in (1, 2):
            connection.execute(
                "insert into label by name select run_id, label_no + 10 + $rank as label_no, "
                "position, $rank as context_rank, 'useful' as criterion, rater, value, is_blind, "
                "labelled_at from label where run_id = $run_id and note = 'na'",
                {"rank": rank, "run_id": first},
            )
        copy_labels(connection, first, second)
    # rank 1 says "one" in both, rank 2 "two" and "other"
    assert [row[1] for row in rows(store, second) if row[2] == "useful"] == [1]


def test_only_runs_of_that_name_and_an_earlier_import_are_asked(
    two: tuple[Store, str, str], tmp_path: Path
) -> None:
    store, _, second = two
    other = imported(store, tmp_path, "3.jsonl", sample("a", "x"), run="another")
    with store.reading() as connection:
        assert label_sources(connection, other) == ()
        with pytest.raises(NotFoundError):
            label_sources(connection, "000000000000")
    third = imported(store, tmp_path, "4.jsonl", sample("c", "x"), run="r")
    with store.reading() as connection:
        assert [one.n_labels for one in label_sources(connection, third)] == [1]
    label(store, third, "c", 0, value=1.0)
    with store.reading() as connection:
        # A later import never labels an earlier one.
        assert all(one.run_id != third for one in label_sources(connection, second))
