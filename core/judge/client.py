"""One model behind litellm: requests that are bounded, retried, paid for and counted.

Retries, time limits and the budget are ours: litellm's own would hide what went wrong and count
nothing.
"""

import asyncio
import random
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import BadInputError
from core.judge.contracts import Schema
from core.judge.cost import (
    Budget,
    BudgetSpentError,
    ModelInfo,
    Price,
    Reservation,
    cost_of,
    model_info,
)
from core.judge.endpoint import Endpoint, check_host, find_endpoint
from core.judge.faults import AbortedError, CallError, classify
from core.judge.forms import Form, FormMemory, next_form
from core.judge.litellm_access import (
    import_litellm,
    litellm_version,
    response_cost,
    usage,
    vectors,
)
from core.judge.redaction import Redactor
from core.judge.replies import Message, Reply, Tally
from core.judge.settings import LlmSettings
from core.model import ErrorKind

RETRIES = 2
MAX_WAIT = 60.0
"""Longest wait in seconds that a provider may ask for; beyond it the request has failed."""
_BASE_WAIT = 0.5
_GRACE_SECONDS = 1.0
# Requests leave one after another: those that leave as one bunch come back as one, and then each
# waits while litellm is busy with all the others, wave after wave.
_SPACING = 0.006
_HOPELESS = 100  # final failures of the provider in a row, whereupon the job gives up

_OF_PROVIDER = (ErrorKind.TIMEOUT, ErrorKind.RATE_LIMIT, ErrorKind.PROVIDER_ERROR)

T = TypeVar("T")


