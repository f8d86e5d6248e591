"""The 59 samples of the published table from a file to the command line and to the page."""

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from core.cli import app as command_line
from core.store.connection import Store

GOLDEN = Path(__file__).parents[1] / "golden" / "published_quadrants.jsonl"
# 49.2, 33.9, 8.5 and 8.5 % of 59
PUBLISHED = {
    "effective_use": 29,
    "lucky_guess": 20,
    "information_blindness": 5,
    "correct_rejection": 5,
}
# (hit, adherence at or above its cut, correct): samples. 27 + 12 + 2 + 1 = 42 are correct; of
# these 27 have a hit and adhere, so 12 + 2 + 1 = 15 are right without evidence. Hits are
# 27 + 2 + 2 + 3 = 34, so accuracy exceeds them by 8 and effective use, 27 + 2 = 29, by 13.
CELLS = {
    (1, 1, 1): 27, (1, 1, 0): 2, (0, 1, 1): 12, (0, 1, 0): 8,
    (1, 0, 1): 2, (1, 0, 0): 3, (0, 0, 1): 1, (0, 0, 0): 4,
}  # fmt: skip


@pytest.fixture
def run_id(store_of: Callable[[str], Store]) -> str:
    """The file, imported by the command line."""
    store = store_of("empty")
    (file,) = ragtriage(store, "import", str(GOLDEN))["files"]
    return str(file["runs"][0]["run_id"])


@pytest.fixture
def store(tmp_path: Path, run_id: str) -> Store:
    """The store of this test, which holds the run."""
    return Store(tmp_path / "ragtriage.duckdb")


def ragtriage(store: Store, *arguments: str) -> Any:
    """What a command prints with ``--json``."""
    ended = CliRunner().invoke(
        command_line, [*arguments, "--json", "--store", str(store.path)], catch_exceptions=False
    )
    assert ended.exit_code == 0, ended.stderr
    return json.loads(ended.stdout)


def data_of(app: AppTest) -> list[dict[str, Any]]:
    """The rows behind the charts of a page."""
    rows: list[dict[str, Any]] = []
    for chart in app.get("vega_lite_chart"):
        for one in chart.proto.datasets:
            rows += pa.ipc.open_stream(BytesIO(one.data.data)).read_all().to_pylist()
    return rows


def test_the_file_holds_what_is_worked_out_above() -> None:
    found = dict.fromkeys(CELLS, 0)
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        hit = row["gold_doc_ids"] == [row["contexts"][0]["doc_id"]]
        found[int(hit), int(row["scores"]["adherence"] >= 0.7), row["labels"]["correct"]] += 1
    assert found == CELLS
    assert sum(CELLS.values()) == 59


def test_command_line(store: Store, run_id: str) -> None:
    found = ragtriage(store, "diagnose", run_id)
    head = found["headline"]
    assert found["n"] == 59
    assert found["cue_published"] == {**PUBLISHED, "undetermined": 0}
    assert head["accuracy"]["value"] == pytest.approx(42 / 59)
    assert head["hit_share"]["value"] == pytest.approx(34 / 59)
    assert head["effective_use"]["value"] == pytest.approx(29 / 59)
    assert head["gap_hit"]["value"] == pytest.approx(8 / 59)
    assert head["gap_effective"]["value"] == pytest.approx(13 / 59)
    assert head["ungrounded_correct"]["value"] == pytest.approx(15 / 59)


def test_page_says_the_same(
    run_id: str, start: Callable[..., AppTest], text_of: Callable[[AppTest], str]
) -> None:
    app = start("context_use", {"run": run_id})
    text = text_of(app)
    assert not app.exception
    assert "42 of 59 answers are correct, but 15 of those (25\u202f% of all, 16–38)" in text
    assert "Correct without evidence  \n15 of 59" in text
    assert "Accuracy above hits  \n+8 of 59 (+14 points)" in text
    assert "Accuracy above effective use  \n+13 of 59 (+22 points)" in text
    (table,) = [one.value for one in app.dataframe if "Quadrant" in one.value.columns]
    assert sorted(table["Samples"]) == sorted(CELLS.values())

    app.button_group(key="quadrant_table").set_value("Published (4)").run()
    tiles = {row["id"]: row["count"] for row in data_of(app) if row.get("id") in PUBLISHED}
    assert tiles == {name: str(n) for name, n in PUBLISHED.items()}


@pytest.mark.parametrize("quadrant", PUBLISHED)
def test_tile_opens_its_samples(
    quadrant: str,
    run_id: str,
    start: Callable[..., AppTest],
    text_of: Callable[[AppTest], str],
) -> None:
    app = start("context_use", {"run": run_id})
    app.button_group(key="quadrant_table").set_value("Published (4)").run()
    key = f"quadrants.{app.session_state['n_visits']}"
    app.session_state[key] = {"selection": {"cell": [{"id": quadrant}]}}
    app.run()

    assert app.session_state["address"].terms == (f"quadrant=published:{quadrant}",)
    assert f"Sample 1 of {PUBLISHED[quadrant]} " in text_of(app).replace("\n", " ")
