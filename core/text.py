"""Tokens, sentences, n-grams and overlap of plain text, the same everywhere in the product.

Every function takes time linear in the length of its text, whatever the text is: answers of a
million characters, one endless word, lone punctuation, any script.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

Span = tuple[int, int]
"""Start (inclusive) and end (exclusive) of a piece of text, in characters of the original."""

MAX_SENTENCE_CHARS = 1_000
"""A sentence without an end is cut near this length, so that work per sentence is bounded."""

_IDEOGRAPH = (
    "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f\U00030000-\U000323af"
)
_TOKEN = re.compile(rf"[{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")

_MARK = re.compile(
    # A run of Latin stops with the quotes and brackets that close after it.
    r"[.!?\u2026\u203c\u2047-\u2049]+[)\]\"'\u00bb\u201d\u2019]*"
    # Stops of scripts that put no space after a sentence, or have marks of their own.
    r"|[\u3002\uff01\uff1f\uff61\u061f\u06d4\u0964\u0965]+[)\]\"'\u300d\u300f\uff09\u201d\u2019]*"
    r"|[\n\u2028\u2029]"
)
# After a line break: an empty line, a list item, a heading or a table row begins something new.
_NEW_BLOCK = re.compile(
    r"[^\S\n]{0,16}(?:[\n\u2028\u2029|]|(?:[-*+\u2022\u2013>]|#{1,6}|\d{1,3}[.)])\s)"
)
_WIDE = re.compile(rf"[{_IDEOGRAPH}\u3040-\u30ff\uff00-\uffef]")
_ORDINAL = re.compile(r"\d{1,2}")

_ABBREVIATIONS = frozenset(
    # English
    "mr mrs ms dr prof sr jr st vs etc inc ltd co corp dept approx est"
    " ed eds gen col sgt capt lt gov sen rep rev hon mt ave blvd jan feb mar apr jun jul aug sep"
    " sept oct nov dec al cf ca eg ie e.g i.e a.m p.m u.s u.k u.n d.c ph.d b.a m.a m.d resp"
    # German
    " hr fr bzw ca evtl ggf inkl exkl str tel usw vgl zzgl zb bspw mio mrd tsd aufl"
    " hrsg jh jhd u.a z.b d.h o.ä u.ä s.o s.u i.d.r v.a z.t u.u o.g n.chr v.chr dipl ing geb"
    # French
    " m mm mme mmes mlle mlles av apr env p.ex c.-à-d c-à-d j.-c tél chap ex réf"
    # Spanish, Italian, Portuguese
    " sra srta dra ud uds vd vds aprox ej p.ej ee.uu a.c d.c"
    " sig sigg dott dott.ssa ing avv ecc"
    # Dutch
    " bijv o.a d.w.z m.b.t enz mevr dhr".split()
)
# Abbreviations that are words too: only a number after them shows which is meant.
_BEFORE_NUMBER = frozenset(
    "no nos nr nrs núm fig figs abb vol bd pp p pag pagg pág págs blz sec secc ch cap art abs op"
    " tab max min".split()
)
# Words that nearly always begin a sentence: after them even an abbreviation may have ended one.
_STARTERS = frozenset(
    "the this that these those he she it they we you i in on at for but and however as if when"
    " der die das es er sie wir ein eine im bei le la les il elle ils ce cette el los las un una"
    " lo gli de het een".split()
)
_BEFORE_ORDINAL = frozenset(
    "am der die das dem den des im vom zum beim ab bis seit und oder no nr".split()
)


def normalise(text: str) -> str:
    """Text in NFKC and lower case: the form in which tokens are compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).lower()


def tokens(text: str) -> list[str]:
    """Runs of letters and digits of the normalised text; each CJK ideograph is one token.

    >>> tokens("Fix_it: 2.5 ﬁlters, 你好")
    ['fix', 'it', '2', '5', 'filters', '你', '好']
    """
    folded = normalise(text)
    return _ASCII_TOKEN.findall(folded) if folded.isascii() else _TOKEN.findall(folded)


