"""Files packed with gzip, as evaluation logs often are: unpacked once, beside the store."""

import gzip
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import BadInputError
from core.store.connection import Store
from core.store.leftovers import staging_folder

_MAGIC = b"\x1f\x8b"
_BLOCK = 8 * 1024**2
_LEAST_FREE = 64 * 1024**2


def plain_name(name: str) -> str:
    """What a file is called without its ending for gzip.

    >>> plain_name("results.jsonl.gz")
    'results.jsonl'
    """
    return name[:-3] if name.lower().endswith(".gz") and len(name) > 3 else name


@contextmanager
def unpacked(store: Store, path: Path, name: str, max_size: int) -> Iterator[Path]:
    """The file itself or, if it is packed with gzip, its content in a folder that then vanishes.

    The content, not the name, tells. What is in it may again be anything but gzip.

    Raises:
        BadInputError: it is damaged, or unpacks to more than ``max_size`` bytes or the disk holds.
    """
    with path.open("rb") as handle:
        is_packed = handle.read(2) == _MAGIC
    if not is_packed:
        yield path
        return
    with staging_folder(store.path) as folder:
        plain = folder / "unpacked"
        try:
            _unpack(path, plain, name, max_size)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise BadInputError(f"{name} is damaged gzip: {error}") from None
        yield plain


def _unpack(path: Path, plain: Path, name: str, max_size: int) -> None:
    size = 0
    with gzip.open(path, "rb") as packed, plain.open("wb") as out:
        while block := packed.read(_BLOCK):
            size += len(block)
            if size > max_size:
                raise BadInputError(
                    f"{name} unpacks to more than the limit of {max_size:,} bytes. "
                    "Raise it with --max-size, or split the file."
                )
            # A full disk damages what is there, and a small file may unpack to a huge one.
            if shutil.disk_usage(plain.parent).free < len(block) + _LEAST_FREE:
                raise BadInputError(
                    f"There is no room beside the store to unpack {name}. Make room, or name "
                    "another store with --store."
                )
            out.write(block)
