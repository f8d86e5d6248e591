"""Figures are drawn and written out once for equal values, and anew for any other."""

import pytest
from streamlit.testing.v1 import AppTest

from core.model import Direction
from dashboard import access
from dashboard.charts.histogram import score_histogram
from dashboard.theme import DARK, LIGHT

VALUES = {"cut": 0.5, "lo": 0.0, "hi": 1.0, "direction": Direction.HIGHER, "theme": LIGHT}


@pytest.mark.parametrize(
    "other",
    [{"cut": 0.6}, {"cut": None}, {"direction": Direction.LOWER}, {"theme": DARK}, {"hi": 2.0}],
)
def test_figure_is_kept_for_equal_values_only(other: dict[str, object]) -> None:
    first = access.figure(score_histogram, (3, 1, 4, 1), **VALUES)
    same = access.figure(score_histogram, (3, 1, 4, 1), **VALUES)
    changed = access.figure(score_histogram, (3, 1, 4, 1), **{**VALUES, **other})
    assert same is first
    assert first.to_dict() == score_histogram((3, 1, 4, 1), **VALUES).to_dict()
    assert changed.to_dict() == score_histogram((3, 1, 4, 1), **{**VALUES, **other}).to_dict()


def page() -> None:
    import streamlit as st

    from core.model import Direction
    from dashboard import access
    from dashboard.charts.histogram import score_histogram
    from dashboard.theme import LIGHT

    arguments = {"cut": 0.5, "lo": 0.0, "hi": 1.0, "direction": Direction.HIGHER, "theme": LIGHT}
    drawn = score_histogram((3, 1, 4, 1), **arguments)  # type: ignore[arg-type]
    kept = access.figure(score_histogram, (3, 1, 4, 1), **arguments)  # type: ignore[arg-type]
    for key, chart in (("drawn", drawn), ("kept", kept), ("kept_again", kept)):
        st.altair_chart(chart, theme=None, key=key)


def test_a_kept_figure_reaches_the_browser_as_a_drawn_one_does_run_after_run() -> None:
    app = AppTest.from_function(page)
    for _ in range(3):
        app.run()
        assert not app.exception
        drawn, *kept = (chart.proto for chart in app.get("vega_lite_chart"))
        assert drawn.datasets
        assert len(kept) == 2
        for chart in kept:
            assert chart.spec == drawn.spec
            assert list(chart.datasets) == list(drawn.datasets)
