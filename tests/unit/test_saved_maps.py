"""Tables of other tools through saved maps, from small files written here in their shape."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import CliRunner

from core.cli import app
from core.ingest.mapping_toml import dumps, load
from core.ingest.preview import preview
from core.store.connection import Store
from core.workflows.setup import ensure_store
from dashboard.components import mapping_panel

GOLDEN = Path(__file__).parents[1] / "golden"
TWINS = list(csv.DictReader((GOLDEN / "mapped_twins.csv").read_text("utf-8").splitlines()))
Twin = Callable[[str], Path]


@pytest.fixture
def twin(tmp_path: Path) -> Twin:
    """A twin of a real file; the one of a workbook becomes one."""

    def made(name: str) -> Path:
        path = GOLDEN / "mapped" / name
        if name != "halubench_annotated.csv":
            return path
        book = openpyxl.Workbook()
        assert book.active is not None
        book.active.title = "Sheet1"
        with path.open(encoding="utf-8", newline="") as handle:
            for cells in csv.reader(handle):
                book.active.append(cells)
        book.save(tmp_path / "halubench_annotated.xlsx")
        return tmp_path / "halubench_annotated.xlsx"

    return made


def imported(store: Store, path: Path, map_file: Path) -> dict[str, Any]:
    arguments = ["import", str(path), "--map", str(map_file), "--store", str(store.path), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stdout
    (report,) = json.loads(result.stdout)["files"]
    return {**report, "path": path.name}


def counts(report: dict[str, Any]) -> dict[str, str]:
    """Sums over the runs of a file, written as in the golden table."""
    runs = report["runs"]
    metrics = {name: row for run in runs for name, row in run["metrics"].items()}
    labels = {name: row for run in runs for name, row in run["labels"].items()}
    return {
        "runs": str(len(runs)),
        **{key: str(sum(run[key] for run in runs)) for key in ("samples", "contexts", "gold")},
        "scores": " ".join(
            f"{name}={row['n']}/{row['error']}/{row['not_scored']}"
            for name, row in sorted(metrics.items())
        ),
        "labels": " ".join(f"{name}={row['n']}" for name, row in sorted(labels.items())),
    }


def from_the_page(path: Path, map_file: Path) -> str:
    """What the page saves for a file and a map that was loaded there, with nothing changed."""
    found = preview(path, load(map_file))
    grid = [mapping_panel._row(column, found) for column in found.columns]
    return dumps(mapping_panel.mapping_of(grid, found.mapping))


@pytest.mark.parametrize("row", TWINS, ids=[row["file"] for row in TWINS])
def test_a_saved_map_gives_the_same_whoever_wrote_it(
    tmp_path: Path, fresh_store: Store, twin: Twin, row: dict[str, str]
) -> None:
    path = twin(row["file"])
    by_hand = GOLDEN / "maps" / f"{Path(row['file']).stem}.toml"
    report = imported(fresh_store, path, by_hand)
    assert counts(report) == {key: value for key, value in row.items() if key != "file"}

    for name, text in (("saved", dumps(load(by_hand))), ("page", from_the_page(path, by_hand))):
        map_file = tmp_path / f"{name}.toml"
        map_file.write_text(text, encoding="utf-8")
        other, _ = ensure_store(tmp_path / f"{name}.duckdb")
        assert imported(other, path, map_file) == report


@pytest.mark.parametrize("row", TWINS, ids=[row["file"] for row in TWINS])
def test_what_the_page_suggests_can_be_saved_and_read_by_the_command_line(
    tmp_path: Path, fresh_store: Store, twin: Twin, row: dict[str, str]
) -> None:
    path = twin(row["file"])
    suggested = preview(path)
    grid = [mapping_panel._row(column, suggested) for column in suggested.columns]
    map_file = tmp_path / "page.toml"
    map_file.write_text(dumps(mapping_panel.mapping_of(grid, suggested.mapping)), "utf-8")
    report = imported(fresh_store, path, map_file)
    assert sum(run["samples"] for run in report["runs"]) == int(row["samples"])


def test_contexts_have_their_sources_and_scores_their_reasons(
    fresh_store: Store, twin: Twin
) -> None:
    imported(
        fresh_store, twin("azure_chat_evaluator.jsonl"), GOLDEN / "maps/azure_chat_evaluator.toml"
    )
    with fresh_store.reading() as connection:
        contexts = connection.execute(
            "select position, doc_id, text from context order by position, rank"
        ).fetchall()
        scores = connection.execute(
            "select position, status, value, cause, reasoning from verdict "
            "where metric = 'groundedness_rubric' order by position"
        ).fetchall()
        recorded = connection.execute("select is_contexts_recorded from sample").fetchall()
    assert contexts == [
        (0, "care.pdf#page=2", "Lids: wash by hand.\nNever: in a machine."),
        (0, "care.pdf#page=3", "Bowls may go into a machine."),
        (1, "terms.md", "Returns within 30 days."),
    ]
    assert scores == [
        (0, "value", 5.0, None, "It is in the first source."),
        (1, "error", None, "reported_by_file", "rate limit"),
        (2, "value", 1.0, None, None),
    ]
    assert recorded == [(True,), (True,), (False,)]


def test_labels_judge_the_column_that_the_map_says(fresh_store: Store, twin: Twin) -> None:
    for name in ("financebench.jsonl", "halubench_annotated.csv"):
        imported(fresh_store, twin(name), GOLDEN / "maps" / f"{Path(name).stem}.toml")
    statement = (
        "select criterion, answer, value, category from label join sample using (run_id, position) "
        "order by criterion, position"
    )
    with fresh_store.reading() as connection:
        found = connection.execute(statement).fetchall()
    assert found == [
        ("correct", "1577", 1.0, "Correct Answer"),
        ("correct", "9 %", 0.0, "Incorrect Answer"),
        ("correct", "I cannot tell.", 0.0, "Refusal"),
        ("faithful", "The reds", 1.0, "PASS"),
        ("faithful", "Wood", 0.0, "FAIL"),
        ("faithful", "Nine", 0.0, "FAIL"),
        ("refused", "1577", 0.0, "Correct Answer"),
        ("refused", "9 %", 0.0, "Incorrect Answer"),
        ("refused", "I cannot tell.", 1.0, "Refusal"),
    ]
