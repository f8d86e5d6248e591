"""Runs: what has been imported, and taking in new files."""

import streamlit as st

from core.diagnosis.findings import Finding
from dashboard import access
from dashboard.components import head, import_panel, run_list
from dashboard.theme import count

runs = access.load_runs()
n_samples = sum(row.run.n_samples for row in runs)
unscored = [row for row in runs if row.summary.scored == 0]
finding = Finding(
    f"{count(len(runs))} {'run' if len(runs) == 1 else 'runs'} with {count(n_samples)} samples."
    if runs
    else "No runs yet.",
    f"{count(len(unscored))} of them have no verdict yet: open one to have it scored."
    if unscored
    else "Choose one to open it."
    if runs
    else "Drop in the file your evaluation tool wrote, or look around with the demo.",
)
head.question("Which runs are here?", finding)
import_panel.done_message()
if runs:
    chosen = run_list.table(runs)
    if chosen is not None:
        run_list.actions(chosen)
left, right = st.columns([1.5, 1], gap="medium")
with left:
    head.section("Import a file", "A preview comes first; nothing is stored before you say so.")
    import_panel.panel()
with right:
    head.section("Demo")
    import_panel.demo(runs)
