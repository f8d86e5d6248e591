"""Reading what a page will show in one opening of the store, which takes longer than a query."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import streamlit as st

from core.errors import RagTriageError
from dashboard.access import stamps
from dashboard.access.store import ready_store

_HELD_SECONDS = 0.25  # a writer waits for an open burst, so a long one is broken up
_KEY = "read_ahead"


def read_ahead(asked: str, loads: Sequence[Callable[[], object]]) -> None:
    """Let loaders keep what they read, where the store has changed since the page last asked.

    Args:
        asked: what the page looks at; the same again is read again only from a changed store.
        loads: loaders of this package. What goes wrong in one is left for whoever calls it next.
    """
    store = ready_store()
    now = (asked, stamps.stamp(store))
    if st.session_state.get(_KEY) == now:
        return
    pending = list(loads)
    while pending:
        with store.burst():
            started = time.monotonic()
            while pending and time.monotonic() - started < _HELD_SECONDS:
                with suppress(RagTriageError):
                    pending.pop(0)()
    st.session_state[_KEY] = now
