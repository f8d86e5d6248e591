"""Reading what Python prints, such as ``['a', "b"]``, without ever evaluating it.

A grammar of its own rather than Python's: lists may lack their commas, as numeric libraries print
them (Python would join ``'a' 'b'`` into one text); ``nan`` is a missing item; ``array([...])`` is
its list; any other ``Name(key=value)`` is an object of its keys.
"""

import re
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 50
MAX_ITEMS = 100_000

_TOKEN = re.compile(
    r"""
    \s*+ (?:
      (?P<string> [bBuU]? (?: '[^'\\]*+(?:\\.[^'\\]*+)*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" ) )
    | (?P<ellipsis> \.\.\. | … )
    | (?P<number> [+-]? (?: \d[\d_]*+ (?:\.\d*+)? | \.\d++ ) (?: [eE][+-]?\d++ )? (?![\w.]) )
    | (?P<name> [+-]? [A-Za-z_][\w.]*+ | <NA> )
    | (?P<mark> [\[\](){},:=] )
    | (?P<end> \Z )
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_SHORT = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "\n": "",
}  # fmt: skip
_MISSING = frozenset({"None", "nan", "NaN", "null", "NaT", "NA", "<NA>", "-nan", "undefined"})
_WORDS = {
    "True": True, "False": False, "true": True, "false": False,
    "inf": float("inf"), "Infinity": float("inf"), "-inf": float("-inf"),
    "-Infinity": float("-inf"),
}  # fmt: skip
_ARRAYS = frozenset({"array", "np.array", "numpy.array", "Series", "Index", "list", "tuple"})
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_NO_ITEM = object()


class LiteralError(ValueError):
    """The text is not what Python prints for a list, a dictionary or a value."""


@dataclass(slots=True)
class Literal:
    """A value read from its printed form.

    Attributes:
        value: texts, numbers, booleans, None, lists, and dictionaries with text keys.
        lacks_commas: items of a list stood side by side without a comma.
        is_array: it was printed as ``array([...])`` or the like.
        is_cut: an ellipsis stood where items were left out when it was printed.
    """

    value: Any
    lacks_commas: bool = False
    is_array: bool = False
    is_cut: bool = False


def parse_literal(text: str) -> Literal:
    r"""Read a printed value.

    Raises:
        LiteralError: it cannot be read, is nested deeper than MAX_DEPTH or has more than
            MAX_ITEMS items.

    >>> parse_literal("['a' 'b']").value
    ['a', 'b']
    >>> parse_literal('''["it's", nan, {'id': 7}]''').value
    ["it's", None, {'id': 7}]
    """
    parser = _Parser(text)
    value = parser.value(0)
    if parser.kind != "end":
        raise LiteralError(f"something follows its end at character {parser.place}")
    if value is _NO_ITEM:
        raise LiteralError("there is nothing but an ellipsis")
    parser.found.value = value
    return parser.found


class _Parser:
    def __init__(self, text: str) -> None:
        self.found = Literal(None)
        self._text = text
        self._at = 0
        self._n_items = 0
        self.kind = ""
        self.token = ""
        self.place = 0
        self._advance()

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            raise LiteralError(f"it cannot be read on from character {self._at + 1}")
        self.kind = match.lastgroup or "end"
        self.token = match[self.kind]
        self.place = match.start(self.kind) + 1
        self._at = match.end()

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise LiteralError(f"it is nested deeper than {MAX_DEPTH} levels")
        self._n_items += 1
        if self._n_items > MAX_ITEMS:
            raise LiteralError(f"it has more than {MAX_ITEMS:,} items")
        kind, token = self.kind, self.token
        if kind == "mark":
            if token == "{":
                return self._braces(depth)
            if token in _CLOSING:
                return self._items(depth, token)
            raise LiteralError(f"{token!r} is unexpected at character {self.place}")
        if kind == "end":
            raise LiteralError("it ends too early")
        self._advance()
        if kind == "string":
            return _text_of(token)
        if kind == "number":
            return _number(token)
        if kind == "ellipsis":
            self.found.is_cut = True
            return _NO_ITEM
        return self._named(token, depth)

    def _named(self, name: str, depth: int) -> Any:
        if self.kind == "mark" and self.token == "(":
            return self._call(name, depth)
        if name in _MISSING:
            return None
        if name in _WORDS:
            return _WORDS[name]
        raise LiteralError(f"{name[:40]!r} is no value")

    def _call(self, name: str, depth: int) -> Any:
        self._advance()
        plain: list[Any] = []
        named: dict[str, Any] = {}
        while not self._closes(")"):
            if self.kind == "name":
                key = self.token
                self._advance()
                if self.kind == "mark" and self.token == "=":
                    self._advance()
                    named[key] = self._argument(depth)
                else:
                    plain.append(self._named(key, depth + 1))
            else:
                plain.append(self.value(depth + 1))
            if not self._closes(")", is_last=False):
                self._expect(",")
        self._advance()
        if name in _ARRAYS and plain:
            self.found.is_array = True
            return plain[0]
        if named:
            return named
        if len(plain) == 1:
            return plain[0]
        raise LiteralError(f"{name}(…) is no value")

    def _argument(self, depth: int) -> Any:
        # dtype=object: a bare name that is no value anywhere else.
        if self.kind == "name" and self.token not in _MISSING and self.token not in _WORDS:
            name = self.token
            self._advance()
            if self.kind == "mark" and self.token == "(":
                return self._call(name, depth + 1)
            return name
        return self.value(depth + 1)

    def _items(self, depth: int, opening: str) -> Any:
        self._advance()
        closing = _CLOSING[opening]
        items: list[Any] = []
        n_commas = 0
        while not self._closes(closing):
            item = self.value(depth + 1)
            if item is not _NO_ITEM:
                items.append(item)
            if self.kind == "mark" and self.token == ",":
                n_commas += 1
                self._advance()
            elif not self._closes(closing, is_last=False):
                self.found.lacks_commas = True
        self._advance()
        # Brackets around one value are no tuple.
        return items[0] if opening == "(" and len(items) == 1 and not n_commas else items

    def _braces(self, depth: int) -> Any:
        self._advance()
        found: dict[str, Any] = {}
        items: list[Any] = []
        while not self._closes("}"):
            key = self.value(depth + 1)
            if self.kind == "mark" and self.token == ":":
                self._advance()
                found[key if isinstance(key, str) else str(key)] = self.value(depth + 1)
            elif key is not _NO_ITEM:
                items.append(key)
            if not self._closes("}", is_last=False):
                self._expect(",")
        self._advance()
        if found and items:
            raise LiteralError("it mixes the items of a set and of a dictionary")
        return items or found

    def _closes(self, mark: str, *, is_last: bool = True) -> bool:
        if is_last and self.kind == "end":
            raise LiteralError(f"{mark} is missing at its end")
        return self.kind == "mark" and self.token == mark

    def _expect(self, mark: str) -> None:
        if self.kind != "mark" or self.token != mark:
            raise LiteralError(f"{mark} is missing at character {self.place}")
        self._advance()


def _text_of(token: str) -> str:
    body = token[token.index(token[-1]) + 1 : -1]
    return _ESCAPE.sub(_unescaped, body) if "\\" in body else body


def _unescaped(match: re.Match[str]) -> str:
    octal, byte, four, eight, other = match.groups()
    if other is not None:
        return _SHORT.get(other, match[0])
    code = int(octal, 8) if octal else int(byte or four or eight, 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"


def _number(token: str) -> Any:
    plain = token.replace("_", "")
    try:
        # A longer whole number is an id: as a text it keeps its digits.
        return int(plain) if len(plain) < 4_000 else plain
    except ValueError:
        return float(plain)
