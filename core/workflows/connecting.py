"""Trying a model with one small request: is it there, and which parameters does it take?"""

import asyncio
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import BadInputError
from core.judge.asking import Asking
from core.judge.client import Client
from core.judge.contracts import CONTRACT_OF
from core.judge.faults import CallError
from core.judge.fences import Block
from core.judge.prompts import load_prompts
from core.judge.settings import LlmSettings
from core.resources import resource

_METRIC = "answer_relevance_rubric"
_QUESTION = "Which day follows Monday?"
_ANSWER = "Tuesday follows Monday."
_WANTED = 4


@dataclass(frozen=True, slots=True)
class ConnectionResult:
    """What a test has found.

    Attributes:
        is_ok: True if the model gave a usable verdict.
        message: what to know or to do, for people.
        kind: kind of the error, None if there was none; "settings" where nothing was sent.
        model: the name under which the server answered.
        format: json_schema, json_object or plain: how replies can be asked for.
        dropped: parameters that the model does not take.
        score: what it gave to a right and direct answer, 1 to 5.
        latency, cost, tokens: of the request; cost None if the price is unknown.
        reply: the raw reply.
    """

    is_ok: bool
    message: str
    kind: str | None = None
    model: str | None = None
    format: str | None = None
    dropped: tuple[str, ...] = ()
    score: int | None = None
    latency: float | None = None
    cost: float | None = None
    tokens: int | None = None
    reply: str | None = None

    def as_json(self) -> dict[str, Any]:
        """A document for the status file."""
        return asdict(self)


def try_connection(settings: LlmSettings) -> ConnectionResult:
    """Ask a model for one verdict about a plain example; only in a process that judges."""
    try:
        return asyncio.run(_try(settings.checked()))
    except BadInputError as error:
        return ConnectionResult(False, str(error), kind="settings")


async def _try(settings: LlmSettings) -> ConnectionResult:
    client = Client.start(settings)
    asking = Asking(client, {}, 0)
    prompts = load_prompts(resource("prompts"))
    prompt = prompts.wording(CONTRACT_OF[_METRIC])[0]
    error: CallError | None = None
    score: int | None = None
    try:
        blocks = [Block("question", _QUESTION), Block("answer", _ANSWER)]
        score = int((await asking.ask(prompt, blocks))["score"])
    except CallError as found:
        error = found
    finally:
        await client.close()
    last = asking.calls[-1] if asking.calls else None
    sent = last.settings if last else {}
    return ConnectionResult(
        is_ok=error is None,
        message=_message(score) if error is None else error.message,
        kind=error.kind.value if error else None,
        model=sent.get("model"),
        format=sent.get("format"),
        dropped=tuple(sent.get("dropped", ())),
        score=score,
        latency=last.latency if last else None,
        cost=last.cost if last else None,
        tokens=(last.tokens_in or 0) + (last.tokens_out or 0) if last and last.tokens_in else None,
        reply=last.reply if last else None,
    )


def _message(score: int | None) -> str:
    if score is not None and score < _WANTED:
        return (
            f"The model answers, but gave a right and direct answer {score} of 5. It may be too "
            "weak for a judge."
        )
    return "The model answers with a usable verdict."
