"""A JSON object too large to be held: the rows in one of its lists, one after the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest.json_stream import JsonStream
from core.ingest.textfile import Tally, chunks
from core.records import Notices

_SHOWN = 12


class LargeObject:
    """A JSON object whose rows are the objects of one of its top-level lists.

    Making one reads the file once to find that list; what else the object holds is in ``about``,
    other lists excepted.

    Args:
        path: the file.
        records: key of the list; by default the only list of objects.
        name: what the file is called in messages.

    Raises:
        BadInputError: it is no JSON, or the rows are not in one such list.
    """

    def __init__(self, path: Path, records: str | None, name: str) -> None:
        self._path = path
        self.about: dict[str, Any] = {}
        lists: dict[str, bool] = {}
        keys = []
        stream = JsonStream(chunks(path, Notices()))
        try:
            for key in stream.only_object():
                keys.append(key)
                if stream.next_character() == "[":
                    lists[key] = _are_rows(stream.elements())
                else:
                    self.about[key] = stream.value()
        except RecursionError:
            raise BadInputError(f"{name} is nested too deeply to be read.") from None
        except ValueError as error:
            raise BadInputError(f"{name} is no JSON: {error}.") from None
        found = [key for key, is_rows in lists.items() if is_rows and records in (None, key)]
        if len(found) != 1:
            raise BadInputError(
                f"{name} is one JSON object too large to be held as a whole, and its rows are not "
                f"the objects of one list at its top. Its keys are: {', '.join(keys[:_SHOWN])}. "
                "Save its rows as JSON Lines, one object per line."
            )
        self._key = found[0]

    def rows(self, notices: Notices, tally: Tally) -> Iterator[Any]:
        """Yield the rows; their texts are as in the file."""
        stream = JsonStream(chunks(self._path, notices, tally))
        for key in stream.only_object():
            if key == self._key:
                yield from stream.elements()
                return
            _pass_over(stream)


def is_one_object(path: Path) -> bool:
    """True if the whole file is one JSON object."""
    stream = JsonStream(chunks(path, Notices()))
    try:
        for _ in stream.only_object():
            _pass_over(stream)
    except (RecursionError, ValueError):
        return False
    return True


def _pass_over(stream: JsonStream) -> None:
    if stream.next_character() == "[":
        _are_rows(stream.elements())
    else:
        stream.value()


def _are_rows(elements: Iterator[Any]) -> bool:
    """True for a list of objects that has any; reads it to its end."""
    n, n_objects = 0, 0
    for element in elements:
        n += 1
        n_objects += isinstance(element, dict)
    return 0 < n == n_objects
