"""Every criterion of a run side by side: mean, agreement; a row opens the criterion."""

import pandas as pd
import streamlit as st

from core.metrics.agreement import band
from core.metrics.statistic_words import explain
from core.workflows.criteria import Criteria, CriterionLine, UnknownScale
from dashboard import state
from dashboard.components.head import section
from dashboard.components.words import fingerprint
from dashboard.theme import UNDEFINED, count, interval, number, percent

_ROW, _HEADER = 30, 32
_RIGHT = ("Raters", "Rated", "Mean (95\u202f% interval)", "SD", "All equal")


def draw(found: Criteria, chosen: str) -> None:
    """The table; nothing where there is one criterion only."""
    if len(found.lines) < 2:
        return
    section(
        "Every criterion side by side",
        "Click a row to look at that criterion.\n\n"
        + explain("mean_rating", "absolute_agreement", "gwet"),
    )
    agreement = next(
        (one.agreement.name for one in found.lines if isinstance(one, CriterionLine)), "AC1"
    )
    rows = [_row(line, agreement, is_chosen=line.name == chosen) for line in found.lines]
    event = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * min(len(rows), 12),
        key=state.visit_key(f"criteria_{fingerprint([chosen, *(o.name for o in found.lines)])}"),
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            **{name: st.column_config.TextColumn(alignment="right") for name in _RIGHT},
            f"{agreement} (95\u202f% interval)": st.column_config.TextColumn(alignment="right"),
        },
    )
    picked = event["selection"]["rows"]
    if picked and picked[0] < len(found.lines) and found.lines[picked[0]].name != chosen:
        state.change_options(criterion=found.lines[picked[0]].name, scale=None)
        st.rerun()


def _row(line: CriterionLine | UnknownScale, agreement: str, *, is_chosen: bool) -> dict[str, str]:
    name = line.name + (" ●" if is_chosen else "")
    beyond_chance = f"{agreement} (95\u202f% interval)"
    if isinstance(line, UnknownScale):
        undefined = dict.fromkeys((*_RIGHT, beyond_chance), UNDEFINED)
        return {
            "Criterion": name,
            "Scale": "not known",
            **undefined,
            "In words": "open it and name its answers",
        }
    mean, equal, beyond = line.mean, line.absolute, line.agreement
    return {
        "Criterion": name,
        "Scale": line.scale.text,
        "Raters": count(line.n_raters),
        "Rated": f"{count(line.n_units)} {'contexts' if line.of_contexts else 'samples'}",
        "Mean (95\u202f% interval)": _with_ends(mean.value, mean.low, mean.high),
        "SD": number(line.sd),
        "All equal": UNDEFINED
        if equal.value is None
        else f"{percent(equal.value)} ({interval(equal.low, equal.high)})",
        beyond_chance: _with_ends(beyond.value, beyond.low, beyond.high),
        "In words": band(beyond.value) if beyond.value is not None else "one rating each",
    }


def _with_ends(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None:
        return number(value)
    return f"{number(value)} ({number(low)} to {number(high)})"
