"""How a file is to be imported."""

from collections.abc import Callable
from dataclasses import dataclass

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
    """

    format: str | None = None
    run_name: str | None = None
    append_to: str | None = None
    is_dry_run: bool = False
    skip_bad_rows: bool = False
    max_size: int = MAX_SIZE
    display_name: str | None = None
