"""What is sent to a model and what comes back, as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from core.judge.settings import LlmSettings

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; ``cost`` is None where the price is unknown."""

    content: str | None
    finish_reason: str | None
    refusal: str | None
    latency: float
    cost: float | None
    tokens_in: int | None
    tokens_out: int | None
    settings: Mapping[str, Any]


@dataclass(slots=True)
class Tally:
    """What a client has done so far. ``cost`` is what is known of it, in USD."""

    calls: int = 0
    cached: int = 0
    retries: int = 0
    cost: float = 0.0
    n_unpriced: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    wait_until: float = 0.0

    @property
    def known_cost(self) -> float | None:
        """USD in all, None if the price of some request is unknown."""
        return None if self.n_unpriced else self.cost


class Model(Protocol):
    """What is asked: the client, or a stand-in that only knows what was asked before."""

    settings: LlmSettings

    @property
    def prompt_limit(self) -> int | None:
        """Tokens that a prompt may have, None if that is not known."""

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt."""

    async def complete(
        self, messages: Sequence[Message], name: str, schema: Mapping[str, Any]
    ) -> Reply:
        """A reply; raises CallError."""

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Reply]:
        """Vectors of texts; raises CallError."""


class KnownReply(NamedTuple):
    """A reply that an equal request got before."""

    reply: str
    finish_reason: str | None
    settings: Mapping[str, Any]
