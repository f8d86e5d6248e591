from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dashboard.charts.mode_rows import ModeGroup, ModeRow, mode_rows_figure
from dashboard.theme import Theme

FAILED = ModeRow(
    id="retrieval_failure",
    name="Retrieval failure",
    code="○●○",
    count=8,
    share=8 / 150,
    low=0.027,
    high=0.102,
    share_text="5 % (3–10)",
    tooltip="8 of 150 (5 %, 3–10)",
    baseline_count=14,
    baseline_share=14 / 150,
    change_text="−6",
    change_ink="better",
)
SIDE = ModeGroup("retrieval", "Retrieval side", 8, "5 % (3–10)", [FAILED], "−6", "better")


def test_a_side_heads_its_modes(draw: Callable[..., Any], theme: Theme) -> None:
    second = ModeGroup("unknown", "Undetermined", 0, "0 % (0–2)", [])
    drawn = draw(mode_rows_figure([SIDE, second], theme))
    assert drawn.values("id") == ["retrieval", "retrieval_failure", "unknown"]
    assert drawn.values("y") == pytest.approx([0, 1, 2.3])  # two rows and the gap of 0.3
    assert drawn.values("head") == [True, False, True]
    assert drawn.values("fill") == [theme.fill("retrieval_failure")]
    assert drawn.values("change_ink") == [theme.better, theme.better, theme.muted]
    assert drawn.values("baseline") == [pytest.approx(14 / 150)]


def test_the_whole_row_can_be_clicked(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(mode_rows_figure([SIDE], theme))
    assert drawn.selections == {"mode": ["id"]}
    target = drawn.spec["layer"][0]
    assert target["mark"]["type"] == "rect"
    assert target["encoding"]["x2"] == {"value": {"expr": "width"}}


def test_the_axis_reaches_to_the_farthest_mark(draw: Callable[..., Any], theme: Theme) -> None:
    far = replace(FAILED, baseline_share=0.4)
    drawn = draw(mode_rows_figure([replace(SIDE, rows=[far])], theme))
    scales = [layer["encoding"].get("x", {}).get("scale") for layer in drawn.spec["layer"]]
    assert {tuple(scale["domain"]) for scale in scales if scale} == {(0, 0.4 * 1.02)}


def test_no_rows_say_so(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(mode_rows_figure([], theme))
    assert drawn.values("text") == ["no samples"]
    assert drawn.values("id") == []


def test_missing_shares_draw_no_bar(draw: Callable[..., Any], theme: Theme) -> None:
    bare = replace(FAILED, share=None, low=None, high=None, baseline_share=None)
    drawn = draw(mode_rows_figure([replace(SIDE, rows=[bare])], theme))
    assert drawn.values("value") == []
    assert drawn.values("low") == []
    assert drawn.values("share_text") == ["5 % (3–10)"] * 2
