"""The formats that can be imported, in the order in which they are tried."""

from pathlib import Path

from core.errors import BadInputError
from core.ingest.base import Importer, Probe
from core.ingest.neutral import NeutralImporter, first_objects
from core.ingest.neutral_table import NeutralCsvImporter, NeutralParquetImporter

IMPORTERS: tuple[type[Importer], ...] = (
    NeutralImporter,
    NeutralCsvImporter,
    NeutralParquetImporter,
)
_HEAD_BYTES = 65_536


def probe(path: Path) -> Probe:
    """The beginning of a file."""
    with path.open("rb") as handle:
        return Probe(path, handle.read(_HEAD_BYTES))


def recognise(path: Path, format_name: str | None = None, name: str | None = None) -> Importer:
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
        return known[format_name]()
    for kind in IMPORTERS:
        importer = kind()
        if importer.recognises(beginning):
            return importer
    titles = ", ".join(importer.title for importer in IMPORTERS)
    row = next(first_objects(beginning), None)
    if row is not None:
        keys = ", ".join(sorted(row)[:12]) or "none"
        raise BadInputError(
            f"{name} has no row with a question or an answer: nothing in it is a sample. "
            f"The keys of its first row are: {keys}."
        )
    raise BadInputError(
        f"{name} has no rows that this version can read. It reads: {titles}; each line must "
        "be a JSON object with a question or an answer."
    )
