"""Prices of models, and a budget that is never exceeded. An unknown price is unknown, not zero."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from core.judge.settings import LlmSettings

_MAP = "model_prices_and_context_window_backup.json"
#: Providers that run on the person's own machine, where a price of zero is what it says.
_FREE = ("ollama", "ollama_chat", "lm_studio", "llamafile", "xinference")


class Price(NamedTuple):
    """USD per token of a prompt and of a reply."""

    prompt: float
    reply: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """USD for one request."""
        return tokens_in * self.prompt + tokens_out * self.reply


class ModelInfo(NamedTuple):
    """What is known about a model: price, and tokens that prompt and reply may have together."""

    price: Price | None
    limit: int | None


@lru_cache(maxsize=1)
def _known_models() -> Mapping[str, Mapping[str, Any]]:
    """The table that litellm ships, read as a file: importing litellm would take seconds."""
    found = importlib.util.find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    try:
        text = (Path(found.origin).parent / _MAP).read_text(encoding="utf-8")
        loaded = json.loads(text)
    except (OSError, ValueError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def model_info(settings: LlmSettings) -> ModelInfo:
    """Price and limit of a model: as the person says, else as litellm's table does."""
    entry = _entry(settings.model) or {}
    price = None
    if settings.price is not None:
        price = Price(settings.price[0] / 1e6, settings.price[1] / 1e6)
    else:
        prompt, reply = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        if isinstance(prompt, int | float) and isinstance(reply, int | float):
            is_free = entry.get("litellm_provider") in _FREE
            # A nought in the table mostly means that nobody has entered the price.
            if prompt > 0 or reply > 0 or is_free:
                price = Price(float(prompt), float(reply))
    limit = settings.context_limit or entry.get("max_input_tokens")
    return ModelInfo(price, limit if isinstance(limit, int) and limit > 0 else None)


def _entry(model: str) -> Mapping[str, Any] | None:
    models = _known_models()
    if model in models:
        return models[model]
    provider, _, name = model.partition("/")
    entry = models.get(name)
    return entry if entry is not None and entry.get("litellm_provider") == provider else None


def cost_of(
    price: Price | None, reckoned: float | None, tokens_in: int | None, tokens_out: int | None
) -> float | None:
    """USD of a request: as the library has reckoned it, else by its tokens; None if unknown."""
    if price is None:
        return None
    if reckoned is not None:
        return reckoned
    if tokens_in is None or tokens_out is None:
        return None
    return price.of(tokens_in, tokens_out)


class BudgetSpentError(Exception):
    """The next request could exceed the budget."""


class Budget:
    """A limit in USD. What a request may cost at most is set aside before it is sent."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._spent = 0.0
        self._reserved = 0.0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def reserve(self, most: float) -> AsyncIterator["Reservation"]:
        """Set ``most`` USD aside, waiting for running requests where their rest may be enough.

        Raises:
            BudgetSpentError: not even then.
        """
        if self.limit is None:
            yield Reservation()
            return
        async with self._changed:
            while self._spent + self._reserved + most > self.limit:
                if self._spent + most > self.limit or not self._reserved:
                    raise BudgetSpentError
                await self._changed.wait()
            self._reserved += most
        mine = Reservation()
        try:
            yield mine
        finally:
            async with self._changed:
                # Rounding must not leave a trace of what is no longer reserved.
                self._reserved = max(0.0, self._reserved - most)
                if self._reserved < 1e-12:
                    self._reserved = 0.0
                self._spent += mine.spent
                self._changed.notify_all()


class Reservation:
    """What a request did cost, to be filled in by whoever made it."""

    def __init__(self) -> None:
        self.spent = 0.0
