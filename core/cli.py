"""The command line: thin commands over the workflows, with one JSON document on request."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from core.errors import BadInputError, RagTriageError
from core.filters import from_terms
from core.store.connection import Store
from core.workflows.setup import ensure_store

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2

app = typer.Typer(
    name="ragtriage",
    help="Find out which part of a retrieval-augmented pipeline failed, from the files you have.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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
        "tag.NAME=VALUE, label.CRITERION=0, cause=error:timeout, text=WORDS. Repeatable.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Another cut for an axis or metric, such as groundedness=0.6."),
]


def main() -> None:
    """Run the command line."""
    app()


@contextmanager
def _errors() -> Iterator[None]:
    """Errors that carry a message for people end with it on stderr and exit code 2."""
    try:
        yield
    except RagTriageError as error:
        _say(f"ragtriage: {error}")
        raise typer.Exit(EXIT_BAD_INPUT) from error
    except BrokenPipeError:
        # Whoever read the output has seen enough, such as head.
        sys.stderr.close()
        raise typer.Exit(0) from None


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _print_json(document: Any) -> None:
    typer.echo(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def _open(path: Path | None) -> Store:
    store, done = ensure_store(path)
    for message in done.messages:
        _say(message)
    return store


@app.command()
def demo(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Load the bundled demo runs; their answers, scores and labels were authored for the demo."""
    from core.workflows.setup import load_demo

    with _errors():
        report = load_demo(_open(store))
        if as_json:
            _print_json({"files": [report.as_json()]})
        elif report.duplicate_of:
            typer.echo("The demo is in the store already.")
        else:
            for run in report.runs:
                typer.echo(f"{run.run_id}  {run.name}  {run.samples} samples")


