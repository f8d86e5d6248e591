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
    return escape_piece(" ".join(text.split()))
