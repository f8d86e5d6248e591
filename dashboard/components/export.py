"""Taking along what a page shows: its samples as a file, and the review as a document."""

import re
from collections.abc import Callable

import streamlit as st

from core.store.connection import Store
from core.store.leftovers import staging_folder
from core.workflows.exporting import export
from core.workflows.report import review_document
from core.workflows.report_document import as_html, as_markdown
from core.workflows.review import View
from dashboard import access, state
from dashboard.state import Address
from dashboard.theme import count

_SAMPLES = (
    (".csv", "CSV", "text/csv", "For spreadsheets: no cell can be taken for a formula."),
    (".jsonl", "JSON Lines", "application/jsonl", "One sample a line, with everything."),
    (".parquet", "Parquet", "application/vnd.apache.parquet", "For data frames and databases."),
)
_MANY = 50_000  # from here on a download holds more in memory than a page should
_UNSAFE = re.compile(r"[^\w.-]+")


def offer_view() -> None:
    """The menu for the samples of the address, where a page has not counted them itself."""
    address = state.current()
    matrix = access.load_matrix(str(address.run), address.view(), None)
    offer(address, matrix.settings.run.name, matrix.summary.n)


def offer(address: Address, name: str, n: int, *, with_report: bool = False) -> None:
    """A menu with the samples of a view in three formats, and its report on request.

    Nothing is written before somebody asks for it. ``name`` is the run's, ``n`` the number of
    samples in the view.
    """
    store, run_id, view = access.ready_store(), str(address.run), address.view()
    stem = file_stem(name)
    with st.popover("Export", icon=":material/download:", key=f"export_{run_id}"):
        if with_report:
            st.markdown("**This review** :gray[for people without the tool]")
            with st.container(horizontal=True, gap="xsmall"):
                _button("HTML", f"{stem}.html", "text/html", _report(store, address, as_html))
                _button(
                    "Markdown", f"{stem}.md", "text/markdown", _report(store, address, as_markdown)
                )
        noun = "sample" if n == 1 else "samples"
        st.markdown(f"**{count(n)} {noun} of this view** :gray[can be imported again]")
        with st.container(horizontal=True, gap="xsmall"):
            for ending, label, mime, help_text in _SAMPLES:
                _button(
                    label,
                    f"{stem}{ending}",
                    mime,
                    _samples(store, run_id, view, ending),
                    help_text,
                )
        if n >= _MANY:
            st.caption(
                f"So many are written faster by the command line:  \n`ragtriage export {run_id} "
                "--to FILE`"
            )


def keep(run_id: str, name: str) -> None:
    """A button that saves a run with its labels, verdicts and settings before it is deleted."""
    data = _samples(access.ready_store(), run_id, View(), ".jsonl")
    file_name = f"{file_stem(name)}.jsonl"
    st.download_button(
        "Save it with its labels", data, file_name, "application/jsonl",
        icon=":material/download:", key=f"keep_{run_id}", on_click="ignore",
        help="A JSON Lines file that can be imported again to an equal run.",
    )  # fmt: skip


def _button(
    label: str, file_name: str, mime: str, data: Callable[[], bytes], help_text: str | None = None
) -> None:
    st.download_button(
        label,
        data=data,
        file_name=file_name,
        mime=mime,
        key=f"download_{file_name}",
        help=help_text,
        on_click="ignore",
    )


def file_stem(name: str) -> str:
    """A run's name as the beginning of a file name that every system takes.

    >>> file_stem("handbook · k5/stemmed"), file_stem("../..")
    ('handbook-k5-stemmed', 'run')
    """
    return _UNSAFE.sub("-", name).strip("-.")[:80] or "run"


def samples_file(store: Store, run_id: str, view: View, ending: str) -> bytes:
    """The samples of a view as the bytes of a file; ``ending`` is .csv, .jsonl or .parquet.

    Raises:
        NotFoundError: the run is gone.
    """
    # Beside the store, where there is room; what a killed process leaves there is removed.
    with staging_folder(store.path) as folder:
        path = folder / f"samples{ending}"
        export(store, run_id, view, path)
        return path.read_bytes()


def _samples(store: Store, run_id: str, view: View, ending: str) -> Callable[[], bytes]:
    return lambda: samples_file(store, run_id, view, ending)


def _report(store: Store, address: Address, write: Callable[..., str]) -> Callable[[], bytes]:
    def made() -> bytes:
        _, document = review_document(store, str(address.run), address.view(), address.baseline)
        return write(document).encode()

    return made
