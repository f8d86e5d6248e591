"""The headline rates of a run: one card each, with interval, baseline and denominator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from core.diagnosis.headline import HEADLINES, Change, Headline, HeadlineId
from core.diagnosis.modes import Outcome, modes_of
from core.diagnosis.outcomes import AnswerOutcome
from core.metrics.intervals import Rate
from core.model import Mode
from core.workflows.comparability import Discord
from core.workflows.overview import Overview
from dashboard import access, navigation, state
from dashboard.charts.strip import rate_strip
from dashboard.components.head import current_theme
from dashboard.theme import (
    LEAST_N,
    UNDEFINED,
    count,
    escape_line,
    interval,
    percent,
    points,
)


@dataclass(frozen=True, slots=True)
class _Delta:
    """The change as ``st.metric`` shows it; coloured only where it is beyond chance."""

    text: str | None = None
    colour: Literal["green", "red", "gray"] = "gray"
    arrow: Literal["up", "down", "off"] = "off"
    origin: str | None = None


def draw(found: Overview) -> None:
    """One card per headline rate."""
    with st.grid(5, gap="small"):
        for one in found.headlines:
            with st.container(border=True, gap="xsmall", height="stretch", key=f"card_{one.id}"):
                _card(one, found.discords.get(one.id))


def _modes(*outcomes: Outcome) -> tuple[str, ...]:
    return tuple(f"mode={mode.value}" for outcome in outcomes for mode in modes_of(outcome))


_OPENS: Mapping[HeadlineId, tuple[str, ...]] = {
    HeadlineId.SUCCESS: (f"mode={Mode.SUCCESS.value}",),
    HeadlineId.PASS: _modes(Outcome.PASS),
    HeadlineId.CORRECT: (f"outcome={AnswerOutcome.CORRECT.value}",),
    HeadlineId.REFUSALS: (f"mode={Mode.CORRECT_REFUSAL.value}",),
    HeadlineId.COVERAGE: _modes(Outcome.PASS, Outcome.FAIL),
}


def _open(one: Headline) -> None:
    """A way to the samples that the rate counts."""
    n = int(one.rate.k)
    st.space("stretch")  # the ways on of all cards stand in one line
    if n and st.button(
        f"{count(n)} {'sample' if n == 1 else 'samples'}",
        icon=":material/arrow_forward:",
        icon_position="right",
        type="tertiary",
        key=f"open_{one.id}",
    ):
        navigation.open_samples(state.current(), *_OPENS[HeadlineId(one.id)])


def _card(one: Headline, discord: Discord | None) -> None:
    rate, spec = one.rate, HEADLINES[one.id]
    delta = _delta(one, discord)
    st.metric(
        spec.name,
        _value(rate),
        delta=delta.text,
        delta_color=delta.colour,
        delta_arrow=delta.arrow,
        delta_description=delta.origin,
        help=spec.meaning,
    )
    if rate.value is None:
        st.caption(f"Not defined: {escape_line(rate.reason or '')}.")
        return
    if rate.n < LEAST_N:
        st.caption(f"{spec.counted.capitalize()}: too few for a rate.")
        _open(one)
        return
    baseline = one.baseline.value if one.baseline and discord is None else None
    st.altair_chart(
        access.figure(rate_strip, rate, theme=current_theme(), baseline=baseline),
        theme=None,
        key=f"strip_{one.id}",
    )
    lines = [
        f"95\u202f% interval {interval(rate.low, rate.high)}",
        f"{count(int(rate.k))} of {count(rate.n)} {spec.counted}",
    ]
    if one.cases is not None:
        lines.append(f"{interval(*one.cases)}\u202f% if all others failed or passed")
    if discord is not None:
        lines.append(escape_line(discord.short))
    st.caption("  \n".join(lines))
    _open(one)


def _value(rate: Rate) -> str:
    if rate.value is None:
        return UNDEFINED
    return percent(rate.value) if rate.n >= LEAST_N else f"{count(int(rate.k))} of {count(rate.n)}"


def _delta(one: Headline, discord: Discord | None) -> _Delta:
    if one.baseline is None:
        return _Delta()
    if discord is not None:
        return _Delta("not comparable")
    if one.change is None or min(one.rate.n, one.baseline.n) < LEAST_N:
        return _Delta()
    return _Delta(
        # The arrow says which way; there is no room to say it again.
        points(one.change.value).removesuffix(" up").removesuffix(" down"),
        _colour(one.change),
        _arrow(one.change),
        f"from {percent(one.baseline.value)}",
    )


def _colour(change: Change) -> Literal["green", "red", "gray"]:
    if not change.is_clear:
        return "gray"
    return "green" if change.value > 0 else "red"


def _arrow(change: Change) -> Literal["up", "down", "off"]:
    return "off" if change.value == 0 else "up" if change.value > 0 else "down"
