"""Claims of the answers as one bar by kind, with the two sums that the kinds add up to."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from dashboard.charts.base import click, finish, frame, px, raw
from dashboard.theme import Theme, contrast, count

#: The failure mode that says of a whole answer what the kind says of one claim.
_MODE_OF_KIND = {
    "right_unsupported": "lucky_guess",
    "right_supported": "success",
    "wrong_relevant": "off_target_answer",
    "wrong_irrelevant": "retrieval_failure",
    "wrong_unsupported": "hallucination",
    "supported": "success",
    "not_found": "undetermined",
    "contradicted": "hallucination",
}
_COLUMNS = "id name claims samples start end middle label fill ink".split()
_BRACES = "start end middle label y".split()
_BAR = 30  # px
_ROOM = 0.035  # of the bar: a narrower part has no room for its count


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """One kind of claims; ``samples`` says in words how many samples have any."""

    kind: str
    name: str
    n_claims: int
    samples: str = ""


@dataclass(frozen=True, slots=True)
class Brace:
    """Neighbouring kinds under one name, such as right; drawn above or below the bar."""

    kinds: tuple[str, ...]
    name: str
    is_above: bool


def kind_fill(kind: str, theme: Theme) -> str:
    """Colour of a kind of claims, that of the mode which is like it."""
    return theme.fill(_MODE_OF_KIND.get(kind, "undetermined"))


def claim_bar(parts: Sequence[ClaimPart], braces: Sequence[Brace], theme: Theme) -> alt.LayerChart:
    """Stacked bar in the given order; selection "kind" of id. Braces without claims are left out.

    Args:
        parts: kinds in the order in which they stand in the bar.
        braces: runs of neighbouring kinds.
        theme: colours.
    """
    total = sum(part.n_claims for part in parts)
    places: dict[str, tuple[int, int]] = {}
    rows: list[dict[str, object]] = []
    at = 0
    for part in parts:
        places[part.kind] = at, at + part.n_claims
        fill = kind_fill(part.kind, theme)
        if part.n_claims:
            rows.append(
                {
                    "id": part.kind,
                    "name": part.name,
                    "claims": part.n_claims,
                    "samples": part.samples,
                    "start": at,
                    "end": at + part.n_claims,
                    "middle": at + part.n_claims / 2,
                    "label": count(part.n_claims) if part.n_claims >= _ROOM * total else "",
                    "fill": fill,
                    "ink": _ink_on(fill, theme),
                }
            )
        at += part.n_claims
    has_above = any(brace.is_above for brace in braces)
    top = 30 if has_above else 4
    height = top + _BAR + (32 if any(not brace.is_above for brace in braces) else 4)
    x_scale = alt.Scale(domain=[0, max(1, total)], nice=False)
    x = alt.X("start:Q", scale=x_scale, axis=None)
    y = alt.value(top + _BAR / 2)
    base = alt.Chart(frame(rows, _COLUMNS))
    bar = (
        base.mark_bar(height=_BAR, stroke=theme.ground, strokeWidth=1.5, cursor="pointer")
        .encode(
            x=x,
            x2="end:Q",
            y=y,
            color=raw("fill"),
            tooltip=[
                alt.Tooltip("name:N", title="Claims that are"),
                alt.Tooltip("claims:Q", title="Claims", format=","),
                alt.Tooltip("samples:N", title="In"),
            ],
        )
        .add_params(click("kind"))
    )
    labels = base.mark_text(fontSize=12.5, fontWeight=600).encode(
        x=alt.X("middle:Q", scale=x_scale, axis=None), y=y, text="label:N", color=raw("ink")
    )
    layers = [bar, labels]
    for is_above in (True, False):
        layers += _brace_layers(
            [_brace(one, places, total) for one in braces if one.is_above is is_above],
            x_scale,
            theme,
            line=top - 5 if is_above else top + _BAR + 5,
            text=top - 16 if is_above else top + _BAR + 18,
        )
    return finish(layers, theme, height=height)


def _ink_on(fill: str, theme: Theme) -> str:
    return max((theme.ground, theme.ink), key=lambda ink: contrast(ink, fill))


def _brace(
    brace: Brace, places: dict[str, tuple[int, int]], total: int
) -> dict[str, object] | None:
    held = [places[kind] for kind in brace.kinds if kind in places]
    start, end = min((s for s, _ in held), default=0), max((e for _, e in held), default=0)
    if end <= start:
        return None
    is_wide = end - start >= 0.18 * total
    label = f"{brace.name} {count(end - start)}" if is_wide else count(end - start)
    return {"start": start, "end": end, "middle": (start + end) / 2, "label": label}


def _brace_layers(
    found: Sequence[dict[str, object] | None],
    x_scale: alt.Scale,
    theme: Theme,
    *,
    line: int,
    text: int,
) -> list[alt.Chart]:
    rows = [row for row in found if row is not None]
    if not rows:
        return []
    base = alt.Chart(frame(rows, _BRACES))
    ends = {"x": alt.X("start:Q", scale=x_scale, axis=None), "x2": "end:Q"}
    middle = alt.X("middle:Q", scale=x_scale, axis=None)
    rule = base.mark_rule(color=theme.muted, strokeWidth=1.2, xOffset=2, x2Offset=-2)
    words = base.mark_text(color=theme.ink, fontSize=12.5, limit=px("width"))
    return [
        rule.encode(**ends, y=alt.value(line)),
        words.encode(x=middle, y=alt.value(text), text="label:N"),
    ]
