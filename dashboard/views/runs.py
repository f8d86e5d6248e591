"""Runs: what has been imported, and taking in new files."""

from core.diagnosis.findings import Finding
from dashboard import access
from dashboard.components import day_trend, head, import_panel, run_list, run_trend
from dashboard.theme import count

runs = access.load_runs()
n_samples = sum(row.run.n_samples for row in runs)
unscored = [row for row in runs if row.summary.scored == 0 and not row.run.judges]
if not runs:
    finding = Finding(
        "No runs yet.", "Drop in the file your evaluation tool wrote, or look around with the demo."
    )
else:
    noun = "run" if len(runs) == 1 else "runs"
    rest = "Choose one to open it."
    if len(runs) == len(unscored) == 1:
        rest = "It has no verdict yet: open it to have it scored."
    elif unscored:
        verb = "has" if len(unscored) == 1 else "have"
        rest = f"{count(len(unscored))} of them {verb} no verdict yet: open one to have it scored."
    finding = Finding(f"{count(len(runs))} {noun} with {count(n_samples)} samples.", rest)
head.question("Which runs are here?", finding)
import_panel.done_message()
if runs:
    chosen = run_list.table(runs)
    if chosen is not None:
        run_list.actions(chosen)
        day_trend.draw(chosen)
        run_trend.draw(runs, chosen)
head.section("Import a file", "A preview comes first; nothing is stored before you say so.")
import_panel.panel()
head.section("Demo")
import_panel.demo(runs)
