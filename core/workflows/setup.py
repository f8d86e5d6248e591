"""Making a store ready: created, migrated, and with the demo where that is wanted."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from core.resources import resource
from core.store.connection import Store
from core.store.schema import Ensured, ensure

if TYPE_CHECKING:
    from core.workflows.reports import FileReport

STORE_VARIABLE = "RAGTRIAGE_STORE"
DEFAULT_STORE = Path("data") / "ragtriage.duckdb"
DEMO_NAME = "demo.jsonl"


def store_path(given: Path | None = None) -> Path:
    """The store to use: the given path, else the environment's, else data/ragtriage.duckdb."""
    if given is not None:
        return given
    named = os.environ.get(STORE_VARIABLE)
    return Path(named) if named else DEFAULT_STORE


def ensure_store(path: Path | None = None, *, demo_when_new: bool = False) -> tuple[Store, Ensured]:
    """Create or migrate the store; load the demo into one that this call has created.

    A demo that somebody removed does not come back, because the store is no longer new.

    Raises:
        StoreVersionError: the store was written by a newer version.
        StoreDamagedError: the file is no store.
    """
    store = Store(store_path(path))
    done = ensure(store)
    if done.created and demo_when_new:
        load_demo(store)
    return store, done


def load_demo(store: Store) -> "FileReport":
    """Import the bundled demo runs; nothing happens where they are already."""
    # Imported late: every command makes a store ready, few import a file.
    from core.workflows.importing import import_file

    return import_file(store, resource("data", "demo", DEMO_NAME))
