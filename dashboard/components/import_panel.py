"""Taking in a file: preview first, then store; and the demo."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import BadInputError, RagTriageError
from core.ingest.formats import probe, recognise
from core.ingest.mapping import Mapping
from core.ingest.neutral import NeutralImporter, misplaced_keys
from core.resources import resource
from core.store import writes
from core.workflows.import_options import Options, Progress
from core.workflows.importing import import_file
from core.workflows.join_report import JoinReport
from core.workflows.joining import join_file
from core.workflows.listing import ListedRun
from core.workflows.reports import (
    FileReport,
    RunPreview,
    columns_in_words,
    contexts_in_words,
    rows_in_words,
    scale_in_words,
)
from core.workflows.setup import DEMO_NAME, load_demo
from core.workflows.unpacking import unpacked
from dashboard import access, navigation
from dashboard.components import import_destination, mapping_panel, run_list
from dashboard.components.import_destination import Destination
from dashboard.state import Address
from dashboard.theme import count, counted, escape, escape_line, number

_MAX_UPLOAD = 500 * 1024**2
_ROWS_SHOWN = 20


def panel() -> None:
    """Drop a file, see what it holds, store it."""
    version = st.session_state.setdefault("upload_version", 0)
    upload = st.file_uploader(
        "Result file",
        key=f"upload_{version}",
        help="What your evaluation tool wrote: JSON Lines, JSON, CSV, Excel or Parquet. A format "
        "that is not recognised can be mapped column by column. A file packed with gzip is "
        "unpacked. The file stays on this machine.",
    )
    if upload is None:
        return
    skip = False
    with _on_disk(upload) as path:
        try:
            with unpacked(access.ready_store(), path, upload.name, _MAX_UPLOAD) as plain:
                mapping = _mapping(plain, upload)
            if isinstance(mapping, _Nothing):
                return
            destination = import_destination.choose(mapping, upload.file_id)
            if destination is None:
                return
            preview = _preview(path, upload, mapping, destination)
        except RagTriageError as error:
            st.error(escape(str(error)), icon=":material/error:")
            return
    show(preview)
    if preview.duplicate_of:
        return
    n_good = preview.n_matched if isinstance(preview, JoinReport) else len(preview.runs)
    if preview.problems:
        skip = st.checkbox(
            "Leave out the rows with problems", key="skip_bad_rows", disabled=not n_good
        )
    can_store = bool(n_good) and (skip or not preview.problems)
    if st.button("Import", icon=":material/download:", disabled=not can_store, key="import_file"):
        _store(upload, mapping, destination, skip=skip)


class _Nothing:
    """No map can be made yet, which is another thing than that none is needed."""


_NONE = _Nothing()


def _mapping(path: Path, upload: Any) -> Mapping | _Nothing | None:
    """The map for a file: None where its format is recognised and nobody wants to map it."""
    is_doubtful = False
    try:
        importer = recognise(path, None, upload.name).importer
        problem = None
        is_doubtful = isinstance(importer, NeutralImporter) and bool(misplaced_keys(probe(path)))
    except BadInputError as error:
        problem = str(error)
    key = f"own_map_{upload.file_id}"
    if problem is None:
        if not st.toggle("Map the columns myself", value=is_doubtful, key=key):
            return None
        if is_doubtful:
            st.caption(
                "The rows hold more than this format reads, such as scores: say what they are."
            )
    else:
        try:
            mapping_panel.row_places(path, upload.name, upload.file_id)
        except RagTriageError:
            st.error(escape(problem), icon=":material/error:")
            return _NONE
        st.info(f"{escape_line(upload.name)} is no format that is known: map its columns.")
    found = mapping_panel.draw(path, upload.name, upload.file_id)
    return _NONE if found is None else found


@contextmanager
def _on_disk(upload: Any) -> Iterator[Path]:
    """The upload as a file beside the store, removed afterwards."""
    folder = access.ready_store().path.parent
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".upload-", delete=False) as out:
        path = Path(out.name)
        try:
            upload.seek(0)
            while block := upload.read(1024 * 1024):
                out.write(block)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _preview(
    path: Path, upload: Any, mapping: Mapping | None, destination: Destination
) -> FileReport:
    stamp = (upload.file_id, repr(mapping), destination, access.ready_store().stamp())
    key = "import_preview"
    kept = st.session_state.get(key)
    if kept is not None and kept[0] == stamp:
        report: FileReport = kept[1]
        return report
    with st.spinner("Reading the file …"):
        report = _read(path, upload.name, mapping, destination, is_dry_run=True)
    st.session_state[key] = (stamp, report)
    return report


def _read(
    path: Path,
    name: str,
    mapping: Mapping | None,
    destination: Destination,
    *,
    is_dry_run: bool = False,
    skip: bool = False,
    progress: Progress | None = None,
) -> FileReport:
    options = Options(
        display_name=name,
        is_dry_run=is_dry_run,
        skip_bad_rows=skip,
        max_size=_MAX_UPLOAD,
        mapping=mapping,
        append_to=destination.run_id if destination.kind == "append" else None,
    )
    store = access.ready_store()
    if destination.kind == "join":
        return join_file(store, path, destination.how(allow_unmatched=skip), options, progress)
    return import_file(store, path, options, progress)


def _store(upload: Any, mapping: Mapping | None, destination: Destination, *, skip: bool) -> None:
    bar = st.progress(0.0, text="Importing …")

    def progress(rows: int, share: float) -> None:
        bar.progress(share, text=f"Importing: {count(rows)} samples read")

    with _on_disk(upload) as path:
        report = _read(path, upload.name, mapping, destination, skip=skip, progress=progress)
    st.session_state["upload_version"] += 1
    if isinstance(report, JoinReport):
        what = f"scores of {counted(report.n_matched, 'sample')} of {report.run_name}"
        st.session_state["import_done"] = (what, report.run_id)
    elif report.runs:
        names = ", ".join(run.name for run in report.runs)
        st.session_state["import_done"] = (names, report.runs[0].run_id)
    st.rerun()


def done_message() -> None:
    """Once after an import: what is there now, and the way to it."""
    done = st.session_state.get("import_done")
    if done is None:
        return
    names, run_id = done
    if not access.data_version(run_id):
        # Deleted in the meantime, perhaps by another process.
        st.session_state.pop("import_done")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.success(f"Imported: {escape_line(names)}")
        if st.button("Open", icon=":material/arrow_forward:", key="open_imported"):
            st.session_state.pop("import_done")
            navigation.open_page(navigation.OVERVIEW, Address(run=run_id))


def show(report: FileReport) -> None:
    """What a file holds, before anything is stored."""
    if report.duplicate_of:
        earlier = report.duplicate_of
        st.info(
            f"This very file was imported before, as {escape_line(earlier['file'])} at "
            f"{earlier['imported_at']}. Its runs are in the list; nothing was stored again."
        )
        return
    if isinstance(report, JoinReport):
        import_destination.joined(report)
        return
    st.caption(escape(report.reading))
    for line in columns_in_words(report.columns):
        st.caption(escape(line))
    for run in report.runs:
        st.markdown(
            f"**{escape_line(run.name)}** :gray[· {counted(run.samples, 'sample')}, "
            f"{counted(run.contexts, 'context')}, {count(run.gold)} gold · "
            f"{contexts_in_words(run)}]"
        )
        _metrics(run)
    for row, text, n in report.notices:
        often = [f"{count(n)} times"] if n > 1 else []
        where = [f"first in row {row}" if n > 1 else f"row {row}"] if row else []
        st.caption(escape(text) + f" :gray[({', '.join(often + where)})]" * bool(often + where))
    if report.problems:
        st.warning(
            f"{counted(len(report.problems), 'row')} cannot be stored as they stand:  \n"
            + "  \n".join(escape(line) for line in rows_in_words(report.problems, _ROWS_SHOWN))
        )


def _metrics(run: RunPreview) -> None:
    rows = [
        {
            "Score": name,
            "Feeds": (row["axis"] or "no axis").replace("_", " "),
            "Values": row["n"],
            "Errors": row["error"],
            "Not applicable": row["not_applicable"],
            "Not scored": row["not_scored"],
            "Mean": number(row["mean"]),
            "Range": f"{number(row['min'])} to {number(row['max'])}" if row["n"] else "—",
            "Scale": scale_in_words(row).removeprefix("scale "),
            "Better": f"{row['direction']} is better",
        }
        for name, row in run.metrics.items()
    ]
    if rows:
        right = st.column_config.TextColumn(alignment="right")
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            row_height=30,
            column_config={"Mean": right, "Range": right},
        )
        unknown = [
            name
            for name, row in run.metrics.items()
            if row["axis"] and row["n"] and not row["scale"]
        ]
        if unknown:
            st.caption(
                escape(
                    f"On which scale {', '.join(unknown)} is, the values do not tell, and without "
                    "it there is no cut: map the columns yourself to say it, or set a cut "
                    "afterwards on Failure modes."
                )
            )
    else:
        st.caption("The file has no scores: the offline judge can score the run afterwards.")
    if run.labels:
        labels = ", ".join(f"{name} ({count(row['n'])})" for name, row in run.labels.items())
        st.caption(escape(f"Labels: {labels}"))


@st.cache_data(max_entries=1, show_spinner=False)
def _demo_sha256() -> str:
    with resource("data", "demo", DEMO_NAME).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def demo(runs: list[ListedRun]) -> None:
    """Load the demo, or take it away; once removed it stays away until it is asked for."""
    # By content: somebody's own file may bear the demo's name.
    mine = [row for row in runs if row.run.file_sha256 == _demo_sha256()]
    st.caption(
        "The demo is a handbook of an invented e-bike with two runs. Its answers, scores and "
        "labels were authored for the demo, not measured; only the retrieval was computed."
    )
    if not mine:
        if st.button("Load the demo", icon=":material/play_arrow:", key="load_demo"):
            load_demo(access.ready_store())
            st.rerun()
    elif st.button("Remove the demo", icon=":material/delete:", key="remove_demo"):
        with access.ready_store().writing() as connection:
            for row in mine:
                writes.delete_run(connection, row.run.run_id)
        run_list.forget([row.run.run_id for row in mine])
        st.rerun()
