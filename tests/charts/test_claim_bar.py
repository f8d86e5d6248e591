from collections.abc import Callable
from typing import Any

from dashboard.charts.claim_bar import Brace, ClaimPart, claim_bar, kind_fill
from dashboard.components.claim_panels import _BRACES
from dashboard.theme import Theme

PARTS = [
    ClaimPart("right_unsupported", "Right, but unsupported", 6, "1 sample"),
    ClaimPart("right_supported", "Right and supported", 60, "2 samples"),
    ClaimPart("wrong_relevant", "Wrong, from a relevant context", 3, "2 samples"),
    ClaimPart("wrong_irrelevant", "Wrong, from an irrelevant context", 0),
    ClaimPart("wrong_unsupported", "Hallucinated", 31, "1 sample"),
]


def test_parts_follow_each_other_and_a_click_names_the_kind(
    draw: Callable[..., Any], theme: Theme
) -> None:
    drawn = draw(claim_bar(PARTS, (), theme))
    assert drawn.values("start") == [0, 6, 66, 69]
    assert drawn.values("end") == [6, 66, 69, 100]
    # 3 of 100 claims are too narrow for their count
    assert drawn.values("label") == ["6", "60", "", "31"]
    assert drawn.selections == {"kind": ["id"]}
    fills = drawn.values("fill")
    assert fills[1] == theme.fill("success")
    assert len(set(fills)) == 4


def test_braces_say_both_sums_of_the_bar(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(claim_bar(PARTS, _BRACES, theme))
    braces = [row for row in drawn.rows if "fill" not in row or row["fill"] is None]
    assert [(row["start"], row["end"], row["label"]) for row in braces] == [
        (0, 66, "right 66"),
        (66, 100, "wrong 34"),
        # too narrow for words
        (0, 6, "6"),
        (6, 69, "in a context 63"),
        (69, 100, "in no context 31"),
    ]


def test_a_brace_over_nothing_is_left_out(draw: Callable[..., Any], theme: Theme) -> None:
    empty = Brace(("wrong_irrelevant",), "noise", is_above=True)
    drawn = draw(claim_bar(PARTS, (empty,), theme))
    assert "noise 0" not in drawn.values("label")


def test_no_claims_make_an_empty_bar(draw: Callable[..., Any], theme: Theme) -> None:
    assert draw(claim_bar([], _BRACES, theme)).rows == []


def test_every_kind_has_a_colour_of_its_own(theme: Theme) -> None:
    assert len({kind_fill(part.kind, theme) for part in PARTS}) == len(PARTS)
