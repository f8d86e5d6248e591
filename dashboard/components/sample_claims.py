"""The claims of one sample as tables against reference and contexts, with marks in words."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.workflows.claim_words import KINDS
from core.workflows.sample_claims import ClaimLine, ClaimTable, claim_tables
from core.workflows.sample_views import SampleView
from dashboard.theme import UNDEFINED, count, escape_line

MARKS = {
    "entailed": "✓",
    "contradicted": "✗",
    "neutral": "–",
    "not_entailed": "–",
    "missing": "?",
    "not_named": "",
}
_LEGEND = "✓ says so · ✗ says the opposite · – does not say · ? no verdict"
_JUDGED_LEGEND = "✓ supports · ✗ contradicts · – not found in any · empty: not named by the judge"
_CLAIM_SHOWN = 400


def draw(found: SampleView) -> None:
    """Claims of the answer and of the reference; nothing where nobody looked at any."""
    tables = claim_tables(found.detail)
    if not tables:
        return
    st.markdown("#### Claims", anchors=False)
    for place, table in enumerate(tables):
        with st.container(border=True, gap="xsmall"):
            _table(table, place)


def _table(table: ClaimTable, place: int) -> None:
    st.caption(headline(table))
    quoted = [line for line in table.lines if line.is_quoted]
    reworded = [line for line in table.lines if not line.is_quoted]
    if quoted:
        _frame(table, quoted, f"claims_{place}")
    if reworded:
        where = "answer" if table.side == "answer" else "reference"
        whose = "the judge's own wording" if table.is_judged else "the wording of the file"
        st.caption(f"In {whose}, not found like this in the {where}")
        _frame(table, reworded, f"claims_reworded_{place}")
    if table.ranks:
        legend = _JUDGED_LEGEND if table.is_judged else _LEGEND
        if not table.is_judged and table.side == "answer":
            legend += ". Wrong: the expected answer does not say so"
        st.caption(legend)


def headline(table: ClaimTable) -> str:
    """How many claims there are, how many count, and who says so."""
    n, side = len(table.lines), table.side
    noun = "sentences" if table.is_judged and side == "reference" else "claims"
    text = f"{count(n)} {noun if n != 1 else noun[:-1]} of the {side}"
    if table.n_counted < n:
        text += f", {count(table.n_counted)} with all verdicts"
    if table.n_counted:
        text += f" · {count(table.n_supported)} of {count(table.n_counted)} in a context"
    source = table.source if table.is_judged else "labels of the file"
    return escape_line(f"{text} · {source}")


def _kind(line: ClaimLine) -> str:
    words = KINDS.get(line.kind or "")
    return words.name if words else UNDEFINED


def _frame(table: ClaimTable, lines: Sequence[ClaimLine], key: str) -> None:
    other = "Expected answer" if table.side == "answer" else "Answer"
    has_beside = any(line.beside is not None for line in lines)
    has_kind = any(line.kind is not None for line in lines)
    has_reason = any(line.reason for line in lines)
    rows = []
    for line in lines:
        row = {"Claim": line.text[:_CLAIM_SHOWN]}
        if has_beside:
            row[other] = MARKS.get(line.beside or "", "")
        for rank, word in zip(table.ranks, line.contexts, strict=False):
            row[f"Context {rank}"] = MARKS.get(word, "")
        if has_kind:
            row["Reads as"] = _kind(line)
        if has_reason:
            row["Reason"] = line.reason[:_CLAIM_SHOWN]
        rows.append(row)
    narrow = st.column_config.TextColumn(alignment="center", width=84)
    columns = dict.fromkeys((f"Context {rank}" for rank in table.ranks), narrow)
    columns[other] = st.column_config.TextColumn(alignment="center", width=124)
    # Both tables of a side have the same columns in the same places.
    columns["Claim"] = st.column_config.TextColumn(width=380)
    columns["Reads as"] = st.column_config.TextColumn(width=210)
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=30,
        height="content",
        column_config=columns,
        key=key,
    )
