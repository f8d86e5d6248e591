"""Runs offers the labels of an earlier import of the same run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from core.store import writes
from core.store.connection import Store
from core.workflows.importing import import_file


def imported(store: Store, path: Path, *answers: str) -> str:
    lines = [
        json.dumps({"run": "r", "sample_id": str(i), "question": "?", "answer": answer}) + "\n"
        for i, answer in enumerate(answers)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return import_file(store, path).runs[0].run_id


def labels(store: Store, run_id: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(
            "select position, criterion, rater, value from label where run_id = $run_id",
            {"run_id": run_id},
        ).fetchall()


def test_labels_of_unchanged_answers_are_offered_and_copied(
    store_of: Callable[[str], Store],
    start: Callable[..., AppTest],
    text_of: Callable[[AppTest], str],
    tmp_path: Path,
) -> None:
    store = store_of("empty")
    first = imported(store, tmp_path / "1.jsonl", "same", "old")
    second = imported(store, tmp_path / "2.jsonl", "same", "new")
    with store.writing() as connection:
        for position in (0, 1):
            writes.append_label(
                connection, first, str(position), position,
                criterion="pass", rater="me", value=1.0,
            )  # fmt: skip
    app = start("runs")
    table = next(frame for frame in app.dataframe if str(frame.key).startswith("run_table"))
    place = list(table.value["Run"]).index("r (2)")
    app.session_state[table.key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.run()
    assert "r has 1 label on 1 sample with the same id and the same answer." in text_of(app)

    app.button(key=f"copy_{first}_{second}").click().run()
    assert not app.exception
    assert labels(store, second) == [(0, "pass", "me", 1.0)]
    # Nothing is left to copy.
    assert not [one for one in app.button if str(one.key).startswith("copy_")]
