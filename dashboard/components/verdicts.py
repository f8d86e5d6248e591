"""The verdicts behind the scores of one sample: the one that counts, its words, all of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.model import TRIAD, Axis, JudgeKind, Status
from core.workflows.review import View
from core.workflows.sample_views import SampleView
from dashboard import access
from dashboard.access.hits import load_hit_rule, load_marked
from dashboard.components import words
from dashboard.theme import cost, count, date, duration, escape_line, number

REASON_SHOWN = 1_500
_PARAMETER_SHOWN = 24
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
    """Prompt, raw reply and parsed verdict behind every score, as far as they are known."""
    behind = _behind_scores(found)
    others = _other_verdicts(found, behind.values())
    requests = requests_of(found)
    for axis, verdict in behind.items():
        st.markdown(f"**{words.axis(axis)}** · {escape_line(verdict['metric'])}")
        _evidence(verdict, requests)
    for verdict in others:
        judge = f"{verdict['metric']} by {verdict['model']}"
        with st.expander(escape_line(f"Other score: {judge}")):
            _evidence(verdict, requests)


def requests_of(found: SampleView) -> Mapping[int, Sequence[Mapping[str, Any]]]:
    """The requests behind every score of a sample, by the number of its verdict."""
    behind = _behind_scores(found).values()
    made = [
        one
        for one in (*behind, *_other_verdicts(found, behind))
        if one["kind"] == JudgeKind.LLM.value
    ]
    numbers = tuple(sorted({one["verdict_no"] for one in made}))
    return access.load_calls_of(found.settings.run.run_id, numbers)


def open_ahead(run_id: str, view: View, sample_id: str | None) -> None:
    """Let the loaders keep all that a sample's page needs."""
    found = access.load_sample(run_id, view, sample_id)
    if found is not None:
        requests_of(found)
        marks_of(found)


def marks_of(found: SampleView) -> Mapping[int, bool]:
    """By rank what the marks say that the hit rule of the run believes."""
    run_id = found.settings.run.run_id
    if load_hit_rule(run_id).marks is None:
        return {}
    return load_marked(run_id, int(found.detail.sample["position"]))


def _behind_scores(found: SampleView) -> dict[Axis, Verdict]:
    """The verdict that counts on each axis, the triad first."""
    axes = (*TRIAD, *(axis for axis in Axis if axis not in TRIAD))
    chosen = {axis: selected_verdict(found, axis) for axis in axes}
    seen: set[int] = set()
    kept: dict[Axis, Verdict] = {}
    for axis, verdict in chosen.items():
        # Where groundedness stands in for adherence there is one verdict for both.
        if verdict is not None and verdict["verdict_no"] not in seen:
            seen.add(verdict["verdict_no"])
            kept[axis] = verdict
    return kept


def _other_verdicts(found: SampleView, shown: Iterable[Verdict]) -> list[Verdict]:
    """The newest verdict of every other metric and model that was asked."""
    taken = {(one["metric"], one["judge_id"]) for one in shown}
    newest = {
        (one["metric"], one["judge_id"]): one
        for one in found.detail.verdicts
        if one["kind"] == JudgeKind.LLM.value and one["context_rank"] is None
    }
    return [one for key, one in newest.items() if key not in taken]


def _evidence(verdict: Verdict, requests: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
    if len(verdict["reasoning"] or "") > REASON_SHOWN:
        st.text(verdict["reasoning"])
    if verdict["kind"] == JudgeKind.OFFLINE.value:
        st.caption(
            f"{escape_line(verdict['model'])} computes on this machine: there is no prompt. "
            "What it computed:"
        )
        st.json(verdict["detail"] or {}, expanded=False)
    elif verdict["kind"] == JudgeKind.LLM.value:
        st.caption(escape_line(_settings_of(verdict)))
        _requests(requests.get(verdict["verdict_no"], ()))
        st.caption("Parsed as")
        parsed = number(verdict["value"]) if verdict["value"] is not None else verdict["cause"]
        st.json({"verdict": parsed, **(verdict["detail"] or {})}, expanded=False)
    elif verdict["raw"]:
        st.text(verdict["raw"])
    else:
        st.caption("Prompt and raw reply are not recorded in the source file.")


def _settings_of(verdict: Verdict) -> str:
    """Model, prompt and parameters of a judge."""
    params = verdict["params"] or {}
    parts = [str(verdict["model"])]
    if verdict["prompt_id"]:
        parts.append(f"prompt {verdict['prompt_id']} ({str(verdict['prompt_sha256'])[:12]}…)")
    parts += [f"{name.replace('_', ' ')} {_cut(str(value))}" for name, value in params.items()]
    return " · ".join(parts)


def _cut(text: str) -> str:
    return text if len(text) <= _PARAMETER_SHOWN else f"{text[:_PARAMETER_SHOWN]}…"


def _requests(requests: Sequence[Mapping[str, Any]]) -> None:
    """Every request that led to a verdict of a model, with what was sent and what came back."""
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
