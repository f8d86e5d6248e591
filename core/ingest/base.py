"""What an importer is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.records import ColumnUse, Item, Notices


@dataclass(frozen=True, slots=True)
class Probe:
    """The beginning of a file, enough to recognise its format."""

    path: Path
    head: bytes


class Importer(Protocol):
    """One format. Importers are listed in ``core.ingest.formats`` and tried in order."""

    format: str
    title: str

    @property
    def columns(self) -> Sequence[ColumnUse]:
        """What ``read`` took the columns for; empty where the names of the keys say it."""
        ...

    @property
    def bytes_read(self) -> int:
        """How far ``read`` has come."""
        ...

    def recognises(self, probe: Probe) -> str | None:
        """What the content (never the file name) has that makes it this format, or None.

        In words that follow "because", such as "its first lines are objects with question".
        """
        ...

    def read(self, path: Path, notices: Notices, default_run: str) -> Iterator[Item]:
        """Yield runs before their samples, samples in file order, and problems where they occur.

        ``default_run`` names the run of rows that name none.
        """
        ...
