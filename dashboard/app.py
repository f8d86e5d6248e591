"""The dashboard: ``streamlit run dashboard/app.py``."""

from pathlib import Path

import streamlit as st

from core.errors import RagTriageError
from dashboard import access, garbage, navigation, state
from dashboard.components import bar, states

_ASSETS = Path(__file__).parent / "assets"

st.set_page_config(
    page_title="RAG Triage",
    page_icon=str(_ASSETS / "mark.svg"),
    layout="wide",
    initial_sidebar_state=208,
)
st.logo(str(_ASSETS / "logo.svg"), size="small")

page = navigation.build()
was_judging = False
try:
    state.sync(page.url_path)
    access.ready_store()
    was_judging = access.is_judging()
    for message in access.store_messages():
        st.info(message)
    if bar.draw(page.url_path):
        page.run()
except RagTriageError as error:
    states.trouble(error)
except states.PageEnd:
    pass
state.show_in_browser(page.url_path)
bar.read_on(page.url_path)
has_judged = was_judging and not access.is_judging()
# Reading the session's state is where a run stops that a later click has replaced. Reading on takes
# time; were a replaced run to reach its end, Streamlit would drop the fragments of its successor,
# and a progress line would stand still.
state.current()
garbage.freeze_libraries()
if has_judged:
    st.rerun()  # its last verdicts may have come after the page was read
