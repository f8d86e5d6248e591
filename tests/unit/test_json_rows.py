"""Rows of JSON files: lines, or elements of an array, each with its number when it is broken."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.json_rows import json_rows
from core.ingest.json_stream import JsonStream
from core.records import Notices, Problem

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=6,
)


def read(path: Path) -> tuple[list[tuple[int, Any]], list[tuple[int | None, str, int]]]:
    notices = Notices()
    return list(json_rows(path, notices)), [tuple(notice) for notice in notices.as_list()]


def write(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "file.json"
    path.write_bytes(text.encode(encoding))
    return path


def test_broken_line_is_a_problem_with_its_number_and_the_others_are_read(tmp_path: Path) -> None:
    rows, said = read(write(tmp_path, '{"a": 1}\n{"a": \n\n{"a": 2}\n\n\n'))

    assert rows[0] == (1, {"a": 1})
    number, problem = rows[1]
    assert (number, problem.row) == (2, 2)
    assert problem.problem.startswith("The row is no JSON: Expecting value")
    assert rows[2:] == [(4, {"a": 2})]
    assert said == [(3, "The row is blank and was left out.", 3)]


def test_bare_nan_and_infinity_are_read(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, '{"a": NaN, "b": -Infinity}\n'))

    assert str(rows) == "[(1, {'a': nan, 'b': -inf})]"


def test_number_with_more_digits_than_python_reads_is_a_problem_of_its_row(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, f'{{"a": {"9" * 5000}}}\n{{"a": 1}}\n'))

    assert isinstance(rows[0][1], Problem)
    assert rows[1] == (2, {"a": 1})


def test_row_nested_without_end_is_a_problem_of_its_row(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, "{}\n" + '{"a": ' + "[" * 100_000 + "\n{}\n"))

    assert rows[0] == (1, {})
    assert "nested deeper" in rows[1][1].problem
    assert rows[2] == (3, {})


def test_nul_and_surrogates_are_replaced_and_counted(tmp_path: Path) -> None:
    rows, said = read(write(tmp_path, '{"a": "x\\u0000y"}\n{"b": "\\ud83d \\ude00"}\n'))

    assert rows == [(1, {"a": "x\ufffdy"}), (2, {"b": "\ufffd \ufffd"})]
    assert said == [(1, "NUL characters or lone surrogates were replaced by U+FFFD.", 3)]


# --- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
@given(elements=st.lists(json_values, max_size=5), indent=st.sampled_from([None, 0, 2]))
def test_array_is_read_in_pieces_of_any_size(
    size: int, elements: list[Any], indent: int | None
) -> None:
    text = json.dumps(elements, indent=indent, ensure_ascii=False)
    pieces = (text[start : start + size] for start in range(0, len(text), size))

    assert list(JsonStream(pieces).only_array()) == json.loads(text)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
@given(
    document=st.dictionaries(st.text(), json_values, max_size=4),
    indent=st.sampled_from([None, 0, 2]),
)
def test_object_is_read_in_pieces_of_any_size(
    size: int, document: dict[str, Any], indent: int | None
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    pieces = (text[start : start + size] for start in range(0, len(text), size))
    stream = JsonStream(pieces)

    found = {
        key: list(stream.elements()) if stream.next_character() == "[" else stream.value()
        for key in stream.only_object()
    }

    assert found == json.loads(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1', ", or } must follow at character 8, not the end of the file"),
        ('{"a" 1}', ": must follow at character 6, not '1'"),
        ("{1: 2}", "a key must stand before character 2"),
        ('{"a": 1,}', "Expecting value at character 9"),
        ('{"a": 1} {', "something follows the end of the object: '{'"),
        ("[]", "{ must follow at character 1, not '['"),
    ],
)
def test_broken_object_has_the_place(text: str, problem: str) -> None:
    stream = JsonStream(iter([text]))
    with pytest.raises(ValueError, match=re.escape(problem)):
        [stream.value() for _ in stream.only_object()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_array_is_read_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    rows, said = read(write(tmp_path, '\n [{"a": "Zoë"},\n {"a": 2}]\n', encoding))

    assert rows == [(1, {"a": "Zoë"}), (2, {"a": 2})]
    assert len(said) == (encoding == "cp1252")


@pytest.mark.parametrize(
    ("text", "element", "said"),
    [
        ('[{"a": 1}, {"a" 2}]', 2, "Expecting ':' delimiter at character 17"),
        ('[{"a": 1}, {"a": 2}', 2, "must follow at character 20, not the end of the file"),
        ('[{"a": 1} {"a": 2}]', 1, ", or ] must follow at character 11, not '{'"),
        ('[{"a": 1}, {"a": "x', 2, "the file ends within it"),
        ('[{"a": 1},]', 2, "Expecting value"),
        ('[{"a": 1}] {"a": 2}', 1, "something follows the end of the array"),
    ],
)
def test_broken_array_names_the_place_and_is_a_problem_of_the_file(
    text: str, element: int, said: str, tmp_path: Path
) -> None:
    rows, _ = read(write(tmp_path, text))

    assert rows[0] == (1, {"a": 1})
    number, problem = rows[-1]
    assert isinstance(problem, Problem)
    assert problem.row is None
    assert said in problem.problem
    assert f"element {element + (number > element)}" in problem.problem


def test_array_nested_without_end_is_a_problem(tmp_path: Path) -> None:
    rows, _ = read(write(tmp_path, "[" * 100_000))

    assert "nested deeper" in rows[0][1].problem
