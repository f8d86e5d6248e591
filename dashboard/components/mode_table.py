"""The modes as a table, for the keyboard and the screen reader, and each of them in words."""

import pandas as pd
import streamlit as st

from core.diagnosis.modes import MODES
from core.model import Mode
from core.workflows.matrix import Matrix
from dashboard import navigation, state
from dashboard.components.matrix import change
from dashboard.components.words import fingerprint
from dashboard.theme import rate

_ROW, _HEADER = 30, 32


def draw(matrix: Matrix) -> None:
    """Every mode that occurs with its figures and first fix; a row opens its samples."""
    summary = matrix.summary
    order = sorted(
        (mode for mode in Mode if summary.modes[mode]),
        key=lambda mode: (-summary.modes[mode], MODES[mode].severity),
    )
    rows = [_row(matrix, mode) for mode in order]
    # A place in another order of rows must not open another mode: see run_list.table.
    key = state.visit_key(f"mode_table_{fingerprint(mode.value for mode in order)}")
    event = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * len(rows),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Code": st.column_config.TextColumn(width=52),
            "Mode": st.column_config.TextColumn(width=176),
            "Samples": st.column_config.NumberColumn(width=68, format="localized"),
            "Share": st.column_config.TextColumn(alignment="right", width=98),
            "Change": st.column_config.TextColumn(alignment="right", width=62),
            # The rest of the width, whatever it is: a fixed one makes the table scroll sideways.
            "First fix": st.column_config.TextColumn(),
        },
    )
    picked = event["selection"]["rows"]
    if picked and picked[0] < len(order):
        navigation.open_samples(state.current(), f"mode={order[picked[0]].value}")
    # What is folded is sent when it is opened: it takes the browser longer than it looks.
    with st.expander(
        "What each cell means, and what to try", key="cell_words", on_change="rerun"
    ) as box:
        for mode in order if box.open else ():
            _in_words(mode)


def _row(matrix: Matrix, mode: Mode) -> dict[str, object]:
    spec, n = MODES[mode], matrix.summary.modes[mode]
    row: dict[str, object] = {
        "Code": spec.code,
        "Mode": spec.name,
        "Samples": n,
        "Share": rate(n, matrix.summary.n),
    }
    if matrix.baseline is not None:
        row["Change"] = change(matrix, (mode,))[0]
    return {**row, "First fix": spec.fixes[0] if spec.fixes else "—"}


def _in_words(mode: Mode) -> None:
    spec = MODES[mode]
    fixes = "".join(f"\n{i}. {fix}" for i, fix in enumerate(spec.fixes, 1))
    st.markdown(f"**{spec.code} {spec.name}** :gray[· {spec.rule}]  \n{spec.meaning}{fixes}")
