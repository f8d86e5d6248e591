"""What a killed process leaves beside the store: recognised as nobody's, and deleted.

A staging folder belongs to the process that holds the lock file in it. The lock dies with its
process, so a process that got the same number later is not mistaken for the owner.
"""

import glob
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import portalocker

_LOCK = "lock"


@contextmanager
def staging_folder(store_path: Path) -> Iterator[Path]:
    """A folder of one's own beside the store; it is gone afterwards, whatever happens."""
    store_path.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(6)
    # Under its final name the folder never exists without its lock being held.
    unborn = store_path.with_name(f"{store_path.name}.unborn-{token}")
    folder = store_path.with_name(f"{store_path.name}.staging-{token}")
    unborn.mkdir()
    with (unborn / _LOCK).open("w", encoding="utf-8") as handle:
        portalocker.lock(handle, portalocker.LOCK_EX | portalocker.LOCK_NB)
        unborn.rename(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(store_path: Path) -> None:
    """Delete staging and temporary folders whose process is gone."""
    name = glob.escape(store_path.name)
    for folder in store_path.parent.glob(f"{name}.staging-*"):
        if _is_nobodys(folder / _LOCK):
            shutil.rmtree(folder, ignore_errors=True)
    for folder in store_path.parent.glob(f"{name}.tmp-*"):
        match = re.search(r"\.tmp-(\d+)$", folder.name)
        if match and not _is_running(int(match[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _is_nobodys(lock: Path) -> bool:
    try:
        with lock.open("r", encoding="utf-8") as handle:
            portalocker.lock(handle, portalocker.LOCK_EX | portalocker.LOCK_NB)
            portalocker.unlock(handle)
    except FileNotFoundError:
        return True
    except (portalocker.LockException, OSError):
        return False
    return True


def _is_running(pid: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
    return True
