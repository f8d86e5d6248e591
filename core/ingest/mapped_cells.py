"""Cells of a mapped column as the fields of a neutral record."""

import hashlib
from typing import Any

from core.ingest import cells as ways
from core.ingest import values
from core.ingest.cells import parse_list
from core.ingest.mapping import Mapping, Role, Use
from core.ingest.table_base import Cells
from core.ingest.table_profile import RESULT, has_cell, value_at
from core.model import ErrorKind, Status
from core.records import Notices

Record = dict[str, Any]
_HUMAN = frozenset({"human", "user"})
_YES = frozenset({"true", "1", "yes", "pass", "passed", "success", "ok"})
_PLAIN_WAYS = frozenset({ways.EMPTY, ways.LIST, ways.ONE_OBJECT})


class CellReader:
    """Reads the cells of one row after the other; repairs are told as notices."""

    def __init__(self, mapping: Mapping, decimal_comma: frozenset[str], notices: Notices) -> None:
        self._mapping = mapping
        self._comma = decimal_comma
        self._notices = notices
        self._metrics = mapping.of_role(Role.METRIC)
        self._labels = mapping.of_role(Role.LABEL)
        self._reasons = {use.of: column for column, use in mapping.of_role(Role.REASON)}
        self._contexts = mapping.of_role(Role.CONTEXTS)
        self._context_ids = mapping.of_role(Role.CONTEXT_IDS)
        self._gold = mapping.of_role(Role.GOLD)
        self._gold_ids = mapping.of_role(Role.GOLD_IDS)
        self._judge = {"kind": "imported", "model": mapping.judge or "file"}

    # --- texts ---

    def references(self, row: int, column: str, use: Use, cell: Any) -> list[Any]:
        """Expected answers: several only if the cell is a list of texts."""
        if cell is None or cell == "":
            return []
        if not isinstance(cell, str | list) or use.lists == "text":
            return [cell if isinstance(cell, str) else text_of(cell)]
        found = parse_list(cell, use.lists, use.separator)
        items = found.items or []
        if not all(isinstance(item, str) for item in items):
            return [text_of(item) for item in items] if isinstance(cell, list) else [cell]
        if found.way != ways.ONE_TEXT:
            self._say_way(row, column, found.way)
        return items

    def history(self, cell: Any, record: Record) -> Any:
        """Earlier turns, each as "role: text"."""
        if cell is None or cell == "":
            return record.get("history")
        found = ways.parse_value(cell) if isinstance(cell, str) else cell
        if not isinstance(found, list):
            return [text_of(found)]
        return [_turn(item) for item in found]

    def conversation(self, row: int, record: Record) -> None:
        """A question that is a list of messages: its last human turn, and the turns before it."""
        cell = record["question"]
        if isinstance(cell, str):
            if cell.lstrip()[:1] != "[":
                return
            cell = ways.parse_value(cell)
        if not isinstance(cell, list) or not cell or not all(map(_is_message, cell)):
            return
        roles = [_role(message) for message in cell]
        last = max((i for i, role in enumerate(roles) if role in _HUMAN), default=len(cell) - 1)
        self._notices.add(row, "The question is a conversation; its last human turn was taken.")
        record["question"] = _content(cell[last])
        record["history"] = [*(record.get("history") or []), *map(_turn, cell[:last])]
        if last + 1 < len(cell) and not record.get("answer"):
            record["answer"] = _content(cell[-1])

    def answer(self, row: int, record: Record) -> None:
        """Tag a sample whose answer was cut for display before it was saved."""
        answer = record.get("answer")
        if isinstance(answer, str) and ways.is_cut(answer):
            self._say_cut(row, "answer", record)

    def _say_cut(self, row: int, what: str, record: Record) -> None:
        self._notices.add(
            row, f"A text of the {what} was cut before it was saved; tagged truncated."
        )
        record.setdefault("tags", {}).setdefault("truncated", []).append(what)

    # --- lists ---

    def contexts(self, row: int, cells: Cells, record: Record) -> list[Record] | None:
        """Contexts of a row; None where the file does not record them."""
        items: list[Any] | None = None
        is_cut = False
        for column, use in self._contexts:
            found = parse_list(value_at(cells, column), use.lists, use.separator)
            if found.items is None:
                continue
            if use.lists != "text":
                self._say_way(row, column, found.way)
            if found.n_missing:
                self._notices.add(
                    row, f"Column {column!r} has items nan or None; they were left out."
                )
            is_cut = is_cut or found.is_cut
            items = [*(items or []), *found.items]
        if is_cut:
            self._say_cut(row, "context", record)
        found_contexts = None if items is None else [_context(item) for item in items]
        return self._with_ids(row, cells, found_contexts, record)

    def _with_ids(
        self, row: int, cells: Cells, contexts: list[Record] | None, record: Record
    ) -> list[Record] | None:
        for column, use in self._context_ids:
            ids = self._ids(value_at(cells, column), use)
            if ids is None:
                continue
            flat = [one for item in ids for one in (item if isinstance(item, list) else [item])]
            if contexts is None:
                return [{"doc_id": one} for one in flat]
            if len(flat) == len(contexts):
                for context, one in zip(contexts, flat, strict=True):
                    context.setdefault("doc_id", one)
                continue
            # Lists of unequal length are never matched up.
            self._notices.add(
                row,
                f"Column {column!r} has another number of ids than there are contexts; the ids "
                "were kept as extra.",
            )
            record["extra"][column] = value_at(cells, column)
        return contexts

    def gold(self, row: int, cells: Cells, record: Record) -> None:
        """What should have been retrieved, by text, by id, or both."""
        texts: list[Any] = []
        for column, use in self._gold:
            found = parse_list(value_at(cells, column), use.lists, use.separator)
            if found.items:
                if use.lists != "text":
                    self._say_way(row, column, found.way)
                texts += [_context(item) for item in found.items]
        ids: list[Any] = []
        for column, use in self._gold_ids:
            ids += self._ids(value_at(cells, column), use) or []
        if texts and len(ids) == len(texts) and not any(isinstance(one, list) for one in ids):
            for text, one in zip(texts, ids, strict=True):
                text.setdefault("doc_id", one)
        elif ids:
            if texts:
                self._notices.add(
                    row, "Gold texts and gold ids differ in number; the ids were taken."
                )
                record["extra"]["gold_texts"] = [text.get("text") for text in texts]
            record["gold_doc_ids"] = ids
            return
        if texts:
            record["gold"] = [
                {"text": _text_in(text), "doc_id": text.get("doc_id")} for text in texts
            ]

    def _ids(self, cell: Any, use: Use) -> list[Any] | None:
        """Ids as texts; a list within the list is a group of which any one will do."""
        found = parse_list(cell, use.lists, use.separator)
        if found.items is None:
            return None
        ids: list[Any] = []
        for item in found.items:
            if isinstance(item, list):
                ids.append([text_of(one) for one in item])
            elif isinstance(item, dict):
                one = item.get("doc_id", item.get("id"))
                ids.append(text_of(item if one is None else one))
            else:
                # "d1, d2" names d2: an id with a blank before it would meet no other.
                is_part = found.way == ways.SEPARATED
                ids.append(text_of(item).strip() if is_part else text_of(item))
        return ids

    # --- scores and labels ---

    def judgements(self, row: int, cells: Cells, record: Record) -> None:
        """Scores, with whatever else the row says about them, and labels."""
        failed = _has_failed(self._mapping, cells, record)
        for column, use in self._metrics:
            if has_cell(cells, column):
                self._metric(row, cells, column, use, record, failed=failed)
        for column, use in self._labels:
            self._label(cells, column, use, record)

    def _metric(
        self, row: int, cells: Cells, column: str, use: Use, record: Record, *, failed: bool
    ) -> None:
        name = use.name or column
        cell = value_at(cells, column)
        reason = value_at(cells, self._reasons[column]) if column in self._reasons else None
        value, said = _result(cell)
        reason = said if reason in (None, "") else reason
        number = self._number_of(column, use, value)
        plain = number is value and value is cell and not failed
        if plain and reason in (None, "") and self._mapping.judge is None:
            record.setdefault("scores", {})[name] = value
            return
        score = values.as_score(name, number)
        status, cause = score.status, score.cause
        if failed:
            status, cause = Status.ERROR.value, ErrorKind.REPORTED_BY_FILE.value
        elif cause == ErrorKind.ABSENT_IN_FILE.value and reason not in (None, ""):
            # The error stands where the reason should: the file says why there is no score.
            cause = ErrorKind.REPORTED_BY_FILE.value
        elif cause == ErrorKind.UNPARSABLE.value:
            self._notices.add(row, f"A score of {name} is no number: kept as an error.")
        record.setdefault("verdicts", []).append({
            "metric": name,
            "judge": self._judge,
            "status": status,
            "value": score.value if status == Status.VALUE.value else None,
            "cause": cause,
            "reasoning": None if reason in (None, "") else text_of(reason),
            "raw": None if plain and score.raw is None else text_of(cell),
        })  # fmt: skip

    def _number_of(self, column: str, use: Use, value: Any) -> Any:
        if use.values:
            word = text_of(value).strip().casefold()
            for known, number in use.values.items():
                if known.strip().casefold() == word:
                    return number
        return self.plain_number(column, value)

    def plain_number(self, column: str, value: Any) -> Any:
        """The same cell with a point where the column has decimal commas."""
        if column in self._comma and isinstance(value, str) and "," in value:
            return value.strip().replace(",", ".")
        return value

    def _label(self, cells: Cells, column: str, use: Use, record: Record) -> None:
        cell = value_at(cells, column)
        if values.is_absent(cell) or (isinstance(cell, str) and not cell.strip()):
            return
        name = use.name or column
        if use.rater is None and use.positive is None and not use.values:
            record.setdefault("labels", {})[name] = self.plain_number(column, cell)
            return
        text = text_of(cell).strip()
        number: float | None
        if use.positive is not None:
            number = 1.0 if _is_same(text, use.positive) else 0.0
        elif use.values:
            mapped = self._number_of(column, use, cell)
            number = None if mapped is cell else values.as_number(mapped)
        else:
            found = values.as_label(name, self.plain_number(column, cell))
            number = found.value if found else None
        record.setdefault("human_labels", []).append({
            "criterion": name,
            "rater": self._rater(cells, use),
            "value": number,
            "category": text,
        })  # fmt: skip

    def _rater(self, cells: Cells, use: Use) -> str:
        """A pseudonym: whoever reads the store needs to tell people apart, not to know them."""
        person = text_of(value_at(cells, use.rater)) if use.rater else ""
        if not person.strip():
            return "file"
        return f"rater-{hashlib.sha256(person.strip().encode()).hexdigest()[:8]}"

    def tag_values(self, use: Use, cell: Any) -> list[str]:
        """Values of a tag: several if the cell is a list."""
        found = parse_list(cell, use.lists, use.separator)
        return [text for item in found.items or () if (text := text_of(item).strip())]

    def _say_way(self, row: int, column: str, way: str) -> None:
        if way not in _PLAIN_WAYS:
            self._notices.add(row, f"Column {column!r} was read as {way}.")


