"""What an upload becomes: a run of its own, more samples of a run, or scores for its samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd
import streamlit as st

from core.ingest.mapping import Mapping, Role
from core.workflows.join_report import How, JoinReport
from core.workflows.listing import ListedRun
from core.workflows.reports import columns_in_words, rows_in_words
from dashboard import access
from dashboard.theme import UNDEFINED, count, counted, escape, escape_line, percent

Kind = Literal["new", "append", "join"]
_KINDS: dict[Kind, str] = {
    "new": "a new run",
    "append": "more samples of a run",
    "join": "scores for the samples of a run",
}
_KEYS = {
    "": "the sample id, else the question",
    "sample_id": "the sample id",
    "question": "the question",
}
_ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an upload goes.

    Attributes:
        kind: what it becomes.
        run_id: the stored run that it belongs to; None for a new one.
        by: how scores find their samples, ``sample_id`` or ``question``; None as the file allows.
    """

    kind: Kind = "new"
    run_id: str | None = None
    by: str | None = None

    def how(self, *, allow_unmatched: bool = False) -> How:
        """The same for the workflow that joins."""
        return How(str(self.run_id), self.by, allow_unmatched)


def choose(mapping: Mapping | None, file_id: str) -> Destination | None:
    """Ask what the file becomes; None while the run is not chosen yet."""
    runs = access.load_runs()
    if not runs:
        return Destination()
    kind: Kind | None = st.segmented_control(
        "Take it in as",
        list(_KINDS),
        format_func=_KINDS.__getitem__,
        default="join" if holds_only_scores(mapping) else "new",
        required=True,
        key=f"destination_{file_id}",
        help="Scores and labels can be added to samples that are stored already; each row finds "
        "its sample by id or by the text of the question. A run that goes on takes more samples.",
    )
    if kind in (None, "new"):
        return Destination()
    with st.container(horizontal=True, gap="small"):
        run_id = _run(runs, file_id)
        by = None
        if kind == "join":
            by = st.selectbox(
                "Rows find their sample by",
                list(_KEYS),
                format_func=_KEYS.__getitem__,
                index=list(_KEYS).index((mapping.join if mapping else None) or ""),
                key=f"join_by_{file_id}",
                width=260,
            )
    return None if run_id is None else Destination(kind, run_id, by or None)


def holds_only_scores(mapping: Mapping | None) -> bool:
    """True if a map names scores or labels and no answer, or says itself that it joins.

    A question alone may be what finds the sample.
    """
    return (
        mapping is not None
        and bool(mapping.of_role(Role.METRIC, Role.LABEL))
        and (mapping.join is not None or not mapping.of_role(Role.ANSWER, Role.HISTORY))
        and not mapping.of_role(Role.CONTEXTS)
    )


def _run(runs: Sequence[ListedRun], file_id: str) -> str | None:
    names = {row.run.run_id: row.run.name for row in runs}
    chosen: str | None = st.selectbox(
        "Run",
        list(names),
        index=None,
        format_func=names.__getitem__,
        placeholder="Choose a run",
        key=f"destination_run_{file_id}",
        width=320,
    )
    return chosen


def joined(report: JoinReport) -> None:
    """Which rows found their sample, and what they bring; before anything is stored."""
    st.caption(escape(report.reading))
    for line in columns_in_words(report.columns):
        st.caption(escape(line))
    own = [one for one in report.problems if one not in report.unmatched and one.row is not None]
    if report.n_rows:
        st.markdown(
            f"**A sample was found for {count(report.n_matched)} of "
            f"{counted(report.n_rows, 'row')} ({percent(report.match_rate)})** "
            f"in {escape_line(report.run_name)}, by {_KEYS[report.by]} "
            f":gray[· the run has {counted(report.n_samples, 'sample')}]"
        )
    _found(report)
    for notice in report.notices:
        st.caption(escape(notice.notice))
    n_own, n_unmatched = counted(len(own), "row"), counted(len(report.unmatched), "row")
    for title, rows in (
        (f"{n_own} cannot be read:", own),
        (f"No sample was found for {n_unmatched}:", report.unmatched),
    ):
        if rows:
            lines = [title, *rows_in_words(rows, _ROWS_SHOWN)]
            st.warning("  \n".join(escape(line) for line in lines))
    if not report.n_rows:
        for problem in report.problems:
            st.error(escape(problem.problem), icon=":material/error:")


def _found(report: JoinReport) -> None:
    matched = count(report.n_matched)
    rows = [
        {
            "Score or label": name,
            "Values": f"{count(counts['n'])} of {matched}",
            "Errors": count(counts["error"]),
            "Not applicable": count(counts["not_applicable"]),
        }
        for name, counts in report.scores.items()
    ]
    rows += [
        {
            "Score or label": f"{name} (label)",
            "Values": f"{count(n)} of {matched}",
            "Errors": UNDEFINED,  # a label has no such state
            "Not applicable": UNDEFINED,
        }
        for name, n in report.labels.items()
    ]
    if rows:
        right = st.column_config.TextColumn(alignment="right")
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            row_height=30,
            width=560,
            column_config=dict.fromkeys(list(rows[0])[1:], right),
        )