def ngrams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """All runs of n neighbouring tokens, in order.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return list(zip(*(words[start:] for start in range(n)), strict=False))


def token_overlap(answer: str, contexts: Iterable[str]) -> float | None:
    """Distinct answer tokens that occur in the contexts / distinct answer tokens.

    Range 0..1. None without a token in the answer or without contexts.

    >>> token_overlap("The red lamp", ["a lamp", "the end"])   # the, lamp of the, red, lamp
    0.6666666666666666
    """
    texts = list(contexts)
    wanted = set(tokens(answer))
    if not wanted or not texts:
        return None
    found: set[str] = set()
    for text in texts:
        found.update(wanted.intersection(tokens(text)))
    return len(found) / len(wanted)


def bigram_overlap(answer: str, contexts: Iterable[str]) -> float | None:
    """Distinct pairs of neighbouring answer tokens that occur in a context / distinct pairs.

    No pair spans two contexts. Range 0..1. None without a pair or without contexts.
    """
    texts = list(contexts)
    wanted = set(ngrams(tokens(answer), 2))
    if not wanted or not texts:
        return None
    found: set[tuple[str, ...]] = set()
    for text in texts:
        found.update(wanted.intersection(ngrams(tokens(text), 2)))
    return len(found) / len(wanted)


def sentences(text: str, max_chars: int = MAX_SENTENCE_CHARS) -> list[Span]:
    """Spans of the sentences, list items and headings of a text, in order, without outer space.

    A rule with a list of abbreviations (English, German, French, Spanish, Italian, some
    Portuguese and Dutch) and the full stops of Chinese, Japanese, Arabic, Urdu and Hindi. Pieces
    longer than ``max_chars`` are cut at white space, or anywhere if there is none.

    >>> [
    ...     "Dr. Roth paid 2.5 Mio. euros. Why?"[start:end]
    ...     for start, end in sentences("Dr. Roth paid 2.5 Mio. euros. Why?")
    ... ]
    ['Dr. Roth paid 2.5 Mio. euros.', 'Why?']
    """
    spans: list[Span] = []
    start = 0
    for mark in _MARK.finditer(text):
        end = mark.end()
        if _ends_sentence(text, start, mark):
            _add(text, start, end, max_chars, spans)
            start = end
    _add(text, start, len(text), max_chars, spans)
    return spans


def _ends_sentence(text: str, start: int, mark: re.Match[str]) -> bool:
    first = mark[0][0]
    end = mark.end()
    if first == "\n":
        return _NEW_BLOCK.match(text, end) is not None
    if first not in ".!?\u2026\u203c\u2047\u2048\u2049":
        return True
    if end == len(text):
        return True
    following = text[end]
    if not following.isspace():
        return _WIDE.match(following) is not None
    if "!" in mark[0] or "?" in mark[0] or text[mark.start() - 1 : mark.start()].isspace():
        return True
    return _full_stop_ends(text, start, mark)


def _full_stop_ends(text: str, start: int, mark: re.Match[str]) -> bool:
    after = text[mark.end() : mark.end() + 40].split(maxsplit=1)
    next_word = after[0].lstrip("\"'([{\u00ab\u00bf\u00a1\u201c\u201e\u2018*_") if after else ""
    if next_word[:1].islower():
        return False
    if not mark[0].startswith(".") or mark[0].startswith(".."):
        return True
    before = text[max(start, mark.start() - 24) : mark.start()].split()
    word = re.split(r"[\"'\u2019(\[{\u00ab\u201c\u201e*_]", before[-1])[-1] if before else ""
    starts_new = next_word.rstrip(",.;:'\u2019").casefold() in _STARTERS
    if word.casefold() in _BEFORE_NUMBER and next_word[:1].isdigit():
        return False
    if word.casefold() in _ABBREVIATIONS:
        return starts_new and ("." in word or word.casefold() in {"etc", "usw", "ecc", "enz", "al"})
    if len(word) == 1 and word.isalpha():
        return starts_new
    if _ORDINAL.fullmatch(word):
        at_start = not text[start : mark.start() - len(word)].strip() if len(before) < 2 else False
        return not at_start and (len(before) < 2 or before[-2].casefold() not in _BEFORE_ORDINAL)
    return True


def _add(text: str, start: int, end: int, max_chars: int, spans: list[Span]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > max_chars:
        cut = text.rfind(" ", start + max_chars // 2, start + max_chars)
        cut = start + max_chars if cut < 0 else cut
        spans.append((start, cut))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        spans.append((start, end))
