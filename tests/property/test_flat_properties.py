"""A record survives being one row of a table, and a text being safe for a spreadsheet."""

import csv
import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core import flat

SIGNS = "=+-@\t\r\n＝＋－＠"
texts = st.one_of(
    st.text(max_size=10),
    st.builds("{}{}".format, st.text("'" + SIGNS + '"[{', max_size=3), st.text(max_size=5)),
)
filled = texts.filter(bool)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)
records = st.fixed_dictionaries(
    {"run": filled, "sample_id": filled, "question": texts, "answer": texts},
    optional={
        "reference": st.one_of(filled, st.lists(filled, min_size=2, max_size=3)),
        "contexts": st.lists(json_values, max_size=2),
        "gold_doc_ids": st.lists(filled, min_size=1, max_size=2),
        "labels": st.dictionaries(texts, filled, min_size=1, max_size=2),
        "tags": st.dictionaries(
            texts,
            st.one_of(filled, st.lists(filled, min_size=2, max_size=3)),
            min_size=1,
            max_size=2,
        ),
        "history": json_values.filter(lambda value: value is not None),
        "extra": st.dictionaries(texts, json_values, max_size=2),
        "error": filled,
    },
)


@given(records)
def test_record_is_read_back_from_its_row(record: dict[str, Any]) -> None:
    assert flat.unflatten(flat.flatten(record)) == record


@given(records)
def test_all_columns_of_a_row_are_announced(record: dict[str, Any]) -> None:
    announced = flat.columns([], record.get("labels", {}), record.get("tags", {}))

    assert set(flat.flatten(record)) <= set(announced)


@given(texts)
def test_protected_text_is_read_back(text: str) -> None:
    assert flat.unprotect(flat.protect(text)) == text


@given(texts)
def test_b74_no_protected_text_begins_like_a_formula(text: str) -> None:
    assert flat.protect(text)[:1] not in tuple(SIGNS)


@given(st.lists(texts, min_size=2, max_size=4))
def test_protected_cells_survive_a_csv_file(cells: list[str]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerow([flat.protect(cell) for cell in cells])

    (row,) = csv.reader(io.StringIO(out.getvalue(), newline=""))

    assert [flat.unprotect(cell) for cell in row] == cells
