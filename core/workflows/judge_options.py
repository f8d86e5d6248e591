"""The judge as the command line words it: options in, sentences out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.errors import BadInputError
from core.judge.settings import LlmSettings
from core.model import JudgeSpec
from core.workflows.judge_plan import Estimate
from core.workflows.judge_request import Outcome, Request
from core.workflows.judging import Judge, check_judge
from core.workflows.wording import judge_line


def judge_of(name: str, options: Mapping[str, Any]) -> Judge:
    """The judge of a name with the options that were given; a model's do not matter to another.

    Raises:
        BadInputError: an option that cannot be used.
    """
    judge = check_judge(name)
    if isinstance(judge, JudgeSpec):
        return judge
    given = {key: value for key, value in options.items() if value is not None}
    if "price" in given:
        given["price"] = parse_price(given["price"])
    if "prompts" in given:
        given["prompts"] = tuple(given["prompts"])
    return LlmSettings(name, **given).checked()


def parse_price(text: str) -> tuple[float, float]:
    """USD per million tokens of prompts and of replies from "0.15,0.60".

    Raises:
        BadInputError: not two numbers.

    >>> parse_price("0.15,0.60")
    (0.15, 0.6)
    """
    try:
        prompt, reply = (float(part) for part in text.split(","))
    except ValueError as error:
        raise BadInputError(
            f"--price {text} is not two numbers: USD per million tokens of prompts and of "
            "replies, such as 0.15,0.60."
        ) from error
    return prompt, reply


def request_of(
    metrics: Sequence[str] | None,
    sample_ids: Sequence[str] | None,
    flags: Mapping[str, bool],
    *,
    sample_rate: float | None,
    seed: int,
    repeats: int,
    leave_cut: bool = False,
) -> Request:
    """The request that options come to.

    Raises:
        BadInputError: more than one of --missing, --failed and --all.
    """
    chosen = [name for name, is_set in flags.items() if is_set]
    if len(chosen) > 1:
        raise BadInputError("Of --missing, --failed and --all only one can be given.")
    return Request(
        metrics=tuple(metrics or ()),
        sample_ids=tuple(sample_ids or ()),
        which=chosen[0] if chosen else "missing",
        sample_rate=sample_rate,
        seed=seed,
        repeats=repeats,
        leave_cut=leave_cut,
    ).checked()


def estimate_line(found: Estimate) -> str:
    """What is about to be sent where, and what it may cost."""
    if not found.samples:
        return "0 to judge: nothing is sent"
    cost = "unknown cost" if found.cost is None else f"about ${found.cost:.2g}"
    requests = "request" if found.requests == 1 else "requests"
    return (
        f"{found.samples:,} to judge: {', '.join(found.sends)} are sent to {found.destination}; "
        f"about {found.requests:,} {requests}, {found.tokens:,} tokens, {cost}"
    )


def cut_lines(n_cut: int) -> Iterator[str]:
    """That samples were left out because a text of theirs was cut, if any were."""
    if n_cut:
        samples = "1 sample" if n_cut == 1 else f"{n_cut:,} samples"
        yield (
            f"left out: {samples} with texts that were cut before the file was saved; "
            "--include-truncated judges them too"
        )


def outcome_lines(found: Outcome) -> Iterator[str]:
    """What judging came to, and why some of it failed or was left."""
    yield judge_line(found.as_json())
    if found.calls or found.cached:
        retries = f", {found.retries} tried again" if found.retries else ""
        yield f"{found.calls} requests, {found.cached} answered from the store{retries}"
    yield from cut_lines(found.n_cut)
    if found.errors:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(found.errors.items()))
        yield f"errors: {kinds}; --failed tries these again"
    if found.stopped is not None and found.message:
        yield f"ended early ({found.stopped}): {found.message}"


def stopped_line(found: Outcome, request: Request, *, can_recall: bool) -> str:
    """After Ctrl-C: what is saved, and how to go on."""
    saved = f"Stopped. {found.verdicts:,} verdicts are saved"
    if request.which != "all":
        return f"{saved}; the same command does the rest."
    if can_recall and found.calls + found.cached:
        return f"{saved}; the same command answers from the store what has been asked already."
    return f"{saved}; without --all the same command does what is missing."
