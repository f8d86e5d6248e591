"""The list of runs, and what can be done with the chosen one."""

from collections.abc import Collection

import pandas as pd
import streamlit as st

from core.errors import RagTriageError
from core.store import writes
from core.store.label_copies import copy_labels
from core.workflows.listing import ListedRun
from dashboard import access, navigation, state
from dashboard.components import export
from dashboard.components.words import fingerprint
from dashboard.state import Address
from dashboard.theme import (
    LEAST_N,
    UNDEFINED,
    count,
    counted,
    date,
    escape,
    escape_line,
    interval,
    percent,
    rate_of,
)


def table(runs: list[ListedRun]) -> ListedRun | None:
    """All runs; returns the chosen one."""
    rows = [_row(run) for run in runs]
    ids = [row.run.run_id for row in runs]
    chosen = st.session_state.get("chosen_run")
    # The browser reports a place. Another list of runs is another table, so that a place in the
    # old one can never mean another run; the choice itself is kept by id.
    event = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=32,
        key=f"run_table_{fingerprint(ids)}",
        on_select="rerun",
        selection_mode="single-row",
        selection_default=({"selection": {"rows": [ids.index(chosen)]}} if chosen in ids else None),
        column_config={
            "Run": st.column_config.TextColumn(width="medium"),
            "Samples": st.column_config.NumberColumn(width=84, format="localized"),
            "Pass": st.column_config.TextColumn(
                alignment="right",
                width=70,
                help="Passing samples of those with a verdict at the run's own cuts.",
            ),
            "95\u202f% interval": st.column_config.TextColumn(alignment="right", width=96),
            "Scored": st.column_config.TextColumn(alignment="right", width=110),
            "Errors": st.column_config.NumberColumn(
                width=70, help="Triad scores that failed or are empty in the file."
            ),
        },
    )
    picked = event["selection"]["rows"]
    found = runs[picked[0]] if picked and picked[0] < len(runs) else None
    st.session_state["chosen_run"] = found.run.run_id if found else None
    return found


def _row(row: ListedRun) -> dict[str, object]:
    passing = row.summary.pass_rate
    is_rate = passing.n >= LEAST_N
    return {
        "Run": row.run.name,
        "Dataset": row.run.dataset or "—",
        "Imported": date(row.run.imported_at),
        "Samples": row.run.n_samples,
        "Pass": percent(passing.value) if is_rate else rate_of(passing),
        "95\u202f% interval": interval(passing.low, passing.high) if is_rate else UNDEFINED,
        "Scored": f"{count(row.summary.scored)} of {count(row.summary.n)}",
        "Errors": row.n_errors,
        "Judge": row.run.judges or "nobody yet",
    }


def actions(chosen: ListedRun) -> None:
    """Open, rename, note, export and delete the chosen run."""
    run = chosen.run
    with st.container(border=True, gap="small", key="run_actions"):
        st.markdown(f"**{escape_line(run.name)}** :gray[· {run.run_id}]")
        source = f"from {escape_line(run.file_name)}" if run.file_name else ""
        when = date(run.imported_at, time=True)
        st.caption(f"{counted(run.n_samples, 'sample')} {source}, imported {when} UTC")
        if run.note:
            st.markdown(escape(run.note))
        _copy_labels(run.run_id)
        with st.container(horizontal=True, gap="small"):
            # Each button belongs to its run: a late click on one never acts on another.
            if st.button("Open", icon=":material/arrow_forward:", key=f"open_{run.run_id}"):
                navigation.open_page(navigation.OVERVIEW, Address(run=run.run_id))
            with st.popover("Rename or note", icon=":material/edit:"):
                _edit(chosen)
            export.offer(Address(run=run.run_id), run.name, run.n_samples)
            with st.popover("Delete", icon=":material/delete:"):
                _delete(chosen)


def _copy_labels(run_id: str) -> None:
    """Offer the labels of an earlier import of the same run, for answers that have not changed."""
    for source in access.load_label_sources(run_id):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"{escape_line(source.name)} has {counted(source.n_labels, 'label')} on "
                f"{counted(source.n_samples, 'sample')} with the same id and the same answer."
            )
            if st.button(
                "Copy them here", icon=":material/content_copy:",
                key=f"copy_{source.run_id}_{run_id}",
            ):  # fmt: skip
                with access.ready_store().writing() as connection:
                    copy_labels(connection, source.run_id, run_id)
                st.rerun()


def _edit(chosen: ListedRun) -> None:
    run = chosen.run
    with st.form(f"edit_{run.run_id}", border=False):
        name = st.text_input("Name", run.name)
        note = st.text_area("Note", run.note or "", placeholder="What is special about this run?")
        if st.form_submit_button("Save"):
            try:
                with access.ready_store().writing() as connection:
                    if name.strip() != run.name:
                        writes.rename_run(connection, run.run_id, name)
                    if note.strip() != (run.note or ""):
                        writes.set_note(connection, run.run_id, note)
            except RagTriageError as error:
                st.error(f"Not saved. {escape(str(error))}")
            else:
                st.rerun()


def _delete(chosen: ListedRun) -> None:
    run = chosen.run
    st.markdown(
        f"Delete **{escape_line(run.name)}** with its {counted(run.n_samples, 'sample')}, all "
        "verdicts and all labels? This cannot be undone; save it first to keep the labels."
    )
    export.keep(run.run_id, run.name)
    if st.button("Delete it", icon=":material/delete:", key=f"delete_{run.run_id}"):
        with access.ready_store().writing() as connection:
            writes.delete_run(connection, run.run_id)
        forget([run.run_id])
        st.rerun()


def forget(run_ids: Collection[str]) -> None:
    """Take deleted runs out of the address."""
    address = state.current()
    if address.run in run_ids:
        state.restart()
    elif address.baseline in run_ids:
        state.change(baseline=None)
