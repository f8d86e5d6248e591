"""Finds answers that refuse, by patterns: fast enough to be called for every imported sample.

It reads the first 600 and the last 240 characters and knows the languages of
``core.judge.refusals``. A refusal says at the start that no answer can be given, or comes
to that conclusion at the end. An answer that only hedges somewhere ("partial") is no refusal.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.judge.refusals import SPACED, UNSPACED, Language, Pattern

HEAD_CHARS = 600
TAIL_CHARS = 240
LEAD_CHARS = 200


@dataclass(frozen=True, slots=True)
class RefusalMatch:
    """What was found: a full refusal, an answer that hedges (``is_partial``), or neither.

    ``language`` is a two-letter code, None where nothing matched, for an empty answer, and where
    the whole answer is a mark such as "n/a". ``is_empty``: no visible character at all.
    """

    is_refusal: bool
    is_partial: bool = False
    is_empty: bool = False
    pattern: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class _Compiled:
    code: str
    cues: frozenset[str]
    regex: re.Pattern[str]
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    code: str
    start: int
    end: int
    pattern: Pattern


def _compile(language: Language, edge: str) -> _Compiled:
    """One regular expression per language, branching by first letter: that is what makes it fast.

    An empty group at the end of each branch says which pattern it was.
    """
    by_letter: dict[str, list[str]] = {}
    order: dict[str, list[Pattern]] = {}
    for pattern in language.patterns:
        for start in pattern.starts.split("|"):
            by_letter.setdefault(start[0], []).append(f"{re.escape(start[1:])}{pattern.rest}()")
            order.setdefault(start[0], []).append(pattern)
    branches = [f"{letter}(?:{'|'.join(ways)})" for letter, ways in by_letter.items()]
    return _Compiled(
        language.code,
        language.cues,
        re.compile(f"{edge}(?:{'|'.join(branches)})"),
        tuple(pattern for letter in by_letter for pattern in order[letter]),
    )


_NONE = RefusalMatch(False)
_EMPTY = RefusalMatch(True, is_empty=True)
_SPACED = tuple(_compile(language, r"\b") for language in SPACED)
_UNSPACED = tuple(_compile(language, "") for language in UNSPACED)
_WORD = re.compile(r"[^\W\d_]+")
_ASCII_WORD = re.compile("[a-z]+")  # the same in folded ASCII text, found in half the time
_QUOTED = re.compile(r"[\"\u201c\u201e][^\"\u201c\u201d\u201e]*[\"\u201c\u201d]")
_APOLOGY = re.compile(
    r"\W*(?:" + "|".join(entry.apology for entry in (*SPACED, *UNSPACED)) + r")\b[^\w]*"
    r"(?:(?:but|aber|mais|pero|ma|mas|maar|но|ale)\b ?)?"
)
_POLAR = re.compile(
    r"\W*(?:yes|no|yep|nope|ja|nein|oui|non|sí|si|sì|no|sim|não|nee|tak|nie)[,.;:!]"
)
# Answers that are nothing but one of these, as data sets of questions without answers have them.
_WHOLE = frozenset(
    "n/a|unknown|unanswerable|no answer|not mentioned|not specified|not stated|not available"
    "|not found|not provided|no information|cannotanswer|idk|insufficient information|keine angabe"
    "|keine angaben|k.a|unbekannt|inconnu|desconocido|sconosciuto|desconhecido|onbekend|未知".split(
        "|"
    )
)
_CONTRAST = re.compile(
    r"\b(?:but|however|though|aber|jedoch|allerdings|mais|cependant|toutefois|pero|sin embargo|ma"
    r"|però|tuttavia|mas|porém|contudo|maar|echter|ale|jednak|но|однако)\b|但|不过|不過|しかし|ただし"
)
# "Not stated, but we can calculate it": an answer follows after all.
_WORKED_OUT = re.compile(
    r"\b(?:but|however)\b[^.!?]{0,90}\bcan (?:be )?"
    r"(?:calculate|estimate|infer|compute|derive|used to infer)d?\b"
)
_CONCLUSION = re.compile(
    r"\b(?:therefore|thus|hence|so|consequently|without|as such|given|based on|unfortunately"
    r"|otherwise|daher|deshalb|somit|ohne|leider|donc|ainsi|sans|malheureusement|por lo tanto|por"
    r" tanto|sin|lamentablemente|pertanto|quindi|senza|purtroppo|portanto|sem|infelizmente|daarom"
    r"|dus|zonder|helaas|dlatego|поэтому)\b|因此|所以|そのため"
)
# The text is in lower case by then, so that only a list tells abbreviations from ends.
_ABBREVIATIONS = (
    "inc co corp ltd dr mr mrs ms no nr st vs etc approx bzw ca evtl mme sr sra".split()
)
_SENTENCE_END = re.compile(
    "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS)
    + r"(?<=[^\W_][^\W_])[.!?](?:\s|$)|[。！？]"
)


def is_refusal(answer: str) -> RefusalMatch:
    """Whether the answer refuses, hedges, or answers.

    >>> is_refusal("I'm sorry, the manual does not mention a towing hook.").is_refusal
    True
    >>> is_refusal("It weighs 21 kg. I do not have information about the colour.").is_partial
    True
    """
    head = _folded(answer[:HEAD_CHARS])
    if not head:
        return _NONE if answer.strip() else _EMPTY
    if len(head) < 30 and head.strip(" .!\"'`*[]()") in _WHOLE:
        return RefusalMatch(True, pattern="nothing but a refusal")
    found = _first(head)
    if found is not None and _counts_at_start(head, found):
        return RefusalMatch(True, pattern=found.pattern.name, language=found.code)
    if found is None and len(answer) <= HEAD_CHARS:
        return _NONE
    tail = head[-TAIL_CHARS:] if len(answer) <= HEAD_CHARS else _folded(answer[-TAIL_CHARS:])
    for last in _matches(tail):
        concludes = _CONCLUSION.search(tail, 0, last.start) is not None
        if last.pattern.strength == "always" or (last.pattern.strength == "cannot" and concludes):
            return RefusalMatch(True, pattern=last.pattern.name, language=last.code)
        found = found or last
    if found is None:
        return _NONE
    return RefusalMatch(False, is_partial=True, pattern=found.pattern.name, language=found.code)


def _folded(text: str) -> str:
    """Lower case, single spaces, straight apostrophes, quoted words blanked (error messages)."""
    folded = " ".join(text.split()).lower().replace("\u2019", "'")
    if '"' in folded or "\u201c" in folded or "\u201e" in folded:
        folded = _QUOTED.sub('""', folded)
    return folded


def _languages(text: str) -> list[_Compiled]:
    words = frozenset((_ASCII_WORD if text.isascii() else _WORD).findall(text))
    found = [entry for entry in _SPACED if not entry.cues.isdisjoint(words)]
    if not text.isascii():
        found += [entry for entry in _UNSPACED if not entry.cues.isdisjoint(text)]
    return found


def _matches(text: str) -> Iterator[_Found]:
    for entry in _languages(text):
        for match in entry.regex.finditer(text):
            pattern = entry.patterns[(match.lastindex or 1) - 1]
            yield _Found(entry.code, match.start(), match.end(), pattern)


def _first(text: str) -> _Found | None:
    """The earliest match of any language; one that always counts comes before all others."""
    best: _Found | None = None
    for found in _matches(text):
        if found.pattern.strength == "always":
            return found
        if best is None or found.start < best.start:
            best = found
    return best


def _counts_at_start(head: str, found: _Found) -> bool:
    strength = found.pattern.strength
    if strength == "always":
        return True
    if found.start >= LEAD_CHARS:
        return False
    apology = _APOLOGY.match(head)
    begin = apology.end() if apology is not None else 0
    if strength == "excuse":
        return apology is not None
    if strength == "unsure":
        contrast = _CONTRAST.search(head, found.end)
        return contrast is None or contrast.start() > found.end + LEAD_CHARS
    if strength == "ask":
        stop = _SENTENCE_END.search(head, begin)
        return apology is not None or stop is None or found.start < stop.start()
    if _CONTRAST.search(head, begin, found.start) is not None:
        return False
    if _WORKED_OUT.search(head, found.end) is not None:
        return False
    if strength == "silent" and _POLAR.match(head) is not None:
        return False
    return _SENTENCE_END.search(head, begin, found.start) is None
