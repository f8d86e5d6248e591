"""Whose verdicts count: the judge selection, per axis."""

import streamlit as st

from core.model import TRIAD, Axis
from core.store import writes
from core.workflows.review import Settings
from core.workflows.view_choices import JudgeOption
from dashboard import access, state
from dashboard.components import words
from dashboard.theme import count, escape_line

_AXES = (*TRIAD, Axis.ADHERENCE, Axis.CORRECTNESS, Axis.REFUSAL)


def draw(settings: Settings) -> None:
    """The popover: one choice per axis; for this view only until it is kept for the run."""
    models = dict.fromkeys(
        settings.models.get(settings.choices[axis].judge_id, "unknown")
        for axis in TRIAD
        if axis in settings.choices
    )
    named = ", ".join(models) or "none"
    options = access.load_judge_options(settings.run.run_id)
    noun = "Judges" if len(models) > 1 else "Judge"
    with st.popover(
        escape_line(f"{noun} {named}"), icon=":material/gavel:", type="tertiary",
        key="judge_popover",
    ):  # fmt: skip
        st.caption("Whose scores count in this view. Every page follows.")
        for axis in _AXES:
            _axis(axis, settings, [option for option in options if option.axis is axis])
        if state.current().selection:
            with st.container(horizontal=True, gap="small"):
                if st.button("Keep for this run", key="keep_judges"):
                    _keep(settings.run.run_id)
                    st.rerun()
                if st.button("Back to the run's judges", key="judge_reset", type="tertiary"):
                    state.change(selection=())
                    st.rerun()


def unknown_judge(run_id: str) -> str | None:
    """A judge that the address selects but that has not judged this run, in words."""
    selection = state.current().selection
    if not selection:
        return None
    known = {(o.axis, o.metric, o.judge_id) for o in access.load_judge_options(run_id)}
    missing = next((item for item in selection if item not in known), None)
    return missing and f"{missing[2]} for {words.axis(missing[0]).lower()}"


def _axis(axis: Axis, settings: Settings, options: list[JudgeOption]) -> None:
    choice = settings.choices.get(axis)
    if choice is None or choice.is_proxy:
        note = "groundedness stands in" if choice is not None else "nobody has scored it"
        st.markdown(f"{words.axis(axis)} :gray[{note}]")
        return
    names = {f"{option.metric}@{option.judge_id}": option for option in options}
    key = state.visit_key(f"judge_{axis.value}")
    st.session_state[key] = f"{choice.metric}@{choice.judge_id}"

    def picked() -> None:
        option = names[st.session_state[key]]
        others = tuple(item for item in state.current().selection if item[0] is not axis)
        state.change(selection=(*others, (axis, option.metric, option.judge_id)))

    st.selectbox(
        words.axis(axis),
        list(names),
        format_func=lambda name: _label(names[name]),
        key=key,
        on_change=picked,
        help=f"{words.axis_help(axis)} Scores {words.judge_kind(choice.kind)}.",
    )


def _label(option: JudgeOption) -> str:
    metric = "" if option.metric == option.axis.value else f" · {option.metric}"
    return f"{option.model}{metric} ({count(option.n_value)})"


def _keep(run_id: str) -> None:
    with access.ready_store().writing() as connection:
        for axis, metric, judge in state.current().selection:
            writes.set_choice(connection, run_id, axis.value, metric, judge)
    state.change(selection=())
