"""Runs: the trend over the runs of one dataset."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.metrics.intervals import Rate
from core.store.connection import Store
from dashboard import access
from dashboard.charts.trend import TrendPoint, trend
from dashboard.components.run_trend import same_dataset
from dashboard.theme import LIGHT

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]


def points(*rates: float | None) -> Sequence[TrendPoint]:
    return [
        TrendPoint("run", "1 May 2026", Rate(rate, rate and 0.1, rate and 0.9, 8, 4))
        for rate in rates
    ]


def rows_of(chart: Any) -> list[dict[str, Any]]:
    return next(iter(chart.to_dict()["datasets"].values()))


def test_runs_of_one_name_stay_apart_and_figures_are_in_words() -> None:
    found = rows_of(trend(points(0.5, 0.25), LIGHT))

    assert [row["place"] for row in found] == ["1 · run", "2 · run"]
    assert [row["value"] for row in found] == [0.5, 0.25]
    assert found[0]["text"].startswith("50")


def test_b53_run_without_a_verdict_is_no_zero() -> None:
    (row,) = rows_of(trend(points(None), LIGHT))

    assert row["value"] is None
    assert row["low"] is None


def choose(app: AppTest, name: str) -> AppTest:
    table = next(frame for frame in app.dataframe if str(frame.key).startswith("run_table"))
    place = list(table.value["Run"]).index(name)
    app.session_state[table.key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    return app.run()


def charts(app: AppTest) -> int:
    return len(app.get("arrow_vega_lite_chart") + app.get("vega_lite_chart"))


def test_trend_stands_below_the_chosen_run_with_the_runs_of_its_dataset(
    store_of: StoreOf, start: Start, text_of: Callable[[AppTest], str]
) -> None:
    store_of("demo")
    app = start("runs")
    assert charts(app) == 0
    runs = access.load_runs()

    app = choose(app, runs[0].run.name)

    assert charts(app) == 1
    assert "Runs of demo" in text_of(app)
    found = same_dataset(runs, runs[0])
    assert len(found) == 2
    dates = [row.run.created_at or row.run.imported_at for row in found]
    assert dates == sorted(dates)


@pytest.mark.parametrize("kind", ["no_scores", "traps"])
def test_run_without_siblings_has_no_trend(kind: str, store_of: StoreOf, start: Start) -> None:
    store_of(kind)
    app = start("runs")

    app = choose(app, access.load_runs()[0].run.name)

    assert [one.value for one in app.exception] == []
    assert charts(app) == 0
