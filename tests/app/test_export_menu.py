"""Every page with samples offers them as files, and the files hold what the page shows."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from core.filters import from_terms
from core.store.connection import Store
from core.workflows.listing import run_list
from core.workflows.review import View
from dashboard.components.export import file_stem, samples_file

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
STEMMED = "handbook · k5 stemmed"
HALLUCINATIONS = View(wanted=from_terms(["mode=hallucination"]))


def run_id(store: Store) -> str:
    return next(row.run.run_id for row in run_list(store) if row.run.name == STEMMED)


def offered(app: AppTest) -> list[str]:
    return [element.proto.label for element in app.get("download_button")]


@pytest.mark.parametrize(
    ("page", "labels"),
    [
        ("overview", ["HTML", "Markdown", "CSV", "JSON Lines", "Parquet"]),
        ("modes", ["CSV", "JSON Lines", "Parquet"]),
        ("triage", ["CSV", "JSON Lines", "Parquet"]),
    ],
)
def test_page_offers_the_samples_of_its_filter(
    page: str, labels: list[str], store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")

    app = start(page, {"run": run_id(store), "f": "mode=hallucination"})

    assert offered(app) == labels
    assert "3 samples of this view can be imported again" in text_of(app)


def test_runs_offers_the_whole_run(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    store_of("demo")
    app = start("runs")
    (key,) = [table.key for table in app.dataframe if str(table.key).startswith("run_table")]
    app.session_state[key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()

    # The last one stands where the run can be deleted.
    assert offered(app) == ["CSV", "JSON Lines", "Parquet", "Save it with its labels"]
    assert "83 samples of this view" in text_of(app)


def test_empty_view_offers_an_empty_file(store_of: StoreOf) -> None:
    store = store_of("demo")
    view = View(wanted=from_terms(["text=zebra crossing"]))

    assert samples_file(store, run_id(store), view, ".jsonl") == b""
    header, *rows = samples_file(store, run_id(store), view, ".csv").decode().splitlines()
    assert header.startswith("run,sample_id,")
    assert rows == []
    parquet = pq.read_table(io.BytesIO(samples_file(store, run_id(store), view, ".parquet")))
    assert parquet.num_rows == 0


def test_files_hold_the_same_samples(store_of: StoreOf) -> None:
    store = store_of("demo")
    wanted = run_id(store)

    lines = samples_file(store, wanted, HALLUCINATIONS, ".jsonl").decode().splitlines()
    ids = [json.loads(line)["sample_id"] for line in lines]
    table = samples_file(store, wanted, HALLUCINATIONS, ".csv").decode()
    parquet = pq.read_table(io.BytesIO(samples_file(store, wanted, HALLUCINATIONS, ".parquet")))

    assert len(ids) == 3
    assert [row["sample_id"] for row in csv.DictReader(io.StringIO(table))] == ids
    assert parquet.column("sample_id").to_pylist() == ids


def test_nothing_is_left_beside_the_store(store_of: StoreOf) -> None:
    store = store_of("demo")
    before = sorted(store.path.parent.iterdir())

    samples_file(store, run_id(store), HALLUCINATIONS, ".parquet")

    assert sorted(store.path.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("handbook · k5/stemmed", "handbook-k5-stemmed"),
        ("../../etc/passwd", "etc-passwd"),
        ("..", "run"),
        ("C:\\con\n\x00.txt", "C-con-.txt"),
        ("図書館 1", "図書館-1"),
        ("x" * 300, "x" * 80),
    ],
)
def test_file_name_is_harmless(name: str, stem: str) -> None:
    assert file_stem(name) == stem


@pytest.mark.parametrize(
    "page",
    ["overview", "modes", "context_use", "retrieval", "answers", "triage", "calibration",
     "agreement", "judge"],
)  # fmt: skip
def test_every_page_of_a_run_offers_its_samples(page: str, store_of: Any, start: Any) -> None:
    store_of("demo")
    app = start(page)
    assert not app.exception
    assert {"CSV", "JSON Lines", "Parquet"} <= {one.label for one in app.get("download_button")}
