"""What is judged in one go, and the texts of it that a request shows."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.judge.asking import Asking
from core.judge.contracts import Contract
from core.judge.faults import AbortedError, CallError
from core.judge.fences import Block, numbered
from core.judge.prompts import Prompt
from core.model import Cause, Context, JudgeSpec, SampleText


@dataclass(frozen=True, slots=True)
class Unit:
    """What is judged in one go: one contract, for one sample and repeat, for these metrics.

    ``condense`` is the prompt by which the question of a conversation is made to stand alone; None
    leaves it as it is.
    """

    sample: SampleText
    contract: Contract
    prompts: tuple[Prompt, ...]
    metrics: tuple[str, ...]
    repeat: int
    judge: JudgeSpec
    condense: Prompt | None = None

    @property
    def is_condensed(self) -> bool:
        """True if the question is put anew, so that it stands without the history."""
        return (
            self.condense is not None and bool(self.sample.history) and self.contract.shows_question
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What the replies to a contract come to, by metric; None where there is none to give."""

    values: Mapping[str, float | None]
    reasoning: str
    raw: str | None = None
    detail: Mapping[str, Any] | None = None
    cause: Cause | None = None


def blocks_of(unit: Unit, step: int, **others: str) -> list[Block]:
    """The texts that a step shows, in the contract's order."""
    sample = unit.sample
    found: list[Block] = []
    for name in unit.contract.steps[step - 1].inputs:
        match name:
            case "question":
                found.append(Block("question", sample.question))
            case "answer":
                found.append(Block("answer", sample.answer or ""))
            case "reference":
                texts = [text for text in sample.references if text.strip()]
                found.append(Block("reference", texts[0] if len(texts) == 1 else numbered(texts)))
            case "contexts":
                found += [_context(context) for context in with_text(sample)]
            case "context":
                pass
            case _:
                found.append(Block(name, others[name]))
    return found


def _context(context: Context) -> Block:
    return Block(f"context {context.rank}", context.text or "")


def with_text(sample: SampleText) -> list[Context]:
    """The contexts that have a text."""
    return [context for context in sample.contexts or () if (context.text or "").strip()]


async def per_context(
    unit: Unit, asking: Asking
) -> list[tuple[int, dict[str, Any] | None, str | None]]:
    """Rank, reply and kind of error for each context; the first is what is known of no text.

    Raises:
        CallError: every request failed, or the job ended.
    """
    blocks = blocks_of(unit, 1)
    errors: list[CallError] = []

    async def one(context: Context) -> tuple[int, dict[str, Any] | None, str | None]:
        if not (context.text or "").strip():
            return context.rank, None, Cause.EMPTY.value
        try:
            reply = await asking.ask(
                unit.prompts[0], [*blocks, _context(context)], rank=context.rank
            )
        except CallError as error:
            errors.append(error)
            return context.rank, None, error.kind.value
        return context.rank, reply, None

    found = await asyncio.gather(*(one(context) for context in unit.sample.contexts or ()))
    for error in errors:
        # The verdict waits for the rest; as it stands it would look complete.
        if isinstance(error, AbortedError) or error.is_fatal:
            raise error
    if errors and all(reply is None for _, reply, _ in found):
        raise errors[0]
    return list(found)
