"""Reading JSON that is larger than memory: one element or one key after the other."""

import json
from collections.abc import Iterator
from typing import Any

from core.ingest.textfile import MAX_LINE

_SPACE = " \t\n\r"
_ENDS_OF_A_NUMBER = tuple(" \t\n\r,]}")
# The longest word of JSON that can be cut in two by the end of a piece: "-Infinity", an escape.
_LONGEST_WORD = 16


class JsonStream:
    """Reads JSON from pieces of its text, holding little more than one element of it.

    Every method raises ValueError where the text is no JSON; the message names the character.
    """

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._buffer = ""
        self._at = 0
        self._before = 0

    def only_array(self) -> Iterator[Any]:
        """Yield the elements of the array that is the whole text."""
        yield from self.elements()
        self._end("array")

    def only_object(self) -> Iterator[str]:
        """Yield the keys of the object that is the whole text.

        After each key its value has to be read by ``value`` or ``elements`` before the next.
        """
        self._expect("{")
        if self.next_character() == "}":
            self._at += 1
        else:
            while True:
                self.next_character()
                key = self.value()
                if not isinstance(key, str):
                    raise ValueError(f"a key must stand before character {self._before + self._at}")
                self._expect(":")
                yield key
                if self._expect(",", "}") == "}":
                    break
        self._end("object")

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the array that begins here."""
        self._expect("[")
        if self.next_character() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            if self._expect(",", "]") == "]":
                return

    def _end(self, kind: str) -> None:
        rest = self.next_character()
        if rest:
            raise ValueError(f"something follows the end of the {kind}: {rest!r}")

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

    def next_character(self) -> str:
        """The next character that is no white space, "" at the end of the text."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def _expect(self, *wanted: str) -> str:
        found = self.next_character()
        if found not in wanted or not found:
            place = self._before + self._at + 1
            shown = repr(found) if found else "the end of the file"
            raise ValueError(f"{' or '.join(wanted)} must follow at character {place}, not {shown}")
        self._at += 1
        return found

    def value(self) -> Any:
        """The value that begins here, whole."""
        self.next_character()
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
