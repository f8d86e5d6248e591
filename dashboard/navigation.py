"""The pages and the ways between them."""

from dataclasses import replace

import streamlit as st

from dashboard import state
from dashboard.state import Address

RUNS, OVERVIEW = "runs", "overview"
MODES, CONTEXT_USE, RETRIEVAL = "failure-modes", "context-use", "retrieval"
ANSWERS = "answers"
TRIAGE, JUDGE, DEFINITIONS = "triage", "judge", "definitions"
CALIBRATION, AGREEMENT = "calibration", "agreement"
WITHOUT_RUN = (RUNS, DEFINITIONS)
"""Pages that look at no run: the bar does not stand above them."""

# The default page has no path of its own: its address is "/", and it reports an empty path.
_DEFAULT = OVERVIEW
_PAGES = {
    "Review": [
        ("runs.py", "Runs", ":material/list_alt:", RUNS),
        ("overview.py", "Overview", ":material/speed:", OVERVIEW),
    ],
    "Diagnose": [
        ("modes.py", "Failure modes", ":material/grid_view:", MODES),
        ("context_use.py", "Context use", ":material/center_focus_strong:", CONTEXT_USE),
        ("retrieval.py", "Retrieval", ":material/manage_search:", RETRIEVAL),
        ("answers.py", "Answers", ":material/question_answer:", ANSWERS),
    ],
    "Work": [("triage.py", "Triage", ":material/checklist:", TRIAGE)],
    "Trust": [
        ("calibration.py", "Calibration", ":material/straighten:", CALIBRATION),
        ("agreement.py", "Agreement", ":material/group:", AGREEMENT),
        ("judge.py", "Judge", ":material/gavel:", JUDGE),
        ("definitions.py", "Definitions", ":material/menu_book:", DEFINITIONS),
    ],
}


def build() -> "st.Page":
    """Draw the navigation and return the page that is open."""
    pages = {
        section: [
            st.Page(
                f"views/{file}", title=title, icon=icon, url_path=path, default=path == _DEFAULT
            )
            for file, title, icon, path in entries
        ]
        for section, entries in _PAGES.items()
    }
    return st.navigation(pages, expanded=True)


def open_page(path: str, address: Address) -> None:
    """Leave for another page at an address."""
    file = next(file for entries in _PAGES.values() for file, _, _, name in entries if name == path)
    state.go(f"views/{file}", "" if path == _DEFAULT else path, address)


def open_sample(address: Address, sample_id: str) -> None:
    """Open Triage at one sample, within the filter of the address."""
    open_page(TRIAGE, replace(address, sample=sample_id))


def open_samples(address: Address, *terms: str) -> None:
    """Open Triage with the samples that pass the filter and these terms."""
    kept = tuple(term for term in address.terms if not _is_replaced(term, terms))
    open_page(TRIAGE, replace(address, terms=(*kept, *terms), sample=None))


def open_baseline_samples(address: Address, *terms: str) -> None:
    """Open Triage with the samples of the baseline, whose figures are those at its own cuts."""
    other = replace(address, run=address.baseline, baseline=None, cuts=(), selection=())
    open_samples(other, *terms)


def _is_replaced(term: str, new: tuple[str, ...]) -> bool:
    # A click on a mode means just that mode, whatever modes the filter named before.
    return term.startswith("mode=") and any(other.startswith("mode=") for other in new)
