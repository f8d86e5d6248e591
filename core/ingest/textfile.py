"""Reading the lines of a text file whatever its encoding, without loading it whole."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.records import Notices

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class Tally:
    """How far a file has been read, in bytes."""

    bytes_read: int = 0


def lines(path: Path, notices: Notices, tally: Tally | None = None) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its end) of every line.

    UTF-8 with or without BOM, UTF-16 by its BOM; a line that is neither is read as cp1252 and
    noticed. Line ends are LF or CRLF.
    """
    with path.open("rb") as handle:
        head = handle.read(3)
        handle.seek(0)
        if head[:2] in _UTF16_BOMS:
            text = io.TextIOWrapper(handle, encoding="utf-16", errors="replace", newline="\n")
            for number, line in enumerate(text, 1):
                yield number, line.rstrip("\r\n")
            return
        if head == _UTF8_BOM:
            handle.seek(3)
        tally = tally or Tally()
        for number, raw in enumerate(handle, 1):
            tally.bytes_read += len(raw)
            try:
                yield number, raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                notices.add(number, "The line is not UTF-8; it was read as Windows text (cp1252).")
                yield number, raw.decode("cp1252", errors="replace").rstrip("\r\n")
