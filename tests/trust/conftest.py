"""Stores with labels, and the command line as a process sees it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list


class Answer(NamedTuple):
    """What a command printed on stdout, as JSON if it was asked for, and its exit code."""

    code: int
    out: Any
    err: str


@pytest.fixture
def ask(fresh_store: Store) -> Callable[..., Answer]:
    """Runs a command over the store of the test: ``ask("calibrate", …)`` gives its JSON."""

    def run(*arguments: str) -> Answer:
        result = CliRunner().invoke(app, [*arguments, "--store", str(fresh_store.path), "--json"])
        return Answer(result.exit_code, json.loads(result.stdout), result.stderr)

    return run


@pytest.fixture
def imported(fresh_store: Store, jsonl: Callable[..., Path]) -> Callable[..., list[str]]:
    """Imports records into the store of the test; returns the ids of all its runs by name."""

    def take_in(*records: dict[str, Any], name: str = "file") -> list[str]:
        report = import_file(fresh_store, jsonl(*records, name=name), Options())
        assert report.is_stored, report.problems
        return [
            row.run.run_id for row in sorted(run_list(fresh_store), key=lambda row: row.run.name)
        ]

    return take_in
