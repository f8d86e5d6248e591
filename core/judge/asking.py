"""Putting one prompt to the model: rendered, measured, sent, read, repaired once, recorded."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from core.judge.faults import AbortedError, CallError
from core.judge.fences import Block, addresses_evaluator, shortened
from core.judge.parse import ReplyError, check_schema, parse_reply
from core.judge.prompts import Prompt
from core.judge.refusal import is_refusal
from core.judge.replies import KnownReply, Message, Model, Reply
from core.judge.requests import RENDERING, Request, put, repair
from core.model import Call, ErrorKind, Flag

_SHORTEN_TRIES = 6


class Complaint(NamedTuple):
    """What is wrong with a well-formed reply; with a flag it is used all the same, flagged."""

    text: str
    flag: Flag | None = None


Check = Callable[[Mapping[str, Any]], Complaint | None]


@dataclass(slots=True)
class Asking:
    """The requests behind one verdict, and what is to be said about them beside it."""

    model: Model
    known: Mapping[str, KnownReply]
    repeat: int
    missed: set[str] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    flags: set[Flag] = field(default_factory=set)
    addressed: list[str] = field(default_factory=list)
    is_shortened: bool = False
    condensed: str | None = None

    async def ask(
        self,
        prompt: Prompt,
        blocks: Sequence[Block],
        *,
        rank: int | None = None,
        check: Check | None = None,
    ) -> dict[str, Any]:
        """The object that the model replies, checked against the prompt's schema.

        Args:
            prompt: what is asked.
            blocks: the texts it is asked about.
            rank: of the context that it is about, if it is one.
            check: what the reply has to fulfil beyond the schema.

        Raises:
            CallError: no usable reply, even after the repair.
        """
        for block in blocks:
            if block.label not in self.addressed and addresses_evaluator(block.text):
                self.addressed.append(block.label)
        key = self._key(prompt, blocks)
        known = self.known.get(key)
        if known is not None:
            found = self._from_store(prompt, blocks, key, known, rank, check)
            if found is not None:
                return found
        self.missed.add(key)
        blocks = self._fitting(prompt, blocks)
        messages = put(prompt, blocks)
        request = Request(prompt.name, key, rank, json.dumps(messages, ensure_ascii=False))
        try:
            return await self._send(prompt, request, messages, check, may_flag=False)
        except _UnusableError as unusable:
            first = unusable
        messages = [
            *messages,
            {"role": "assistant", "content": first.error.reply or "(no reply)"},
            {"role": "user", "content": repair(first.error.message)},
        ]
        request = replace(request, prompt=json.dumps(messages, ensure_ascii=False))
        try:
            return await self._send(prompt, request, messages, check, may_flag=True)
        except AbortedError:
            raise
        except (_UnusableError, CallError) as second:
            if first.usable is not None and first.flag is not None:
                # The first reply only contradicted itself; a worse second one does not undo it.
                self.flags.add(first.flag)
                return first.usable
            raise second.error if isinstance(second, _UnusableError) else second from None

    def _key(self, prompt: Prompt, blocks: Sequence[Block]) -> str:
        """Hash of all that makes the request what it is, but for the mark that is random."""
        settings = self.model.settings
        parts = {
            "rendering": RENDERING,
            "model": settings.model,
            "api_base": settings.api_base,
            "parameters": settings.identity(),
            "prompt": prompt.sha256,
            "texts": [(block.label, block.text) for block in blocks],
            "repeat": self.repeat,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def _from_store(
        self,
        prompt: Prompt,
        blocks: Sequence[Block],
        key: str,
        known: KnownReply,
        rank: int | None,
        check: Check | None,
    ) -> dict[str, Any] | None:
        """The object of a reply that was stored, None if it would not be accepted any more."""
        try:
            value = parse_reply(known.reply).value
            check_schema(value, prompt.output)
        except ReplyError:
            return None
        complaint = check(value) if check is not None else None
        if complaint is not None:
            if complaint.flag is None:
                return None
            self.flags.add(complaint.flag)
        if known.settings.get("context_truncated"):
            self.is_shortened = True
        messages = put(prompt, blocks)
        self.calls.append(
            Call(
                step=prompt.name,
                prompt=json.dumps(messages, ensure_ascii=False),
                request_sha256=key,
                reply=known.reply,
                context_rank=rank,
                finish_reason=known.finish_reason,
                is_cached=True,
                cost=0.0,
                settings=known.settings,
            )
        )
        return value

    def _fitting(self, prompt: Prompt, blocks: Sequence[Block]) -> Sequence[Block]:
        """The texts as they fit into the model's window.

        Raises:
            CallError: context_length, with nothing sent.
        """
        limit = self.model.prompt_limit
        n_bytes = sum(len(block.text.encode()) for block in blocks) + len(prompt.text.encode())
        # No tokenizer makes more tokens than there are bytes, and counting them takes a while.
        if limit is None or n_bytes + 4_000 <= limit:
            return blocks
        n_tokens = self.model.count_tokens(put(prompt, blocks))
        if n_tokens <= limit:
            return blocks
        too_long = CallError(
            ErrorKind.CONTEXT_LENGTH,
            f"The prompt has {n_tokens} tokens; {limit} fit beside the reply. Nothing was sent. "
            "Shorten the contexts on request (--shorten-contexts), or choose another model.",
        )
        if not self.model.settings.shorten_contexts:
            raise too_long
        n_bare = self.model.count_tokens(put(prompt, shortened(blocks, 0.0)))
        share = (limit - n_bare) / max(1, n_tokens - n_bare)
        for _ in range(_SHORTEN_TRIES):
            if share <= 0.02:
                break
            cut = shortened(blocks, share)
            if self.model.count_tokens(put(prompt, cut)) <= limit:
                self.is_shortened = True
                return cut
            share *= 0.9
        raise too_long

    async def _send(
        self,
        prompt: Prompt,
        request: Request,
        messages: Sequence[Message],
        check: Check | None,
        *,
        may_flag: bool,
    ) -> dict[str, Any]:
        try:
            reply = await self.model.complete(messages, prompt.id, prompt.output)
        except AbortedError:
            raise
        except CallError as error:
            self.calls.append(request.failed(error))
            raise
        try:
            value, path = self._read(reply, prompt)
        except CallError as error:
            self.calls.append(request.failed(error, reply))
            if error.kind not in (ErrorKind.INVALID_JSON, ErrorKind.SCHEMA):
                raise
            raise _UnusableError(error) from error
        complaint = check(value) if check is not None else None
        if complaint is not None and (complaint.flag is None or not may_flag):
            kind = ErrorKind.INCONSISTENT if complaint.flag else ErrorKind.SCHEMA
            refused = CallError(kind, complaint.text, reply=reply.content)
            self.calls.append(request.failed(refused, reply))
            raise _UnusableError(refused, value if complaint.flag else None, complaint.flag)
        if complaint is not None and complaint.flag is not None:
            self.flags.add(complaint.flag)
        settings = {**reply.settings, "parsed": path}
        if self.is_shortened:
            settings["context_truncated"] = True
        self.calls.append(request.answered(reply, settings))
        return value

    def _read(self, reply: Reply, prompt: Prompt) -> tuple[dict[str, Any], str]:
        """Raises CallError with the text that came."""
        text = reply.content or ""
        finish = reply.finish_reason
        if finish in ("length", "max_tokens"):
            raise CallError(
                ErrorKind.OUTPUT_TRUNCATED,
                f"The reply was cut off at {self.model.settings.max_tokens} tokens (finish reason "
                f"{finish}). Allow longer replies with --max-tokens.",
                reply=text,
            )
        if reply.refusal or finish == "content_filter":
            raise CallError(
                ErrorKind.JUDGE_REFUSED,
                f"The judge declined: {reply.refusal or 'its provider filters such texts'}",
                reply=text or reply.refusal,
            )
        if not text.strip():
            raise CallError(
                ErrorKind.EMPTY,
                f"The reply is empty (finish reason {finish or 'none'}).",
                reply=text,
            )
        try:
            parsed = parse_reply(text)
            check_schema(parsed.value, prompt.output)
        except ReplyError as error:
            kind, message = error.kind, str(error)
            if kind is ErrorKind.INVALID_JSON and "{" not in text and is_refusal(text).is_refusal:
                kind, message = ErrorKind.JUDGE_REFUSED, f"The judge declined: {text[:200]}"
            raise CallError(kind, message, reply=text) from error
        return parsed.value, parsed.path

    async def embed(self, step: str, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of texts by the embedding model, recorded without the vectors.

        Raises:
            CallError: there are none.
        """
        prompt = json.dumps([{"role": "input", "content": text} for text in texts])
        request = Request(step, hashlib.sha256(prompt.encode()).hexdigest(), None, prompt)
        self.missed.add(request.key)
        try:
            vectors, reply = await self.model.embed(texts)
        except AbortedError:
            raise
        except CallError as error:
            self.calls.append(request.failed(error))
            raise
        self.calls.append(request.answered(reply, reply.settings))
        return vectors


class _UnusableError(Exception):
    """A reply that a second try may mend; ``usable`` all the same if it is then flagged."""

    def __init__(
        self, error: CallError, usable: dict[str, Any] | None = None, flag: Flag | None = None
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.usable = usable
        self.flag = flag
