"""Reading tables: FORMATS 2.1, 2.2 and 2.4, one test for each rule."""

import json
import struct
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import BadInputError
from core.ingest import table_json
from core.ingest.table_base import MAX_CELL, Hints
from core.ingest.table_csv import delimiter_of
from core.ingest.table_excel import MAX_UNPACKED
from core.ingest.table_profile import profile
from core.ingest.tables import open_table
from core.records import Notices, Problem


def write(tmp_path: Path, content: str | bytes, name: str = "file.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, hints: Hints | None = None) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Cells of all rows, and notices with how often they were needed."""
    notices = Notices()
    rows = [cells for _, cells in open_table(path, hints).rows(notices)]
    assert not any(isinstance(cells, Problem) for cells in rows), rows
    found = [cells for cells in rows if not isinstance(cells, Problem)]
    return found, {notice.notice: notice.n for notice in notices.as_list()}


def problems(path: Path) -> list[Problem]:
    rows = open_table(path).rows(Notices())
    return [cells for _, cells in rows if isinstance(cells, Problem)]


# --- 2.1 bytes and text ---------------------------------------------------------------------------


def test_bom_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xef\xbb\xbfid,question\n1,\xc3\xa4\n")
    assert read(path)[0] == [{"id": "1", "question": "ä"}]


def test_utf16_is_read_by_its_bom(tmp_path: Path) -> None:
    path = write(tmp_path, "id,question\r\n1,ä\r\n".encode("utf-16"))
    assert read(path)[0] == [{"id": "1", "question": "ä"}]


def test_windows_text_is_read_with_a_notice(tmp_path: Path) -> None:
    rows, notices = read(write(tmp_path, "id,q\n1,ä\n2,é\n3,plain\n".encode("cp1252")))
    assert [row["q"] for row in rows] == ["ä", "é", "plain"]
    assert notices == {"The line is not UTF-8; it was read as Windows text (cp1252).": 2}


def test_line_ends_may_be_mixed(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, "a,b\r\n1,2\n3,4\r5,6"))
    assert [row["a"] for row in rows] == ["1", "3", "5"]


def test_newlines_in_quoted_cells_are_text_and_rows_are_not_lines(tmp_path: Path) -> None:
    cell = "\r\n".join(f"line {n}" for n in range(50))
    rows, _ = read(write(tmp_path, f'a,b\n1,"{cell}"\n2,"x\ny"\n'))
    assert [row["b"] for row in rows] == [cell, "x\ny"]


def test_blank_rows_at_the_end_are_dropped_and_counted(tmp_path: Path) -> None:
    rows, notices = read(write(tmp_path, "a,b\n1,2\n" + ",\n" * 80))
    assert len(rows) == 1
    assert notices == {"The row is blank and was left out.": 80}


@pytest.mark.parametrize("content", ["", " \n\t\n", "\ufeff", "{}"])
def test_an_empty_file_is_nothing_to_import(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInputError, match="nothing to import"):
        open_table(write(tmp_path, content))


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "[]", '{"columns": ["a"], "data": []}'])
def test_a_header_without_rows_has_none(tmp_path: Path, content: str) -> None:
    assert read(write(tmp_path, content))[0] == []


def test_cells_longer_than_the_readers_default_are_read(tmp_path: Path) -> None:
    # Python's reader stops at 131,072 characters.
    rows, _ = read(write(tmp_path, f'a,b\n1,"{"x" * 1_000_000}"\n'))
    assert len(rows[0]["b"]) == 1_000_000


def test_a_cell_over_the_limit_is_a_problem_that_names_row_and_column(tmp_path: Path) -> None:
    found = problems(write(tmp_path, f"a,b\n1,{'x' * (MAX_CELL + 1)}\n2,y\n"))
    assert [(p.row, p.problem) for p in found] == [
        (1, "Column 'b' has 10,000,001 characters, more than the limit of 10,000,000.")
    ]


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [("a,b;c,d", ","), ("a;b;c", ";"), ("a\tb", "\t"), ('"x;y;z",b', ","), ("one", ",")],
)
def test_the_delimiter_is_counted_outside_quotes_in_the_header(header: str, delimiter: str) -> None:
    assert delimiter_of(header) == delimiter


