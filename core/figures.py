"""How figures are written: the only home of rounding and of percent signs.

Shares are 0..1 everywhere; only the words made here are per cent. Screen, report and findings all
write through this module, so that one number looks the same in each.
"""

import datetime as clock
import math
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import TypeGuard

from core.metrics.intervals import Rate, wilson
from core.model import Scale

NARROW = "\u202f"  # narrow no-break space: before %, between thousands
EN_DASH, MINUS, UNDEFINED = "\u2013", "\u2212", "\u2014"
LEAST_N = 5  # with fewer in the denominator only the counts are shown
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def _round(value: float, digits: int = 0) -> Decimal:
    """Half up on the shortest decimal form, so that 0.285 is 29 per cent as a reader expects."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def per_cent(share: float) -> int:
    """A share as a whole number of per cent, for a column that draws a bar of it."""
    return int(_round(share, 2).scaleb(2))


def is_defined(value: float | None) -> TypeGuard[float]:
    """True for a finite number; False for None, NaN and infinity."""
    return value is not None and math.isfinite(value)


def _grouped(value: int | Decimal) -> str:
    return f"{value:,}".replace(",", NARROW).replace("-", MINUS)


def count(n: int | None) -> str:
    """A count with thin thousands separators: ``12 345``."""
    return UNDEFINED if n is None else _grouped(n)


def counted(n: int, noun: str) -> str:
    """A count with its noun, which takes an s where it is not one: ``1 sample``, ``12 samples``."""
    return f"{count(n)} {noun}{'' if n == 1 else 's'}"


def compact(n: int) -> str:
    """A count for a place without room: ``9 876``, ``62k``, ``1.2M``."""
    if n < 10_000:
        return count(n)
    return f"{_round(n / 1000)}k" if n < 999_500 else f"{_round(n / 1_000_000, 1)}M"


def percent(share: float | None) -> str:
    """Whole per cent; never "100 %" for less than all nor "0 %" for more than none."""
    if not is_defined(share):
        return UNDEFINED
    if share < 0:
        return MINUS + percent(-share)
    whole = per_cent(share)
    text = "<1" if whole == 0 and share > 0 else ">99" if whole == 100 and share < 1 else str(whole)
    return f"{text}{NARROW}%"


def interval(low: float | None, high: float | None) -> str:
    """Both ends of an interval of shares in whole per cent: ``13–25``."""
    if not (is_defined(low) and is_defined(high)):
        return UNDEFINED
    return f"{per_cent(low)}{EN_DASH}{per_cent(high)}"


def share(k: int, n: int) -> str:
    """``27 of 150 (18 %, 13–25)`` with the Wilson interval; below 5 only ``1 of 1``."""
    counts = f"{count(k)} of {count(n)}"
    if n < LEAST_N:
        return counts
    result = wilson(k, n)
    return f"{counts} ({percent(result.value)}, {interval(result.low, result.high)})"


def rate(k: int, n: int) -> str:
    """``18 % (13–25)`` for tables and tiles that show the count beside it; below 5 ``1 of 1``."""
    if n < LEAST_N:
        return f"{count(k)} of {count(n)}"
    result = wilson(k, n)
    return f"{percent(result.value)} ({interval(result.low, result.high)})"


def rate_of(found: Rate) -> str:
    """A rate that brings its own interval, written as ``rate`` writes one.

    >>> rate_of(Rate(1.0, 0.21, 1.0, 1, 1.0)), rate_of(Rate(None, None, None, 0, 0.0))
    ('1 of 1', '—')
    """
    if found.value is None:
        return UNDEFINED
    if found.n < LEAST_N and float(found.k).is_integer():
        return f"{count(int(found.k))} of {count(found.n)}"
    return f"{percent(found.value)} ({interval(found.low, found.high)})"


def signed(value: float | None, unit: str = "", *, digits: int = 0) -> str:
    """A change with a real minus: ``+9``, ``−6``, ``±0``; ``unit`` follows after a space.

    A change that rounds to nothing is not nothing: ``<0.01 up``, ``<1 point down``.
    """
    if not is_defined(value):
        return UNDEFINED
    size = _round(abs(value), digits)
    after = f" {unit}" if unit else ""
    if value and not size:
        return f"<{Decimal(1).scaleb(-digits)}{after} {'up' if value > 0 else 'down'}"
    sign = "±" if value == 0 else "+" if value > 0 else MINUS
    return sign + _grouped(size) + after


def points(difference: float | None) -> str:
    """A difference of two shares in percentage points: ``+9 points``."""
    if not is_defined(difference):
        return UNDEFINED
    size = abs(per_cent(difference))
    if not size and difference:
        return signed(difference / 100, "point")
    return signed(per_cent(difference), "point" if size == 1 else "points")


def number(value: float | None, scale: Scale | None = None, *, cut: float | None = None) -> str:
    """A score in its own scale: ``2 of 5`` for a rubric, ``0.62`` for a ratio, ``—`` for none.

    With ``cut`` as many digits are shown as tell the two apart: 0.6996 is not 0.70 at a cut of 0.7.
    """
    if not is_defined(value):
        return UNDEFINED
    top = None
    if scale and scale.lo is not None and scale.hi is not None and scale.hi - scale.lo > 1:
        top = scale.hi
    digits = 2 if top is None else 0 if float(value).is_integer() else 1
    while cut is not None and digits < 6 and not _same_side(value, cut, digits):
        digits += 1
    text = _grouped(_round(value, digits))
    return text if top is None else f"{text} of {top:g}"


def _same_side(value: float, cut: float, digits: int) -> bool:
    shown = float(_round(value, digits))
    return (shown > cut, shown < cut) == (value > cut, value < cut)


def duration(seconds: float | None) -> str:
    """A time span: ``85 ms``, ``1.2 s``, ``42 s``, ``3 min 05 s``, ``2 h 10 min``."""
    if not is_defined(seconds):
        return UNDEFINED
    if seconds < 0.1:
        return f"{_round(seconds * 1000)} ms"
    if seconds < 9.95:
        return f"{_round(seconds, 1)} s"
    whole = int(_round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{count(whole // 3600)} h {whole % 3600 // 60:02d} min"


def cost(usd: float | None) -> str:
    """A price: ``$0.14``; ``unknown`` where nobody said, never 0."""
    if not is_defined(usd):
        return "unknown"
    if 0 < usd < 0.005:
        return "<$0.01"
    return f"${_grouped(_round(usd, 2))}"


def p_value(p: float | None) -> str:
    """``p = 0.03``, ``p = 0.004``, ``p < 0.001``, ``p > 0.99``."""
    if not is_defined(p):
        return f"p {UNDEFINED}"
    if p < 0.001:
        return "p < 0.001"
    return "p > 0.99" if p >= 0.995 else f"p = {_round(p, 3 if p < 0.01 else 2)}"


def day_text(day: clock.date) -> str:
    """``30 Nov 2026`` of a day without a clock."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def date(moment: datetime | None, *, time: bool = False) -> str:
    """``30 Nov 2026`` in UTC, with ``time`` also ``, 14:05``; a naive moment counts as UTC."""
    if moment is None:
        return UNDEFINED
    utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    clock = f", {utc:%H:%M}" if time else ""
    return f"{utc.day} {_MONTHS[utc.month - 1]} {utc.year}{clock}"
