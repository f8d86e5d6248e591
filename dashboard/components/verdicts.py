"""The verdicts behind the scores of one sample: the one that counts, its words, all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.model import TRIAD, Axis, Status
from core.workflows.sample_views import SampleView
from dashboard import access
from dashboard.components import words
from dashboard.theme import cost, count, date, duration, escape_line, number

REASON_SHOWN = 1_500
Verdict = Mapping[str, Any]


def selected_verdict(found: SampleView, axis: Axis) -> Verdict | None:
    """The verdict that counts on an axis: the newest settled one of the selected judge."""
    choice = found.settings.choices.get(axis)
    if choice is None:
        return None
    mine = [
        verdict
        for verdict in found.detail.verdicts
        if verdict["metric"] == choice.metric
        and verdict["judge_id"] == choice.judge_id
        and verdict["context_rank"] is None
    ]
    settled = [verdict for verdict in mine if verdict["status"] != Status.ERROR.value]
    kept = settled or mine
    return kept[-1] if kept else None


def raw(found: SampleView) -> None:
    """Prompt and raw reply behind each score of the triad, as far as they are known."""
    for axis in TRIAD:
        verdict = selected_verdict(found, axis)
        if verdict is None:
            continue
        st.markdown(f"**{words.axis(axis)}** · {escape_line(verdict['metric'])}")
        if len(verdict["reasoning"] or "") > REASON_SHOWN:
            st.text(verdict["reasoning"])
        if verdict["kind"] == "offline":
            st.caption(
                f"{escape_line(verdict['model'])} computes on this machine: there is no prompt. "
                "What it computed:"
            )
            st.json(verdict["detail"] or {}, expanded=False)
        elif verdict["kind"] == "llm":
            _requests(found, verdict)
        elif verdict["raw"]:
            st.text(verdict["raw"])
        else:
            st.caption("Prompt and raw reply are not recorded in the source file.")


def _requests(found: SampleView, verdict: Verdict) -> None:
    """Every request that led to a verdict of a model, with what was sent and what came back."""
    requests = access.load_calls_of(found.settings.run.run_id, verdict["verdict_no"])
    for request in requests:
        state = "from the store" if request["is_cached"] else duration(request["latency"])
        if request["is_shared"]:
            state = "asked once for all scores of this sample"
        facts = [
            f"request {count(request['n'])} of {count(len(requests))}",
            str(request["step"]),
            state,
            f"cost {cost(request['cost'])}",
        ]
        st.caption(escape_line(" · ".join(facts)))
        for message in request["prompt"]:
            st.caption(f"Sent as {escape_line(str(message['role']))}")
            st.text(str(message["content"]))
        st.caption("Raw reply" if request["reply"] else "No reply")
        if request["reply"]:
            st.text(request["reply"])
        if request["error"]:
            st.caption(escape_line(str(request["error"])))


def history(verdicts: Sequence[Verdict]) -> None:
    """All verdicts on a sample, the oldest first."""
    st.caption("Oldest first; nothing is ever overwritten. Times are UTC.")
    is_repeated = any(verdict["repeat"] for verdict in verdicts)
    rows = [
        {
            "Metric": verdict["metric"],
            "Judge": verdict["model"],
            **({"Repeat": verdict["repeat"] + 1} if is_repeated else {}),
            "Score": number(verdict["value"]) if verdict["value"] is not None else "—",
            "State": "value"
            if verdict["status"] == Status.VALUE.value
            else words.cause(f"{verdict['status']}:{verdict['cause']}"),
            "When": date(verdict["judged_at"], time=True),
            "Took": duration(verdict["latency"]),
            "Cost": cost(verdict["cost"]) if verdict["kind"] == "llm" else "—",
        }
        for verdict in verdicts
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, row_height=30, width=720, key="verdict_table")
