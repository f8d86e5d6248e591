"""The line above a sample: where it stands, the way to its neighbours, and the re-judge button."""

import streamlit as st

from core.workflows.sample_views import SampleView
from dashboard import state
from dashboard.components import export, rejudge, words
from dashboard.theme import count, escape_line


def draw(found: SampleView) -> None:
    """Position in the queue, Previous, Next and Re-judge."""
    place = found.place
    terms = state.current().terms
    named = ", ".join(words.short_term(term) for term in terms) or "all samples"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="queue_line"):
        if place is None:
            st.markdown(
                "**This sample does not pass the filter** "
                f":gray[· {escape_line(named)}: {count(found.total)} "
                f"{'sample' if found.total == 1 else 'samples'}]",
                width="content",
            )
            if found.first_id is not None:
                st.button(
                    "First sample of the filter", on_click=_open, args=(found.first_id,),
                    key="open_first",
                )  # fmt: skip
        else:
            st.markdown(
                f"**Sample {count(place.place)} of {count(found.total)}** "
                f":gray[· {escape_line(named)} · most severe first]",
                width="content",
            )
            st.progress(place.place / max(1, found.total), width=64)
        st.space("stretch")
        previous_id = place.previous_id if place else None
        next_id = place.next_id if place else None
        st.button(
            "Previous", icon=":material/arrow_back:", shortcut="K", key="previous",
            disabled=previous_id is None, on_click=_open, args=(previous_id,),
        )  # fmt: skip
        st.button(
            "Next", icon=":material/arrow_forward:", shortcut="J", key="next",
            disabled=next_id is None, on_click=_open, args=(next_id,),
        )  # fmt: skip
        rejudge.offer(found)
        export.offer(state.current(), found.settings.run.name, found.total)


def _open(sample_id: str | None) -> None:
    if sample_id is not None:
        state.change(sample=sample_id)
