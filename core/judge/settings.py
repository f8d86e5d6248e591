"""What a person settles about a model judge, and what of it is part of the judge's identity."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from core.errors import BadInputError

MAX_CONCURRENCY = 32


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """A model judge.

    Attributes:
        model: name as litellm knows it, such as "openai/gpt-4o-mini"; with ``api_base`` the name
            that the server uses.
        api_base: address of an OpenAI-compatible server.
        temperature: None leaves it to the provider.
        seed: passed on where the model takes one.
        max_tokens: longest reply, in tokens; reasoning counts too.
        embedding_model: needed by answer_relevancy_embed and answer_similarity_embed.
        shorten_contexts: cut contexts that do not fit instead of giving up; each verdict says so.
        context_limit: tokens that prompt and reply may have, where litellm does not know it.
        prompts: prompts to use instead of the shipped ones, as ``id`` or ``id@version``.
        concurrency: requests at the same time, 1 to 32.
        max_cost: USD that a job may cost; needs a known price.
        price: USD per million tokens of prompts and of replies, where litellm does not know it.
        timeout: seconds that one request may take in all.
        connect_timeout: seconds until a connection stands.
        use_cache: answer a request that was made before from the store.
        condense: put the question of a conversation so that it stands alone, before it is judged.
    """

    model: str
    api_base: str | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int = 2048
    embedding_model: str | None = None
    shorten_contexts: bool = False
    context_limit: int | None = None
    prompts: tuple[str, ...] = ()
    concurrency: int = 8
    max_cost: float | None = None
    price: tuple[float, float] | None = None
    timeout: float = 120.0
    connect_timeout: float = 10.0
    use_cache: bool = True
    condense: bool = True

    def checked(self) -> "LlmSettings":
        """These settings, if they can be used.

        Raises:
            BadInputError: a value that is out of its range, or an address with a key in it.
        """
        if not self.model.strip():
            raise BadInputError("Name a model, such as openai/gpt-4o-mini.")
        if self.api_base is not None:
            _check_address(self.api_base)
        if not 1 <= self.concurrency <= MAX_CONCURRENCY:
            raise BadInputError(f"The concurrency can be 1 to {MAX_CONCURRENCY}.")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise BadInputError("The temperature can be 0 to 2.")
        if self.max_cost is not None and not (isfinite(self.max_cost) and self.max_cost > 0):
            raise BadInputError("The largest cost has to be more than 0.")
        if self.price is not None and not all(isfinite(p) and p >= 0 for p in self.price):
            raise BadInputError("A price is two numbers, in USD per million tokens.")
        for name in ("max_tokens", "timeout", "connect_timeout", "context_limit"):
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value > 0):
                raise BadInputError(f"{name.replace('_', ' ').capitalize()} has to be above 0.")
        return self

    def identity(self, *, embeds: bool = False) -> dict[str, Any]:
        """What makes verdicts of this judge comparable with each other, beside model and prompt."""
        found: dict[str, Any] = {"max_tokens": self.max_tokens}
        if self.temperature is not None:
            found["temperature"] = self.temperature
        if self.seed is not None:
            found["seed"] = self.seed
        if self.shorten_contexts:
            found["shorten_contexts"] = True
            if self.context_limit is not None:
                found["context_limit"] = self.context_limit
        if embeds:
            found["embedding_model"] = self.embedding_model
        return found

    @property
    def destination(self) -> str:
        """Where texts are sent, for people to read."""
        if self.api_base is not None:
            return f"{self.model} at {urlsplit(self.api_base).netloc}"
        return f"{self.model} through its provider"

    def as_json(self) -> dict[str, Any]:
        """A document that ``from_json`` reads; there is never a key in it."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "LlmSettings":
        """The settings of a document."""
        known = {field.name for field in fields(cls)}
        values = {key: value for key, value in document.items() if key in known}
        values["prompts"] = tuple(values.get("prompts") or ())
        if values.get("price") is not None:
            values["price"] = tuple(values["price"])
        return cls(**values)


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise BadInputError(f"The address {_shown(address)} cannot be read.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInputError(
            f"The address {_shown(address)} has to begin with http:// or https:// and a host, "
            "such as http://localhost:8000/v1."
        )
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise BadInputError(
            "Leave keys and passwords out of the address: it is stored. A key is read from the "
            "environment, where litellm looks for it or from RAGTRIAGE_JUDGE_KEY."
        )


def _shown(address: str) -> str:
    """An address as an error may show it: without whatever stands before an @ or behind a ?."""
    return repr(address.rsplit("@", 1)[-1].split("?", 1)[0][:100])