def test_a_line_that_names_the_delimiter_is_obeyed(tmp_path: Path) -> None:
    assert read(write(tmp_path, "sep=;\na,x;b\n1;2\n"))[0] == [{"a,x": "1", "b": "2"}]


def test_decimal_commas_count_only_if_every_cell_of_the_column_has_that_form(
    tmp_path: Path,
) -> None:
    table = open_table(write(tmp_path, "a;b;c;d\n0,5;0,5;1;2,5\n1;n/a;2;2,5\n0,75;1,25;3;x\n"))
    # b: n/a says "no number"; c has no comma at all; d has a text among its numbers
    assert profile(table).decimal_comma == {"a", "b"}


def test_commas_are_no_decimal_ones_where_they_separate(tmp_path: Path) -> None:
    table = open_table(write(tmp_path, 'a,b\n"0,5",1\n"0,7",2\n'))
    assert profile(table).decimal_comma == frozenset()


def test_nul_and_lone_surrogates_are_replaced_and_counted(tmp_path: Path) -> None:
    rows, notices = read(write(tmp_path, "a,b\nx\0y,1\n"))
    assert rows[0]["a"] == "x\ufffdy"
    assert notices == {"NUL characters or lone surrogates were replaced by U+FFFD.": 1}
    rows, notices = read(write(tmp_path, '{"a": "\\u0000\\ud83d", "b": 1}', "x.jsonl"))
    assert rows[0]["a"] == "\ufffd\ufffd"
    assert notices == {"NUL characters or lone surrogates were replaced by U+FFFD.": 2}


def test_unnamed_row_numbers_are_known_only_if_they_count(tmp_path: Path) -> None:
    table = open_table(write(tmp_path, ",Unnamed: 0,index,a\n0,0,5,x\n1,2,6,y\n"))
    seen = profile(table)
    assert table.columns == ["column 1", "Unnamed: 0", "index", "a"]
    # the second jumps from 0 to 2, the third starts at 5: these say something
    assert seen.row_numbers(table.unnamed) == {"column 1"}


def test_columns_of_the_same_name_get_a_number(tmp_path: Path) -> None:
    rows, notices = read(write(tmp_path, "a,a,b\n1,2,3\n"))
    assert rows == [{"a": "1", "a (2)": "2", "b": "3"}]
    assert list(notices) == ["Several columns are named 'a'; the others got a number."]


def test_a_row_with_other_cells_than_the_header_is_a_problem_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "a,b\n1,2\n3\n4,5,6\n7,8,\n9,10\n")
    rows = list(open_table(path).rows(Notices()))
    assert [(row, cells.problem) for row, cells in rows if isinstance(cells, Problem)] == [
        (2, "The row has 1 cells, the header 2."),
        (3, "The row has 3 cells, the header 2."),
    ]
    # cells behind the last column do no harm while they are empty
    assert [cells["a"] for _, cells in rows if not isinstance(cells, Problem)] == ["1", "7", "9"]


def test_a_quote_that_is_never_closed_is_told(tmp_path: Path) -> None:
    found = problems(write(tmp_path, 'a,b\n1,2\n3,"4\n5,6\n7,8\n'))
    assert [(p.row, p.problem) for p in found] == [
        (2, "A quote that opens in this row is never closed.")
    ]


def test_lines_can_be_variables(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, "1.0,0.5\n1,0\n"), Hints(is_transposed=True))
    assert rows == [{"line 1": "1.0", "line 2": "1"}, {"line 1": "0.5", "line 2": "0"}]


def test_lines_of_unequal_length_are_never_matched_up(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="2 to 3 cells"):
        open_table(write(tmp_path, "1,2\n1,2,3\n"), Hints(is_transposed=True))