@app.command("import")
def import_command(
    files: Annotated[list[Path], typer.Argument(help="Result files.")],
    format_name: Annotated[
        str | None, typer.Option("--format", help="Read the files as this format.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Name for the run of a file that holds one.")
    ] = None,
    append: Annotated[
        str | None, typer.Option("--append", help="Add the samples to this run of the store.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what the files hold.")
    ] = False,
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Leave out rows with problems and go on.")
    ] = False,
    max_size: Annotated[
        int | None, typer.Option("--max-size", help="Largest file in bytes (default 2 GiB).")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import result files, or preview them with --dry-run."""
    from core.workflows.importing import MAX_SIZE, Options, import_file
    from core.workflows.reports import FileReport

    options = Options(
        format=format_name,
        run_name=run,
        append_to=append,
        is_dry_run=dry_run,
        skip_bad_rows=skip_bad_rows,
        max_size=MAX_SIZE if max_size is None else max_size,
    )
    reports: list[FileReport] = []
    is_bad = False
    with _errors():
        opened = _open(store)
        for file in files:
            try:
                report = import_file(opened, file, options, _progress(file.name))
            except BadInputError as error:
                is_bad = True
                _say(f"ragtriage: {error}")
                report = FileReport(str(file))
                report.problems.append(_whole_file(str(error)))
            reports.append(report)
            is_refused = not dry_run and not report.is_stored and not report.duplicate_of
            has_problems = bool(report.problems) and not skip_bad_rows
            is_bad = is_bad or is_refused or has_problems
            if not as_json:
                _print_report(report, is_dry_run=dry_run)
        if as_json:
            _print_json({"files": [report.as_json() for report in reports]})
    if is_bad:
        raise typer.Exit(EXIT_BAD_INPUT)


def _whole_file(text: str) -> Any:
    from core.records import Problem

    return Problem(None, text)


def _progress(name: str) -> Callable[[int, float], None] | None:
    if not sys.stderr.isatty():
        return None

    def show(rows: int, share: float) -> None:
        typer.echo(f"\r{name}: {rows:,} samples read, {share:.0%} ", nl=False, err=True)

    return show


def _print_report(report: Any, *, is_dry_run: bool) -> None:
    from core.workflows.reports import rows_in_words

    typer.echo(f"{report.path}: {report.format or 'not recognised'}")
    if report.duplicate_of:
        earlier = report.duplicate_of
        typer.echo(
            f"  the same file was imported as {earlier['file']} at {earlier['imported_at']}: "
            f"runs {', '.join(earlier['run_ids'])}"
        )
    for run in report.runs:
        typer.echo(
            f"  {run.run_id}  {run.name}: {run.samples} samples, {run.contexts} contexts, "
            f"{run.gold} gold"
        )
        for name, row in run.metrics.items():
            scale = row["scale"]
            shown = f"{scale['lo']:g} to {scale['hi']:g}" if scale else "scale unknown"
            typer.echo(
                f"      score {name}: {row['n']} of {run.samples}"
                f", {row['error']} errors, {row['not_scored']} not scored, {shown}"
            )
        for name, row in run.labels.items():
            typer.echo(f"      label {name}: {row['n']} of {run.samples}")
    for row, text, n in report.notices:
        typer.echo(f"  notice{f' from row {row}' if row else ''}: {text} ({n} times)")
    for line in rows_in_words(report.problems):
        typer.echo(f"  problem: {line}")
    if is_dry_run:
        typer.echo("  nothing was stored (dry run)")
    elif report.is_stored:
        typer.echo("  stored")
    elif not report.duplicate_of:
        typer.echo("  nothing was stored; --skip-bad-rows would leave out the rows above")


@app.command()
def runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the runs of the store."""
    from core.workflows.listing import run_list

    with _errors():
        found = run_list(_open(store))
        if as_json:
            _print_json({"runs": [row.as_json() for row in found]})
            return
        if not found:
            typer.echo("No runs yet. Import one: ragtriage import FILE, or try: ragtriage demo")
        for row in found:
            rate = row.summary.pass_rate
            passed = (
                f"passes {rate.k} of {rate.n} ({rate.low:.0%}-{rate.high:.0%})"
                if rate.low is not None and rate.high is not None
                else "no verdict yet"
            )
            typer.echo(f"{row.run.run_id}  {row.run.name}  {row.run.n_samples} samples  {passed}")


@app.command()
def judge(
    run: RunArgument,
    judge_name: Annotated[
        str, typer.Option("--judge", help="offline (lexical-v1: no network, no key).")
    ] = "offline",
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Only this axis. Repeatable.")
    ] = None,
    sample: Annotated[
        list[str] | None, typer.Option("--sample", help="Only this sample. Repeatable.")
    ] = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="What this judge has not judged yet (the default).")
    ] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only what failed the last time.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Everything, also what is judged already.")
    ] = False,
    sample_rate: Annotated[
        float | None,
        typer.Option("--sample-rate", min=0, max=1, help="Only this share, chosen by hash."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another share.")] = 0,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a run; verdicts are appended, earlier ones stay."""
    from core.workflows.judging import Request, check_judge, judge_run

    with _errors():
        chosen = [name for name, flag in _which(missing, failed, everything) if flag]
        if len(chosen) > 1:
            raise BadInputError("Of --missing, --failed and --all only one can be given.")
        spec = check_judge(judge_name)
        request = Request(
            metrics=tuple(metric or ()),
            sample_ids=tuple(sample or ()),
            which=chosen[0] if chosen else "missing",
            sample_rate=sample_rate,
            seed=seed,
        )
        outcome = judge_run(_open(store), run, request, spec, _judge_progress())
        if as_json:
            _print_json(outcome.as_json())
        else:
            typer.echo(
                f"done {outcome.done}, failed {outcome.failed}, skipped {outcome.skipped}; "
                f"{outcome.verdicts} verdicts by {outcome.judge}; cost $0 (runs on this machine)"
            )
    if outcome.failed:
        raise typer.Exit(EXIT_FAILED)


def _which(missing: bool, failed: bool, everything: bool) -> tuple[tuple[str, bool], ...]:
    return (("missing", missing), ("failed", failed), ("all", everything))


def _judge_progress() -> Callable[[int, int, int], bool]:
    started = time.monotonic()

    def show(done: int, failed: int, total: int) -> bool:
        if sys.stderr.isatty():
            made = done + failed
            left = (time.monotonic() - started) / made * (total - made) if made else 0.0
            typer.echo(f"\r{made} of {total}, about {left:.0f} s left ", nl=False, err=True)
        return True

    return show


@app.command()
def diagnose(
    run: RunArgument,
    cuts: SetOption = None,
    samples: Annotated[bool, typer.Option("--samples", help="One row per sample too.")] = False,
    filters: FilterOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the failure modes of a run."""
    from core.workflows.diagnosing import diagnose as work
    from core.workflows.diagnosing import parse_cuts
    from core.workflows.review import View

    with _errors():
        opened = _open(store)
        view = View(cuts=parse_cuts(opened, run, cuts or ()), wanted=from_terms(filters or ()))
        found = work(opened, run, view, samples=samples)
        if as_json:
            _print_json(found)
        else:
            _print_diagnosis(found)


def _print_diagnosis(found: dict[str, Any]) -> None:
    typer.echo(f"{found['name']} ({found['run_id']}): {found['n']} samples")
    for axis, row in found["axes"].items():
        scored = row["scored"]
        cut = "no cut" if row["cut"] is None else f"cut {row['cut']:g} ({row['cut_source']})"
        n_value = round((scored["value"] or 0) * scored["n"])
        judge_name = row["judge"] or "nobody"
        typer.echo(f"  {axis}: {n_value} of {scored['n']} scored by {judge_name}, {cut}")
    for group in ("triad", "refusals"):
        for mode, n in found[group].items():
            if n:
                typer.echo(f"  {n:6}  {mode}")
    for flag, n in found["flags"].items():
        if n:
            typer.echo(f"  {n:6}  flag {flag}")
    head = found["headline"]
    typer.echo(f"  pass {head['pass']}, fail {head['fail']}, open {head['open']}")
    for row in found.get("samples", []):
        typer.echo(f"{row['sample_id']}\t{row['mode']}\t{','.join(row['flags'])}")


@app.command()
def export(
    run: RunArgument,
    to: Annotated[
        Path | None, typer.Option("--to", help="A .jsonl, .csv or .parquet file; else stdout.")
    ] = None,
    filters: FilterOption = None,
    cuts: SetOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Export a run so that it can be imported again; CSV is safe for spreadsheets."""
    from core.workflows.diagnosing import parse_cuts
    from core.workflows.exporting import export as work
    from core.workflows.exporting import records, write_jsonl
    from core.workflows.review import View

    with _errors():
        opened = _open(store)
        view = View(cuts=parse_cuts(opened, run, cuts or ()), wanted=from_terms(filters or ()))
        if to is None:
            if as_json:
                raise BadInputError("--json needs --to FILE: without it the samples go to stdout.")
            write_jsonl(records(opened, run, view), sys.stdout)
            return
        n = work(opened, run, view, to)
        if as_json:
            _print_json({"path": str(to), "samples": n})
        else:
            typer.echo(f"{n} samples written to {to}")


if __name__ == "__main__":
    main()
