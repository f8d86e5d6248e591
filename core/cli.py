"""The command line: thin commands over the workflows, with one JSON document on request.

What a command needs is imported inside it, so that ``--help`` and a mistyped option answer at once.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInputError, RagTriageError

if TYPE_CHECKING:
    from core.store.connection import Store
    from core.workflows.judge_request import Progress, Report
    from core.workflows.review import View

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
    """Run the command line and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A file name may hold bytes that are no text; the escape for them is JSON's own.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message()
        if "--json" in sys.argv:
            _print_problem(message)
        is_help = len(sys.argv) == 1
        _say(message if is_help else f"ragtriage: {message.rstrip('.')}. Try ragtriage --help.")
        code = error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        _say("Stopped. What was saved until now stays.")
        code = EXIT_FAILED
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _errors(as_json: bool) -> Iterator[None]:
    """Errors that carry a message for people end with it on stderr and exit code 2."""
    try:
        yield
    except BrokenPipeError:
        # Whoever read the output has seen enough, such as head. Python flushes stdout at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except (RagTriageError, OSError) as error:
        message = _in_words(error)
        if as_json:
            _print_problem(message)
        _say(f"ragtriage: {message}")
        raise typer.Exit(EXIT_BAD_INPUT) from error


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError):
        return ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
    return str(error)


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _print_json(document: Any) -> None:
    typer.echo(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def _print_problem(message: str) -> None:
    _print_json({"problems": [{"row": None, "problem": message}]})


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


@contextmanager
def _progress() -> Iterator[Callable[[str], None] | None]:
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


def _open(path: Path | None) -> "Store":
    from core.workflows.setup import ensure_store

    store, done = ensure_store(path)
    for message in done.messages:
        _say(message)
    return store


def _view(store: "Store", run: str, cuts: list[str] | None, filters: list[str] | None) -> "View":
    from core.filters import from_terms
    from core.workflows.diagnosing import parse_cuts
    from core.workflows.review import View

    return View(cuts=parse_cuts(store, run, cuts or ()), wanted=from_terms(filters or ()))


@app.command()
def demo(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Load the bundled demo runs; their answers, scores and labels were authored for the demo."""
    with _errors(as_json):
        from core.workflows.setup import load_demo

        report = load_demo(_open(store))
        if as_json:
            _print_json({"files": [report.as_json()]})
        elif report.duplicate_of:
            typer.echo("The demo is in the store already.")
        else:
            _print_lines(f"{run.run_id}  {run.name}  {run.samples} samples" for run in report.runs)


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
    with _errors(as_json):
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
        opened = _open(store)
        reports = []
        for file in files:
            with _progress() as show:
                told = _file_progress(file.name, show)
                if join is None:
                    report = try_import(opened, file, options, told)
                else:
                    how = How(join, join_by, allow_unmatched)
                    report = try_join(opened, file, how, options, told)
            reports.append(report)
            if not as_json:
                _print_lines(report_lines(report, is_dry_run=dry_run))
        if as_json:
            _print_json({"files": [report.as_json() for report in reports]})
    if any(report.is_refused(options) for report in reports):
        raise typer.Exit(EXIT_BAD_INPUT)


def _file_progress(
    name: str, show: Callable[[str], None] | None
) -> Callable[[int, float], None] | None:
    if show is None:
        return None
    return lambda rows, share: show(f"{name}: {rows:,} samples read, {share:.0%}")


@app.command()
def runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the runs of the store."""
    with _errors(as_json):
        from core.workflows.listing import run_list
        from core.workflows.wording import run_lines

        found = run_list(_open(store))
        if as_json:
            _print_json({"runs": [row.as_json() for row in found]})
        else:
            _print_lines(run_lines(found))


@app.command()
def judge(
    run: RunArgument,
    judge_name: Annotated[
        str,
        typer.Option(
            "--judge",
            help="offline (lexical-v1: no network, no key), or a model such as "
            "openai/gpt-4o-mini or ollama/llama3; keys come from the environment.",
        ),
    ] = "offline",
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Only this axis or metric. Repeatable.")
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
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, max=9, help="Verdicts per sample and metric.")
    ] = 1,
    sample_rate: Annotated[
        float | None,
        typer.Option("--sample-rate", min=0, max=1, help="Only this share, chosen by hash."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another share.")] = 0,
    api_base: Annotated[
        str | None,
        typer.Option("--api-base", help="Address of an OpenAI-compatible server, up to /v1."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=32, help="Requests at the same time.")
    ] = 8,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="Stop before more USD than this are spent.")
    ] = None,
    price: Annotated[
        str | None,
        typer.Option("--price", help="USD per million tokens of prompts, replies: 0.15,0.60."),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ask anew, even what was asked before.")
    ] = False,
    temperature: Annotated[
        float, typer.Option("--temperature", min=0, max=2, help="Of the model.")
    ] = 0.0,
    model_seed: Annotated[
        int | None, typer.Option("--model-seed", help="Seed that is passed on to the model.")
    ] = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="Longest reply; reasoning counts too.")
    ] = 2048,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds that one request may take.")
    ] = 120.0,
    context_limit: Annotated[
        int | None,
        typer.Option("--context-limit", min=1, help="Tokens of the model's window, if unknown."),
    ] = None,
    shorten_contexts: Annotated[
        bool, typer.Option("--shorten-contexts", help="Cut contexts that do not fit; it is noted.")
    ] = False,
    prompt: Annotated[
        list[str] | None,
        typer.Option("--prompt", help="Use this prompt, as ID or ID@VERSION. Repeatable."),
    ] = None,
    embedding_model: Annotated[
        str | None, typer.Option("--embedding-model", help="For answer_relevancy_embed.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be sent and what it may cost.")
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a run; verdicts are appended, earlier ones stay."""
    with _errors(as_json):
        from core.judge.settings import LlmSettings
        from core.workflows.judge_options import estimate_line, judge_of, outcome_lines, request_of
        from core.workflows.judge_plan import estimate
        from core.workflows.judging import judge_run

        request = request_of(
            metric,
            sample,
            {"missing": missing, "failed": failed, "all": everything},
            sample_rate=sample_rate,
            seed=seed,
            repeats=repeats,
        )
        options = {
            "api_base": api_base,
            "temperature": temperature,
            "seed": model_seed,
            "max_tokens": max_tokens,
            "embedding_model": embedding_model,
            "shorten_contexts": shorten_contexts,
            "context_limit": context_limit,
            "prompts": prompt,
            "concurrency": concurrency,
            "max_cost": max_cost,
            "price": price,
            "timeout": timeout,
            "use_cache": not no_cache,
        }
        chosen = judge_of(judge_name, options)
        opened = _open(store)
        if isinstance(chosen, LlmSettings):
            expected = estimate(opened, run, request, chosen)
            _say(estimate_line(expected))
            if dry_run:
                if as_json:
                    _print_json(expected.as_json())
                return
        elif dry_run:
            raise BadInputError("The offline judge sends nothing; leave --dry-run out.")
        with _progress() as show:
            outcome = judge_run(opened, run, request, chosen, _judge_progress(show))
        if as_json:
            _print_json(outcome.as_json())
        else:
            _print_lines(outcome_lines(outcome))
    if outcome.failed or outcome.stopped:
        raise typer.Exit(EXIT_FAILED)


def _judge_progress(show: Callable[[str], None] | None) -> "Report":
    started = time.monotonic()

    def report(now: "Progress") -> bool:
        made = now.done + now.failed
        if show is not None and now.waiting:
            show(f"{made:,} of {now.total:,}, the provider asks to wait")
        elif show is not None and made:
            left = (time.monotonic() - started) / made * (now.total - made)
            cost = "" if not now.cost else f", ${now.cost:.3g}"
            show(f"{made:,} of {now.total:,}{cost}, about {left:.0f} s left")
        return True

    return report


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
    with _errors(as_json):
        from core.workflows.diagnosing import diagnose as work
        from core.workflows.wording import diagnosis_lines

        opened = _open(store)
        found = work(opened, run, _view(opened, run, cuts, filters), samples=samples)
        if as_json:
            _print_json(found)
        else:
            _print_lines(diagnosis_lines(found))


@app.command()
def report(
    run: RunArgument,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one HTML file without scripts or links.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write Markdown (default: to stdout).")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Compare with this run of the store.")
    ] = None,
    filters: FilterOption = None,
    cuts: SetOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the review of a run for people who do not have this tool."""
    with _errors(as_json):
        from core.workflows.overview import as_json as figures_of
        from core.workflows.report import review_document, write_text
        from core.workflows.report_document import as_html, as_markdown

        opened = _open(store)
        view = _view(opened, run, cuts, filters)
        found, document = review_document(opened, run, view, baseline)
        for path, text in ((html, as_html), (markdown, as_markdown)):
            if path is not None:
                write_text(path, text(document))
        written = {"html": html and str(html), "markdown": markdown and str(markdown)}
        if as_json:
            _print_json({**figures_of(found), **written})
        elif html is None and markdown is None:
            typer.echo(as_markdown(document), nl=False)
        else:
            _print_lines(f"written to {path}" for path in written.values() if path)


@app.command()
def calibrate(
    runs: Annotated[list[str], typer.Argument(help="Ids or unique names of runs.")],
    score: Annotated[
        list[str],
        typer.Option("--score", help="An axis, a metric, or METRIC@JUDGE. Repeatable."),
    ],
    label: Annotated[str, typer.Option("--label", help="The label that says what is right.")],
    positive: Annotated[
        str | None, typer.Option("--positive", help="The label's value to detect (default 1).")
    ] = None,
    label_cut: Annotated[
        float | None, typer.Option("--label-cut", help="Ratings from here on count as 1.")
    ] = None,
    direction: Annotated[
        str | None, typer.Option("--direction", help="higher or lower: which scores are good.")
    ] = None,
    part: Annotated[
        str, typer.Option("--part", help="train, dev or test of the split labels.")
    ] = "",
    split: Annotated[
        bool, typer.Option("--split", help="Split the labels into train, dev and test first.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the split.")] = 0,
    open_test: Annotated[
        bool, typer.Option("--open-test", help="Open the test part; this is logged.")
    ] = False,
    target_tpr: Annotated[
        float, typer.Option("--target-tpr", min=0, max=1, help="Suggest a cut that reaches it.")
    ] = 0.9,
    cost: Annotated[
        str | None,
        typer.Option("--cost", help="MISS:FALSE_ALARM, what either error costs, such as 5:1."),
    ] = None,
    pool: Annotated[bool, typer.Option("--pool", help="Take all runs as one.")] = False,
    cuts: SetOption = None,
    filters: FilterOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a score with a human label: ROC, cut, matrix, corrected rate."""
    with _errors(as_json):
        from core.filters import from_terms
        from core.workflows.calibrating import calibrate as work
        from core.workflows.calibrating import undefined_because
        from core.workflows.calibration_json import calibration_lines, calibrations_json
        from core.workflows.review import View
        from core.workflows.trust_options import Parts, parse_costs, parse_cuts, questions

        opened = _open(store)
        parts = Parts(part, split, seed, open_test)
        parts.prepare(opened, runs, label)
        found = work(
            opened,
            runs,
            questions(
                score,
                label,
                positive=positive,
                label_cut=label_cut,
                direction=direction,
                part=part,
                target_tpr=target_tpr,
                cuts=parse_cuts(cuts or ()),
            ),
            View(wanted=from_terms(filters or ())),
            pool=pool,
        )
        reasons = [
            reason
            for one in found.found
            if (reason := undefined_because(one.paired, one.ranking.auc)) is not None
        ]
        if as_json:
            document = calibrations_json(found, parse_costs(cost))
            if reasons:
                document["problems"] = [{"row": None, "problem": reason} for reason in reasons]
            _print_json(document)
        else:
            _print_lines(calibration_lines(found))
    if reasons:
        raise typer.Exit(EXIT_BAD_INPUT)


@app.command()
def agree(
    run: RunArgument,
    criterion: Annotated[str, typer.Option("--criterion", help="The label that people gave.")],
    weights: Annotated[
        str,
        typer.Option("--weights", help="identity, linear, quadratic or ordinal: partial credit."),
    ] = "identity",
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="All categories, such as 1..5, 1..4/0.5 or poor,fair,good."),
    ] = None,
    tag: Annotated[
        str | None, typer.Option("--by", help="Compare the ratings by the values of this tag.")
    ] = None,
    score: Annotated[
        str | None, typer.Option("--score", help="Compare this score with the mean rating too.")
    ] = None,
    filters: FilterOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how far raters agree with each other, and a judge with them and with itself."""
    with _errors(as_json):
        from core.filters import from_terms
        from core.workflows.agreeing import agree as work
        from core.workflows.agreement_json import report_json, report_lines
        from core.workflows.review import View
        from core.workflows.trust_options import parse_weights

        found = work(
            _open(store),
            run,
            criterion,
            weights=parse_weights(weights),
            scale=scale,
            view=View(wanted=from_terms(filters or ())),
            tag=tag,
            score=score,
        )
        if as_json:
            document = report_json(found)
            if found.reason is not None:
                document["problems"] = [{"row": None, "problem": found.reason}]
            _print_json(document)
        else:
            _print_lines(report_lines(found))
    if found.reason is not None:
        raise typer.Exit(EXIT_BAD_INPUT)


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
    with _errors(as_json):
        from core.workflows.exporting import export as work
        from core.workflows.exporting import records, write_array, write_jsonl

        opened = _open(store)
        view = _view(opened, run, cuts, filters)
        if to is None:
            write = write_array if as_json else write_jsonl
            write(records(opened, run, view), sys.stdout)
            return
        n = work(opened, run, view, to)
        if as_json:
            _print_json({"path": str(to), "samples": n})
        else:
            typer.echo(f"{n} samples written to {to}")


if __name__ == "__main__":
    main()
