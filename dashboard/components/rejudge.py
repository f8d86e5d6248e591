"""Re-judging one sample, offline or by a model, and the two opinions side by side."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import RagTriageError
from core.judge.settings import LlmSettings
from core.model import TRIAD, Axis, Mode, Status
from core.store import writes
from core.workflows import jobs, rejudging
from core.workflows.judge_plan import estimate
from core.workflows.judging import Request, judge_run
from core.workflows.review import View
from core.workflows.sample_views import SampleView
from dashboard import access, state
from dashboard.components import words
from dashboard.components.scores import mode_line
from dashboard.navigation import JUDGE, open_page
from dashboard.theme import cost, counted, escape, escape_line, number

_KEY = "rejudged"


def offer(found: SampleView) -> None:
    """The button for the offline judge, and the way to a model beside it."""
    sample_id = _sample_id(found)
    if st.button(
        "Re-judge", icon=":material/refresh:", key=f"rejudge_{sample_id}",
        help="Scores this sample again with the offline judge lexical-v1. It runs on this "
        "machine: no text is sent anywhere and it costs nothing. Old verdicts stay.",
    ):  # fmt: skip
        request = Request(sample_ids=(sample_id,), which="all")
        judge_run(access.ready_store(), found.settings.run.run_id, request)
        _remember(found, "")
        st.rerun()
    popover = st.popover(
        "By a model", icon=":material/smart_toy:", key=f"model_{sample_id}", on_change="rerun"
    )
    if popover.open:
        with popover:
            _by_model(found)


def _by_model(found: SampleView) -> None:
    store, run_id = access.ready_store(), found.settings.run.run_id
    model: LlmSettings | None = st.session_state.get("named_model") or rejudging.last_model(store)
    if model is None:
        st.markdown("No model has been named yet.")
        if st.button("Name a model on the page Judge", icon=":material/gavel:"):
            open_page(JUDGE, state.current())
        return
    axes = st.pills(
        "Axes", list(TRIAD), default=list(TRIAD), format_func=words.axis, selection_mode="multi"
    )
    if not axes:
        st.caption("Choose an axis.")
        return
    metrics = tuple(axis.value for axis in axes)
    request = Request(metrics, (_sample_id(found),), which="all")
    try:
        would = estimate(store, run_id, request, model)
    except RagTriageError as error:
        st.error(escape(str(error)))
        return
    st.markdown(
        escape_line(
            f"{', '.join(would.sends).capitalize()} of this sample are sent to "
            f"{would.destination}: about {counted(would.requests, 'request')} and "
            f"{counted(would.tokens, 'token')}, cost {cost(would.cost)}."
        )
    )
    if st.button("Send and judge", icon=":material/play_arrow:", disabled=not would.samples):
        try:
            # A second opinion is asked for: a reply that was stored before is none.
            job = jobs.start(store, run_id, replace(model, use_cache=False), request=request)
        except RagTriageError as error:
            st.error(escape(str(error)))
            return
        _remember(found, job.job_id)
        st.rerun()


def before_and_after(found: SampleView) -> None:
    """After a re-judge: the scores that counted beside the new ones, and what they change."""
    old = st.session_state.get(_KEY, {})
    if old.get("sample") != (found.settings.run.run_id, _sample_id(found)):
        return
    with st.container(border=True, gap="xsmall"):
        if old["job"] and not _has_ended(old["job"]):
            _wait(old["job"])
            return
        made = rejudging.made_since(found.detail.verdicts, old["since"])
        if not made:
            job = jobs.read(access.ready_store(), old["job"])
            st.warning(escape((job and job.message) or "The re-judge made no verdict."))
            return
        _compare(found, old, made)


def _compare(
    found: SampleView, old: Mapping[str, Any], made: Mapping[Axis, Mapping[str, Any]]
) -> None:
    run_id = found.settings.run.run_id
    judge = str(next(iter(made.values()))["model"])
    where = "the reply of a model" if old["job"] else "on this machine"
    st.markdown(f"**Re-judged by {escape_line(judge)}** :gray[· {where}; the old verdicts stay]")
    new = {axis: (verdict["metric"], verdict["judge_id"]) for axis, verdict in made.items()}
    other = access.load_sample_alone(
        run_id, View((), tuple((axis, *chosen) for axis, chosen in new.items())), _sample_id(found)
    )
    for axis, verdict in made.items():
        after = _shown(other, axis)
        if verdict["status"] == Status.ERROR.value:
            after = escape_line(words.cause(f"{verdict['status']}:{verdict['cause']}"))
        st.markdown(f"{words.axis(axis)}: {old['scores'][axis.value]} → **{after}**")
    st.markdown(f"{mode_line(Mode(old['mode']))} → {mode_line(other.diagnosis.mode)}")
    choices = found.settings.choices
    is_selected = all(
        axis in choices and (choices[axis].metric, choices[axis].judge_id) == chosen
        for axis, chosen in new.items()
    )
    if is_selected:
        st.caption(
            f"These verdicts count: {escape_line(judge)} is the judge of "
            + ("this run." if len(new) == len(TRIAD) else "these axes in this run.")
        )
        return
    st.caption("The diagnosis above does not move by itself: another judge counts here.")
    if st.button(f"Use {escape_line(judge)} for this run", key="use_rejudged"):
        with access.ready_store().writing() as connection:
            for axis, (metric, judge_id) in new.items():
                writes.set_choice(connection, run_id, axis.value, metric, judge_id)
        state.change(selection=())
        st.rerun()


def _remember(found: SampleView, job_id: str) -> None:
    # Kept as texts: where the judge counts, the store has only the new state afterwards.
    st.session_state[_KEY] = {
        "sample": (found.settings.run.run_id, _sample_id(found)),
        "job": job_id,
        "since": max((verdict["verdict_no"] for verdict in found.detail.verdicts), default=0),
        "scores": {axis.value: _shown(found, axis) for axis in TRIAD},
        "mode": found.diagnosis.mode.value,
    }


def _has_ended(job_id: str) -> bool:
    job = jobs.read(access.ready_store(), job_id)
    return job is None or not job.is_active


@st.fragment(run_every=1.0)
def _wait(job_id: str) -> None:
    if _has_ended(job_id):
        st.rerun()
    st.caption("Asking the model …")
    if st.button("Stop", key="stop_rejudge"):
        jobs.cancel(access.ready_store(), job_id)


def _sample_id(found: SampleView) -> str:
    return str(found.detail.sample["sample_id"])


def _shown(found: SampleView, axis: Axis) -> str:
    value = found.detail.wide[axis.value]
    text = number(value, found.settings.scales.get(axis), cut=found.settings.cut(axis).value)
    return escape_line(text)
