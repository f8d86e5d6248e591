"""A table whose columns repeat for each run: ``run_1_answer``, ``run_2_answer`` and so on."""

import re
from collections.abc import Iterable, Iterator

from core.ingest.table_base import Cells, Table, TableRow
from core.records import Notices, Problem

RUN = "run"
_COLUMN = re.compile(r"run_(\d{1,3})_(.+)")


def families(columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """Columns of each run, by their name without the run; empty if there are not two runs.

    >>> families(["q", "run_1_answer", "run_2_answer"])
    {'1': {'answer': 'run_1_answer'}, '2': {'answer': 'run_2_answer'}}
    """
    found: dict[str, dict[str, str]] = {}
    for column in columns:
        match = _COLUMN.fullmatch(column)
        if match is not None:
            found.setdefault(match[1], {})[match[2]] = column
    return found if len(found) > 1 else {}


class FamilyTable(Table):
    """Each row of another table as one row per run, which the column ``run`` names.

    A run of which a row holds nothing has no row; columns of no run stand in all of them.
    """

    def __init__(self, inner: Table) -> None:
        super().__init__(inner.path, inner.name)
        self.kind, self.about = inner.kind, inner.about
        self.delimiter, self.unnamed = inner.delimiter, inner.unnamed
        self._inner = inner
        self._families = families(inner.columns)

    @property
    def columns(self) -> list[str]:
        """The columns of no run, ``run``, and those of the runs once."""
        taken = {column for names in self._families.values() for column in names.values()}
        own = [column for column in self._inner.columns if column not in taken and column != RUN]
        of_runs = dict.fromkeys(name for names in self._families.values() for name in names)
        return [*own, RUN, *(name for name in of_runs if name not in own)]

    def rows(self, notices: Notices) -> Iterator[TableRow]:
        """Yield (row of the file, cells of one run); see ``Table.rows``."""
        taken = {column for names in self._families.values() for column in names.values()}
        for row, cells in self._inner.rows(notices):
            self.tally = self._inner.tally
            if isinstance(cells, Problem):
                yield row, cells
                continue
            shared = {name: cell for name, cell in cells.items() if name not in taken}
            for number, names in self._families.items():
                own: Cells = {
                    name: cells[column] for name, column in names.items() if column in cells
                }
                if any(cell is not None and cell != "" for cell in own.values()):
                    yield row, {**shared, RUN: f"run {number}", **own}