@dataclass(slots=True)
class Client:
    """Sends requests to the model of ``settings``; make it with ``start`` inside a running loop."""

    settings: LlmSettings
    endpoint: Endpoint
    info: ModelInfo
    litellm: Any
    redact: Redactor
    memory: FormMemory
    tally: Tally = field(default_factory=Tally)
    aborted: CallError | None = None
    _slots: asyncio.Semaphore = field(init=False)
    _budget: Budget = field(init=False)
    _stop: asyncio.Event = field(init=False)
    _failures: int = 0
    _next_start: float = 0.0
    _random: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        """Bind to the running loop."""
        self._slots = asyncio.Semaphore(self.settings.concurrency)
        self._budget = Budget(self.settings.max_cost)
        self._stop = asyncio.Event()

    @classmethod
    def start(cls, settings: LlmSettings) -> "Client":
        """A client whose key and address have been looked at.

        Raises:
            BadInputError: no such provider, no key, no server at that address, or a budget
                without a price.
        """
        if settings.api_base is not None:
            check_host(settings.api_base)
        info = model_info(settings)
        if settings.max_cost is not None and info.price is None:
            raise BadInputError(
                f"The price of {settings.model} is unknown, so a limit on the cost cannot be "
                "kept. Say the price in USD per million tokens of prompts and replies "
                "(--price 0.15,0.60), or leave the limit out."
            )
        litellm = import_litellm()
        endpoint = find_endpoint(settings, litellm)
        if settings.model not in litellm.model_cost:
            # litellm would look for a price of an unknown model with every reply, at length.
            litellm.register_model({settings.model: {"litellm_provider": endpoint.provider}})
        return cls(settings, endpoint, info, litellm, Redactor(), FormMemory.of(settings))

    def abort(self, error: CallError) -> None:
        """Let no further request start; the first reason stays."""
        if self.aborted is None:
            self.aborted = error
            self._stop.set()

    async def close(self) -> None:
        """Close connections that litellm keeps open."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await self.litellm.close_litellm_async_clients()

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt, by the model's own tokenizer where litellm has it."""
        return int(self.litellm.token_counter(model=self.settings.model, messages=list(messages)))

    @property
    def prompt_limit(self) -> int | None:
        """Tokens that a prompt may have so that the reply fits as well; None if not known."""
        limit = self.info.limit
        if limit is None:
            return None
        return limit - self.settings.max_tokens if limit > self.settings.max_tokens else limit

    async def complete(self, messages: Sequence[Message], name: str, schema: Schema) -> Reply:
        """One reply to these messages, with retries.

        Raises:
            CallError: there is none; AbortedError if the job has ended.
        """
        return await self._with_retries(lambda: self._in_a_form(messages, name, schema))

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Reply]:
        """Vectors of texts by the embedding model, with what the request has cost.

        Raises:
            CallError: there are none.
        """
        return await self._with_retries(lambda: self._embed_once(texts))

    async def _with_retries(self, send: Callable[[], Awaitable[T]]) -> T:
        async with self._slots:
            for attempt in range(RETRIES + 1):
                await self._turn()
                try:
                    found = await send()
                except CallError as error:
                    wait = self._wait(error, attempt)
                    if wait is None:
                        self._count_failure(error)
                        raise
                    self.tally.retries += 1
                    await self._pause(wait)
                else:
                    self._failures = 0
                    return found
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, error: CallError, attempt: int) -> float | None:
        """Seconds until the next attempt, None if there is none."""
        if isinstance(error, AbortedError):
            return None
        if error.is_fatal:
            self.abort(error)
            return None
        asked = error.retry_after
        if not error.is_transient or (asked is not None and asked > MAX_WAIT):
            return None
        if attempt == RETRIES:
            return None
        if asked is not None:
            # Everybody waits: the provider has spoken to the whole account.
            self.tally.wait_until = max(self.tally.wait_until, time.time() + asked)
            return asked * (1 + 0.1 * self._random.random())
        return _BASE_WAIT * 2.0**attempt * self._random.uniform(0.5, 1.5)

    def _count_failure(self, error: CallError) -> None:
        if isinstance(error, AbortedError) or error.kind not in _OF_PROVIDER:
            return
        self._failures += 1
        if self._failures >= max(_HOPELESS, 4 * self.settings.concurrency):
            self.abort(
                CallError(
                    error.kind,
                    f"{self._failures} requests in a row have failed, the last one so: "
                    f"{error.message}",
                )
            )

    async def _turn(self) -> None:
        """Wait while the provider has asked everybody to slow down."""
        while (left := self.tally.wait_until - time.time()) > 0:
            await self._pause(left)
        if self.aborted is not None:
            raise AbortedError(self.aborted.kind, self.aborted.message)
        now = time.monotonic()
        start = max(now, self._next_start)
        self._next_start = start + _SPACING
        if start > now:
            await asyncio.sleep(start - now)

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return
        assert self.aborted is not None
        raise AbortedError(self.aborted.kind, self.aborted.message)

    async def _in_a_form(self, messages: Sequence[Message], name: str, schema: Schema) -> Reply:
        """Send; where the provider refuses a parameter, try without and remember what worked."""
        form: Form | None = self.memory.form
        while True:
            assert form is not None
            parameters = form.parameters(self.settings, name, schema)
            try:
                reply = await self._paid(messages, parameters, form)
            except CallError as error:
                form = next_form(form, parameters, error.message)
                if not error.is_refused_request or form is None:
                    raise
                continue
            self.memory.adopt(form)
            return reply

    async def _paid(
        self, messages: Sequence[Message], parameters: Mapping[str, Any], form: Form
    ) -> Reply:
        price = self.info.price
        most = 0.0
        if self.settings.max_cost is not None and price is not None:
            most = price.of(self.count_tokens(messages), self.settings.max_tokens)
        try:
            async with self._budget.reserve(most) as mine:
                started = time.monotonic()
                response = await self._limited(
                    lambda: self.litellm.acompletion(
                        messages=list(messages), **self.endpoint.arguments(), **parameters
                    )
                )
                return self._reply(response, time.monotonic() - started, form, price, mine)
        except BudgetSpentError as error:
            spent = CallError(
                ErrorKind.BUDGET,
                f"The next request could exceed the limit of ${self.settings.max_cost:g}.",
                is_fatal=True,
            )
            raise spent from error

    async def _limited(self, send: Callable[[], Awaitable[Any]]) -> Any:
        """One request within the time limit, given up soon after the job is stopped.

        Raises:
            CallError: what went wrong.
        """
        request = asyncio.ensure_future(send())
        stop = asyncio.ensure_future(self._stop.wait())
        limit = self.settings.timeout
        try:
            done, _ = await asyncio.wait(
                {request, stop}, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            if request not in done and stop in done:
                # What is under way is paid already. A stop by a person gives it a moment only.
                is_stopped = self.aborted is not None and self.aborted.kind is ErrorKind.CANCELLED
                await asyncio.wait({request}, timeout=_GRACE_SECONDS if is_stopped else limit)
            if not request.done():
                if self.aborted is not None:
                    raise AbortedError(self.aborted.kind, self.aborted.message)
                raise TimeoutError
            return request.result()
        except CallError:
            raise
        except Exception as error:
            found = classify(error, self.redact, limit)
            address = self.settings.api_base
            is_lost = getattr(error, "status_code", None) == 404
            if is_lost and address is not None and not address.rstrip("/").endswith("/v1"):
                found.message += " (the address of such a server mostly ends in /v1)"
            raise found from None
        finally:
            stop.cancel()
            request.cancel()

    def _reply(
        self, response: Any, latency: float, form: Form, price: Price | None, mine: Reservation
    ) -> Reply:
        choices = getattr(response, "choices", None) or []
        message = getattr(choices[0], "message", None) if choices else None
        content = getattr(message, "content", None)
        refusal = getattr(message, "refusal", None)
        tokens_in, tokens_out = usage(response)
        reckoned = response_cost(response) if self.settings.price is None else None
        cost = cost_of(price, reckoned, tokens_in, tokens_out)
        self._count(cost, tokens_in, tokens_out)
        mine.spent = cost or 0.0
        settings: dict[str, Any] = {
            "format": form.format,
            "litellm": litellm_version(),
            "provider": self.endpoint.provider,
        }
        if self.settings.api_base is not None:
            settings["api_base"] = self.settings.api_base
        if form.dropped:
            settings["dropped"] = sorted(form.dropped)
        named = getattr(response, "model", None)
        if isinstance(named, str) and named:
            settings["model"] = named
        finish = getattr(choices[0], "finish_reason", None) if choices else None
        return Reply(
            content=self.redact(content) if isinstance(content, str) else None,
            finish_reason=str(finish) if finish else None,
            refusal=self.redact(refusal) if isinstance(refusal, str) and refusal else None,
            latency=latency,
            cost=cost,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            settings=settings,
        )

    def _count(self, cost: float | None, tokens_in: int | None, tokens_out: int | None) -> None:
        self.tally.calls += 1
        self.tally.tokens_in += tokens_in or 0
        self.tally.tokens_out += tokens_out or 0
        if cost is None:
            self.tally.n_unpriced += 1
        else:
            self.tally.cost += cost

    async def _embed_once(self, texts: Sequence[str]) -> tuple[list[list[float]], Reply]:
        started = time.monotonic()
        response = await self._limited(
            lambda: self.litellm.aembedding(input=list(texts), **self.endpoint.embedding())
        )
        found = vectors(response, len(texts))
        if found is None:
            raise CallError(ErrorKind.EMPTY, "The embedding model gave no vectors.")
        tokens_in, _ = usage(response)
        cost = response_cost(response)
        self._count(cost, tokens_in, 0)
        settings = {
            "embedding_model": self.settings.embedding_model,
            "dimensions": len(found[0]),
        }
        latency = time.monotonic() - started
        return found, Reply(None, None, None, latency, cost, tokens_in, 0, settings)
