"""Colours, and the marks in text that need them; figures and escaped text come from core.

Free of Streamlit, so that charts may import it; a page passes ``st.context.theme.type``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.diagnosis.modes import Side
from core.figures import (
    EN_DASH,
    LEAST_N,
    MINUS,
    NARROW,
    UNDEFINED,
    compact,
    cost,
    count,
    counted,
    date,
    day_text,
    duration,
    interval,
    is_defined,
    number,
    p_value,
    per_cent,
    percent,
    points,
    rate,
    rate_of,
    share,
    signed,
)
from core.markdown import LINE_END, escape, escape_line, escape_piece, indented

__all__ = [
    "DARK",
    "EN_DASH",
    "LEAST_N",
    "LIGHT",
    "MINUS",
    "NARROW",
    "UNDEFINED",
    "Theme",
    "compact",
    "contrast",
    "cost",
    "count",
    "counted",
    "date",
    "day_text",
    "duration",
    "escape",
    "escape_line",
    "interval",
    "luminance",
    "marked_answer",
    "mix",
    "number",
    "p_value",
    "per_cent",
    "percent",
    "points",
    "rate",
    "rate_of",
    "share",
    "signed",
    "superscript",
    "text_on",
    "theme",
    "tile_ground",
]

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
    if not is_defined(share) or share == 0:
        return theme.panel
    # Success is the usual case: without the division its tile would always be the deepest.
    weight = share / 12 if family == Side.WORKS else share
    return mix(theme.ground, theme.family_fill(family), 0.08 + 0.14 * min(1.0, weight / 0.06))


# --- marks in text ------------------------------------------------------------------------------

_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


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
        parts = LINE_END.split(piece)
        last = max((i for i, part in enumerate(parts) if part.strip()), default=-1)
        for i, part in enumerate(parts):
            if i:
                lines.append("")
            shown = escape_piece(part if lines[-1] else indented(part))
            if marker is not None and part.strip():
                # A colour cannot span paragraphs, so each line is marked for itself.
                note = f" {superscript(marker)}" if i == last else ""
                shown = f":color[{shown}{note}]{style}"
            lines[-1] += shown
    return "  \n".join(lines)
