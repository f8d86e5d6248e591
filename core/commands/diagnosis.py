"""``diagnose``, ``retrieval``, ``report``: what failed, and why."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.common import (
    FilterOption,
    JsonOption,
    PolicyOption,
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

if TYPE_CHECKING:
    pass


def diagnose(
    run: RunArgument,
    cuts: SetOption = None,
    samples: Annotated[bool, typer.Option("--samples", help="One row per sample too.")] = False,
    filters: FilterOption = None,
    policy: PolicyOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the failure modes of a run."""
    with errors(as_json):
        from core.workflows.diagnosing import diagnose as work
        from core.workflows.wording import diagnosis_lines

        opened = open_store(store)
        found = work(opened, run, view_of(opened, run, cuts, filters, policy), samples=samples)
        if as_json:
            print_json(found)
        else:
            print_lines(diagnosis_lines(found))


def retrieval(
    run: RunArgument,
    k: Annotated[
        int | None, typer.Option("--k", min=1, help="Look at the first k contexts (default: all).")
    ] = None,
    filters: FilterOption = None,
    policy: PolicyOption = None,
    reference: Annotated[
        bool | None,
        typer.Option(
            "--reference/--no-reference",
            help="From now on, let the reference stand in for this run's samples without gold.",
        ),
    ] = None,
    medical: Annotated[
        bool | None,
        typer.Option(
            "--medical/--no-medical",
            help="From now on, write medical terms alike before this run's texts are compared.",
        ),
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(
            "--marks",
            help="From now on, believe these marks on single contexts where words find nothing: a "
            'metric such as context_precision, or a criterion that people labelled; "" for none.',
        ),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what the retriever found, rank by rank, over the samples with gold evidence."""
    from core.workflows.hit_rules import change_rule
    from core.workflows.retrieving import run_retrieval

    with errors(as_json), progress() as show:
        opened = open_store(store)

        def compared(done: int, total: int) -> None:
            if show is not None:
                show(f"{done:,} of {total:,} samples compared with their gold evidence")

        if any(part is not None for part in (reference, medical, marks)):
            change_rule(opened, run, reference, medical, compared, marks)
        view = view_of(opened, run, None, filters, policy)
        found = run_retrieval(opened, run, view, k, compared)
        if as_json:
            print_json(found)
        else:
            print_lines(_retrieval_lines(found))


def _retrieval_lines(found: dict[str, Any]) -> list[str]:
    lines = [f"{found['name']} ({found['run_id']}): {found['n']} samples with gold evidence"]
    if found["hit_policy"] != "any":
        lines.append(f"  a hit needs: {found['hit_policy']}")
    if "hit_rule" in found:
        effect = found["hit_rule"]["effect"]
        lines.append(
            f"  hit rule: {found['hit_rule']['words']}; {effect['gained']} gained, "
            f"{effect['lost']} lost, {effect['assessed']} assessed that were not before"
        )
    for name, label in (("hit_at_k", "hit@"), ("recall", "recall@"), ("ndcg", "nDCG@")):
        shown = [f"{label}{k} {_figure(rate)}" for k, rate in found[name].items()]
        lines.append("  " + ", ".join(shown))
    names = ("no_hit_rate", "mrr", "map_trec", "map_retrieved")
    lines += [f"  {name} {_figure(found[name])}" for name in names]
    return lines


def _figure(rate: dict[str, Any]) -> str:
    return "undefined" if rate["value"] is None else f"{rate['value']:.3f}"


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
    with errors(as_json):
        from core.workflows.deriving import derive
        from core.workflows.overview import as_json as figures_of
        from core.workflows.report import review_document, write_text
        from core.workflows.report_document import as_html, as_markdown

        opened = open_store(store)
        view = view_of(opened, run, cuts, filters)
        derive(opened, run)
        found, document = review_document(opened, run, view, baseline)
        for path, text in ((html, as_html), (markdown, as_markdown)):
            if path is not None:
                write_text(path, text(document))
        written = {"html": html and str(html), "markdown": markdown and str(markdown)}
        if as_json:
            print_json({**figures_of(found), **written})
        elif html is None and markdown is None:
            typer.echo(as_markdown(document), nl=False)
        else:
            print_lines(f"written to {path}" for path in written.values() if path)
