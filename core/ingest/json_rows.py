"""The rows of a JSON file: one object per line, or the elements of one array."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.ingest import values
from core.ingest.textfile import MAX_LINE, Tally, chunks, lines
from core.records import Notices, Problem

Row = tuple[int, Any]
_HEAD = 4_096
_BOMS_AND_SPACE = b"\xef\xbb\xbf\xff\xfe \t\r\n"
_BLANK = "The row is blank and was left out."
_SPACE = " \t\n\r"
_ENDS_OF_A_NUMBER = tuple(" \t\n\r,]")
# The longest word of JSON that can be cut in two by the end of a piece: "-Infinity", an escape.
_LONGEST_WORD = 16


def json_rows(path: Path, notices: Notices, tally: Tally | None = None) -> Iterator[Row]:
    """Yield (row from 1, parsed value) with clean texts; a row that is no JSON comes as a Problem.

    Rows of JSON Lines are lines of the file, those of an array its elements.
    """
    if _starts_with_bracket(path):
        yield from _array_rows(path, notices, tally)
        return
    blank: list[int] = []
    for row, text in lines(path, notices, tally):
        if text is None:
            yield row, Problem(row, f"The row is longer than {MAX_LINE // 1024**2} MB.")
            continue
        stripped = text.strip()
        if not stripped:
            blank.append(row)
            continue
        for number in blank:
            notices.add(number, _BLANK)
        blank.clear()
        try:
            record = json.loads(stripped)
            if values.may_be_unclean(stripped):
                record = cleaned(row, record, notices)
            yield row, record
        except RecursionError:
            yield row, Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")
        except ValueError as error:
            yield row, Problem(row, f"The row is no JSON: {error}. Each line must be one object.")
    for number in blank:
        notices.add(number, _BLANK)


def cleaned(row: int, record: Any, notices: Notices) -> Any:
    """A record whose texts the store accepts, however deep they stand in it."""
    found, n = values.clean(record)
    if n:
        notices.add(row, "NUL characters or lone surrogates were replaced by U+FFFD.", n)
    return found


def _starts_with_bracket(path: Path) -> bool:
    with path.open("rb") as handle:
        # Without the NULs UTF-16 looks like ASCII here.
        return handle.read(_HEAD).replace(b"\0", b"").lstrip(_BOMS_AND_SPACE)[:1] == b"["


def _array_rows(path: Path, notices: Notices, tally: Tally | None) -> Iterator[Row]:
    row = 0
    try:
        for row, record in enumerate(_Array(chunks(path, notices, tally)), 1):
            yield row, cleaned(row, record, notices)
    except RecursionError:
        deep = f"Element {row + 1} of the array is nested deeper than {values.MAX_DEPTH} levels."
        yield row + 1, Problem(None, deep)
    except ValueError as error:
        message = f"The file starts as a JSON array, but element {row + 1} is no JSON: {error}."
        yield row + 1, Problem(None, message)


class _Array:
    """Iterates over the elements of one JSON array, holding little more than one of them."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._buffer = ""
        self._at = 0
        self._before = 0

    def __iter__(self) -> Iterator[Any]:
        self._expect("[")
        if self._next_character() == "]":
            self._at += 1
        else:
            while True:
                yield self._element()
                if self._expect(",", "]") == "]":
                    break
        rest = self._next_character()
        if rest:
            raise ValueError(f"something follows the end of the array: {rest!r}")

    def _more(self, at_least: int = 1) -> bool:
        """Read on, and drop what was parsed; False at the end of the file."""
        self._before += self._at
        parts = [self._buffer[self._at :]]
        self._at = 0
        size = 0
        for piece in self._pieces:
            parts.append(piece)
            size += len(piece)
            if size >= at_least:
                break
        self._buffer = "".join(parts)
        return size > 0

    def _next_character(self) -> str:
        """The next character that is no white space, "" at the end of the file."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def _expect(self, *wanted: str) -> str:
        found = self._next_character()
        if found not in wanted or not found:
            place = self._before + self._at + 1
            shown = repr(found) if found else "the end of the file"
            raise ValueError(f"{' or '.join(wanted)} must follow at character {place}, not {shown}")
        self._at += 1
        return found

    def _element(self) -> Any:
        self._next_character()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as caught:
                error = caught
                if not self._may_be_cut(error):
                    place = self._before + error.pos + 1
                    raise ValueError(f"{error.msg} at character {place}") from None
            else:
                # A number that no comma, bracket or space follows yet may go on in the next piece.
                is_whole = self._buffer[end : end + 1] in _ENDS_OF_A_NUMBER
                if is_whole or not isinstance(value, int | float):
                    self._at = end
                    return value
                length = end - self._at
                if not self._more():
                    self._at = length
                    return value
                continue
            size = len(self._buffer) - self._at
            if size > MAX_LINE:
                raise ValueError(f"it is longer than {MAX_LINE // 1024**2} MB")
            wrong = f"{error.msg} at character {self._before + error.pos + 1}"
            is_cut = error.pos >= len(self._buffer) or error.msg.startswith("Unterminated string")
            if not self._more(size):
                raise ValueError("the file ends within it" if is_cut else wrong)

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        is_near_end = error.pos >= len(self._buffer) - _LONGEST_WORD
        return is_near_end or error.msg.startswith("Unterminated string")


_DECODER = json.JSONDecoder()
