"""Where the rows of a file may be: sheets of a workbook, lists in a JSON object."""

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from core.errors import BadInputError
from core.ingest.places import row_places
from core.ingest.preview import preview
from core.ingest.table_base import Hints


def json_of(folder: Path, document: Any) -> Path:
    path = folder / "results.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


ROWS = [{"q": "a?", "a": "b"}, {"q": "c?", "a": "d"}]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (ROWS, []),
        ({"items": ROWS}, []),
        ({"items": ROWS, "n": 2}, []),
        # One list, but not where it would be looked for.
        ({"out": {"items": ROWS}}, [Hints(records="out.items")]),
        # Two lists: nobody but a person can tell.
        (
            {"before": ROWS, "after": ROWS},
            [Hints(records="before"), Hints(records="after")],
        ),
        # Every run under its own key.
        (
            {"runs": {"x": {"items": ROWS}, "y": {"items": ROWS}}},
            [Hints(records="runs.*.items")],
        ),
        # One list is read by itself, the other can be wanted instead.
        (
            {"log": {"lines": [{"at": 1}]}, "items": ROWS},
            [Hints(records="items"), Hints(records="log.lines")],
        ),
    ],
)
def test_lists_of_rows_in_a_json_object(tmp_path: Path, document: Any, expected: list[Any]) -> None:
    assert row_places(json_of(tmp_path, document)) == expected


def test_each_place_can_be_read_and_stands_in_the_map(tmp_path: Path) -> None:
    path = json_of(tmp_path, {"before": ROWS[:1], "after": {"x": {"r": ROWS}, "y": {"r": ROWS}}})
    found = row_places(path)
    assert found == [Hints(records="before"), Hints(records="after.*.r")]
    seen = [preview(path, hints=hints) for hints in found]
    # after.*.r: two rows under x, two under y, and the key as a column of its own.
    assert [one.n_rows for one in seen] == [1, 4]
    assert [[column.name for column in one.columns] for one in seen] == [
        ["q", "a"], ["after", "q", "a"],
    ]  # fmt: skip
    assert [one.mapping.hints for one in seen] == found


def test_sheets_of_a_workbook_the_first_with_content_first(tmp_path: Path) -> None:
    book = openpyxl.Workbook()  # its own sheet stays empty
    book.create_sheet("notes").append(["remark"])
    sheet = book.create_sheet("scores")
    sheet.append(["question"])
    sheet.append(["a?"])
    book.save(tmp_path / "b.xlsx")

    found = row_places(tmp_path / "b.xlsx")
    assert [one.sheet for one in found] == ["notes", "Sheet", "scores"]
    seen = preview(tmp_path / "b.xlsx", hints=found[2])
    assert (seen.n_rows, seen.mapping.hints) == (1, Hints(sheet="scores"))


def test_a_workbook_with_one_sheet_leaves_no_choice(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["question"])
    book.active.append(["?"])
    book.save(tmp_path / "b.xlsx")
    assert row_places(tmp_path / "b.xlsx") == []
    assert preview(tmp_path / "b.xlsx").mapping.hints == Hints(sheet="Sheet")


@pytest.mark.parametrize("content", ["", "7", '{"a": 1', '{"x": {}}', "%PDF-1.4"])
def test_what_holds_no_rows_is_refused_as_before(tmp_path: Path, content: str) -> None:
    path = tmp_path / "no.json"
    path.write_text(content, encoding="utf-8")
    if content == "7":  # a line of CSV
        assert row_places(path) == []
        return
    with pytest.raises(BadInputError, match=r"no\.json"):
        row_places(path)


def test_a_table_without_places_has_none(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,answer\na?,b\n", encoding="utf-8")
    assert row_places(path) == []
