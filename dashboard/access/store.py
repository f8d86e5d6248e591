"""The store of this process, its runs, and the one way to keep what is read of them."""

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from core.filters import SampleFilter
from core.store.connection import Store
from core.store.label_copies import LabelSource, label_sources
from core.store.queries import RunRow
from core.store.saved_filters import saved_filters
from core.workflows import listing
from core.workflows.labelled_scores import Question
from core.workflows.review import View
from core.workflows.setup import ensure_store, store_path
from dashboard.access import stamps
from dashboard.access.stamps import Stamp

Parameters = ParamSpec("Parameters")
Found = TypeVar("Found")
RunIds = tuple[str, ...]
_BY_REPR: dict[str | type[Any], Callable[[Any], Any]] = {View: repr, Question: repr}
_RUNS = ("run_id", "baseline_id", "run_ids")


@st.cache_resource(show_spinner="Opening the store …")
def _ready_store(path: str) -> tuple[Store, tuple[str, ...]]:
    store, done = ensure_store(store_path(), demo_when_new=True)
    return store, tuple(done.messages)


def ready_store() -> Store:
    """The store of this process: created, migrated and, if new, filled with the demo."""
    return _ready_store(str(store_path().resolve()))[0]


def store_messages() -> tuple[str, ...]:
    """What had to be said when the store was opened."""
    return _ready_store(str(store_path().resolve()))[1]


def is_judging() -> bool:
    """Whether a judge is at work, on any run."""
    return stamps.is_judging(ready_store())


@st.cache_resource(show_spinner=False)
def _listed(path: str) -> list[listing.ListedRun]:
    return []


@st.cache_data(max_entries=4, show_spinner=False)
def _run_list(path: str, stamp: Stamp) -> list[listing.ListedRun]:
    earlier = _listed(path)
    found = listing.run_list(Store(path), tuple(earlier))
    earlier[:] = found
    return found


def load_runs() -> list[listing.ListedRun]:
    """All runs with their diagnosis, the newest import first; what has changed is read again."""
    store = ready_store()
    return _run_list(str(store.path), stamps.stamp(store))


@st.cache_data(max_entries=4, show_spinner=False)
def _stored_runs(path: str, stamp: Stamp) -> list[RunRow]:
    return listing.stored_runs(Store(path))


def load_stored_runs() -> list[RunRow]:
    """All runs without their diagnosis, the newest import first."""
    store = ready_store()
    return _stored_runs(str(store.path), stamps.stamp(store))


def data_version(run_id: str) -> int:
    """Version of a run's data, 0 if there is no such run."""
    return next((run.data_version for run in load_stored_runs() if run.run_id == run_id), 0)


@st.cache_data(max_entries=4, show_spinner=False)
def _label_sources(path: str, stamp: Stamp, run_id: str) -> tuple[LabelSource, ...]:
    with Store(path).reading() as connection:
        return label_sources(connection, run_id)


def load_label_sources(run_id: str) -> tuple[LabelSource, ...]:
    """Earlier imports of a run with labels that it has not."""
    store = ready_store()
    return _label_sources(str(store.path), stamps.stamp(store), run_id)


@st.cache_data(max_entries=2, show_spinner=False)
def _saved_filters(path: str, stamp: Stamp) -> dict[str, SampleFilter]:
    with Store(path).reading() as connection:
        return saved_filters(connection)


def load_saved_filters() -> dict[str, SampleFilter]:
    """Filters that were given a name."""
    store = ready_store()
    return _saved_filters(str(store.path), stamps.stamp(store))


def kept(
    max_entries: int,
) -> Callable[[Callable[Parameters, Found]], Callable[Parameters, Found]]:
    """Keep what a loader reads until the data of a run it names (``run_id`` and so on) change.

    The key is the store, the versions of these runs and the loader's parameters, never a frame.
    """

    def keep(read: Callable[Parameters, Found]) -> Callable[Parameters, Found]:
        signature = inspect.signature(read)

        def answer(path: str, versions: tuple[int, ...], *args: Any) -> Found:
            return read(*args)  # type: ignore[call-arg]

        # Streamlit tells functions apart by name and source, which all of these would share.
        answer.__module__, answer.__qualname__ = read.__module__, read.__qualname__
        cached = st.cache_data(max_entries=max_entries, show_spinner=False, hash_funcs=_BY_REPR)(
            answer
        )

        def load(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Found:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            named = _named(bound.arguments)
            versions = {run.run_id: run.data_version for run in load_stored_runs()}
            return cached(
                str(ready_store().path),
                tuple(versions.get(run_id, 0) for run_id in named),
                *bound.args,
            )

        load.__doc__, load.__name__ = read.__doc__, read.__name__
        return load

    return keep


def _named(arguments: dict[str, Any]) -> RunIds:
    named: list[str] = []
    for name in _RUNS:
        value = arguments.get(name)
        named += value if isinstance(value, tuple) else [value] if value else []
    return tuple(named)
