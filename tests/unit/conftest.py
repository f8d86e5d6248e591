"""One file through the command line, as its user would import it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.store.connection import Store

Content = str | bytes | Callable[[Path], None]


@pytest.fixture
def imported(fresh_store: Store) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Writes a file and imports it; gives the exit code and the file's part of ``--json``.

    The content is a text, bytes, or a function that writes to a path; the map is its TOML.
    """

    def command(
        name: str, content: Content, mapping: str | None = None, *more: str
    ) -> tuple[int, dict[str, Any]]:
        folder = fresh_store.path.parent
        path = folder / name
        if callable(content):
            content(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        arguments = ["import", str(path), "--store", str(fresh_store.path), "--json", *more]
        if mapping is not None:
            (folder / "map.toml").write_text(mapping, encoding="utf-8")
            arguments += ["--map", str(folder / "map.toml")]
        result = CliRunner().invoke(app, arguments)
        (report,) = json.loads(result.stdout)["files"]
        return result.exit_code, report

    return command
