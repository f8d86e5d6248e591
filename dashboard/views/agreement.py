"""Agreement: do people agree with each other, and does the judge agree with them?"""

import streamlit as st

from core.errors import BadInputError
from core.workflows.trust_findings import agreement_finding
from dashboard import access, state
from dashboard.components import (
    agreement_controls,
    agreement_panels,
    criteria_table,
    export,
    head,
    states,
    trust_states,
)
from dashboard.theme import escape

_QUESTION = "Do the people agree, and does the judge agree with them?"

address = state.current()
choices = access.load_trust_choices(str(address.run), address.view())
if trust_states.nothing_to_agree_on(choices, _QUESTION):
    states.end_page()
above = st.container()
asked = agreement_controls.draw(choices)
try:
    found = access.load_agreement(
        str(address.run),
        asked.criterion.name,
        asked.weights,
        asked.scale,
        address.view(),
        asked.tag,
        asked.score,
    )
except BadInputError as error:
    with above:
        head.question(_QUESTION)
    # The message is the command line's; here the scale has a field of its own.
    st.info(escape(str(error).replace("--scale ", "scale ")), icon=":material/straighten:")
    states.end_page()
with above:
    head.question(_QUESTION, agreement_finding(found, asked.score_name), aside=export.offer_view)
if found.n_units == 0 and address.terms:
    states.no_match(address, choices.run.n_samples)
    states.end_page()
agreement_panels.coefficients(found)
agreement_panels.open_units(found)
left, right = st.columns([1, 1], gap="small")
with left:
    agreement_panels.raters(found)
with right:
    agreement_panels.judge(found, asked.score_name)
    agreement_panels.by_rank(found)
agreement_panels.slices(found)
everything = access.load_criteria(str(address.run), asked.weights, address.view())
criteria_table.draw(everything, asked.criterion.name)
