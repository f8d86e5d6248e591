"""How near an answer comes to a reference, by words, numbers and yes or no."""

import re
from dataclasses import dataclass

from core.judge.refusal import is_refusal
from core.judge.relevance import NO, YES
from core.judge.terms import content, terms
from core.text import tokens

NUMERIC_WORDS = 3
"""A reference with a number and at most this many other content words is about the number."""

_GROUP = "[.,\u2019'\u00a0\u202f]"
_NUMBER = re.compile(rf"\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(rf"\d{{1,3}}(?:{_GROUP}\d{{3}})+")
_SCALES = (0, 3, -3, 6, -6, 9, -9)
_READ_CHARS = 20_000
_ANSWER_NUMBERS = 400
_REFERENCE_NUMBERS = 50


@dataclass(frozen=True, slots=True)
class Comparison:
    """Correctness 0..1 against one reference, and what it is made of (None = not compared)."""

    value: float
    reference: int
    words: float | None = None
    numbers: float | None = None
    polarity: bool | None = None
    is_exact: bool = False
    is_refusal: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text and half a unit of its last digit: what it may be off by."""

    value: float
    half_unit: float


def numbers(text: str, limit: int = _ANSWER_NUMBERS) -> list[Number]:
    """The numbers of a text without signs; commas and points are read as the digits suggest.

    At most ``limit`` numbers of the first 20,000 characters.

    >>> [number.value for number in numbers("$1,577.00, 4,6 % and 1.234.567")]
    [1577.0, 4.6, 1234567.0]
    """
    found = []
    for match in _NUMBER.finditer(text[:_READ_CHARS]):
        number = _number(match[0])
        if number is not None:
            found.append(number)
        if len(found) == limit:
            break
    return found


def _number(raw: str) -> Number | None:
    digits = re.sub("[\u2019'\u00a0\u202f]", "", raw)
    if not digits.isascii():
        digits = "".join(str(int(c)) if c.isdigit() and c.isdecimal() else c for c in digits)
    last = max(digits.rfind("."), digits.rfind(","))
    whole, fraction = digits, ""
    if last >= 0:
        mark = digits[last]
        other = "," if mark == "." else "."
        is_grouped = _THOUSANDS.fullmatch(digits) is not None and other not in digits
        if not (is_grouped and (mark == "," or digits.count(mark) > 1)):
            whole, fraction = digits[:last], digits[last + 1 :]
    whole = whole.replace(".", "").replace(",", "")
    fraction = fraction.rstrip("0")
    if not (whole + fraction).isdecimal() or len(whole) > 300:
        return None
    return Number(float(f"{whole}.{fraction or '0'}"), 0.5 * 10.0 ** -min(len(fraction), 300))


def compare(answer: str, reference: str, position: int = 0, is_refused: bool = False) -> Comparison:
    """Compare an answer with one reference, the ``position``-th of a sample.

    ``is_refused`` says that the answer is known to refuse; otherwise patterns decide.

    Words: share of the reference's content words in the answer. Numbers: share of its numbers
    that the answer holds, rounded as the reference is and in any unit of thousands. A short
    reference with a number counts by its numbers alone, another with numbers by the mean of both.
    A contrary yes or no leaves a quarter, the same one adds 30 % of what is missing. If exactly
    one of the two refuses to answer, the value is 0, if both do, 1.
    """
    if tokens(answer) == tokens(reference):
        return Comparison(1.0, position, is_exact=True)
    should = is_refusal(reference).is_refusal
    refuses = is_refused or is_refusal(answer).is_refusal
    if should or refuses:
        return Comparison(1.0 if should and refuses else 0.0, position, is_refusal=True)
    wanted_terms = terms(reference)
    wanted = content(wanted_terms) or set(wanted_terms)
    words = len(wanted.intersection(terms(answer))) / len(wanted) if wanted else 0.0
    value = words
    wanted_numbers = numbers(reference, _REFERENCE_NUMBERS)
    share = None
    if wanted_numbers:
        given = numbers(answer)
        is_percent = "%" in reference or "%" in answer
        share = sum(_is_given(one, given, is_percent) for one in wanted_numbers) / len(
            wanted_numbers
        )
        others = [term for term in wanted if not term.isdigit()]
        value = share if len(others) <= NUMERIC_WORDS else (words + share) / 2
    polarity = _same_polarity(answer, reference)
    if polarity is False:
        value *= 0.25
    elif polarity:
        value += 0.3 * (1 - value)
    return Comparison(value, position, words, share, polarity)


def _is_given(wanted: Number, given: list[Number], is_percent: bool) -> bool:
    scales = (*_SCALES, 2, -2) if is_percent else _SCALES
    tolerance = wanted.half_unit * (1 + 1e-9)
    return any(
        abs(one.value * 10.0**scale - wanted.value) <= tolerance
        for one in given
        for scale in scales
    )


def _same_polarity(answer: str, reference: str) -> bool | None:
    ours, theirs = _polarity(answer), _polarity(reference)
    return None if ours is None or theirs is None else ours == theirs


def _polarity(text: str) -> bool | None:
    first = tokens(text[:40])[:1]
    if not first:
        return None
    return True if first[0] in YES else False if first[0] in NO else None
