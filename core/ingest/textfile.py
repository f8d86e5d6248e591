"""Reading a text file whatever its encoding, without loading it whole."""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.records import Notices

#: A longer line is refused: it would have to be held in memory as a whole.
MAX_LINE = 128 * 1024**2
_CHUNK = 256 * 1024
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_NOT_UTF8 = "The line is not UTF-8; it was read as Windows text (cp1252)."


@dataclass(slots=True)
class Tally:
    """How far a file has been read, in bytes."""

    bytes_read: int = 0


def lines(
    path: Path, notices: Notices, tally: Tally | None = None
) -> Iterator[tuple[int, str | None]]:
    """Yield (line number from 1, text without its end) of every line; None for one too long.

    UTF-8 with or without BOM, UTF-16 by its BOM; a line that is neither is read as cp1252 and
    noticed. Line ends are LF or CRLF.
    """
    tally = tally or Tally()
    with path.open("rb") as handle:
        head = handle.read(3)
        handle.seek(0)
        if head[:2] in _UTF16_BOMS:
            text = io.TextIOWrapper(handle, encoding="utf-16", errors="replace", newline="\n")
            for number, line in enumerate(text, 1):
                tally.bytes_read += 2 * len(line)
                yield number, line.rstrip("\r\n") if len(line) <= MAX_LINE else None
            return
        if head == _UTF8_BOM:
            handle.seek(3)
        number = 0
        while raw := handle.readline(MAX_LINE):
            number += 1
            tally.bytes_read += len(raw)
            if len(raw) == MAX_LINE and not raw.endswith(b"\n"):
                while (rest := handle.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    tally.bytes_read += len(rest)
                yield number, None
                continue
            try:
                yield number, raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                notices.add(number, _NOT_UTF8)
                yield number, raw.decode("cp1252", errors="replace").rstrip("\r\n")


def chunks(path: Path, notices: Notices, tally: Tally | None = None) -> Iterator[str]:
    """Yield the text of a file in pieces; encodings as in ``lines``, but one for the whole file."""
    tally = tally or Tally()
    encoding = _encoding(path)
    if encoding == "cp1252":
        notices.add(None, "The file is not UTF-8; it was read as Windows text (cp1252).")
    with path.open("rb") as handle:
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        while raw := handle.read(_CHUNK):
            tally.bytes_read += len(raw)
            yield decoder.decode(raw)
        yield decoder.decode(b"", final=True)


def _encoding(path: Path) -> str:
    with path.open("rb") as handle:
        if handle.read(2) in _UTF16_BOMS:
            return "utf-16"
        handle.seek(0)
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while raw := handle.read(_CHUNK):
                decoder.decode(raw)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig"
