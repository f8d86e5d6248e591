"""Which option of a multiple-choice question a text chooses."""

import re
from collections.abc import Mapping

from core.metrics.plain_text import plain

LETTERS = "ABCDEFGH"

_BLANKS = re.compile(r"\s+")
_MARKER = re.compile(r"(?<![^\s(])\(?([A-H])[.):](?=\s)")

# A letter that stands for itself, bare or in brackets or bold; not one of several.
_LETTER = (
    r"(?:\*\*|__|[(\[])*([A-H])(?![\w'’-])(?:\*\*|__|[)\]])*"
    r"(?!\s*(?:,|/|&|\+|and\b|or\b|und\b|oder\b)\s*[(\[]?[A-H](?![\w'’]))"
)
_ALONE = re.compile(rf"\s*(?:{_LETTER}|[(\[]?([a-h])[)\].]?)[.:\s]*")
_AT_START = re.compile(r"\s*(?:\*\*|__|[(\[])*([A-H])(?:\*\*|__)?[.:)\]](?:\*\*|__)?\s")
_ANSWER = r"(?i:answer|antwort|réponse|respuesta|risposta|resposta|antwoord)"
_RIGHT = r"(?i:correct|right|best|richtig|korrekt)"
_OPTION = r"(?i:option|choice|one)"
_LINK = (
    r"(?i:\s+(?:is|would be|should be|must be|ist|est|es|è|é))?\s*[:=]?\s*(?i:option\s+|choice\s+)?"
)
_STATED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_ANSWER}{_LINK}{_LETTER}",
        rf"{_RIGHT}\s+{_OPTION}{_LINK}{_LETTER}",
        rf"{_OPTION}\s+{_LETTER}\s+(?i:is)\s+(?i:the\s+)?{_RIGHT}",
        rf"(?i:choose|chose|select|pick|go with)\s+(?i:option\s+|answer\s+)?{_LETTER}",
    )
)


def options_of(question: str) -> dict[str, str]:
    """Options that a question lists as A, B, C, … with their text; empty unless there are two.

    >>> options_of("Which drug? A) aspirin B) metformin")
    {'A': 'aspirin', 'B': 'metformin'}
    """
    places: list[tuple[int, int]] = []
    for marker in _MARKER.finditer(question):
        if len(places) < len(LETTERS) and marker[1] == LETTERS[len(places)]:
            places.append((marker.start(), marker.end()))
    if len(places) < 2:
        return {}
    ends = [start for start, _ in places[1:]] + [len(question)]
    return {
        letter: question[begin:end].strip(" \t\n,;")
        for letter, (_, begin), end in zip(LETTERS, places, ends, strict=False)
    }


def choice_letter(
    text: str, options: Mapping[str, str] | None = None, *, is_strict: bool = False
) -> str | None:
    """Letter (A to H) that a text chooses, or None where it names none or several.

    Either the text is that letter ("B", "(b)"), begins with it ("B) metformin"), states it ("the
    answer is B"), or is the text of exactly one of ``options``. If strict, a letter at the start
    needs a bracket: "A. Smith" is a name.

    >>> choice_letter("**B**"), choice_letter("I think the answer is (C)."), choice_letter("A dog")
    ('B', 'C', None)
    >>> choice_letter("Metformin.", {"A": "aspirin", "B": "metformin"})
    'B'
    """
    # The patterns below try every end of a run of white space: thousands of blanks took seconds.
    text = _BLANKS.sub(" ", text)
    alone = _ALONE.fullmatch(text)
    if alone:
        return (alone[1] or alone[2]).upper()
    start = _AT_START.match(text)
    if start and (start[0].rstrip().endswith((")", "]")) or not is_strict):
        return start[1]
    stated = {match[1] for pattern in _STATED for match in pattern.finditer(text)}
    if stated:
        return stated.pop() if len(stated) == 1 else None
    wanted = plain(text)
    same = [letter for letter, option in (options or {}).items() if plain(option) == wanted]
    return same[0] if len(same) == 1 and wanted else None