# --- Excel ----------------------------------------------------------------------------------------


def workbook(tmp_path: Path, *rows: tuple[Any, ...], sheets: dict[str, Any] | None = None) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for title, content in (sheets or {}).items():
        other = book.create_sheet(title)
        for row in content:
            other.append(row)
    path = tmp_path / "book.xlsx"
    book.save(path)
    return path


def test_excel_cells_are_texts(tmp_path: Path) -> None:
    path = workbook(
        tmp_path,
        ("id", "score", "ok", "answer"),
        ("007", 0.5, True, "None"),
        (7, 1.0, False, "_x000D_\nnext"),
        (12345, None, None, "=1+1"),
    )
    rows, _ = read(path)
    assert [row["id"] for row in rows] == ["007", "7", "12345"]
    assert [row["score"] for row in rows] == ["0.5", "1", ""]
    assert [row["ok"] for row in rows] == ["True", "False", ""]
    assert [row["answer"] for row in rows[:2]] == ["None", "\r\nnext"]


def test_excel_tells_of_cells_that_it_cut_and_of_ids_that_became_dates(tmp_path: Path) -> None:
    path = workbook(tmp_path, ("id", "context"), (date(2024, 3, 1), "x" * 32_767))
    rows, notices = read(path)
    assert rows[0]["id"].startswith("2024-03-01")
    assert sorted(notices) == [
        "A cell has 32,767 characters, the most that Excel holds: its text was probably cut.",
        "A cell is a date in Excel; it was kept as text (was it an id?).",
    ]


def test_excel_sheet_is_the_first_with_content_or_the_one_asked_for(tmp_path: Path) -> None:
    path = workbook(tmp_path, sheets={"A": [("a",), ("1",)], "B": [("b",), ("2",)]})
    assert read(path)[0] == [{"a": "1"}]
    assert read(path, Hints(sheet="B"))[0] == [{"b": "2"}]
    with pytest.raises(BadInputError, match="Its sheets: Sheet, A, B"):
        open_table(path, Hints(sheet="C"))


def test_blank_rows_of_a_sheet_are_dropped_and_counted(tmp_path: Path) -> None:
    path = workbook(tmp_path, ("a", "b"), ("1", "2"), (None, None), ("3", "4"), (None, None))
    rows, notices = read(path)
    assert [row["a"] for row in rows] == ["1", "3"]
    assert notices["The row is blank and was left out."] >= 1


def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(
    tmp_path: Path,
) -> None:
    path = workbook(tmp_path, ("a",), ("1",))
    content = bytearray(path.read_bytes())
    # the size of the first part as the directory of the archive states it
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", MAX_UNPACKED + 1)
    with pytest.raises(BadInputError, match="more than the limit"):
        open_table(write(tmp_path, bytes(content), "large.xlsx"))


def test_a_damaged_workbook_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "broken.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook")
    with pytest.raises(BadInputError, match="damaged Excel file"):
        open_table(path)


# --- 2.2 no type is guessed -----------------------------------------------------------------------


def test_texts_of_a_csv_stay_as_they_are(tmp_path: Path) -> None:
    texts = ["None", "NA", "null", "nan", "000", "007", "[1]", "1e5", "=1+1", "True", " x "]
    rows, _ = read(write(tmp_path, "a,b\n" + "".join(f"{text},1\n" for text in texts)))
    assert [row["a"] for row in rows] == texts


# --- 2.4 JSON -------------------------------------------------------------------------------------


def test_bare_nan_and_infinity_are_read(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, '{"a": NaN, "b": -Infinity}\n{"a": 1, "b": 2}\n'))
    assert rows[0]["a"] != rows[0]["a"]
    assert rows[0]["b"] == float("-inf")


