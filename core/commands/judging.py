"""``judge``: verdicts of the offline judge or of a model."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from core.commands.common import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    JsonOption,
    RunArgument,
    StoreOption,
    errors,
    open_store,
    print_json,
    print_lines,
    progress,
    say,
)
from core.commands.stopping import Stop, stoppable
from core.errors import BadInputError

if TYPE_CHECKING:
    from core.workflows.judge_request import Progress, Report


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
        str | None, typer.Option("--embedding-model", help="For the scores by embeddings.")
    ] = None,
    no_condense: Annotated[
        bool,
        typer.Option(
            "--no-condense",
            help="Judge the question of a conversation as it is, without putting it so that it "
            "stands alone.",
        ),
    ] = False,
    include_truncated: Annotated[
        bool,
        typer.Option(
            "--include-truncated",
            help="Let a model judge samples with a text that was cut before the file was saved, "
            "too. Without it they are left out, unless --sample names them.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be sent and what it may cost.")
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a run; verdicts are appended, earlier ones stay."""
    with errors(as_json):
        from core.judge.settings import LlmSettings
        from core.workflows.judge_options import (
            cut_lines,
            estimate_line,
            judge_of,
            outcome_lines,
            request_of,
            stopped_line,
        )
        from core.workflows.judge_plan import estimate
        from core.workflows.judging import judge_run

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
            "condense": not no_condense,
        }
        chosen = judge_of(judge_name, options)
        request = request_of(
            metric,
            sample,
            {"missing": missing, "failed": failed, "all": everything},
            sample_rate=sample_rate,
            seed=seed,
            repeats=repeats,
            leave_cut=isinstance(chosen, LlmSettings) and not include_truncated and not sample,
        )
        opened = open_store(store)
        if isinstance(chosen, LlmSettings):
            expected = estimate(opened, run, request, chosen)
            say(estimate_line(expected))
            if dry_run:
                for line in cut_lines(expected.n_cut):
                    say(line)
                if as_json:
                    print_json(expected.as_json())
                return
        elif dry_run:
            raise BadInputError("The offline judge sends nothing; leave --dry-run out.")
        with stoppable() as stop, progress() as show:
            outcome = judge_run(opened, run, request, chosen, _judge_progress(show, stop))
        if as_json:
            print_json(outcome.as_json())
        else:
            print_lines(outcome_lines(outcome))
    if stop.is_asked and outcome.stopped:
        say(stopped_line(outcome, request, can_recall=not no_cache))
        raise typer.Exit(EXIT_INTERRUPTED)
    if outcome.failed or outcome.stopped:
        raise typer.Exit(EXIT_FAILED)


def _judge_progress(show: Callable[[str], None] | None, stop: Stop) -> "Report":
    started = time.monotonic()

    def report(now: "Progress") -> bool:
        made = now.done + now.failed
        if show is not None and now.waiting:
            show(f"{made:,} of {now.total:,}, the provider asks to wait")
        elif show is not None and made:
            left = (time.monotonic() - started) / made * (now.total - made)
            cost = "" if not now.cost else f", ${now.cost:.3g}"
            show(f"{made:,} of {now.total:,}{cost}, about {left:.0f} s left")
        return not stop.is_asked

    return report
