"""Untrusted text in markdown: shown character by character, nothing of it rendered."""

import re
import string

_JOINER = "\u2060"  # word joiner: invisible, and no rule of the renderer reaches across it
_REWRITTEN = re.compile(
    r"(?i)(?<=[-<>=~:/@])(?=[-<>=~:/@])"  # arrows, dashes, comparison signs, the // of an address
    r"|(?<=[:@])(?=[\w+-])"  # http:, mailto:, :material, emoji codes, a@b
    r"|(?<=www)(?=\.)"
)
LINE_END = re.compile(r"\r\n|\r|\n")
_SPACES = re.compile(r"[^\S\u00a0\u202f]+")  # all white space but the spaces that never break
_INLINE = re.compile(r"([\\`*_\[\]<>|~&$#])")
_LINKED = re.compile(r"(?i)(?<=:)(?=//)|(?<=[:@])(?=[^\W\d_])|(?<=www)(?=\.)")
_PUNCTUATION = {ord(mark): "\\" + mark for mark in string.punctuation}


def escape_piece(text: str) -> str:
    """Text without line breaks, escaped; white space is kept as it is."""
    return _REWRITTEN.sub(_JOINER, text).translate(_PUNCTUATION)


def indented(line: str) -> str:
    """No-break spaces for the indentation: four plain ones would make a code block."""
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(4).replace(" ", "\u00a0") + body if body else ""


def escape(text: str) -> str:
    """Untrusted text for ``st.markdown``: every character is shown and nothing is rendered.

    Backslashes alone do not do it: addresses still become links and ``->`` an arrow, hence the
    word joiners. Line breaks are kept; repeated blank lines collapse.
    """
    return "  \n".join(escape_piece(indented(line)) for line in LINE_END.split(text))


def escape_line(text: str) -> str:
    """Like ``escape`` for labels, badges and headings: one line, white space collapsed."""
    return escape_piece(_one_line(text))


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def escape_sparingly(text: str) -> str:
    r"""One line of a document that people also read unrendered: only what would have an effect.

    Not for the beginning of a line, where ``-`` or ``1.`` would begin a list.

    >>> escape_sparingly("a_b | 25 %, see http://x.y")
    'a\\_b \\| 25 %, see http:\u2060//x.y'
    """
    return _LINKED.sub(_JOINER, _INLINE.sub(r"\\\1", _one_line(text)))
