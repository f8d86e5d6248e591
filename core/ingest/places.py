"""Where in a file its rows may be, for a person to choose."""

from pathlib import Path

from core.errors import BadInputError
from core.ingest.table_base import Hints
from core.ingest.table_excel import ExcelTable
from core.ingest.table_json import MAX_DOCUMENT, JsonTable, is_rows, load_document, paths_to_rows
from core.ingest.tables import open_table
from core.records import Notices


def row_places(path: Path, name: str | None = None) -> list[Hints]:
    """The places that rows may be read from, the likeliest first; none where there is no choice.

    These are the sheets of a workbook that has several, and the lists of objects in a JSON object
    that has several, or whose only one is not where it would be looked for.

    Raises:
        BadInputError: the file is no table, and holds no rows anywhere.
    """
    try:
        table = open_table(path, None, name)
    except BadInputError:
        found = _lists_in(path, name or path.name)
        if not found:
            raise
        return found
    if isinstance(table, ExcelTable):
        first = table.about["sheet"]
        sheets = [first, *(sheet for sheet in table.sheets if sheet != first)]
        return [Hints(sheet=sheet) for sheet in sheets] if len(sheets) > 1 else []
    if isinstance(table, JsonTable) and table.document is not None:
        lists = paths_to_rows(table.document)
        # The only list at the top is what is read if nobody chooses.
        lists.sort(key=lambda one: "." in one)
        return [Hints(records=one) for one in lists] if len(lists) > 1 else []
    return []


def _lists_in(path: Path, name: str) -> list[Hints]:
    with path.open("rb") as file:
        is_json = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    if not is_json or path.stat().st_size > MAX_DOCUMENT or is_rows(path):
        return []
    return [Hints(records=one) for one in paths_to_rows(load_document(path, Notices(), name))]