def text_of(value: Any) -> str:
    """A cell as text.

    >>> text_of(None), text_of(7), text_of(True), text_of(["a"])
    ('', '7', 'true', '["a"]')
    """
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return values.as_json(value) if isinstance(value, dict | list) else str(value)


def _result(cell: Any) -> tuple[Any, Any]:
    """Value and reason of a printed or structured metric result; else the cell itself."""
    found = cell
    if isinstance(cell, str) and RESULT.match(cell):
        found = ways.parse_value(cell)
    if isinstance(found, dict) and ("value" in found or "score" in found):
        return found.get("value", found.get("score")), found.get("reason")
    return cell, None


def _context(item: Any) -> Record:
    return dict(item) if isinstance(item, dict) else {"text": text_of(item)}


def _text_in(context: Record) -> Any:
    return next((context[key] for key in ways.TEXT_KEYS if context.get(key) is not None), None)


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and ("content" in item or "text" in item)


def _role(message: Record) -> str:
    role = message.get("type", message.get("role", message.get("speaker")))
    return text_of(role).casefold()


def _content(message: Record) -> str:
    return text_of(message.get("content", message.get("text")))


def _turn(item: Any) -> str:
    if not _is_message(item):
        return text_of(item)
    role = _role(item)
    return f"{role}: {_content(item)}" if role else _content(item)


def _is_same(text: str, wanted: str) -> bool:
    if text.casefold() == wanted.strip().casefold():
        return True
    number = values.as_number(text)
    return number is not None and number == values.as_number(wanted)


def _has_failed(mapping: Mapping, cells: Cells, record: Record) -> bool:
    """True if the row itself says that it failed: an error text, and nothing that says success."""
    if not text_of(record.get("error")).strip():
        return False
    column = mapping.column_of(Role.SUCCESS)
    return column is None or text_of(value_at(cells, column)).strip().casefold() not in _YES
