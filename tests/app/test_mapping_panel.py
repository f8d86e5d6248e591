"""The grid of columns as a map: who labelled belongs to every label."""

from typing import Any

from core.ingest.mapping import Mapping, Role, Use
from dashboard.components.mapping_panel import mapping_of


def row(column: str, role: str) -> dict[str, Any]:
    return {
        "Column": column, "Is": role, "Named": "", "From": None, "To": None,
        "Lower is better": False, "Counts as 1": "", "List": "find out", "Separator": "",
    }  # fmt: skip


def test_the_rater_stands_with_every_label_and_nowhere_else() -> None:
    start = Mapping({"ok": (Use(Role.TAG),), "safe": (Use(Role.LABEL, rater="old"),)})
    rows = [row("ok", "label of a person"), row("safe", "label of a person"), row("who", "tag")]
    found = mapping_of(rows, start, "who")
    assert {column: uses[0].rater for column, uses in found.columns.items()} == {
        "ok": "who", "safe": "who", "who": None,
    }  # fmt: skip
    assert mapping_of(rows, start).columns["safe"][0].rater is None
