"""Drawn figures, kept."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import streamlit as st

Parameters = ParamSpec("Parameters")
Figure = TypeVar("Figure")


class _Written:
    """An altair chart that is checked against the schema and written out once.

    Streamlit asks a chart for nothing but ``to_dict``, on every rerun, and the check takes longer
    than all else on a page. It asks within its own lock and with a transformer of its own, which
    puts the data, as Arrow, into ``datasets``; they are kept together with what refers to them.
    """

    def __init__(self, chart: Any) -> None:
        self._chart = chart
        self._spec: dict[str, Any] | None = None
        self._datasets: dict[str, Any] = {}

    def to_dict(self) -> dict[str, Any]:
        import altair as alt

        if self._spec is None:
            collected = alt.data_transformers.options.get("datasets")
            spec: dict[str, Any] = self._chart.to_dict()
            if collected is None:  # nobody collects: the data stand in the chart itself
                return spec
            self._spec, self._datasets = spec, dict(collected)
        return {**self._spec, "datasets": {**self._spec.get("datasets", {}), **self._datasets}}


@st.cache_resource(max_entries=256, show_spinner=False)
def _figure(arguments: str, _draw: Callable[[], Any]) -> _Written:
    return _Written(_draw())


def figure(
    draw: Callable[Parameters, Figure], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Figure:
    """The chart that a function draws from these values, kept for the next equal ones.

    All that charts draw from says everything in its repr.
    """
    arguments = f"{draw.__module__}.{draw.__qualname__} {args!r} {kwargs!r}"
    return cast("Figure", _figure(arguments, lambda: draw(*args, **kwargs)))
