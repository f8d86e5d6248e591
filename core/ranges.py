"""Ranges as they stand in a filter term: of scores, of counts, and of ranks.

Both ends of a range belong to it, unless ``<`` or ``>`` stands before one: ``..<0.6`` is below 0.6.
A range of counts or ranks needs no second end if it is a single number: ``2`` is ``2..2``.
"""

import math
import re

from core.errors import BadInputError
from core.model import SLACK

Named = tuple[str, float, float]
"""What is looked at, and both ends; an open end is infinite."""

_COUNTS = re.compile(r"(?P<one>[0-9]{1,9})|(?P<low>[0-9]{1,9})?\.\.(?P<high>[0-9]{1,9})?")


class Beside(float):
    """The number next to ``at``: the end of a range to which ``at`` itself does not belong."""

    at: float

    def __new__(cls, at: float, beyond: float) -> "Beside":
        """The next number in the direction of ``beyond``."""
        made = super().__new__(cls, math.nextafter(at, beyond))
        made.at = at
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        """What a copy is made from."""
        return self.at, math.inf if self > self.at else -math.inf


def range_below(cut: float) -> str:
    """The range of everything below a cut, as a term has it.

    >>> range_below(0.6)
    '..<0.6'
    """
    return range_text(-math.inf, Beside(cut, -math.inf))


def range_above(cut: float) -> str:
    """The range of everything above a cut, as a term has it.

    >>> range_above(0.0)
    '>0..'
    """
    return range_text(Beside(cut, math.inf), math.inf)


def range_from(cut: float) -> str:
    """The range from a cut upwards, the cut included, as a term has it."""
    return range_text(cut, math.inf)


def range_up_to(cut: float) -> str:
    """The range up to a cut, the cut included, as a term has it."""
    return range_text(-math.inf, cut)


def range_text(low: float, high: float) -> str:
    """A range of scores; ``read_range`` reads it back."""
    return f"{_end(low, '>')}..{_end(high, '<')}"


def _end(bound: float, mark: str) -> str:
    if isinstance(bound, Beside):
        return f"{mark}{bound.at!r}" if bound.at else f"{mark}0"
    return repr(bound) if math.isfinite(bound) else ""


def compared(low: float, high: float) -> tuple[float, float]:
    """Both ends as scores are compared with them: what is within ``SLACK`` of an end is at it.

    So "from 1" holds a perfect score that was computed as 0.9999999999, and "below 1" does not,
    as on either side of a cut.

    >>> compared(*read_range("", "1..<2"))[0] < 1 - 1e-10, compared(*read_range("", "..<1"))[1] < 1
    (True, True)
    """
    below = low.at + SLACK if isinstance(low, Beside) else low - SLACK
    above = high.at - SLACK if isinstance(high, Beside) else high + SLACK
    return (
        math.nextafter(below, math.inf) if isinstance(low, Beside) else below,
        math.nextafter(above, -math.inf) if isinstance(high, Beside) else above,
    )


def read_range(term: str, value: str) -> tuple[float, float]:
    """Both ends of a range of scores.

    Raises:
        BadInputError: the value is no range; the message quotes the term.
    """
    low, separator, high = value.partition("..")
    try:
        bounds = _bound(low, ">", -math.inf), _bound(high, "<", math.inf)
    except ValueError:
        separator = ""
        bounds = 0.0, 0.0
    if not separator:
        raise BadInputError(f"{term} must name a range such as 0.2..0.6, 0.2.. or ..<0.6.")
    return bounds


def _bound(text: str, mark: str, open_end: float) -> float:
    if not text:
        return open_end
    if text.startswith(mark):
        return Beside(_number(text[1:]), -open_end)
    return _number(text)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def count_text(low: float, high: float) -> str:
    """A range of whole numbers; ``read_counts`` reads it back.

    >>> count_text(2, 2), count_text(0, 1), count_text(4, math.inf)
    ('2', '0..1', '4..')
    """
    if low == high:
        return f"{low:.0f}"
    return "..".join("" if math.isinf(end) else f"{end:.0f}" for end in (low, high))


def read_counts(term: str, value: str) -> tuple[float, float]:
    """Both ends of a range of whole numbers.

    Raises:
        BadInputError: the value is none; the message quotes the term.

    >>> read_counts("evidence.rank=2", "2"), read_counts("evidence.rank=..3", "..3")
    ((2.0, 2.0), (-inf, 3.0))
    """
    match = _COUNTS.fullmatch(value)
    if match is None:
        raise BadInputError(f"{term} must be a number or a range of them: 2, 0..1, ..3 or 4..")
    if match["one"]:
        return float(match["one"]), float(match["one"])
    low, high = match["low"], match["high"]
    return float(low) if low else -math.inf, float(high) if high else math.inf
