"""``demo``, ``import``, ``runs``, ``export``: what is in the store, and how it gets there."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.commands.common import (
    EXIT_BAD_INPUT,
    FilterOption,
    JsonOption,
    RunArgument,
    SetOption,
    StoreOption,
    errors,
    open_store,
    print_json,
    print_lines,
    progress,
    view_of,
)
from core.errors import BadInputError

if TYPE_CHECKING:
    pass


def demo(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Load the bundled demo runs; their answers, scores and labels were authored for the demo."""
    with errors(as_json):
        from core.workflows.setup import load_demo

        report = load_demo(open_store(store))
        if as_json:
            print_json({"files": [report.as_json()]})
        elif report.duplicate_of:
            typer.echo("The demo is in the store already.")
        else:
            print_lines(f"{run.run_id}  {run.name}  {run.samples} samples" for run in report.runs)


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
    map_file: Annotated[
        Path | None,
        typer.Option("--map", help="Read the files by this map of their columns (TOML)."),
    ] = None,
    join: Annotated[
        str | None,
        typer.Option("--join", help="Add scores and labels to the samples of this stored run."),
    ] = None,
    join_by: Annotated[
        str | None,
        typer.Option("--join-by", help="Find these samples by sample_id or question."),
    ] = None,
    allow_unmatched: Annotated[
        bool,
        typer.Option("--allow-unmatched", help="Join although some rows match no sample."),
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import result files, or preview them with --dry-run."""
    with errors(as_json):
        from core.ingest.mapping_toml import load as load_map
        from core.workflows.import_options import MAX_SIZE, Options
        from core.workflows.importing import try_import
        from core.workflows.join_report import How
        from core.workflows.joining import try_join
        from core.workflows.wording import report_lines

        chosen = {"--run": run, "--append": append, "--join": join}
        given = [name for name, value in chosen.items() if value is not None]
        if len(given) > 1:
            raise BadInputError(f"Of {' and '.join(given)} only one can be given.")
        if join is None and (join_by is not None or allow_unmatched):
            raise BadInputError("--join-by and --allow-unmatched belong to --join RUN.")
        options = Options(
            format=format_name,
            run_name=run,
            append_to=append,
            is_dry_run=dry_run,
            skip_bad_rows=skip_bad_rows,
            max_size=MAX_SIZE if max_size is None else max_size,
            mapping=None if map_file is None else load_map(map_file),
        )
        opened = open_store(store)
        reports = []
        for file in files:
            with progress() as show:
                told = _file_progress(file.name, show)
                if join is None:
                    report = try_import(opened, file, options, told)
                else:
                    how = How(join, join_by, allow_unmatched)
                    report = try_join(opened, file, how, options, told)
            reports.append(report)
            if not as_json:
                print_lines(report_lines(report, is_dry_run=dry_run))
        if as_json:
            print_json({"files": [report.as_json() for report in reports]})
    if any(report.is_refused(options) for report in reports):
        raise typer.Exit(EXIT_BAD_INPUT)


def _file_progress(
    name: str, show: Callable[[str], None] | None
) -> Callable[[int, float], None] | None:
    if show is None:
        return None
    return lambda rows, share: show(f"{name}: {rows:,} samples read, {share:.0%}")


def runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the runs of the store."""
    with errors(as_json):
        from core.workflows.listing import run_list
        from core.workflows.wording import run_lines

        found = run_list(open_store(store))
        if as_json:
            print_json({"runs": [row.as_json() for row in found]})
        else:
            print_lines(run_lines(found))


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
    with errors(as_json):
        from core.workflows.exporting import export as work
        from core.workflows.exporting import records, write_array, write_jsonl

        opened = open_store(store)
        view = view_of(opened, run, cuts, filters)
        if to is None:
            write = write_array if as_json else write_jsonl
            write(records(opened, run, view), sys.stdout)
            return
        n = work(opened, run, view, to)
        if as_json:
            print_json({"path": str(to), "samples": n})
        else:
            typer.echo(f"{n} samples written to {to}")
