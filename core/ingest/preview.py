"""What a table holds, for a person who maps its columns; nothing is stored."""

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.ingest import cells as ways
from core.ingest import synonyms
from core.ingest.cells import CellList, parse_list
from core.ingest.mapped_cells import text_of
from core.ingest.mapping import Mapping, Role, Use
from core.ingest.suggest import suggest, unique_columns
from core.ingest.table_base import Hints
from core.ingest.table_profile import ColumnProfile, Profile, profile, value_at
from core.ingest.tables import open_table, peek
from core.records import Notice, Notices

ROWS = 20
_SAMPLED = 200
_SHOWN_ITEMS = 5
_LIST_ROLES = (Role.CONTEXTS, Role.CONTEXT_IDS, Role.GOLD, Role.GOLD_IDS)


@dataclass(frozen=True, slots=True)
class ListPreview:
    """How the lists of a column are read, over its first rows.

    Attributes:
        ways: how often each way to read the list worked.
        n_min, n_median, n_max: items per row.
        first: items of the first cell that has any, as texts.
        n_missing: items that are ``nan`` or ``None``.
        n_cut: rows whose text was cut before it was saved.
    """

    ways: dict[str, int]
    n_min: int
    n_median: float
    n_max: int
    first: list[str]
    n_missing: int
    n_cut: int


@dataclass(frozen=True, slots=True)
class ColumnPreview:
    """One column.

    Attributes:
        kind: number, yes/no, list, text or empty.
        n: cells that hold something, of ``n_rows``.
        n_unparsable: cells of a numeric column that are no number, and say no "none" either.
        lo, hi: smallest and largest number.
        scale: what all the values together suggest, or None where they do not tell.
        values: each value with its count, where there are few; to choose what counts as good.
        lists: how lists are read; None for columns without.
    """

    name: str
    kind: str
    n: int
    n_unparsable: int
    lo: float | None
    hi: float | None
    scale: tuple[float, float] | None
    values: dict[str, int] | None
    lists: ListPreview | None


@dataclass(frozen=True, slots=True)
class TablePreview:
    """A table before it is mapped.

    Attributes:
        kind: csv, json, parquet or excel.
        columns: all columns; ``scores.f1`` is the key ``f1`` of the objects in ``scores``.
        rows: the first rows, as texts in the order of ``columns``; None where a row has no cell.
        mapping: the map that was given, or a suggestion.
        warnings: what a person should know or decide, in words.
        notices: repairs that reading needed.
    """

    name: str
    kind: str
    n_rows: int
    columns: list[ColumnPreview]
    rows: list[list[str | None]]
    mapping: Mapping
    warnings: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)


def preview(
    path: Path, mapping: Mapping | None = None, name: str | None = None, hints: Hints | None = None
) -> TablePreview:
    """Look at all of a table.

    Args:
        path: the file.
        mapping: how its columns are read; without it one is suggested.
        name: what the file is called, where its path is a temporary one.
        hints: what is said about the file, for a first look (else those of the mapping).

    Raises:
        BadInputError: the file is no table, or lacks columns that the mapping names.
    """
    table = open_table(path, hints or (mapping.hints if mapping else None), name)
    notices = Notices()
    seen = profile(table, unique_columns(table), notices)
    if mapping is None:
        mapping = _placed(suggest(table, seen), hints)
        if mapping.hints.is_transposed or mapping.hints.has_run_columns:
            flipped = open_table(path, mapping.hints, name)
            found = replace(suggest(flipped), hints=mapping.hints)
            return preview(path, found, name)
    else:
        mapping.check_columns(table.name, table.columns)
    first = peek(table, _SAMPLED)
    names = list(seen.columns)
    return TablePreview(
        name=table.name,
        kind=table.kind,
        n_rows=seen.n_rows,
        columns=[_column(column, first, mapping, seen) for column in seen.columns.values()],
        rows=[[_cell(value_at(cells, column)) for column in names] for cells in first[:ROWS]],
        mapping=mapping,
        warnings=_warnings(seen, mapping),
        notices=notices.as_list(),
    )


def _placed(mapping: Mapping, hints: Hints | None) -> Mapping:
    """A suggested map with the place of the rows that was chosen."""
    if hints is None:
        return mapping
    sheet = hints.sheet or mapping.hints.sheet
    return replace(mapping, hints=replace(mapping.hints, records=hints.records, sheet=sheet))


def _cell(value: Any) -> str | None:
    return None if value is None else text_of(value)


