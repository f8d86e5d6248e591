"""Judging that is going on or has ended: progress, cost, stop, continue; the log of requests."""

import time

import pandas as pd
import streamlit as st

from core.errors import RagTriageError
from core.workflows import jobs
from dashboard import access
from dashboard.components.head import section
from dashboard.theme import cost, count, counted, date, duration, escape, escape_line, number

_STATES = {
    "starting": "starting",
    "running": "at work",
    "done": "done",
    "cancelled": "stopped",
    "failed": "failed",
    "lost": "ended without a word",
}
CALLS_SHOWN = 50


def panel(run_id: str) -> None:
    """Jobs of this run, the newest first; a running one refreshes itself."""
    section("Judging of this run")
    if is_active(run_id):
        _moving(run_id)
    else:
        _jobs(run_id)


@st.fragment(run_every=1.0)
def _moving(run_id: str) -> None:
    _jobs(run_id)
    if not is_active(run_id):
        st.rerun()


def is_active(run_id: str) -> bool:
    """Whether a judge is at work on this run."""
    return any(job.is_active for job in jobs.recent(access.ready_store(), run_id))


def _jobs(run_id: str) -> None:
    found = jobs.recent(access.ready_store(), run_id, limit=5)
    if not found:
        st.caption("Nothing has been judged from here yet.")
    for job in found:
        _job(job)


def _job(job: jobs.JobStatus) -> None:
    made = job.done + job.failed
    with st.container(border=True, gap="xsmall"):
        line = (
            f"{job.judge or 'judge'} · {_STATES.get(job.state, job.state)} · "
            f"{count(made)} of {counted(job.total, 'sample')}, {count(job.failed)} failed · cost "
            f"{cost(job.cost)}"
        )
        if job.is_active:
            at_end = f" of about {cost(job.cost_at_end)}" if job.cost_at_end else ""
            left = f", about {duration(job.seconds_left)} left" if job.seconds_left else ""
            share = min(1.0, made / job.total) if job.total else 0.0
            st.progress(share, text=escape_line(line + at_end + left))
        else:
            st.markdown(escape_line(line))
        details = [
            f"{counted(job.calls, 'request')}, {count(job.cached)} answered from the store, "
            f"{count(job.retries)} tried again"
        ]
        details += [f"{count(n)} {kind.replace('_', ' ')}" for kind, n in job.errors.items()]
        st.caption(escape_line(", ".join(details)))
        asks_to_wait = job.waiting_until - time.time() if job.is_active else 0.0
        waits = ""
        if asks_to_wait > 0:
            waits = f"The provider has asked to wait another {duration(asks_to_wait)}."
        for text in (job.message, job.note, waits):
            if text:
                st.caption(escape(text))
        with st.container(horizontal=True, gap="small"):
            if job.is_active and st.button("Stop", key=f"stop_{job.job_id}"):
                jobs.cancel(access.ready_store(), job.job_id)
            if job.can_continue and st.button("Continue", key=f"continue_{job.job_id}"):
                _resume(job)


def _resume(job: jobs.JobStatus) -> None:
    try:
        jobs.resume(access.ready_store(), job.job_id)
    except RagTriageError as error:
        st.error(escape(str(error)))
        return
    st.rerun()


def call_log(run_id: str) -> None:
    """Every request to a model, the newest first, without texts; those open in Triage."""
    section("Requests", "Prompt and raw reply of each stand behind its score in Triage.")
    counts, rows = access.load_calls(run_id, CALLS_SHOWN)
    if not counts["n"]:
        st.caption("No model has been asked about this run.")
        return
    spent = cost(counts["cost"])
    if counts["n_unpriced"]:
        # What is known to have cost nothing says nothing about the others.
        known = f", of the others {spent}" if counts["cost"] else ""
        spent = f"unknown of {count(counts['n_unpriced'])}{known}"
    st.caption(
        f"{counted(counts['n'], 'request')}, {count(counts['n_failed'])} failed, "
        f"{count(counts['n_cached'])} from the store; cost {spent}; "
        f"latency {duration(counts['median_latency'])} in the middle, "
        f"{duration(counts['latency_95'])} at 95 of 100."
    )
    shown = [
        {
            "When": date(row["called_at"], time=True),
            "Sample": row["sample_id"],
            "Metric": row["metric"],
            "Verdict": number(row["value"]) if row["value"] is not None else row["cause"] or "—",
            "Model": row["model"],
            "Latency": duration(row["latency"]),
            "Tokens": (row["tokens_in"] or 0) + (row["tokens_out"] or 0),
            "Cost": "from the store" if row["is_cached"] else cost(row["cost"]),
            "Error": row["error_kind"] or "",
        }
        for row in rows
    ]
    st.dataframe(pd.DataFrame(shown), hide_index=True, row_height=30)
    if counts["n"] > len(rows):
        st.caption(f"The newest {count(len(rows))} of {count(counts['n'])} are shown.")
