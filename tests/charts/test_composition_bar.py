from collections.abc import Callable
from typing import Any

from dashboard.charts.composition import Segment, composition_bar, composition_key
from dashboard.theme import LIGHT, Theme

PARTS = [
    Segment("works", "Success", 99),
    Segment("retrieval", "Retrieval side", 19),
    Segment("unknown", "Undetermined", 0),
]


def test_segments_follow_each_other(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(composition_bar(PARTS, theme))
    assert drawn.values("start") == [0, 99, 118]
    assert drawn.values("end") == [99, 118, 118]
    assert drawn.values("fill") == [
        theme.fill("success"),
        theme.fill("retrieval_failure"),
        theme.fill("undetermined"),
    ]


def test_one_segment_fills_the_bar(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(composition_bar(PARTS[:1], theme))
    assert drawn.spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 99]


def test_no_samples_make_an_empty_bar(draw: Callable[..., Any], theme: Theme) -> None:
    assert draw(composition_bar([], theme)).rows == []
    nothing = draw(composition_bar([Segment("works", "Success", 0)], theme))
    assert nothing.values("end") == [0]


def test_the_key_has_the_bar_s_order_and_unbroken_items() -> None:
    key = composition_key(PARTS[:2], LIGHT)
    assert key == (
        ':color[■]{foreground="#0E8577"}\u00a0Success\u00a0**99** &emsp; '
        ':color[■]{foreground="#E98A24"}\u00a0Retrieval\u00a0side\u00a0**19**'
    )
    assert composition_key([], LIGHT) == ""
