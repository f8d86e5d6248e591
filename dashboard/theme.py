"""Colours, number formats and the escaping of text: the only home of rounding and percent signs.

Free of Streamlit, so that charts may import it; a page passes ``st.context.theme.type``.
Shares are 0..1 everywhere; only the words made here are per cent.
"""

import math
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import TypeGuard

from core.diagnosis.modes import Side
from core.metrics.intervals import wilson
from core.model import Scale

# --- colours ------------------------------------------------------------------------------------

ON_LIGHT, ON_DARK = "#121418", "#FFFFFF"
_REPRESENTATIVE = {  # the fill that stands for a whole family
    Side.WORKS: "success",
    Side.RETRIEVAL: "retrieval_failure",
    Side.GENERATION: "generation_breakdown",
    Side.REFUSAL: "refusal_unverified",
    Side.UNKNOWN: "undetermined",
}
_SAME_FILL = {  # ids of the context-use tables that share a mode's fill
    "effective_use": "success",
    "misread_evidence": "hallucination",
    "information_blindness": "generation_breakdown",
    "parametric_bypass": "off_target_answer",
    "ungrounded_error": "confabulation",
    "misled_by_context": "pipeline_failure",
    "lucky_guess_attributed": "lucky_guess",
    "lucky_guess_parametric": "score_conflict",
    "correct_rejection": "correct_refusal",
}


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Relative luminance of ``#RRGGBB``, 0..1 (WCAG 2.2)."""
    parts = [c / 255 for c in _channels(colour)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1..21 (WCAG 2.2); text needs 4.5."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def text_on(fill: str) -> str:
    """White or near-black, whichever reads better on ``fill``."""
    return max(ON_DARK, ON_LIGHT, key=lambda text: contrast(text, fill))


def mix(ground: str, colour: str, amount: float) -> str:
    """``ground`` with ``amount`` (0..1) of ``colour`` laid over it."""
    pairs = zip(_channels(ground), _channels(colour), strict=True)
    return "#" + "".join(f"{round(g + (c - g) * amount):02X}" for g, c in pairs)


@dataclass(frozen=True, slots=True)
class Theme:
    """The colour tokens of one appearance; every colour is ``#RRGGBB``."""

    kind: str
    ground: str
    panel: str
    ink: str
    muted: str
    caption: str
    border: str
    grid: str
    neutral: str
    worse: str
    better: str
    passed: str
    failed: str
    mark: str
    family_inks: Mapping[str, str]
    tints: Mapping[str, str]
    fills: Mapping[str, str]

    def fill(self, mode: str) -> str:
        """Fill of a mode or of an id of the context-use tables; undetermined if unknown."""
        return self.fills.get(_SAME_FILL.get(mode, mode), self.fills["undetermined"])

    def family_fill(self, family: str) -> str:
        """The fill that stands for a whole family (a ``Side``)."""
        return self.fills[_REPRESENTATIVE[Side(family)]]

    def change_ink(self, change: str) -> str:
        """Ink of a change: "better" and "worse" are coloured, everything else is muted."""
        return {"better": self.better, "worse": self.worse}.get(change, self.muted)


def _table(text: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Rows "key light dark" as one mapping per appearance."""
    rows = [line.split() for line in text.strip().splitlines()]
    return (
        MappingProxyType({key: light for key, light, _ in rows}),
        MappingProxyType({key: dark for key, _, dark in rows}),
    )


_FRAME = _table("""
    ground  #FFFFFF #15171B
    panel   #F7F8FA #1B1E23
    ink     #11151A #E8EAED
    muted   #59626D #A2AAB5
    caption #707376 #949699
    border  #DFE3E8 #30353D
    grid    #EBEEF1 #262B31
    neutral #8294AC #8592A4
    worse   #A61B25 #FF9B9B
    better  #0B6B60 #4FD0BC
    passed  #1F5FA8 #8CC2FF
    failed  #B4232C #FF8A8A
    mark    #FBD9DB #5A262B
""")
_FAMILY_INKS = _table("""
    works      #0B6B60 #4FD0BC
    retrieval  #9A4207 #FFBC62
    generation #5A22B8 #C3A8FF
    refusal    #3C4A5E #C4D0DF
    unknown    #59626D #A2AAB5
""")
_TINTS = _table("""
    works      #E6F4F1 #13302D
    retrieval  #FDF1E2 #362513
    generation #F2ECFD #2A2142
    refusal    #EEF2F6 #232A33
    unknown    #F4F5F7 #22262C
""")
_FILLS = _table("""
    success              #0E8577 #2BB5A0
    hallucination        #5A22B8 #B794FF
    generation_breakdown #8A56E8 #8F63EE
    off_target_answer    #BFA2FB #6240B5
    confabulation        #7A2E06 #FFE0B0
    pipeline_failure     #A84808 #FFBC62
    ungrounded_answer    #CC6410 #F0902E
    retrieval_failure    #E98A24 #C96A16
    lucky_guess          #F3B467 #9C4E10
    score_conflict       #F9DCA6 #6E360E
    over_refusal         #3C4A5E #DCE5F0
    refusal_unverified   #71829B #A3B2C6
    correct_refusal      #A3B4CA #74839A
    undetermined         #E3E5E9 #3A3F47
""")
LIGHT, DARK = (
    Theme(kind=kind, family_inks=inks, tints=tints, fills=fills, **frame)
    for kind, frame, inks, tints, fills in zip(
        ("light", "dark"), _FRAME, _FAMILY_INKS, _TINTS, _FILLS, strict=True
    )
)


def theme(kind: str | None) -> Theme:
    """The tokens for ``st.context.theme.type``; light while it is not known yet."""
    return DARK if kind == "dark" else LIGHT


def tile_ground(theme: Theme, family: str, share: float | None) -> str:
    """Ground of a tile: the family's fill, deeper with the share, never too deep for its text."""
    if not _is_defined(share) or share == 0:
        return theme.panel
    # Success is the usual case: without the division its tile would always be the deepest.
    weight = share / 12 if family == Side.WORKS else share
    return mix(theme.ground, theme.family_fill(family), 0.08 + 0.14 * min(1.0, weight / 0.06))


# --- numbers ------------------------------------------------------------------------------------

NARROW = "\u202f"  # narrow no-break space: before %, between thousands
EN_DASH, MINUS, UNDEFINED = "\u2013", "\u2212", "\u2014"
LEAST_N = 5  # with fewer in the denominator only the counts are shown
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def _round(value: float, digits: int = 0) -> Decimal:
    """Half up on the shortest decimal form, so that 0.285 is 29 per cent as a reader expects."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def _per_cent(share: float) -> int:
    return int(_round(share, 2).scaleb(2))


def _is_defined(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _grouped(value: int | Decimal) -> str:
    return f"{value:,}".replace(",", NARROW).replace("-", MINUS)


def count(n: int | None) -> str:
    """A count with thin thousands separators: ``12 345``."""
    return UNDEFINED if n is None else _grouped(n)


def compact(n: int) -> str:
    """A count for a place without room: ``9 876``, ``62k``, ``1.2M``."""
    if n < 10_000:
        return count(n)
    return f"{_round(n / 1000)}k" if n < 999_500 else f"{_round(n / 1_000_000, 1)}M"


def percent(share: float | None) -> str:
    """Whole per cent; never "100 %" for less than all nor "0 %" for more than none."""
    if not _is_defined(share):
        return UNDEFINED
    if share < 0:
        return MINUS + percent(-share)
    whole = _per_cent(share)
    text = "<1" if whole == 0 and share > 0 else ">99" if whole == 100 and share < 1 else str(whole)
    return f"{text}{NARROW}%"


def interval(low: float | None, high: float | None) -> str:
    """Both ends of an interval of shares in whole per cent: ``13–25``."""
    if not (_is_defined(low) and _is_defined(high)):
        return UNDEFINED
    return f"{_per_cent(low)}{EN_DASH}{_per_cent(high)}"


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


def signed(value: float | None, unit: str = "", *, digits: int = 0) -> str:
    """A change with a real minus: ``+9``, ``−6``, ``±0``; ``unit`` follows after a space."""
    if not _is_defined(value):
        return UNDEFINED
    size = _round(abs(value), digits)
    # A change that rounds to nothing is not nothing.
    text = _grouped(size) if size or not value else f"<{Decimal(1).scaleb(-digits)}"
    sign = "±" if value == 0 else "+" if value > 0 else MINUS
    return sign + text + (f" {unit}" if unit else "")


def points(difference: float | None) -> str:
    """A difference of two shares in percentage points: ``+9 points``."""
    if not _is_defined(difference):
        return UNDEFINED
    size = abs(_per_cent(difference))
    if not size and difference:
        return signed(difference / 100, "point")
    return signed(_per_cent(difference), "point" if size == 1 else "points")


def number(value: float | None, scale: Scale | None = None, *, cut: float | None = None) -> str:
    """A score in its own scale: ``2 of 5`` for a rubric, ``0.62`` for a ratio, ``—`` for none.

    With ``cut`` as many digits are shown as tell the two apart: 0.6996 is not 0.70 at a cut of 0.7.
    """
    if not _is_defined(value):
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
    if not _is_defined(seconds):
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
    if not _is_defined(usd):
        return "unknown"
    if 0 < usd < 0.005:
        return "<$0.01"
    return f"${_grouped(_round(usd, 2))}"


def p_value(p: float | None) -> str:
    """``p = 0.03``, ``p = 0.004``, ``p < 0.001``, ``p > 0.99``."""
    if not _is_defined(p):
        return f"p {UNDEFINED}"
    if p < 0.001:
        return "p < 0.001"
    return "p > 0.99" if p >= 0.995 else f"p = {_round(p, 3 if p < 0.01 else 2)}"


def date(moment: datetime | None, *, time: bool = False) -> str:
    """``30 Nov 2026`` in UTC, with ``time`` also ``, 14:05``; a naive moment counts as UTC."""
    if moment is None:
        return UNDEFINED
    utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    clock = f", {utc:%H:%M}" if time else ""
    return f"{utc.day} {_MONTHS[utc.month - 1]} {utc.year}{clock}"


# --- text in markdown ---------------------------------------------------------------------------

_JOINER = "\u2060"  # word joiner: invisible, and no rule of the renderer reaches across it
_REWRITTEN = re.compile(
    r"(?i)(?<=[-<>=~:/@])(?=[-<>=~:/@])"  # arrows, dashes, comparison signs, the // of an address
    r"|(?<=[:@])(?=[\w+-])"  # http:, mailto:, :material, emoji codes, a@b
    r"|(?<=www)(?=\.)"
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_PUNCTUATION = {ord(mark): "\\" + mark for mark in string.punctuation}
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _escape_piece(text: str) -> str:
    return _REWRITTEN.sub(_JOINER, text).translate(_PUNCTUATION)


def _indented(line: str) -> str:
    """No-break spaces for the indentation: four plain ones would make a code block."""
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(4).replace(" ", "\u00a0") + body if body else ""


def escape(text: str) -> str:
    """Untrusted text for ``st.markdown``: every character is shown and nothing is rendered.

    Backslashes alone do not do it: addresses still become links and ``->`` an arrow, hence the
    word joiners. Line breaks are kept; repeated blank lines collapse.
    """
    return "  \n".join(_escape_piece(_indented(line)) for line in _LINE_END.split(text))


def escape_line(text: str) -> str:
    """Like ``escape`` for labels, badges and headings: one line, white space collapsed."""
    return _escape_piece(" ".join(text.split()))


def superscript(n: int) -> str:
    """``12`` as ``¹²``."""
    return str(n).translate(_SUPERSCRIPT)


def marked_answer(text: str, spans: Sequence[tuple[int, int]], theme: Theme) -> str:
    """``escape(text)`` with the given ``(start, end)`` spans on the ground of unsupported claims.

    A span bears the number of its place in ``spans`` (from 1), which is its number in the list of
    claims too. Spans are clipped to the text; of two that overlap the later one begins where the
    earlier one ends.
    """
    pieces: list[tuple[str, int | None]] = []
    at = 0
    for place, (start, end) in sorted(enumerate(spans, 1), key=lambda item: item[1]):
        start, end = max(start, at), min(end, len(text))
        if start < end:
            pieces += [(text[at:start], None), (text[start:end], place)]
            at = end
    pieces.append((text[at:], None))

    style = f'{{background="{theme.mark}" foreground="{theme.ink}"}}'
    lines = [""]
    for piece, marker in pieces:
        parts = _LINE_END.split(piece)
        last = max((i for i, part in enumerate(parts) if part.strip()), default=-1)
        for i, part in enumerate(parts):
            if i:
                lines.append("")
            shown = _escape_piece(part if lines[-1] else _indented(part))
            if marker is not None and part.strip():
                # A colour cannot span paragraphs, so each line is marked for itself.
                note = f" {superscript(marker)}" if i == last else ""
                shown = f":color[{shown}{note}]{style}"
            lines[-1] += shown
    return "  \n".join(lines)
