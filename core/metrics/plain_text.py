"""Text as answers are compared: without case, punctuation and articles, with its numbers whole."""

import re
import unicodedata

from core.text import tokens

_DIGIT = re.compile(r"\d")
_GROUPED = re.compile(r"(?<=\d)[,'’\u00a0\u202f](?=\d{3}(?!\d))")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_ZEROS = re.compile(r"(?<![\d.])(\d+)\.(\d*?)0+(?!\.?\d)")
# Marks that belong to a number: inside it, its sign, and what makes it a bound.
_MARKS = re.compile(
    r"(?<=\d)[./\u2044:–-](?=\d)|(?<!\w)[-−](?=\.?\d)|(?:<=|>=|[<>≤≥])(?=\s*[-−]?\d)"
)
_SAME_MARK = {"<=": "≤", ">=": "≥", "−": "-", "–": "-", "\u2044": "/"}
# While punctuation is removed, marks that stay are letters of the private use area.
_MARK_ORDER = "./:-<>≤≥"
_PRIVATE = 0xE000
_ARTICLES = frozenset({"a", "an", "the"})


class _Removal(dict[int, int | None]):
    """For ``str.translate``: punctuation and symbols vanish, marks of numbers come back."""

    def __missing__(self, code: int) -> int | None:
        place = code - _PRIVATE
        if 0 <= place < len(_MARK_ORDER):
            self[code] = ord(_MARK_ORDER[place])
        else:
            self[code] = None if unicodedata.category(chr(code))[0] in "PS" else code
        return self[code]


_REMOVAL = _Removal()


def plain(text: str) -> str:
    """Text in lower case without punctuation, symbols, articles and doubled spaces.

    Numbers keep their marks, lose those of thousands and the zeros that end a fraction. Articles
    stay where nothing else is left.

    >>> plain("  The $1,577.00, (net)!"), plain("A"), plain("≥ 4,6 %")
    ('1577 net', 'a', '≥ 4.6')
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    if _DIGIT.search(folded):
        folded = _DECIMAL_COMMA.sub(".", _GROUPED.sub("", folded))
        folded = _ZEROS.sub(_without_zeros, folded)
        folded = _MARKS.sub(_protected, folded)
    words = folded.translate(_REMOVAL).split()
    return " ".join([word for word in words if word not in _ARTICLES] or words)


def _without_zeros(match: re.Match[str]) -> str:
    return f"{match[1]}.{match[2]}" if match[2] else match[1]


def _protected(match: re.Match[str]) -> str:
    mark = _SAME_MARK.get(match[0], match[0])
    return chr(_PRIVATE + _MARK_ORDER.index(mark))


def plain_tokens(text: str) -> list[str]:
    """Words of the plain text; scripts that put no space between words fall apart as in tokens."""
    words: list[str] = []
    for word in plain(text).split():
        if word.isascii():
            words.append(word)
        else:
            words.extend(tokens(word) or [word])
    return words
