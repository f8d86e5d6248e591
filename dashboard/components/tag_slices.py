"""Retrieval and context use by the values of a tag: a table whose rows open their samples."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from core.filters import escape_name
from core.metrics.intervals import Rate
from core.workflows.retrieval_slices import CueSlice, RetrievalSlice
from core.workflows.review import View
from dashboard import access, navigation, state
from dashboard.access import hits
from dashboard.components import tag_select
from dashboard.components.head import section
from dashboard.components.words import fingerprint, mean_cell, share_cell
from dashboard.theme import count, points

Slice = TypeVar("Slice")
_SHOWN = 20
_ROW, _HEADER = 30, 32


def retrieval(run_id: str, baseline: str | None) -> None:
    """What was found, by the values of a tag."""
    found = _chosen(run_id, "By slice", hits.load_retrieval_slices, baseline)
    if found is None:
        return
    tag, slices = found
    _table(tag, [one.value for one in slices], [_retrieval_row(one, baseline) for one in slices])


def context_use(run_id: str, baseline: str | None) -> None:
    """How the contexts were used, by the values of a tag."""
    found = _chosen(run_id, "By slice", hits.load_cue_slices, baseline)
    if found is None:
        return
    tag, slices = found
    _table(tag, [one.value for one in slices], [_cue_row(one, baseline) for one in slices])


def _chosen(
    run_id: str,
    title: str,
    load: Callable[[str, View, str, str | None], Sequence[Slice]],
    baseline: str | None,
) -> tuple[str, Sequence[Slice]] | None:
    if not access.load_filter_choices(run_id).tags:
        return None
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        section(title, "The same figures by the values of a tag, with 95\u202f% intervals.")
        chosen = tag_select.choose(run_id, visibility="collapsed")
    if chosen is None:
        return None
    return chosen, load(run_id, state.current().view(), chosen, baseline)


def _table(tag: str, values: Sequence[str], rows: Sequence[Mapping[str, object]]) -> None:
    if not rows:
        st.caption("No sample in view has this tag.")
        return
    shown = rows[:_SHOWN]
    config: dict[str, Any] = {
        name: st.column_config.TextColumn(alignment="right", width=112) for name in shown[0]
    }
    config["Slice"] = st.column_config.TextColumn(width=140)
    config["Samples"] = st.column_config.NumberColumn(width=72, format="localized")
    config["With gold"] = st.column_config.NumberColumn(width=78, format="localized")
    event = st.dataframe(
        pd.DataFrame(shown),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * len(shown),
        key=state.visit_key(f"tag_slices_{fingerprint([tag, *values])}"),
        on_select="rerun",
        selection_mode="single-row",
        column_config=config,
    )
    hidden = len(rows) - len(shown)
    verb = "value is" if hidden == 1 else "values are"
    st.caption(
        "Click a row to open its samples."
        + (f" {count(hidden)} smaller {verb} not shown." if hidden else "")
        + (
            f" {len(shown)} slices are compared: expect one of twenty to stand out by chance."
            if len(shown) > 3
            else ""
        )
    )
    picked = event["selection"]["rows"]
    if picked and picked[0] < len(shown):
        term = f"tag.{escape_name(tag)}={values[picked[0]]}"
        navigation.open_samples(state.current(), term)


def _retrieval_row(one: RetrievalSlice, baseline: str | None) -> dict[str, object]:
    row: dict[str, object] = {
        "Slice": one.value,
        "Samples": one.n_samples,
        "With gold": one.hit.n,
        "Hit": share_cell(one.hit),
    }
    if baseline is not None:
        row["Baseline"] = share_cell(one.baseline_hit) if one.baseline_hit is not None else "—"
    return row | {
        "Recall": mean_cell(one.recall),
        "MRR": mean_cell(one.mrr),
        "nDCG": mean_cell(one.ndcg),
    }


def _cue_row(one: CueSlice, baseline: str | None) -> dict[str, object]:
    found = one.summary
    row: dict[str, object] = {
        "Slice": one.value,
        "Samples": found.n,
        "Accuracy": share_cell(found.accuracy_in_use),
        "Hit": share_cell(found.hit_share),
        "Effective use": share_cell(found.effective_use),
        "Correct, no evidence": share_cell(found.ungrounded_correct),
    }
    if baseline is not None:
        base = one.baseline
        row["Effective use, before"] = share_cell(base.effective_use) if base is not None else "—"
        row["Change"] = _change(found.effective_use, base.effective_use) if base else "—"
    return row


def _change(new: Rate, old: Rate) -> str:
    return points(None if new.value is None or old.value is None else new.value - old.value)
