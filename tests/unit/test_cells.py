"""Lists in cells: FORMATS 2.3, one test for each of its ways and traps."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest import cells
from core.ingest.cells import is_cut, parse_list, parse_value
from core.ingest.literals import MAX_DEPTH, MAX_ITEMS, LiteralError, parse_literal


@pytest.mark.parametrize(
    ("cell", "items", "way"),
    [
        # 1 JSON: texts, objects with any of the three text keys, an object keyed by document id
        ('["a", "b"]', ["a", "b"], cells.JSON_LIST),
        ('[{"text": "a"}, {"page_content": "b"}]', [{"text": "a"}, {"page_content": "b"}],
         cells.JSON_LIST),
        ('{"d1": "x", "d2": {"text": "y", "score": 2}}',
         [{"doc_id": "d1", "text": "x"}, {"doc_id": "d2", "text": "y", "score": 2}],
         cells.JSON_OBJECT),
        ('{"text": "x", "id": 7}', [{"text": "x", "id": 7}], cells.ONE_OBJECT),
        ("[]", [], cells.JSON_LIST),
        # 2 Python: both quotes in one cell, escapes become the characters
        ("""['it is', "it's"]""", ["it is", "it's"], cells.PYTHON_LIST),
        (r"['a\xa0b', 'c\nd\te']", ["a\xa0b", "c\nd\te"], cells.PYTHON_LIST),
        ("('a', 'b')", ["a", "b"], cells.PYTHON_LIST),
        ("{'d1': 'x'}", [{"doc_id": "d1", "text": "x"}], cells.PYTHON_OBJECT),
        ("[Document(page_content='p', metadata={'page': 3})]",
         [{"page_content": "p", "metadata": {"page": 3}}], cells.PYTHON_LIST),
        # 3 printed arrays; Python's own parser would join 'a' 'b' to one text
        ("array(['a', 'b'], dtype=object)", ["a", "b"], cells.ARRAY),
        ("['a' 'b']", ["a", "b"], cells.NO_COMMAS),
        ("['a'\n 'b']", ["a", "b"], cells.NO_COMMAS),
        # 6 anything else is one text, never characters
        ("a plain text", ["a plain text"], cells.ONE_TEXT),
        ("(see page 4) and more", ["(see page 4) and more"], cells.ONE_TEXT),
        ("[see page 4]", ["[see page 4]"], cells.UNREADABLE),
        ("f(x) = 2", ["f(x) = 2"], cells.ONE_TEXT),
        ("12", ["12"], cells.ONE_TEXT),
    ],
)  # fmt: skip
def test_each_way_to_write_a_list_is_read_and_named(
    cell: str, items: list[object], way: str
) -> None:
    found = parse_list(cell)
    assert (found.items, found.way) == (items, way)


def test_missing_items_are_left_out_and_counted() -> None:
    # 4: nan breaks Python's own literal parser
    found = parse_list("['a', nan, None, 'b']")
    assert (found.items, found.n_missing) == (["a", "b"], 2)


def test_separators_count_only_where_somebody_said_so() -> None:
    # 5
    assert parse_list("a|b").items == ["a|b"]
    found = parse_list("a|b", "separator", "|")
    assert (found.items, found.way) == (["a", "b"], cells.SEPARATED)


def test_sources_before_passages_are_taken_apart_only_on_request() -> None:
    cell = "plan.pdf#page=4: covers: eyes\nand ears\nterms.md: none\n"
    assert parse_list(cell).items == [cell]
    assert parse_list(cell, "sources").items == [
        {"doc_id": "plan.pdf#page=4", "text": "covers: eyes\nand ears"},
        {"doc_id": "terms.md", "text": "none"},
    ]
    assert parse_list("no source here", "sources").way == cells.ONE_TEXT


def test_an_empty_cell_is_not_an_empty_list() -> None:
    assert parse_list("").items is None
    assert parse_list(None).items is None
    assert parse_list(float("nan")).items is None
    assert parse_list("[]").items == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("and so on...", True),
        ("and so on…", True),
        ("head [truncated 20 lines] tail", True),
        ("It ends here.", False),
        ("a ... in the middle of a sentence", False),
    ],
)
def test_texts_cut_for_display_are_flagged(text: str, expected: bool) -> None:
    assert is_cut(text) is expected
    assert parse_list([text]).is_cut is expected


def test_an_ellipsis_between_items_says_that_items_are_missing() -> None:
    found = parse_list("['a' 'b' ... 'y' 'z']")
    assert (found.items, found.is_cut) == (["a", "b", "y", "z"], True)


def test_an_item_that_is_a_printed_message_is_unwrapped_once() -> None:
    inner = json.dumps([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    assert parse_list([inner, "[1] plain", '{"no": "text"}']).items == [
        "one\ntwo",
        "[1] plain",
        '{"no": "text"}',
    ]


def test_records_without_a_text_are_kept_as_their_json() -> None:
    # never an empty context only because the text has no known name
    found = parse_list('{"34": {"name": "Helmet", "price": 5}}')
    assert found.items == [{"doc_id": "34", "text": '{"name": "Helmet", "price": 5}'}]


def test_lists_that_are_lists_already_stay() -> None:
    assert parse_list(["a", {"text": "b"}]).way == cells.LIST
    assert parse_list([["a", "b"], ["c"]]).items == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    "text",
    [
        "[" * (MAX_DEPTH + 2),
        "[1" * (MAX_DEPTH + 2),
        "['a'",
        "'a",
        "['a'] and more",
        "[__import__('os').system('true')]",
        "[x for x in y]",
        "[1 + 1]",
        "{'a': 1, 'b'}",
        "lambda: 0",
        "",
        "...",
    ],
)
def test_what_is_no_literal_is_refused_and_never_evaluated(text: str) -> None:
    with pytest.raises(LiteralError):
        parse_literal(text)


def test_depth_and_number_of_items_are_limited() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert parse_literal(deepest).value is not None
    with pytest.raises(LiteralError, match="nested deeper"):
        parse_literal(f"[[{deepest}]]")
    with pytest.raises(LiteralError, match="items"):
        parse_literal("[" + "0 " * (MAX_ITEMS + 1) + "]")


def test_whole_numbers_keep_all_their_digits() -> None:
    assert parse_literal("[12345678901234567890]").value == [12345678901234567890]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_VALUES)
def test_what_python_prints_is_read_back(value: object) -> None:
    assert parse_literal(repr(value)).value == value


@given(st.text())
def test_any_text_is_one_item_or_a_list_and_never_an_error(text: str) -> None:
    found = parse_list(text)
    assert (found.items is None) == (text == "")
    assert parse_value(text) is not None


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_list_of_texts_survives_both_ways_to_print_it(texts: list[str]) -> None:
    by_python, by_json = parse_list(repr(texts)), parse_list(json.dumps(texts))
    # An item that is itself a printed message is unwrapped; no other item changes.
    expected = parse_list(list(texts)).items
    assert by_python.items == by_json.items == expected