@pytest.mark.parametrize(
    "content",
    [
        '{"a": 1}\n{"a": 2}\n',
        '[{"a": 1}, {"a": 2}]',
        '[\n  {"a": 1},\n  {"a": 2}\n]\n',
        '{"columns": ["a"], "data": [[1], [2]]}',
        '{"columns": ["a"], "index": [0, 1], "data": [[1], [2]]}',
        '{"a": [1, 2]}',
        '{"a": {"0": 1, "1": 2}}',
        '[{"0": {"a": 1}}, {"0": {"a": 2}}]',
        '{\n "made_by": "me",\n "rows": [{"a": 1}, {"a": 2}]\n}',
        '{"rows": [\n{"a": 1},\n{"a": 2}\n]}',
    ],
)
def test_rows_are_found_in_every_shape(tmp_path: Path, content: str) -> None:
    assert read(write(tmp_path, content))[0] == [{"a": 1}, {"a": 2}]


def test_one_line_of_json_lines_is_one_row(tmp_path: Path) -> None:
    assert read(write(tmp_path, '{"a": 1, "b": "x"}\n'))[0] == [{"a": 1, "b": "x"}]


def test_an_object_may_be_the_only_row(tmp_path: Path) -> None:
    path = write(tmp_path, '{"q": {"en": "?"}, "n": 1}')
    assert read(path)[0] == [{"q": {"en": "?"}, "n": 1}]
    path = write(tmp_path, '{"q": "?", "docs": [{"body": "x"}]}')
    assert read(path)[0] == [{"body": "x"}]
    assert read(path, Hints(records="."))[0] == [{"q": "?", "docs": [{"body": "x"}]}]


def test_what_stands_outside_the_rows_is_kept(tmp_path: Path) -> None:
    table = open_table(write(tmp_path, '{"judge": "m", "rows": [{"a": 1}]}'))
    assert table.about == {"judge": "m"}


def test_a_bad_line_has_its_number_and_the_others_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, '{"a": 1}\n{"a": \n{"a": 3}\n["no object"]\n')
    rows = list(open_table(path).rows(Notices()))
    assert [row for row, cells in rows if isinstance(cells, Problem)] == [2, 4]
    assert [cells for _, cells in rows if not isinstance(cells, Problem)] == [{"a": 1}, {"a": 3}]


def test_a_bad_first_line_does_not_hide_the_others(tmp_path: Path) -> None:
    path = write(tmp_path, '{"a": \n{"a": 2}\n{"a": 3}\n')
    rows = list(open_table(path).rows(Notices()))
    assert [row for row, cells in rows if isinstance(cells, Problem)] == [1]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('{\n "a": 1\n}\n{\n "a": 2\n}\n', "line 4, column 1"),
        ('{\n "a": 1,\n}\n', "line 3, column 1"),
        ('{\n "a": [1, 2\n', "line 3, column 1"),
    ],
)
def test_hand_made_json_is_refused_with_the_place_and_not_repaired(
    tmp_path: Path, content: str, place: str
) -> None:
    with pytest.raises(BadInputError, match=place):
        open_table(write(tmp_path, content))


def test_rows_deeper_in_an_object_are_named(tmp_path: Path) -> None:
    content = json.dumps({"runs": {"x": {"rows": [{"a": 1}]}, "y": {"rows": [{"a": 2}]}}, "n": 2})
    path = write(tmp_path, content)
    with pytest.raises(BadInputError, match=r"runs\.\*\.rows"):
        open_table(path)
    assert read(path, Hints(records="runs.*.rows"))[0] == [
        {"runs": "x", "a": 1},
        {"runs": "y", "a": 2},
    ]


def test_columns_of_unequal_length_are_never_matched_up(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="without rows"):
        open_table(write(tmp_path, '{"a": [1, 2], "b": [1]}'))
    with pytest.raises(BadInputError, match=r"Row 2 of file\.csv has 1 cells"):
        open_table(write(tmp_path, '{"columns": ["a", "b"], "data": [[1, 2], [3]]}'))


