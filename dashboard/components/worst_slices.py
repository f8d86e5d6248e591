"""The slices that fail more often than the rest, over all tags."""

import pandas as pd
import streamlit as st

from core.diagnosis.modes import MODES
from core.filters import escape_name
from core.workflows.overview import LEAST_IN_SLICE, MOST_TAG_VALUES, Overview, Slice
from dashboard import navigation, state
from dashboard.components.head import section
from dashboard.components.words import fingerprint
from dashboard.theme import count, escape_line, interval, per_cent, points

_SHOWN = 6
_ROW, _HEADER = 32, 34


def draw(found: Overview) -> None:
    """A table of the worst slices; a row opens the failing samples of its slice."""
    slices = found.slices
    if not slices.n_compared:
        return
    section(
        "Worst slices",
        "Failing share of the decided samples with one value of one tag, against all other "
        "samples in view. The surest difference stands first.",
    )
    rows = slices.rows[:_SHOWN]
    if rows:
        _table(rows)
    st.caption(_note(found, len(rows)))


def _table(rows: tuple[Slice, ...]) -> None:
    # A choice by position belongs to these rows and no others.
    names = [f"{one.name}={one.value}" for one in rows]
    key = state.visit_key(f"worst_slices_{fingerprint(names)}")
    event = st.dataframe(
        pd.DataFrame([_row(one) for one in rows]),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * len(rows),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Failing": st.column_config.NumberColumn(width=62, format="localized"),
            "Decided": st.column_config.NumberColumn(width=68, format="localized"),
            "Share": st.column_config.ProgressColumn(
                width=140,
                format="%d\u202f%%",
                min_value=0,
                max_value=100,
                color="#71829B",
            ),
            "95\u202f% interval": st.column_config.TextColumn(alignment="right", width=86),
            "Against the rest": st.column_config.TextColumn(width=152),
        },
    )
    picked = event["selection"]["rows"]
    if picked and picked[0] < len(rows):
        chosen = rows[picked[0]]
        navigation.open_samples(
            state.current(),
            f"tag.{escape_name(chosen.name)}={chosen.value}",
            *(f"mode={mode.value}" for mode, _ in chosen.failing),
        )


def _row(one: Slice) -> dict[str, object]:
    mode, n = one.failing[0]
    against = points(one.against_rest.value)
    return {
        "Slice": f"{one.name}: {one.value}",
        "Failing": int(one.rate.k),
        "Decided": one.rate.n,
        "Share": per_cent(one.rate.value or 0),
        "95\u202f% interval": interval(one.rate.low, one.rate.high),
        "Against the rest": against if one.against_rest.is_clear else f"{against}, within chance",
        "Most common": f"{MODES[mode].name} {count(n)}",
    }


def _note(found: Overview, n_shown: int) -> str:
    slices = found.slices
    noun = "slice was" if slices.n_compared == 1 else "slices were"
    parts = [
        f"{count(slices.n_compared)} {noun} compared, each with at least {LEAST_IN_SLICE} decided "
        "samples"
        + (": expect one of twenty to stand out by chance." if slices.n_compared > 3 else ".")
    ]
    if not n_shown:
        parts.append("None of them fails more often than the rest.")
    elif len(slices.rows) > n_shown:
        parts.append(f"{count(n_shown)} of {count(len(slices.rows))} that fail more are shown.")
    if slices.left_out:
        named = ", ".join(escape_line(name) for name in slices.left_out[:5])
        parts.append(f"Not compared, with more than {MOST_TAG_VALUES} values: {named}.")
    if n_shown:
        parts.append("Click a row to open the failing samples of its slice.")
    return " ".join(parts)
