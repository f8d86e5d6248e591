"""The formats that can be imported, in the order in which they are tried."""

from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInputError
from core.ingest.base import Importer, Probe
from core.ingest.neutral import NeutralImporter
from core.ingest.neutral_table import NeutralCsvImporter, NeutralParquetImporter
from core.ingest.ragas import RagasImporter
from core.ingest.ragchecker import RagcheckerImporter
from core.ingest.tables import has_rows, open_table

# Neutral JSON comes last: it takes whatever has a question or an answer.
IMPORTERS: tuple[type[Importer], ...] = (
    NeutralCsvImporter,
    NeutralParquetImporter,
    RagasImporter,
    RagcheckerImporter,
    NeutralImporter,
)
_HEAD_BYTES = 65_536
_SHOWN_COLUMNS = 40


@dataclass(frozen=True, slots=True)
class Recognised:
    """What reads a file, and why: words that follow "because"."""

    importer: Importer
    why: str


def probe(path: Path) -> Probe:
    """The beginning of a file."""
    with path.open("rb") as handle:
        return Probe(path, handle.read(_HEAD_BYTES))


def recognise(path: Path, format_name: str | None = None, name: str | None = None) -> Recognised:
    """The importer for a file: by its content, or the one asked for by the format's name.

    ``name`` is what the file is called in messages where its path is a temporary one.

    Raises:
        BadInputError: no such format, an empty file, or content that no importer knows.
    """
    name = name or path.name
    known = {importer.format: importer for importer in IMPORTERS}
    if format_name is not None and format_name not in known:
        raise BadInputError(f"There is no format {format_name!r}; known are {', '.join(known)}.")
    beginning = probe(path)
    content = beginning.head.translate(None, b"\xef\xbb\xbf\xff\xfe \t\r\n\x00")
    if content in (b"", b"[]", b"{}"):
        raise BadInputError(f"{name} is empty: there is nothing to import.")
    if format_name is not None:
        return Recognised(known[format_name](), "this format was asked for")
    for kind in IMPORTERS:
        importer = kind()
        why = importer.recognises(beginning)
        if why is not None:
            return Recognised(importer, why)
    raise _refusal(path, name)


def _refusal(path: Path, name: str) -> BadInputError:
    """Why no importer knows a file, and what to do with it."""
    try:
        table = open_table(path, name=name)
        columns = table.columns
        is_filled = has_rows(table)
    except BadInputError as error:
        return error
    if not is_filled:
        return BadInputError(f"{name} holds no rows: there is nothing to import.")
    if not columns:
        return BadInputError(
            f"{name} has no rows with names and values: nothing in it is a sample, and there is "
            "nothing to import."
        )
    listed = ", ".join(columns[:_SHOWN_COLUMNS])
    titles = ", ".join(importer.title for importer in IMPORTERS)
    return BadInputError(
        f"{name} is of no format that is known by its columns ({titles}). It has the columns: "
        f"{listed}. Say what they are with a map of columns: on the page Runs, which saves it as a "
        "file, or on the command line with --map FILE."
    )
