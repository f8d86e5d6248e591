"""Rules of FORMATS 2.1 to 2.4 that every importer keeps, each through the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.store.connection import Store

Importing = Callable[..., tuple[int, dict[str, Any]]]
Content = str | bytes | Callable[[Path], None]
QUESTION = '[columns]\nq = "question"\n'
SCORED = f'{QUESTION}m = "metric"\n'
NOTHING = "there is nothing to import"
SCORES = (
    "select metric, status, value, cause, raw from verdict join judge using (judge_id) "
    "where kind = 'imported' order by position, metric"
)


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


def notices(report: dict[str, Any]) -> dict[str, int]:
    return {notice["notice"]: notice["n"] for notice in report["notices"]}


def sheet(*lines: tuple[Any, ...]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(line)
        book.save(path)

    return write


def parquet(**columns: Any) -> Callable[[Path], None]:
    return lambda path: pq.write_table(pa.table(columns), path)


# --- 2.1 bytes and text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "mapping", "n"),
    [
        ("a.csv", "q,m\n?,1\n,\n , \n", SCORED, 2),
        ("a.jsonl", '{"q":"?","m":1}\n{"q":null,"m":null}\n{"q":" ","m":NaN}\n{}\n', SCORED, 3),
        ("a.json", '[{"q": "?", "m": 1}, {"q": "", "m": null}]', SCORED, 1),
        ("a.xlsx", sheet(("q", "m"), ("?", 1), (" ", " "), (None, None)), SCORED, 2),
        ("a.parquet", parquet(q=["?", None, ""], m=[1.0, float("nan"), None]), SCORED, 2),
        ("a.jsonl", '{"user_input":"?","faithfulness":1}\n{"user_input":null}\n', None, 1),
    ],
)
def test_2_1_blank_rows_of_every_kind_of_file_are_dropped_and_counted(
    fresh_store: Store,
    imported: Importing,
    name: str,
    content: Content,
    mapping: str | None,
    n: int,
) -> None:
    code, report = imported(name, content, mapping)
    assert code == 0
    assert notices(report)["The row is blank and was left out."] == n
    assert rows(fresh_store, "select question from sample") == [("?",)]


@pytest.mark.parametrize("mapping", [None, '[columns]\na = "question"'], ids=["alone", "mapped"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", " " * 70_000),
        ("a.csv", "a,b\n"),
        ("a.csv", "a,b\n,\n,\n"),
        ("a.csv", ",\n,\n"),
        ("a.csv", "\r\n".encode("utf-16")),
        ("a.json", "null"),
        ("a.json", "[]"),
        ("a.json", f"[{' ' * 70_000}]"),
        ("a.json", "[{}]"),
        ("a.jsonl", "{}\n{}\n"),
        ("a.json", "{}"),
        ("a.json", '{"columns": ["a"], "data": []}'),
        ("a.json", '{"results": []}'),
        ("a.json", '{"ragas_version": "0.4", "rows": []}'),
        # a test run with zero cases
        ("a.json", '{"testRunData": {"testCases": [], "metricsScores": []}}'),
        ("a.xlsx", sheet()),
        ("a.xlsx", sheet(("user_input", "response"))),
        ("a.parquet", parquet(user_input=pa.array([], pa.string()))),
    ],
)
def test_2_1_what_holds_nothing_says_so_without_and_with_a_map(
    imported: Importing, name: str, content: Content, mapping: str | None
) -> None:
    code, report = imported(name, content, mapping)
    assert code == 2
    assert [NOTHING in problem["problem"] for problem in report["problems"]] == [True]


def test_2_1_an_only_row_with_an_empty_list_is_a_row(
    fresh_store: Store, imported: Importing
) -> None:
    mapping = '[columns]\nquestion = "question"\ndata = "contexts"'
    code, _ = imported("a.json", '{"question": "?", "data": []}', mapping)
    assert code == 0
    assert rows(fresh_store, "select question, is_contexts_recorded from sample") == [("?", True)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ",q,m\n0,?,1\n1,!,0\n"),
        ("a.csv", "Unnamed: 0,q,m\n0,?,1\n1,!,0\n"),
        ("a.xlsx", sheet((None, "q", "m"), (0, "?", 1), (1, "!", 0))),
        ("a.jsonl", '{"index":0,"q":"?","m":1}\n{"index":1,"q":"!","m":0}\n'),
        ("a.json", '{"Unnamed: 0": [0, 1], "q": ["?", "!"], "m": [1, 0]}'),
        ("a.parquet", parquet(index=[0, 1], q=["?", "!"], m=[1, 0])),
    ],
)
def test_2_1_columns_that_only_count_rows_are_ignored_in_every_kind_of_file(
    fresh_store: Store, imported: Importing, name: str, content: Content
) -> None:
    assert imported(name, content, SCORED)[0] == 0
    assert rows(fresh_store, "select question, extra from sample order by position") == [
        ("?", None),
        ("!", None),
    ]


def test_2_1_an_index_that_does_not_count_is_kept(fresh_store: Store, imported: Importing) -> None:
    content = '{"index": 7, "q": "?", "m": 1}\n{"index": 9, "q": "!", "m": 0}\n'
    assert imported("a.jsonl", content, SCORED)[0] == 0
    assert rows(fresh_store, "select extra from sample order by position") == [
        ('{"index": 7}',),
        ('{"index": 9}',),
    ]


def test_2_1_nul_and_surrogates_that_a_printed_list_escapes_are_replaced(
    fresh_store: Store,
    imported: Importing,
) -> None:
    content = "q,c\n?,\"['a\\x00b\\ud83d']\"\n"
    code, report = imported("a.csv", content, f'{QUESTION}c = "contexts"')
    assert code == 0
    assert rows(fresh_store, "select text from context") == [("a\ufffdb\ufffd",)]
    assert notices(report)["NUL characters or lone surrogates were replaced by U+FFFD."] == 2


def test_2_1_a_semicolon_file_of_ragas_has_its_decimal_commas(
    fresh_store: Store, imported: Importing
) -> None:
    content = "user_input;response;faithfulness;latency\n?;a;0,5;1,5\n!;b;1;2\n"
    assert imported("a.csv", content)[0] == 0
    assert rows(fresh_store, SCORES) == [
        ("faithfulness", "value", 0.5, None, "0,5"),
        ("faithfulness", "value", 1.0, None, None),
    ]
    assert rows(fresh_store, "select latency from sample order by position") == [(1.5,), (2.0,)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize(
    "header", ["run,sample_id,question,answer", "user_input,response,faithfulness,note"]
)
def test_2_1_a_table_is_the_same_in_every_encoding(
    fresh_store: Store, imported: Importing, header: str, encoding: str, end: str
) -> None:
    cells = {"run": "a,1,Zoë?,– so", "user_input": "Zoë?,– so,1,x"}[header.split(",")[0]]
    code, report = imported("a.csv", f"{header}{end}{cells}{end}".encode(encoding))
    assert code == 0
    assert rows(fresh_store, "select question, answer from sample") == [("Zoë?", "– so")]
    told = [notice for notice in notices(report) if "read as Windows text (cp1252)" in notice]
    assert len(told) == (encoding == "cp1252")


# --- 2.2 no type is guessed -----------------------------------------------------------------------


@pytest.mark.parametrize("word", ["", "nan", "NaN", "null", "None", "N/A", "NA", "-"])
def test_2_2_each_word_for_a_missing_number_is_one_and_stays_a_text(
    fresh_store: Store, imported: Importing, word: str
) -> None:
    content = f"q,a,m,t\n?,{word},{word},{word}\n!,x,1,2\n"
    mapping = f'{SCORED}a = "answer"\nt = "latency"'
    assert imported("a.csv", content, mapping)[0] == 0
    assert rows(fresh_store, SCORES)[0] == ("m", "error", None, "absent_in_file", word)
    assert rows(fresh_store, "select answer, latency from sample order by position") == [
        (word, None),
        ("x", 2.0),
    ]


# --- 2.3 lists ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("separator", "cell", "texts"),
    [
        ("|", "a|b", ["a", "b"]),
        ("|", "a|b|", ["a", "b"]),  # one behind the last item closes it
        ("|", "a||b", ["a", "", "b"]),  # one more between items is an empty one
        ("\\n\\n", "one\\n\\ntwo\\nlines", ["one", "two\nlines"]),
    ],
)
def test_2_3_joined_texts_come_apart_at_the_separator_of_the_map(
    fresh_store: Store, imported: Importing, separator: str, cell: str, texts: list[str]
) -> None:
    mapping = (
        f'{QUESTION}c = {{ role = "contexts", list = "separator", separator = "{separator}" }}'
    )
    assert imported("a.jsonl", f'{{"q": "?", "c": "{cell}"}}', mapping)[0] == 0
    found = rows(fresh_store, "select text from context order by rank")
    assert [text for (text,) in found] == texts


def test_2_3_joined_ids_have_no_blanks_and_meet_their_gold(
    fresh_store: Store, imported: Importing
) -> None:
    joined = 'list = "separator", separator = ","'
    mapping = (
        f'{QUESTION}i = {{ role = "context_ids", {joined} }}\ng = {{ role = "gold_ids", {joined} }}'
    )
    content = 'q,i,g\n?,"d1, d2","d2,d3"\n'
    assert imported("a.csv", content, mapping)[0] == 0
    assert rows(fresh_store, "select doc_id from context order by rank") == [("d1",), ("d2",)]
    assert rows(fresh_store, "select doc_id from gold order by n") == [("d2",), ("d3",)]


def test_2_3_missing_items_are_left_out_in_the_neutral_format_too(
    fresh_store: Store, imported: Importing
) -> None:
    content = (
        '{"question": "?", "contexts": [null, "a", NaN], "gold_doc_ids": ["a", null, [NaN, "b"]], '
        '"tags": {"t": ["x", NaN], "u": NaN}, "reference": ["y", Infinity]}'
    )
    code, report = imported("a.jsonl", content)
    assert code == 0
    assert rows(fresh_store, "select rank, text from context") == [(1, "a")]
    assert rows(fresh_store, "select doc_id, gold_group from gold order by n") == [
        ("a", None),
        ("b", "3"),
    ]
    assert rows(fresh_store, "select name, value from tag") == [("t", "x")]
    assert rows(fresh_store, "select reference_texts from sample") == [(["y"],)]
    assert notices(report)["contexts has items null or NaN; they were left out."] == 1


# --- 2.4 JSON -------------------------------------------------------------------------------------

FIELDS = (
    "answer", "sample_id", "run", "contexts", "reference", "scores", "labels", "tags", "gold",
    "gold_doc_ids", "history", "error", "latency", "cost", "verdicts", "human_labels", "claims",
    "extra",
)  # fmt: skip


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_2_4_what_is_no_json_number_is_missing_in_every_field(
    fresh_store: Store, imported: Importing, word: str
) -> None:
    content = "".join(f'{{"question": "?", "{field}": {word}}}\n' for field in FIELDS)
    assert imported("a.jsonl", content)[0] == 0
    statement = (
        "select answer, reference_texts, is_contexts_recorded, history, extra, error, latency, "
        "cost from sample"
    )
    nothing: tuple[Any, ...] = ("", [], False, None, None, None, None, None)
    assert rows(fresh_store, statement) == [nothing] * len(FIELDS)
    for table in ("context", "gold", "tag", "label"):
        assert rows(fresh_store, f"select count(*) from {table}") == [(0,)]
    assert rows(fresh_store, "select name from run") == [("a",)]


def test_2_4_what_is_no_json_number_is_missing_in_contexts_and_gold(
    fresh_store: Store, imported: Importing
) -> None:
    content = (
        '{"question": "?", "contexts": [{"text": "a", "rank": NaN, "doc_id": NaN, "score": NaN}], '
        '"gold": [{"doc_id": NaN, "text": "x"}, {"doc_id": "d", "text": Infinity}]}'
    )
    assert imported("a.jsonl", content)[0] == 0
    assert rows(fresh_store, "select rank, doc_id, text, score from context") == [
        (1, None, "a", None)
    ]
    assert rows(fresh_store, "select doc_id, text from gold order by n") == [
        (None, "x"),
        ("d", None),
    ]


def test_2_4_one_sample_on_several_lines_is_read_whole(
    fresh_store: Store, imported: Importing
) -> None:
    content = '{\n "question": "?",\n "answer": "a\\u0000",\n "scores": {"m": 1}\n}\n'
    code, report = imported("a.json", content)
    assert (code, report["format"]) == (0, "neutral")
    assert rows(fresh_store, "select question, answer from sample") == [("?", "a\ufffd")]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('{\n "question": "?"\n}\n{\n "question": "!"\n}\n', "line 4, column 1"),
        ('{\n "question": "?",\n}\n', "line 3, column 1"),
        ('[{"question": "?"},]', "element 2"),
        ('[{"question": "?"}][{"question": "!"}]', "something follows the end of the array"),
    ],
)
def test_2_4_hand_made_json_is_refused_with_the_place(
    fresh_store: Store, imported: Importing, content: str, place: str
) -> None:
    code, report = imported("a.json", content)
    assert code == 2
    assert place in report["problems"][0]["problem"]
    assert rows(fresh_store, "select count(*) from sample") == [(0,)]


def test_2_4_a_bad_line_has_its_number_and_the_others_can_be_imported(
    fresh_store: Store, imported: Importing
) -> None:
    content = '{"question": "?"}\n{"question": \n{"question": "!"}\n'
    code, report = imported("a.jsonl", content)
    assert (code, [problem["row"] for problem in report["problems"]]) == (2, [2])
    code, _ = imported("a.jsonl", content, None, "--skip-bad-rows")
    assert code == 0
    assert rows(fresh_store, "select question from sample order by position") == [("?",), ("!",)]


@pytest.mark.parametrize(
    "content",
    [
        '[{"0": {"question": "?", "answer": "a"}}, {"1": {"question": "!", "answer": "b"}}]',
        '{"0": {"question": "?", "answer": "a"}}\n{"1": {"question": "!", "answer": "b"}}\n',
    ],
)
def test_2_4_the_index_of_a_frame_is_unwrapped_in_the_neutral_format_too(
    fresh_store: Store, imported: Importing, content: str
) -> None:
    assert imported("a.json", content)[0] == 0
    assert rows(fresh_store, "select question, answer from sample order by position") == [
        ("?", "a"),
        ("!", "b"),
    ]
