"""Working out hits before a page can show them: at once for small runs, else on request."""

from collections.abc import Callable

import streamlit as st

from core.store.connection import Store
from core.workflows import comparing_answers, deriving
from dashboard import access
from dashboard.theme import count


def quietly(run_id: str, n_missing: int) -> None:
    """Work out the hits of a small run, for a page that shows most of its figures without them."""
    if 0 < n_missing <= deriving.INLINE:
        deriving.derive(access.ready_store(), run_id)
        st.rerun()


def ensure(run_id: str, n_missing: int, of: str = "") -> bool:
    """True when the hits of a run are there; otherwise the offer to work them out."""
    return _made(
        run_id,
        n_missing,
        "Comparing contexts with the gold evidence …",
        f"{count(n_missing)} samples{of} have not been compared with their gold evidence yet.",
        deriving.derive,
    )


def compared(run_id: str, n_missing: int, of: str = "") -> bool:
    """True when the answers of a run have been compared; otherwise the offer to do so."""
    return _made(
        run_id,
        n_missing,
        "Comparing answers with the expected ones …",
        f"{count(n_missing)} answers{of} have not been compared with the expected ones yet.",
        comparing_answers.compare_answers,
    )


def _made(
    run_id: str,
    n_missing: int,
    doing: str,
    lacking: str,
    make: Callable[[Store, str, deriving.Progress | None], int],
) -> bool:
    if not n_missing:
        return True
    store = access.ready_store()
    if n_missing <= deriving.INLINE:
        with st.spinner(doing):
            make(store, run_id, None)
        st.rerun()
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{lacking}** It happens once per run, on this machine.",
            width="stretch",
        )
        key = f"{make.__name__}_{run_id}"
        is_asked = st.button("Compare now", icon=":material/play_arrow:", key=key)
    if is_asked:
        bar = st.progress(0.0)

        def progress(done: int, total: int) -> None:
            bar.progress(done / total, text=f"{count(done)} of {count(total)} samples compared")

        # Each batch is kept, so leaving the page loses nothing: the next click goes on.
        make(store, run_id, progress)
        st.rerun()
    return False
