"""Re-judging one sample with the offline judge, and the two opinions side by side."""

import streamlit as st

from core.judge import offline
from core.model import TRIAD, Axis, Mode
from core.store import writes
from core.store.judges import judge_id
from core.workflows.judging import Request, judge_run
from core.workflows.review import SampleView, View
from dashboard import access, state
from dashboard.components import words
from dashboard.components.scores import mode_line
from dashboard.theme import escape_line, number

_OFFLINE = judge_id(offline.SPEC)


def rejudge(found: SampleView) -> None:
    """Append new verdicts of the offline judge for this sample; nothing is sent anywhere."""
    sample_id = str(found.detail.sample["sample_id"])
    request = Request(sample_ids=(sample_id,), which="all")
    judge_run(access.ready_store(), found.settings.run.run_id, request)
    # Kept as texts: where the offline judge counts, the store has only the new state afterwards.
    st.session_state["rejudged"] = {
        "sample": (found.settings.run.run_id, sample_id),
        "scores": {axis.value: _shown(found, axis) for axis in TRIAD},
        "mode": found.diagnosis.mode.value,
    }


def before_and_after(found: SampleView) -> None:
    """After a re-judge: the scores that counted beside the new ones, and what they change."""
    run_id = found.settings.run.run_id
    sample_id = str(found.detail.sample["sample_id"])
    old = st.session_state.get("rejudged", {})
    if old.get("sample") != (run_id, sample_id):
        return
    selection = tuple((axis, axis.value, _OFFLINE) for axis in TRIAD)
    other = access.load_sample_alone(run_id, View((), selection), sample_id)
    with st.container(border=True, gap="xsmall"):
        st.markdown("**Re-judged by lexical-v1** :gray[· on this machine; the old verdicts stay]")
        for axis in TRIAD:
            before, after = old["scores"][axis.value], _shown(other, axis)
            st.markdown(f"{words.axis(axis)}: {before} → **{after}**")
        st.markdown(f"{mode_line(Mode(old['mode']))} → {mode_line(other.diagnosis.mode)}")
        is_selected = all(
            choice.judge_id == _OFFLINE
            for axis in TRIAD
            if (choice := found.settings.choices.get(axis)) is not None
        )
        if is_selected:
            st.caption("These verdicts count: lexical-v1 is the judge of this run.")
        else:
            st.caption("The diagnosis above does not move by itself: another judge counts here.")
            if st.button("Use lexical-v1 for this run", key="use_offline"):
                _use(run_id)
                st.rerun()


def _shown(found: SampleView, axis: Axis) -> str:
    value = found.detail.wide[axis.value]
    text = number(value, found.settings.scales.get(axis), cut=found.settings.cut(axis).value)
    return escape_line(text)


def _use(run_id: str) -> None:
    with access.ready_store().writing() as connection:
        for axis in TRIAD:
            writes.set_choice(connection, run_id, axis.value, axis.value, _OFFLINE)
    state.change(selection=())
