"""Saying what the columns of a table are: suggestions, a grid to change them, the map as a file."""

from collections.abc import Mapping as AnyMapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import BadInputError, RagTriageError
from core.ingest import places
from core.ingest.mapping import Mapping, Role, Use
from core.ingest.mapping_toml import dumps, loads
from core.ingest.preview import ColumnPreview, TablePreview, preview
from core.ingest.synonyms import names_people
from core.ingest.table_base import Hints
from core.model import Direction
from dashboard.theme import count, counted, escape, escape_line, number

_LIST_ROLES = (Role.CONTEXTS, Role.CONTEXT_IDS, Role.GOLD, Role.GOLD_IDS)
_WORDS = {
    Role.RUN: "run (splits the file)",
    Role.SAMPLE_ID: "sample id",
    Role.QUESTION: "question",
    Role.ANSWER: "answer",
    Role.REFERENCE: "reference",
    Role.CONTEXTS: "contexts",
    Role.CONTEXT_IDS: "ids of the contexts",
    Role.GOLD: "gold texts",
    Role.GOLD_IDS: "gold ids",
    Role.METRIC: "score",
    Role.REASON: "reason of a score",
    Role.LABEL: "label of a person",
    Role.TAG: "tag",
    Role.LATENCY: "latency in seconds",
    Role.COST: "cost",
    Role.ERROR: "error text",
    Role.SUCCESS: "success flag",
    Role.HISTORY: "earlier turns",
    Role.EXTRA: "keep as extra",
    Role.IGNORE: "leave out",
}
_MILLISECONDS = "latency in milliseconds"
_ROLES = {words: role for role, words in _WORDS.items()} | {_MILLISECONDS: Role.LATENCY}
_WAYS = {
    "find out": "auto",
    "one text": "text",
    "with a separator": "separator",
    "source lines": "sources",
}


def draw(path: Path, name: str, file_id: str) -> Mapping | None:
    """The grid of columns; returns the map as it stands, None while it cannot be used."""
    saved = st.file_uploader(
        "A saved map (optional)",
        type=["toml"],
        key=f"map_{file_id}",
        help="The file that “Save this map” wrote; it also works as ragtriage import --map.",
    )
    try:
        start = loads(saved.getvalue().decode("utf-8")) if saved is not None else None
        # A saved map says itself where the rows are.
        hints = _place(row_places(path, name, file_id), file_id) if start is None else None
        read = f"{file_id}:{saved.file_id if saved else hints or ''}"
        found = _preview(path, name, read, start, hints)
    except (RagTriageError, UnicodeDecodeError) as error:
        st.error(escape(str(error)), icon=":material/error:")
        return None
    st.caption(
        f"{escape_line(found.kind)}, {counted(found.n_rows, 'row')}, "
        f"{counted(len(found.columns), 'column')}. Say what each column is; what is suggested can "
        "be changed."
    )
    for warning in found.warnings:
        st.caption(f":material/warning: {escape(warning)}")
    edited = st.data_editor(
        pd.DataFrame([_row(column, found) for column in found.columns]),
        hide_index=True,
        row_height=30,
        disabled=["Column", "Holds", "Example"],
        # The key holds the file and its start: the grid is never fed its own output.
        key=f"columns_{read}",
        column_config=_grid([column.name for column in found.columns]),
    )
    with st.expander("First rows"):
        names = [column.name for column in found.columns]
        st.dataframe(pd.DataFrame(found.rows, columns=names), hide_index=True, row_height=30)
        _lists(found)
    rows = [{str(key): value for key, value in row.items()} for row in edited.to_dict("records")]
    mapping = mapping_of(rows, found.mapping, _rater(rows, found, file_id))
    mapping = _whole_file(mapping, read)
    try:
        mapping.check()
    except BadInputError as error:
        st.warning(escape(str(error)))
        return None
    st.download_button(
        "Save this map",
        dumps(mapping),
        file_name=f"{Path(name).stem}.map.toml",
        mime="application/toml",
        icon=":material/save:",
        type="tertiary",
        key="save_map",
    )
    return mapping


