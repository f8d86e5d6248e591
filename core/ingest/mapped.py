"""Rows of any table as samples, by a map of its columns."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest import mapping_toml, synonyms, values
from core.ingest.base import Probe
from core.ingest.json_rows import cleaned
from core.ingest.mapped_cells import CellReader, text_of
from core.ingest.mapping import Mapping, Role, Use
from core.ingest.rows import RowReader
from core.ingest.score_words import completed, may_hold_words
from core.ingest.table_base import Cells, Table, too_long
from core.ingest.table_profile import profile, value_at
from core.ingest.tables import has_rows, open_table, peek
from core.records import ColumnUse, Item, Notices, Problem

Record = dict[str, Any]
_LISTS = ("contexts", "gold", "gold_doc_ids", "verdicts", "human_labels")
_PROBED = 50


class MappedImporter:
    """Any table with a map of its columns."""

    format = "mapped"
    title = "a table with a map of its columns"

    def __init__(self, mapping: Mapping, name: str | None = None) -> None:
        mapping.check()
        self._mapping = mapping
        self._name = name
        self._table: Table | None = None
        self.columns: tuple[ColumnUse, ...] = ()

    @property
    def bytes_read(self) -> int:
        """How far ``read`` has come."""
        return self._table.tally.bytes_read if self._table else 0

    def recognises(self, probe: Probe) -> str | None:
        """None for every table: only a person's map lets it read one."""
        return None

    def read(self, path: Path, notices: Notices, default_run: str) -> Iterator[Item]:
        """Yield runs, samples and problems in file order; see ``Importer.read``.

        Raises:
            BadInputError: the file is no table, or lacks a column that the map names.
        """
        table = self._table = open_table(path, self._mapping.hints, self._name)
        if not has_rows(table):
            raise BadInputError(f"{table.name} holds no rows: there is nothing to import.")
        self._mapping.check_columns(table.name, table.columns)
        mapping, facts = self._mapping, Facts()
        # Only these three questions need to see the whole table beforehand.
        if (
            table.delimiter == ";"
            or table.unnamed - set(mapping.columns)
            or may_hold_words(mapping, peek(table, _PROBED))
        ):
            seen = profile(table)
            mapping = completed(mapping, seen, notices)
            facts = Facts(seen.decimal_comma, seen.row_numbers(table.unnamed))
        self.columns = column_uses(table, mapping, facts)
        config = {"map": mapping_toml.as_dict(mapping), **_about(table)}
        yield from read_table(table, mapping, replace(facts, config=config), notices, default_run)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a table beside its map.

    Attributes:
        decimal_comma: columns whose numbers have a decimal comma.
        row_numbers: columns that only count the rows; they are left out.
        config: kept with each run.
    """

    decimal_comma: frozenset[str] = frozenset()
    row_numbers: frozenset[str] = frozenset()
    config: Record | None = None


def column_uses(table: Table, mapping: Mapping, facts: Facts) -> tuple[ColumnUse, ...]:
    """What each column of a table is read as by a map, in the order of the file."""
    found: list[ColumnUse] = []
    raters = {use.rater for _, use in mapping.of_role(Role.LABEL)}
    names = dict.fromkeys([*table.columns, *mapping.columns])
    # The objects in a column whose keys are mapped are read by these.
    outer = {name.partition(".")[0] for name in mapping.columns if name not in table.columns}
    for name in names:
        uses = mapping.columns.get(name, ())
        found += [ColumnUse(name, use.role.value, use.name) for use in uses]
        if name in raters:
            found.append(ColumnUse(name, "rater", None))
        elif not uses and name not in outer:
            is_left_out = name in facts.row_numbers or synonyms.names_people(name)
            role = Role.IGNORE if is_left_out else Role.EXTRA
            found.append(ColumnUse(name, role.value, None))
    return tuple(found)


def read_table(
    table: Table, mapping: Mapping, facts: Facts, notices: Notices, default_run: str
) -> Iterator[Item]:
    """Yield runs, samples and problems of a table."""
    reader = RowReader(default_run, notices, decides_by_error=False)
    rows = _records(table, mapping, facts, notices, default_run)
    if mapping.one_context_per_row:
        rows = _merged(rows)
    if mapping.has_raters and mapping.of_role(Role.SAMPLE_ID):
        rows = _gathered(rows, notices)
    for row, record in rows:
        if isinstance(record, Problem):
            yield record
            continue
        try:
            yield from reader.read(row, cleaned(row, record, notices))
        except RecursionError:
            yield Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")
        except ValueError as error:
            yield Problem(row, str(error))


def _records(
    table: Table, mapping: Mapping, facts: Facts, notices: Notices, default_run: str
) -> Iterator[tuple[int, Record | Problem]]:
    to_record = _RowMapper(mapping, facts, notices, default_run)
    for row, cells in table.rows(notices):
        if isinstance(cells, Problem):
            yield row, cells
            continue
        try:
            yield row, too_long(row, cells) or to_record(row, cells)
        except RecursionError:
            yield (
                row,
                Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels."),
            )
        except ValueError as error:
            yield row, Problem(row, str(error))


class _RowMapper:
    """Turns the cells of one row into a neutral record."""

    def __init__(self, mapping: Mapping, facts: Facts, notices: Notices, default_run: str) -> None:
        self._mapping = mapping
        self._facts = facts
        self._notices = notices
        self._default_run = default_run
        self._cell = CellReader(mapping, facts.decimal_comma, notices)
        self._announced: set[str] = set()
        self._seen: dict[tuple[str, str], int] = {}
        kept = {column for column, use in mapping.uses() if use.role is not Role.EXTRA}
        # Who gave a label is kept as a pseudonym only.
        people = {use.rater for _, use in mapping.of_role(Role.LABEL) if use.rater}
        self._left_out = kept | people | facts.row_numbers
        self._named = frozenset(mapping.columns)
        roles: dict[Role, list[tuple[str, Use]]] = {role: mapping.of_role(role) for role in Role}
        self._roles = roles

    def __call__(self, row: int, cells: Cells) -> Record:
        run = self._run(cells)
        record: Record = {"run": run, "question": "", "extra": self._extra(cells)}
        self._texts(row, cells, record)
        self._lists(row, cells, record)
        self._cell.judgements(row, cells, record)
        self._tags(cells, record)
        self._numbers(row, cells, record)
        self._identify(row, cells, record)
        if run not in self._announced:
            self._announced.add(run)
            record["run_info"] = self._run_info(run)
        return record

    def _run(self, cells: Cells) -> str:
        parts = [text_of(value_at(cells, column)) for column, _ in self._roles[Role.RUN]]
        return " · ".join(part for part in parts if part.strip()) or self._default_run

    def _extra(self, cells: Cells) -> Record:
        found: Record = {}
        for column, cell in cells.items():
            if column in self._left_out or cell is None or cell == "":
                continue
            if column not in self._named and synonyms.names_people(column):
                self._notices.add(None, f"{column}: {synonyms.PEOPLE_LEFT_OUT}")
                continue
            found[column] = cell
        return found

    def _texts(self, row: int, cells: Cells, record: Record) -> None:
        for role in (Role.QUESTION, Role.ANSWER):
            for column, _ in self._roles[role]:
                record[role.value] = value_at(cells, column)
        for column, _ in self._roles[Role.ERROR]:
            error = value_at(cells, column)
            if values.is_error(error):
                record["error"] = error
        for column, use in self._roles[Role.REFERENCE]:
            record.setdefault("reference", []).extend(
                self._cell.references(row, column, use, value_at(cells, column))
            )
        for column, _ in self._roles[Role.HISTORY]:
            record["history"] = self._cell.history(value_at(cells, column), record)
        self._cell.conversation(row, record)
        self._cell.answer(row, record)

    def _lists(self, row: int, cells: Cells, record: Record) -> None:
        contexts = self._cell.contexts(row, cells, record)
        if contexts is not None:
            record["contexts"] = contexts
        self._cell.gold(row, cells, record)

    def _tags(self, cells: Cells, record: Record) -> None:
        for column, use in self._roles[Role.TAG]:
            found = self._cell.tag_values(use, value_at(cells, column))
            if found:
                record.setdefault("tags", {}).setdefault(use.name or column, []).extend(found)

    def _numbers(self, row: int, cells: Cells, record: Record) -> None:
        for column, use in self._roles[Role.LATENCY]:
            value = self._cell.plain_number(column, value_at(cells, column))
            seconds = values.as_number(value)
            if seconds is not None and seconds < 0:
                self._notices.add(row, "A latency below 0 is none; it was kept as extra.")
                record["extra"][column] = value_at(cells, column)
            elif seconds is not None:
                record["latency"] = seconds / 1_000 if use.unit == "ms" else seconds
            elif value not in (None, ""):
                record["latency"] = value
        for column, _ in self._roles[Role.COST]:
            cost = self._cell.plain_number(column, value_at(cells, column))
            if cost not in (None, ""):
                record["cost"] = cost

    def _identify(self, row: int, cells: Cells, record: Record) -> None:
        for column, _ in self._roles[Role.SAMPLE_ID]:
            identity = text_of(value_at(cells, column))
            if not identity:
                continue
            if self._mapping.numbers_repeated_ids:
                key = (record["run"], identity)
                n = self._seen[key] = self._seen.get(key, 0) + 1
                if n > 1:
                    self._notices.add(row, "A sample id that stands there twice got a number.")
                    identity = f"{identity} ({n})"
            record["sample_id"] = identity

    def _run_info(self, run: str) -> Record:
        mapping = self._mapping
        config = dict(self._facts.config or {})
        names = mapping.names_in_file()
        if names:
            config["names_in_file"] = names
        return {
            "name": run,
            "dataset": self._default_run,
            "tool": mapping.tool,
            "tool_version": mapping.tool_version,
            "config": config or None,
            "note": mapping.note,
            "metrics": mapping.scales(),
        }


def _merged(
    rows: Iterator[tuple[int, Record | Problem]],
) -> Iterator[tuple[int, Record | Problem]]:
    """Rows of one sample that follow each other as one record, with all their contexts."""
    kept: tuple[int, Record] | None = None
    for row, record in rows:
        if isinstance(record, Problem):
            yield row, record
            continue
        if kept is not None and _key(kept[1]) == _key(record):
            _merge(kept[1], record)
            continue
        if kept is not None:
            yield kept
        kept = (row, record)
    if kept is not None:
        yield kept


def _key(record: Record) -> str:
    identity = record.get("sample_id") or text_of(record["question"])
    return hashlib.sha256(f"{record['run']}\0{identity}".encode()).hexdigest()


def _gathered(
    rows: Iterator[tuple[int, Record | Problem]], notices: Notices
) -> Iterator[tuple[int, Record | Problem]]:
    """What several people said about one answer as one record, wherever its rows stand."""
    kept: dict[str, tuple[int, Record]] = {}
    for row, record in rows:
        if isinstance(record, Problem):
            yield row, record
            continue
        first, known = kept.setdefault(_key(record), (row, record))
        other = next((key for key in ("question", "answer") if _differ(known, record, key)), None)
        if other is not None:
            yield (
                row,
                Problem(
                    row,
                    f"sample_id {record.get('sample_id')!r} has another {other} than in row "
                    f"{first}, so it is not the same that was labelled. Is there a column that "
                    "tells runs apart?",
                ),
            )
        elif known is not record:
            for name, value in record.get("scores", {}).items():
                if known.get("scores", {}).get(name, value) != value:
                    notices.add(
                        row,
                        f"Rows of one sample give different values of {name}; the first is kept. "
                        "If people gave them, say that the column is a label.",
                    )
            _merge(known, record, appends_contexts=False)
    yield from kept.values()


def _differ(known: Record, record: Record, key: str) -> bool:
    one, other = known.get(key), record.get(key)
    return one not in (None, "") and other not in (None, "") and one != other


def _merge(kept: Record, record: Record, *, appends_contexts: bool = True) -> None:
    for key, value in record.items():
        if key == "contexts" and not appends_contexts and kept.get(key):
            continue
        if key in _LISTS and isinstance(value, list):
            known = kept.get(key) or []
            # What every row of the sample repeats, such as its scores, is one thing.
            added = value if key == "contexts" else [item for item in value if item not in known]
            kept[key] = [*known, *added]
        elif key in ("scores", "labels", "extra") and isinstance(value, dict):
            kept[key] = {**value, **(kept.get(key) or {})}
        elif kept.get(key) in (None, "", []):
            kept[key] = value


def _about(table: Table) -> Record:
    return {"file": table.about} if table.about else {}