def test_large_numbers_keep_their_digits(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, '{"id": 12345678901234567890}\n{"id": 1}\n'))
    assert str(rows[0]["id"]) == "12345678901234567890"


def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold every JSON object for too large to be read as a whole."""
    monkeypatch.setattr(table_json, "MAX_DOCUMENT", 0)


@pytest.mark.parametrize(
    ("content", "records"),
    [
        ('{"judge": "m", "rows": [{"a": "x\\u0000"}, {"a": 2}], "n": [1, 2]}', None),
        ('{"judge": "m", "n": [{"b": 1}], "rows": [{"a": "x\\u0000"}, {"a": 2}]}', "rows"),
        ('{"n": [], "rows":\n[{"a": "x\\u0000"},\n{"a": 2}\n], "judge": "m"}', None),
    ],
)
def test_a_large_object_is_read_row_by_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, records: str | None
) -> None:
    large(monkeypatch)
    path = write(tmp_path, content)
    table = open_table(path, Hints(records=records))
    assert table.about == {"judge": "m"}
    assert table.columns == ["a"]
    for _ in range(2):
        assert list(table.rows(Notices())) == [(1, {"a": "x\ufffd"}), (2, {"a": 2})]
    assert table.tally.bytes_read == path.stat().st_size


@pytest.mark.parametrize(
    ("content", "records", "problem"),
    [
        ('{"a": [{"x": 1}], "b": [{"x": 1}]}', None, "Its keys are: a, b. Save its rows as JSON"),
        ('{"a": [1, {"x": 1}]}', None, "too large to be held as a whole"),
        ('{"a": {"b": [{"x": 1}]}}', "a.b", "its rows are not the objects of one list at its top"),
        ('{"a": [{"x": 1}, ]}', None, "is no JSON: Expecting value at character 18"),
    ],
)
def test_a_large_object_without_one_list_of_rows_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: str,
    records: str | None,
    problem: str,
) -> None:
    large(monkeypatch)
    with pytest.raises(BadInputError) as caught:
        open_table(write(tmp_path, content), Hints(records=records))
    assert problem in str(caught.value)


# --- Parquet and what is no table -----------------------------------------------------------------


def test_parquet_values_keep_their_types(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({
        "id": pa.array([2**62, 7], pa.int64()),
        "contexts": [["a", "b"], []],
        "score": [0.5, None],
        "when": pa.array([date(2024, 1, 2), None]),
        "raw": [b"x", None],
    })  # fmt: skip
    pq.write_table(table, path)
    assert read(path)[0] == [
        {"id": 2**62, "contexts": ["a", "b"], "score": 0.5, "when": "2024-01-02", "raw": "x"},
        {"id": 7, "contexts": [], "score": None, "when": None, "raw": None},
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x1f\x8b\x08rest", "gzip"),
        (b"\xd0\xcf\x11\xe0rest", "old kind"),
        (b"SQLite format 3\0rest", "SQLite"),
        (b"%PDF-1.7", "PDF"),
        (b"PAR1broken", "damaged Parquet"),
        (b"PK\x03\x04broken", "Unpack it first"),
        (bytes(range(256)) * 8 + b"\0" * 400, "binary"),
        (b'"just a text"', "nothing"),
    ],
)
def test_what_is_no_table_says_what_it_is(tmp_path: Path, content: bytes, words: str) -> None:
    path = write(tmp_path, content, "file.bin")
    if words == "nothing":
        # one line of text is a header without rows
        assert read(path)[0] == []
        return
    with pytest.raises(BadInputError, match=words):
        open_table(path)


def test_names_inside_an_archive_are_never_paths(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    path = workbook(inner, ("a",), ("1",))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../../outside.txt", "x")
        archive.writestr(str(tmp_path / "absolute.txt"), "x")
    assert read(path)[0] == [{"a": "1"}]
    assert sorted(found.name for found in tmp_path.rglob("*")) == ["book.xlsx", "inner"]
