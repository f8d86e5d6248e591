"""The audit trail of a run: who decided what, and when."""

import pandas as pd
import streamlit as st

from core.store.audit import AuditRow
from dashboard import access
from dashboard.theme import UNDEFINED, count, date

_ROW, _HEADER, _MOST_ROWS = 30, 32, 12


def draw(run_id: str) -> None:
    """An expander with one row per decision; nothing where there is none."""
    found = access.load_decisions(run_id)
    if not found:
        return
    with st.expander(
        f"What was decided about this run, and when ({count(len(found))})",
        icon=":material/history:",
        key="decisions",
        on_change="rerun",
    ) as box:
        if not box.open:
            return
        st.caption(
            "Stored cuts, chosen judges, splits of labels and opened test parts, the newest first. "
            "Entries are only ever added."
        )
        st.dataframe(
            pd.DataFrame([_row(one) for one in found]),
            hide_index=True,
            row_height=_ROW,
            height=_HEADER + _ROW * min(len(found), _MOST_ROWS),
        )


def _row(one: AuditRow) -> dict[str, str]:
    return {
        "When (UTC)": date(one.logged_at, time=True),
        "Who": one.who,
        "What": one.what,
        "From": one.old or UNDEFINED,
        "To": one.new or UNDEFINED,
        "Why": one.reason or UNDEFINED,
    }
