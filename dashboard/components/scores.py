"""Diagnosis, scores with their reasons, and every verdict behind them."""

from collections.abc import Mapping

import streamlit as st

from core.diagnosis.modes import FLAGS, MODES
from core.diagnosis.summary import PatternCount
from core.diagnosis.thresholds import is_high
from core.diagnosis.triad import Diagnosis
from core.judge.cut_texts import DETAIL as CUT_TEXTS
from core.model import TRIAD, Axis, Flag, Mode, Status
from core.workflows.review import Settings
from core.workflows.sample_views import SampleView
from dashboard.components import context_use_lines, repeats, verdicts, words
from dashboard.components.head import current_theme
from dashboard.components.verdicts import REASON_SHOWN, Verdict, selected_verdict
from dashboard.theme import counted, escape, escape_line, number

_SHORT = {Axis.CONTEXT_RELEVANCE: "CR", Axis.GROUNDEDNESS: "G", Axis.ANSWER_RELEVANCE: "AR"}
_OTHERS = (Axis.ADHERENCE, Axis.REFUSAL, Axis.CORRECTNESS)


def mode_line(mode: Mode) -> str:
    """Code, name and side of a mode, coloured by its side."""
    spec = MODES[mode]
    ink = current_theme().family_inks[spec.side.value]
    style = f'{{foreground="{ink}"}}'
    return f":color[{spec.code}]{style} &nbsp;**:color[{spec.name}]{style}**"


def diagnosis_card(found: SampleView) -> None:
    """The mode in words, the rule that led to it, and what to try first."""
    spec = MODES[found.diagnosis.mode]
    with st.container(border=True, gap="xsmall"):
        st.markdown(mode_line(found.diagnosis.mode))
        st.markdown(spec.meaning)
        if found.diagnosis.mode is Mode.UNDETERMINED:
            possible = [MODES[mode].name for mode in Mode if mode in found.diagnosis.possible]
            st.caption(f"Still possible: {', '.join(possible)}.")
        st.caption(f"Rule: {_rule(found)}.")
        context_use_lines.draw(found)
        if spec.fixes:
            with st.popover("What to try", icon=":material/build:", type="tertiary"):
                st.markdown("\n".join(f"{i}. {fix}" for i, fix in enumerate(spec.fixes, 1)))
        flags = flags_of(found.diagnosis, found.flags)
        if flags:
            with st.container(horizontal=True, gap="xsmall"):
                for flag in flags:
                    st.badge(FLAGS[flag].name, color="gray", help=FLAGS[flag].meaning)


def flags_of(diagnosis: Diagnosis, counts: PatternCount) -> list[Flag]:
    """All remarks about one sample."""
    beside = {
        Flag.NOISY_RETRIEVAL: counts.noisy,
        Flag.BORDERLINE: counts.borderline,
        Flag.PARTIAL: counts.partial,
        Flag.PARTIAL_REFUSAL: counts.partial_refusal,
        Flag.UNSTABLE_JUDGE: counts.unstable,
        Flag.PROXY_HIT: counts.proxy_hit,
    }
    return [flag for flag in Flag if flag in diagnosis.flags or beside.get(flag)]


def _rule(found: SampleView) -> str:
    wide, parts = found.detail.wide, []
    refused = wide["label_refused"] if wide["label_refused"] is not None else wide["refusal"]
    if refused is not None and refused >= 0.5:
        parts.append("the answer is a refusal")
    for axis in TRIAD:
        cut, value = found.settings.cut(axis), wide[axis.value]
        if value is None:
            parts.append(f"{_SHORT[axis]} has no score")
            continue
        if cut.value is None:
            shown = number(value, found.settings.scales.get(axis))
            parts.append(f"{_SHORT[axis]} {shown} has no cut")
            continue
        is_up = is_high(value, cut)
        sign = "≥" if value >= cut.value else "<"
        shown = number(value, found.settings.scales.get(axis), cut=cut.value)
        parts.append(f"{_SHORT[axis]} {shown} {sign} {cut.value:g} {'high' if is_up else 'low'}")
    if found.diagnosis.mode in (Mode.LUCKY_GUESS, Mode.CONFABULATION):
        parts.append(
            f"the answer is {'right' if found.diagnosis.mode is Mode.LUCKY_GUESS else 'wrong'}"
        )
    return escape_line(", ".join(parts))


