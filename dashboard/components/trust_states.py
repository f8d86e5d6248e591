"""What Calibration and Agreement say where there is nothing to compare yet."""

import streamlit as st

from core.workflows.trust_choices import TrustChoices
from dashboard import navigation, state
from dashboard.components import head
from dashboard.components.states import empty_box
from dashboard.theme import count, counted


def nothing_to_calibrate(choices: TrustChoices, question: str) -> bool:
    """True, with a way on, if the run lacks labels of samples or scores."""
    if choices.sample_labels and choices.scores:
        return False
    head.question(question)
    if not choices.sample_labels:
        _no_labels(choices, "what people say about the same answers")
    else:
        no_scores(choices)
    return True


def nothing_to_agree_on(choices: TrustChoices, question: str) -> bool:
    """True, with a way on, if nobody has labelled anything."""
    if choices.labels:
        return False
    head.question(question)
    _no_labels(choices, "several people's labels of the same samples")
    return True


def _no_labels(choices: TrustChoices, what: str) -> None:
    found = empty_box(
        "No labels in this run",
        f":gray[This page compares scores with {what}. None of the {count(choices.run.n_samples)} "
        "samples has a label: label some in Triage, or import a file that brings them.]",
    )
    with found.container(horizontal=True, horizontal_alignment="center"):
        if st.button("Label in Triage", icon=":material/arrow_forward:", key="label_in_triage"):
            navigation.open_page(navigation.TRIAGE, state.current())
        if st.button("Import a file", type="tertiary", key="import_labels"):
            navigation.open_page(navigation.RUNS, state.current())


def no_scores(choices: TrustChoices) -> None:
    """Labels are there, but no judge has scored anything."""
    found = empty_box(
        "No scores to compare yet",
        f":gray[Nobody has scored the {counted(choices.run.n_samples, 'sample')} of this run. The "
        "offline judge can, on this machine and without a key.]",
    )
    if found.button("Score this run", icon=":material/arrow_forward:", key="go_and_score"):
        navigation.open_page(navigation.MODES, state.current())
