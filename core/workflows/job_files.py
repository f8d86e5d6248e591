"""Files beside the store by which a page and its workers speak; never a key in any of them."""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import portalocker

from core.errors import BadInputError
from core.store.connection import Store

KEPT_SECONDS = 7 * 24 * 3600


def jobs_folder(store: Store) -> Path:
    """The folder of a store's jobs; it need not exist."""
    return Path(f"{store.path}.jobs")


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document so that a reader sees the old one or the new one, never a half."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")
    partial.replace(path)


def read_json(path: Path) -> dict[str, Any] | None:
    """The document of a file, None if it is not there or no document."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def forget_old(folder: Path) -> None:
    """Remove what nobody has touched for a week."""
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()


@contextlib.contextmanager
def lock(path: Path, *, wait: float) -> Iterator[bool]:
    """Hold a lock file; False if somebody else held it for longer than ``wait`` seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + wait
    with path.open("a+", encoding="utf-8") as handle:
        while True:
            try:
                portalocker.lock(handle, portalocker.LOCK_EX | portalocker.LOCK_NB)
                break
            except portalocker.LockException:
                if time.monotonic() >= end:
                    yield False
                    return
                time.sleep(0.02)
        try:
            yield True
        finally:
            portalocker.unlock(handle)


@contextlib.contextmanager
def judging_lock(store: Store, run_id: str, model: str) -> Iterator[None]:
    """Let one process at a time judge a run with a model, so that nothing is paid twice.

    Raises:
        BadInputError: another one is at it.
    """
    digest = hashlib.sha256(f"{run_id}\0{model}".encode()).hexdigest()[:16]
    with lock(jobs_folder(store) / f"judging-{digest}.lock", wait=0.0) as is_mine:
        if not is_mine:
            raise BadInputError(
                f"Run {run_id} is being judged by {model} already. Wait until that has finished, "
                "or stop it."
            )
        yield
