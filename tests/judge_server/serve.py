"""An OpenAI-compatible server on loopback whose faults are asked for in the texts it is sent.

Run as a program it prints its address and serves until its standard input closes. The words
``fault:NAME`` or ``fault:NAME-LABEL`` anywhere in the messages choose how it misbehaves; the label
only tells counters of "the first time" apart. ``GET /stats`` says what it has seen, and
``POST /latency`` with a number of seconds sets how long every answer takes; ``POST /reset``
forgets what was seen.
"""

import asyncio
import contextlib
import json
import os
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from faults import FAULTS, Reply, good

_FAULT = re.compile(r"fault:([a-z0-9_]+)(-[a-z0-9]+)?")


@dataclass
class Seen:
    """What the server has been asked so far."""

    requests: int = 0
    embeddings: int = 0
    open_now: int = 0
    most_open: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    parameters: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    last_messages: list[Any] = field(default_factory=list)
    first_at: float | None = None
    last_at: float | None = None


class Server:
    """Answers chat completions and embeddings, one request per connection or many."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.seen = Seen()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        start, *lines = head.split("\r\n")
        method, path, _ = start.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if method == "GET" and path == "/stats":
            return await _send(writer, Reply(self._stats()))
        if method == "POST" and path == "/reset":
            self.seen = Seen()
            return await _send(writer, Reply({}))
        if method == "POST" and path == "/latency":
            self.latency = float(body)
            return await _send(writer, Reply({"latency": self.latency}))
        request = json.loads(body)
        self.seen.keys.add(headers.get("authorization", ""))
        if path.endswith("/embeddings"):
            self.seen.embeddings += 1
            return await _send(writer, Reply(_embeddings(request)))
        return await self._chat(request, headers, writer)

    async def _chat(
        self, request: dict[str, Any], headers: dict[str, str], writer: asyncio.StreamWriter
    ) -> bool:
        seen = self.seen
        seen.requests += 1
        seen.open_now += 1
        seen.most_open = max(seen.most_open, seen.open_now)
        seen.first_at = seen.first_at or time.time()
        seen.last_messages = request["messages"]
        seen.parameters.append({k: v for k, v in request.items() if k != "messages"})
        try:
            text = "\n".join(str(message["content"]) for message in request["messages"])
            found = _FAULT.search(text)
            name = found[1] if found else "none"
            seen.faults[found[0] if found else "none"] += 1
            nth = seen.faults[found[0] if found else "none"]
            if found:
                seen.times.setdefault(found[0], []).append(time.time())
            reply = FAULTS[name](request, nth, headers) if found else good(request)
            await asyncio.sleep(self.latency + reply.wait)
            seen.last_at = time.time()
            return await _send(writer, reply)
        finally:
            seen.open_now -= 1

    def _stats(self) -> dict[str, Any]:
        seen = self.seen
        return {
            "requests": seen.requests,
            "embeddings": seen.embeddings,
            "most_open": seen.most_open,
            "faults": dict(seen.faults),
            "times": seen.times,
            "parameters": seen.parameters[-50:],
            "keys": sorted(seen.keys),
            "last_messages": seen.last_messages,
            "first_at": seen.first_at,
            "last_at": seen.last_at,
        }


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    if reply.is_dropped:
        writer.transport.abort()
        return False
    body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    length = len(body) + reply.missing_bytes
    extra = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
    kind = reply.content_type
    writer.write(
        f"HTTP/1.1 {reply.status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n"
        f"{extra}\r\n".encode()
    )
    if reply.drip_seconds:
        for at in range(len(body)):
            writer.write(body[at : at + 1])
            await writer.drain()
            await asyncio.sleep(reply.drip_seconds)
    else:
        writer.write(body)
    await writer.drain()
    if reply.missing_bytes:
        writer.transport.abort()
        return False
    return True


def _embeddings(request: dict[str, Any]) -> dict[str, Any]:
    """The vector of a text: how often it has each of the letters a to e, plus one."""
    texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
    return {
        "object": "list",
        "model": request["model"],
        "data": [
            {
                "object": "embedding",
                "index": at,
                "embedding": [float(1 + text.lower().count(letter)) for letter in "abcde"],
            }
            for at, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": 7 * len(texts), "total_tokens": 7 * len(texts)},
    }


async def main() -> None:
    served = Server(latency=float(sys.argv[1]) if len(sys.argv) > 1 else 0.0)
    server = await asyncio.start_server(served.handle, "127.0.0.1", 0, limit=2**22)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
