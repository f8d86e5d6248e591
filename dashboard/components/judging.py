"""Offering to score a run with the offline judge, and its progress while a worker is at it."""

import streamlit as st

from core.model import Axis, JudgeKind
from core.workflows import jobs
from core.workflows.comparability import mixed_judges
from core.workflows.matrix import Matrix
from dashboard import access
from dashboard.theme import count, duration, escape, escape_line


def panel(matrix: Matrix) -> None:
    """The offer to fill gaps by the offline judge; while a judge is at work, its progress."""
    run_id = matrix.settings.run.run_id
    mixed = mixed_judges(matrix.settings)
    if mixed is not None:
        st.caption(
            f":material/info: Mixed judges: {escape_line(mixed)}.",
            help="A mode compares scores of judges of which one may be stricter than another. "
            "Choose one judge for all axes in the bar, or let one judge everything.",
        )
    if _active(run_id) is not None:
        _progress(run_id)
    else:
        offer(matrix)


def offer(matrix: Matrix) -> None:
    """The offer to score with the offline judge, where it could fill a gap."""
    run_id = matrix.settings.run.run_id
    n_missing = max(
        (row.n_not_scored for row in matrix.coverage if _can_fill(matrix, row.axis)), default=0
    )
    if not n_missing:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{count(n_missing)} of {count(matrix.summary.n)} samples lack a score.** The "
            "offline judge (lexical-v1) can score them on this machine. It measures how similar "
            "the texts are and cannot see contradictions.",
            width="stretch",
        )
        if st.button("Score this run", icon=":material/play_arrow:", key="score_run"):
            st.session_state["job"] = jobs.start(access.ready_store(), run_id).job_id
            st.rerun()


def _can_fill(matrix: Matrix, axis: Axis) -> bool:
    """Scores of another judge stand: the offline judge only fills axes that nobody else scores."""
    choice = matrix.settings.choices.get(axis)
    return choice is None or choice.kind is JudgeKind.OFFLINE


def _active(run_id: str) -> jobs.JobStatus | None:
    mine = [status for status in jobs.active(access.ready_store()) if status.run_id == run_id]
    return mine[0] if mine else None


@st.fragment(run_every=1.0)
def _progress(run_id: str) -> None:
    store = access.ready_store()
    job_id = st.session_state.get("job")
    status = jobs.read(store, job_id) if job_id else None
    if status is None or status.run_id != run_id:
        status = _active(run_id)
    if status is None or not status.is_active:
        if status is not None and status.message:
            st.warning(escape(status.message))
        st.session_state.pop("job", None)
        st.rerun()
    made = status.done + status.failed
    left = status.seconds_left
    text = (
        f"Scoring: {count(made)} of {count(status.total)} samples"
        + (f", {count(status.failed)} failed" if status.failed else "")
        + (f", about {duration(left)} left" if left is not None else "")
        if status.total
        else "Starting the judge …"
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.progress(made / status.total if status.total else 0.0, text=text)
        if st.button("Stop", key="stop_job", help="What is scored already is kept."):
            jobs.cancel(store, status.job_id)
