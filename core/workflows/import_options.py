"""How a file is to be imported."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInputError
from core.ingest.formats import Recognised, recognise
from core.ingest.mapped import MappedImporter
from core.ingest.mapping import Mapping

MAX_SIZE = 2 * 1024**3
Progress = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What may be said about an import.

    Attributes:
        format: read the file as this format instead of by its content.
        run_name: name for the run of a file that holds one.
        append_to: id or name of a stored run that the samples are added to.
        is_dry_run: only say what the file holds.
        skip_bad_rows: leave out rows with problems instead of refusing the file.
        max_size: largest file in bytes.
        display_name: name of an uploaded file that is stored under another one.
        mapping: what the columns of a table are; the file is then read by it alone.
    """

    format: str | None = None
    run_name: str | None = None
    append_to: str | None = None
    is_dry_run: bool = False
    skip_bad_rows: bool = False
    max_size: int = MAX_SIZE
    display_name: str | None = None
    mapping: Mapping | None = None


def importer_for(path: Path, options: Options, name: str) -> Recognised:
    """What reads a file, and why: the map that was given, else the importer of its format.

    Raises:
        BadInputError: see ``recognise``; or both a map and a format were given.
    """
    if options.mapping is None:
        return recognise(path, options.format, name)
    if options.format is not None:
        raise BadInputError("A file is read by a format or by a map of its columns, not by both.")
    return Recognised(MappedImporter(options.mapping, name), "the map was given")
