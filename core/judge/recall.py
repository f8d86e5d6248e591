"""Finding replies to equal requests before anything is sent, so that nothing is paid twice."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from core.judge.faults import CallError
from core.judge.llm import judge_unit
from core.judge.replies import KnownReply, Message, Reply
from core.judge.settings import LlmSettings
from core.judge.units import Unit
from core.model import ErrorKind

_STEPS = 4  # a request can depend on the reply before it: the question put anew, then two steps
_AT_ONCE = 16

LookUp = Callable[[Sequence[str]], Awaitable[dict[str, KnownReply]]]


class _Silent:
    """A model that answers nothing: only what is known already gets through."""

    def __init__(self, settings: LlmSettings) -> None:
        self.settings = settings

    @property
    def prompt_limit(self) -> int | None:
        """Nothing is measured, because nothing is sent."""
        return None

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Nothing is measured."""
        raise NotImplementedError

    async def complete(
        self, messages: Sequence[Message], name: str, schema: Mapping[str, Any]
    ) -> Reply:
        """Refuse."""
        raise CallError(ErrorKind.CANCELLED, "not sent")

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Reply]:
        """Refuse."""
        raise CallError(ErrorKind.CANCELLED, "not sent")


async def recall(
    units: Sequence[Unit], settings: LlmSettings, look_up: LookUp
) -> dict[str, KnownReply]:
    """Replies that the requests of these units got before, by request hash.

    Args:
        units: what is to be judged.
        settings: of the model.
        look_up: gives the replies that are stored for some request hashes.
    """
    silent = _Silent(settings)
    known: dict[str, KnownReply] = {}
    asked: set[str] = set()
    for _ in range(_STEPS):
        missed: set[str] = set()
        for at, unit in enumerate(units):
            await judge_unit(unit, silent, known, missed)
            if at % _AT_ONCE == 0:
                # Requests that are under way have replies to be read.
                await asyncio.sleep(0)
        found = await look_up(sorted(missed - asked))
        asked |= missed
        if not found:
            break
        known.update(found)
    return known