def scores_card(found: SampleView) -> None:
    """Every axis with score, side and reason; one click to prompt, raw reply and all verdicts."""
    with st.container(border=True, gap="xsmall"):
        st.caption(escape_line(f"Scores · {_judges(found.settings)}"))
        for axis in TRIAD:
            _score(found, axis)
        _other_scores(found)
        with st.container(horizontal=True, gap="small"):
            with st.popover("Prompt and raw reply", icon=":material/code:", type="tertiary"):
                verdicts.raw(found)
            n = len(found.detail.verdicts)
            with st.popover(
                counted(n, "verdict"), icon=":material/history:", type="tertiary", width="content"
            ):
                verdicts.history(found.detail.verdicts)


def _judges(settings: Settings) -> str:
    models = dict.fromkeys(
        settings.models.get(settings.choices[axis].judge_id, "unknown")
        for axis in TRIAD
        if axis in settings.choices
    )
    return f"judge {', '.join(models)}" if models else "nobody has scored this run"


def _score(found: SampleView, axis: Axis) -> None:
    verdict = selected_verdict(found, axis)
    value, cut = found.detail.wide[axis.value], found.settings.cut(axis)
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown(f"**{words.axis(axis)}**", width="stretch", help=words.axis_help(axis))
            if value is None:
                st.markdown(":gray[—]", width="content")
            else:
                shown = number(value, found.settings.scales.get(axis), cut=cut.value)
                head, separator, tail = shown.partition(" ")
                st.markdown(
                    f"**{head}**" + (f" :gray[{tail}]" if separator else ""), width="content"
                )
                is_up = is_high(value, cut)
                if is_up is not None:
                    st.badge("high" if is_up else "low", color="green" if is_up else "red")
        st.caption(_reason(found, axis, verdict))
        repeats.of_score(found, axis)


def _reason(found: SampleView, axis: Axis, verdict: Verdict | None) -> str:
    if verdict is None:
        known = axis in found.settings.choices
        return "This judge has not scored it." if known else "Nobody has scored it."
    if verdict["status"] != Status.VALUE.value:
        text = words.cause(f"{verdict['status']}:{verdict['cause']}")
        raw = f" The file says: {verdict['raw'][:REASON_SHOWN]}" if verdict["raw"] else ""
        return escape(text[0].upper() + text[1:] + "." + raw)
    failed = " The last re-judge failed." if _last_failed(found, axis) else ""
    failed += _cut_note(verdict)
    if verdict["reasoning"]:
        reason: str = verdict["reasoning"]
        cut = " …" if len(reason) > REASON_SHOWN else ""
        return escape(reason[:REASON_SHOWN] + cut + failed)
    return f"The reason was not recorded in the source file.{failed}"


def _cut_note(verdict: Verdict) -> str:
    """That a judged text was cut before it reached the judge."""
    detail = verdict["detail"] if isinstance(verdict["detail"], Mapping) else {}
    parts = []
    cut = detail.get(CUT_TEXTS)
    if isinstance(cut, list) and cut:
        named = " and ".join("contexts" if one == "context" else str(one) for one in cut)
        parts.append(f" What was judged was cut before the file was saved: {named}.")
    if detail.get("context_truncated") is True:
        parts.append(" Judged on contexts that were shortened to fit the model.")
    return "".join(parts)


def _last_failed(found: SampleView, axis: Axis) -> bool:
    choice = found.settings.choices.get(axis)
    mine = [
        verdict
        for verdict in found.detail.verdicts
        if choice is not None
        and (verdict["metric"], verdict["judge_id"]) == (choice.metric, choice.judge_id)
    ]
    return len(mine) > 1 and bool(mine[-1]["status"] == Status.ERROR.value)


def _other_scores(found: SampleView) -> None:
    parts = []
    for axis in _OTHERS:
        value = found.detail.wide[axis.value]
        choice = found.settings.choices.get(axis)
        if value is None or choice is None or choice.is_proxy:
            continue
        shown = number(value, found.settings.scales.get(axis))
        if axis is Axis.REFUSAL:
            shown = "yes" if value >= 0.5 else "no"
        parts.append(f"{words.axis(axis).lower()} {shown}")
    labels = {
        "label_correct": "correct",
        "label_refused": "refused",
        "label_answerable": "answerable",
    }
    for column, name in labels.items():
        value = found.detail.wide[column]
        if value is not None:
            parts.append(f"labelled {'' if value else 'not '}{name}")
    if parts:
        st.caption(escape_line("Also: " + ", ".join(parts) + "."))