def _whole_file(start: Mapping, key: str) -> Mapping:
    """What is said of all rows at once."""
    with st.expander("More about the file"):
        judge = st.text_input(
            "Model that gave the scores",
            start.judge or "",
            key=f"map_judge_{key}",
            width=320,
            help="It is shown as their judge; runs that different models judged are told apart.",
        )
        merges = st.checkbox(
            "Rows that follow each other with the same sample id or question are one sample",
            start.one_context_per_row,
            key=f"map_merges_{key}",
            help="For files with one context per row.",
        )
        numbers = st.checkbox(
            "A sample id that stands there twice gets a number behind it",
            start.numbers_repeated_ids,
            key=f"map_numbers_{key}",
            help="Otherwise such a file is refused.",
        )
    return replace(
        start,
        judge=judge.strip() or None,
        one_context_per_row=merges,
        numbers_repeated_ids=numbers,
    )


def _rater(rows: list[dict[str, Any]], found: TablePreview, file_id: str) -> str | None:
    """The column with who gave the labels; None where one person gave them all."""
    if not any(_ROLES[row["Is"]] is Role.LABEL for row in rows):
        return None
    names = [column.name for column in found.columns]
    known = [use.rater for _, use in found.mapping.of_role(Role.LABEL) if use.rater]
    chosen = st.selectbox(
        "Who labelled",
        ["", *names],
        index=names.index(known[0]) + 1 if known and known[0] in names else 0,
        format_func=lambda name: name or "one person, not named in the file",
        key=f"rater_{file_id}",
        width=320,
        help="The column with the person's name. Rows with the same sample id are then one sample "
        "that several people labelled; names are stored as pseudonyms.",
    )
    if chosen and not any(_ROLES[row["Is"]] is Role.SAMPLE_ID for row in rows):
        st.caption(
            ":material/warning: Say above which column is the sample id: without it nobody can "
            "tell which rows are about the same answer."
        )
    return chosen or None


def row_places(path: Path, name: str, file_id: str) -> list[Hints]:
    """The places in an upload that rows may be read from; empty where there is no choice.

    Raises:
        BadInputError: it holds no rows anywhere.
    """
    kept = st.session_state.get("row_places")
    if kept is None or kept[0] != file_id:
        kept = st.session_state["row_places"] = (file_id, places.row_places(path, name))
    found: list[Hints] = kept[1]
    return found


def _place(found: list[Hints], file_id: str) -> Hints | None:
    """The place that somebody chose, None where there is only one."""
    if not found:
        return None
    is_workbook = found[0].sheet is not None
    return st.selectbox(
        "Sheet" if is_workbook else "Where the rows are",
        found,
        format_func=lambda one: str(one.sheet or one.records),
        key=f"place_{file_id}",
        width=320,
        help="A workbook is read one sheet at a time."
        if is_workbook
        else "The file holds several lists. A star stands for every key at its place, and becomes "
        "a column of its rows.",
    )


def _preview(
    path: Path, name: str, key: str, start: Mapping | None, hints: Hints | None
) -> TablePreview:
    kept = st.session_state.get("table_preview")
    if kept is not None and kept[0] == key:
        found: TablePreview = kept[1]
        return found
    with st.spinner("Looking at the columns …"):
        found = preview(path, start, name, hints)
    st.session_state["table_preview"] = (key, found)
    return found


def _row(column: ColumnPreview, found: TablePreview) -> dict[str, Any]:
    use = _first_use(found.mapping, column.name)
    place = [other.name for other in found.columns].index(column.name)
    example = next((row[place] for row in found.rows if row[place]), "") or ""
    return {
        "Column": column.name,
        "Holds": _holds(column),
        "Example": example[:120],
        "Is": _MILLISECONDS if use.unit == "ms" else _WORDS[use.role],
        "Named": use.name or "",
        "From": use.lo,
        "To": use.hi,
        "Lower is better": use.direction is Direction.LOWER,
        "Counts as 1": use.positive or "",
        "About": use.of or use.target or "",
        "List": next(words for words, way in _WAYS.items() if way == use.lists),
        "Separator": use.separator or "",
    }


