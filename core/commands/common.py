"""What all commands share: options, errors as sentences, one JSON document, progress."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import RagTriageError

if TYPE_CHECKING:
    from core.store.connection import Store
    from core.workflows.review import View

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
"""What shells give for a command that Ctrl-C has ended: 128 and the number of the signal."""

STOPPED = "Stopped. What was saved until now stays."

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store", help="The store file (default: $RAGTRIAGE_STORE or data/ragtriage.duckdb)."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")
]
RunArgument = Annotated[str, typer.Argument(help="Id of a run, or its name where it is unique.")]
FilterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        help="Keep only matching samples, such as mode=hallucination, flag=borderline, "
        "tag.NAME=VALUE, label.CRITERION=0, cause=error:timeout, hit=miss, evidence.rank=2, "
        "text=WORDS. Repeatable.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Another cut for an axis or metric, such as groundedness=0.6."),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--hit-policy",
        help="How much of a sample's gold evidence makes a hit: any (default), all, or a share "
        "such as 0.5.",
    ),
]


@contextmanager
def errors(as_json: bool) -> Iterator[None]:
    """Errors that carry a message for people end with it on stderr and exit code 2."""
    try:
        yield
    except BrokenPipeError:
        # Whoever read the output has seen enough, such as head. Python flushes stdout at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except KeyboardInterrupt:
        say(STOPPED)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    except (RagTriageError, OSError) as error:
        message = _in_words(error)
        if as_json:
            print_problem(message)
        say(f"ragtriage: {message}")
        raise typer.Exit(EXIT_BAD_INPUT) from error


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError):
        return ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
    return str(error)


def say(text: str) -> None:
    """Say something to a person, on stderr."""
    typer.echo(text, err=True)


def print_json(document: Any) -> None:
    """Print one JSON document on stdout, strict and readable."""
    typer.echo(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def print_problem(message: str) -> None:
    """Print a problem of the whole call as a JSON document."""
    print_json({"problems": [{"row": None, "problem": message}]})


def print_lines(lines: Iterable[str]) -> None:
    """Print lines for people on stdout."""
    for line in lines:
        typer.echo(line)


@contextmanager
def progress() -> Iterator[Callable[[str], None] | None]:
    """Shows one line that changes, where a person looks on; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(text: str) -> None:
        typer.echo(f"\r{text[:78]:78}", nl=False, err=True)

    try:
        yield show
    finally:
        typer.echo(f"\r{'':78}\r", nl=False, err=True)


def open_store(path: Path | None) -> "Store":
    """Open the store, created and migrated; what had to be said goes to stderr."""
    from core.workflows.setup import ensure_store

    store, done = ensure_store(path)
    for message in done.messages:
        say(message)
    return store


def view_of(
    store: "Store",
    run: str,
    cuts: list[str] | None,
    filters: list[str] | None,
    policy: str | None = None,
) -> "View":
    """What is asked of a run: cuts, filter and hit policy as the options say them."""
    from core.filters import from_terms
    from core.workflows.diagnosing import parse_cuts
    from core.workflows.review import View, parse_policy

    return View(
        cuts=parse_cuts(store, run, cuts or ()),
        wanted=from_terms(filters or ()),
        hit_share=parse_policy(policy).share,
    )
