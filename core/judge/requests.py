"""How one request to a model is put together, and how it is recorded whatever becomes of it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.judge.faults import CallError
from core.judge.fences import Block, fenced, new_nonce
from core.judge.prompts import Prompt
from core.judge.replies import Reply
from core.model import Call

#: Of the way prompts are put together; raised when that changes what a judge reads.
RENDERING = "1"
_KEPT_REPLY = 20_000


@dataclass(frozen=True, slots=True)
class Request:
    """What is the same of a request whatever becomes of it."""

    step: str
    key: str
    rank: int | None
    prompt: str

    def answered(self, reply: Reply, settings: Mapping[str, Any]) -> Call:
        """The request with its reply."""
        return Call(
            step=self.step,
            prompt=self.prompt,
            request_sha256=self.key,
            reply=reply.content,
            context_rank=self.rank,
            finish_reason=reply.finish_reason,
            latency=reply.latency,
            cost=reply.cost,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            settings=settings,
        )

    def failed(self, error: CallError, reply: Reply | None = None) -> Call:
        """The request without a usable reply."""
        if reply is None:
            # A request that gave nothing costs nothing, as far as anybody knows.
            found = Call(self.step, self.prompt, self.key, context_rank=self.rank, cost=0.0)
        else:
            found = self.answered(reply, reply.settings)
        text = error.reply if error.reply is not None else found.reply
        return replace(
            found,
            reply=text[:_KEPT_REPLY] if text is not None else None,
            error_kind=error.kind.value,
            error=error.message,
        )


def put(prompt: Prompt, blocks: Sequence[Block]) -> list[dict[str, str]]:
    """Instructions that are the same each time, then the texts between marks of this request."""
    schema = json.dumps(prompt.output, ensure_ascii=False)
    system = (
        f"{prompt.text}\n\n"
        "Reply with exactly one JSON object and nothing else, of this JSON schema:\n"
        f"{schema}"
    )
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": fenced(blocks, new_nonce(blocks))},
    ]


def repair(complaint: str) -> str:
    """What a model is told about a reply that cannot be used."""
    return (
        f"That reply cannot be used. {complaint} Judge the same texts again, by the same "
        "instructions, and reply with exactly one JSON object of the schema and nothing else."
    )