def _first_use(mapping: Mapping, column: str) -> Use:
    uses = mapping.columns.get(column, ())
    # As the importer has it where a map does not name a column.
    return uses[0] if uses else Use(Role.IGNORE if names_people(column) else Role.EXTRA)


def _holds(column: ColumnPreview) -> str:
    if column.lo is not None and column.hi is not None:
        return f"{column.kind} {number(column.lo)} to {number(column.hi)}, {count(column.n)}"
    return f"{column.kind}, {count(column.n)}"


def _grid(columns: list[str]) -> dict[str, Any]:
    config = st.column_config
    return {
        # As narrow as they can be, so that a small screen shows the scales beside them.
        "Column": config.TextColumn(width=130),
        "Holds": config.TextColumn(width=150),
        "Example": config.TextColumn(width=110),
        "Is": config.SelectboxColumn(options=list(_ROLES), required=True, width=150),
        "Named": config.TextColumn(
            width=90,
            help="Name of the score, label or tag. A score feeds an axis only under a known name, "
            "such as faithfulness or answer_relevance.",
        ),
        "From": config.NumberColumn(width=60, help="Lowest possible score."),
        "To": config.NumberColumn(width=60, help="Highest possible score."),
        "Lower is better": config.CheckboxColumn(width=118),
        "Counts as 1": config.TextColumn(width=90, help="The value of a label that is a yes."),
        "About": config.SelectboxColumn(
            options=["", *columns],
            width=90,
            help="For a reason, the score that it explains; for a label, the column that it "
            "judges.",
        ),
        "List": config.SelectboxColumn(options=list(_WAYS), required=True, width=90),
        "Separator": config.TextColumn(width=80),
    }


def _lists(found: TablePreview) -> None:
    for column in found.columns:
        lists = column.lists
        if lists is None or _first_use(found.mapping, column.name).role not in _LIST_ROLES:
            continue
        ways = ", ".join(f"{way} {count(n)}" for way, n in lists.ways.items())
        st.caption(
            escape(
                f"{column.name}: {lists.n_min} to {lists.n_max} items a row (median "
                f"{lists.n_median:g}), read as {ways}."
            )
        )
        for i, item in enumerate(lists.first, 1):
            st.text(f"{i}  {item[:200]}")


def mapping_of(rows: list[dict[str, Any]], start: Mapping, rater: str | None = None) -> Mapping:
    """The map that the grid says; what the grid does not show stays as it was suggested.

    ``rater`` is the column with the person who gave the labels.
    """
    columns: dict[str, tuple[Use, ...]] = {}
    for row in rows:
        uses = start.columns.get(row["Column"], ())
        if not uses and _ROLES[row["Is"]] is _first_use(start, row["Column"]).role:
            continue
        first = uses[0] if uses else Use(Role.EXTRA)
        columns[row["Column"]] = tuple(
            replace(use, rater=rater) if use.role is Role.LABEL else use
            for use in (_use(row, first), *uses[1:])
        )
    return replace(start, columns=columns)


def _use(row: AnyMapping[str, Any], first: Use) -> Use:
    role = _ROLES[row["Is"]]
    is_metric = role is Role.METRIC
    # What belongs to another role is forgotten with it, such as the column that a reason explains.
    base = first if first.role is role else Use(role, is_optional=first.is_optional)
    return replace(
        base,
        name=_text(row["Named"]),
        lo=_number(row["From"]) if is_metric else None,
        hi=_number(row["To"]) if is_metric else None,
        direction=Direction.LOWER if is_metric and row["Lower is better"] else Direction.HIGHER,
        positive=_text(row["Counts as 1"]) if role is Role.LABEL else None,
        target=_text(row["About"]) if role is Role.LABEL else None,
        of=_text(row["About"]) if role is Role.REASON else None,
        unit="ms" if row["Is"] == _MILLISECONDS else "s",
        lists=_WAYS[row["List"]] if role in _LIST_ROLES else "auto",
        separator=_text(row["Separator"]) if role in _LIST_ROLES else None,
    )


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str) and value else None


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)
