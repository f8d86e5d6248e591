"""What every figure is asked: is it valid, what does it hold, which colours does it use."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt
import pytest

from dashboard.theme import DARK, LIGHT, Theme, mix


@dataclass(frozen=True)
class Drawn:
    """A validated figure: its specification, all rows of its frames, the colours in it."""

    spec: dict[str, Any]
    rows: list[dict[str, Any]]
    colours: set[str]

    def values(self, field: str) -> list[Any]:
        return [row[field] for row in self.rows if row.get(field) is not None]

    @property
    def selections(self) -> dict[str, list[str]]:
        return {
            param["name"]: param["select"]["fields"]
            for param in self.spec.get("params", [])
            if "select" in param
        }


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> Theme:
    chosen: Theme = request.param
    return chosen


@pytest.fixture
def draw(theme: Theme) -> Callable[[alt.LayerChart], Drawn]:
    """Validates a figure against the schema of Vega-Lite and checks that all colours are tokens."""
    tokens = {value for value in vars_of(theme) if value.startswith("#")}

    def check(figure: alt.LayerChart) -> Drawn:
        spec = figure.to_dict(validate=True)
        text = json.dumps(spec, allow_nan=False)
        colours = set(re.findall(r"#[0-9A-Fa-f]{6}\b", text))
        strangers = {c for c in colours - tokens if not is_tile(c, theme)}
        assert not strangers, f"colours that are no token of the theme: {strangers}"
        assert spec["config"]["background"] == "transparent"
        assert spec["padding"]["bottom"] == 1
        rows = [row for data in spec.get("datasets", {}).values() for row in data]
        return Drawn(spec, rows, colours)

    return check


def vars_of(theme: Theme) -> list[str]:
    plain = [getattr(theme, name) for name in Theme.__slots__]
    tables = [value for table in plain if not isinstance(table, str) for value in table.values()]
    return [value for value in plain if isinstance(value, str)] + tables


def is_tile(colour: str, theme: Theme) -> bool:
    """True for a mix of the ground with a fill, or with grey by a value of whole per cent."""
    steps = [0.08 + 0.0005 * i for i in range(281)]
    values = [0.1 + 0.5 * i / 100 for i in range(101)]
    return any(
        colour == mix(theme.ground, fill, s) for fill in theme.fills.values() for s in steps
    ) or any(colour == mix(theme.ground, theme.neutral, s) for s in values)