def _column(
    column: ColumnProfile, first: list[dict[str, Any]], mapping: Mapping, seen: Profile
) -> ColumnPreview:
    uses = mapping.columns.get(column.name, ())
    use = next((use for use in uses if use.role in _LIST_ROLES), None)
    if use is None and column.lists:
        use = Use(Role.EXTRA)
    found = column.n_comma if column.is_decimal_comma else column.n_numbers
    is_number = found > 0 and found * 2 > column.n - column.n_absent
    return ColumnPreview(
        name=column.name,
        kind=_kind(column, is_number=is_number),
        n=column.n,
        n_unparsable=column.n - found - column.n_absent - column.n_results if is_number else 0,
        lo=column.lo,
        hi=column.hi,
        scale=synonyms.infer_scale(column),
        values=None if column.values is None else dict(column.values),
        lists=None if use is None else _lists(column.name, first, use),
    )


def _kind(column: ColumnProfile, *, is_number: bool) -> str:
    if column.n == 0:
        return "empty"
    if column.n_booleans == column.n:
        return "yes/no"
    if is_number or column.n_results == column.n:
        return "number"
    return "list" if column.lists.total() * 2 > min(column.n, _SAMPLED) else "text"


def _lists(name: str, first: list[dict[str, Any]], use: Use) -> ListPreview:
    found = [parse_list(value_at(cells, name), use.lists, use.separator) for cells in first]
    filled: list[CellList] = [one for one in found if one.items is not None]
    lengths = sorted(len(one.items or ()) for one in filled) or [0]
    middle = len(lengths) // 2
    median = lengths[middle] if len(lengths) % 2 else (lengths[middle - 1] + lengths[middle]) / 2
    example = next((one.items for one in filled if one.items), [])
    return ListPreview(
        ways=dict(Counter(one.way for one in filled)),
        n_min=lengths[0],
        n_median=float(median),
        n_max=lengths[-1],
        first=[_item_text(item) for item in example[:_SHOWN_ITEMS]],
        n_missing=sum(one.n_missing for one in filled),
        n_cut=sum(one.is_cut for one in filled),
    )


def _item_text(item: Any) -> str:
    if isinstance(item, dict):
        text = next((item[key] for key in ways.TEXT_KEYS if item.get(key) is not None), None)
        item = item if text is None else text
    return text_of(item)


def _warnings(seen: Profile, mapping: Mapping) -> list[str]:
    found = []
    if seen.first_problem is not None:
        row, problem = seen.first_problem
        where = f"the first is row {row}: " if row is not None else ""
        found.append(f"{seen.n_problems} rows cannot be read; {where}{problem}")
    if seen.n_rows == 0:
        found.append("There are no rows: there is nothing to import.")
    for name, use in mapping.uses():
        column = seen.columns.get(name)
        if column is not None:
            found += _warnings_of(column, use)
    metrics = mapping.of_role(Role.METRIC)
    if metrics and not mapping.of_role(Role.QUESTION, Role.ANSWER, Role.HISTORY):
        found.append(
            "There is no question and no answer: only scores. They can be joined to a stored run "
            "by sample id."
        )
    if not metrics and not mapping.of_role(Role.LABEL):
        found.append("There are no scores and no labels; the offline judge can give some.")
    question = seen.columns.get(mapping.column_of(Role.QUESTION) or "")
    is_apart = mapping.of_role(Role.RUN) or mapping.one_context_per_row or mapping.has_raters
    if question and question.n_unique and question.n_unique < question.n and not is_apart:
        found.append(
            f"{question.n} questions are only {question.n_unique} different ones. Is there a "
            "column that tells runs apart?"
        )
    return found


def _warnings_of(column: ColumnProfile, use: Use) -> list[str]:
    name = column.name
    if use.role is Role.METRIC:
        if column.n == 0:
            return [f"{name} is empty in every row: 0 of {column.n_empty} scores."]
        if use.lo is None:
            return [f"Say on which scale {name} is: its values alone do not tell."]
    if use.role is Role.LABEL and use.positive is None and not use.values:
        listed = "" if column.values is None else f" ({', '.join(list(column.values)[:6])})"
        return [f"Say which value of {name} is the good one{listed}, and what it judges."]
    if use.role in (Role.CONTEXTS, Role.GOLD) and column.lists.get(ways.ARRAY):
        return [f"{name} holds printed arrays; look whether its items are whole."]
    if use.role is Role.LATENCY and use.unit == "ms" and not synonyms.is_milliseconds(name):
        return [f"{name} was taken for milliseconds because its values are large."]
    return []
