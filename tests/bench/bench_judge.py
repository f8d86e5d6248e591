"""Judging with a model whose every answer takes a second: how close to the bound of the latency?

512 judgements at a concurrency of 32 take at least 16 s. Measured from the first request that the
server sees to the last verdict in the store, in a worker that has loaded its library; beside it a
bare HTTP client that only sends as many requests and reads the replies.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import httpx

from core.judge.settings import LlmSettings
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.judging import Request, judge_run
from core.workflows.setup import ensure_store

SERVER = Path(__file__).parents[1] / "judge_server" / "serve.py"
N, CONCURRENCY, LATENCY = 512, 32, 1.0
BOUND = N / CONCURRENCY * LATENCY
PARAGRAPH = "The bridge was closed in spring because its northern pier had moved by a hand. "


def ask(address: str, path: str, body: bytes | None = None) -> dict[str, Any]:
    url = address.removesuffix("/v1") + path
    request = urllib.request.Request(url, data=body, method="GET" if body is None else "POST")
    with urllib.request.urlopen(request) as response:
        return dict(json.load(response))


async def bare(address: str) -> float:
    """Seconds of a client that does nothing but send and read."""
    texts = [f"Question {i}: which bridge? {PARAGRAPH * 30}" for i in range(N)]
    limits = httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:
        slots = asyncio.Semaphore(CONCURRENCY)

        async def one(text: str) -> None:
            body = {"model": "fake", "messages": [{"role": "user", "content": text}]}
            async with slots:
                response = await client.post(f"{address}/chat/completions", json=body)
                json.loads(response.json()["choices"][0]["message"]["content"])

        started = time.perf_counter()
        await asyncio.gather(*(one(text) for text in texts))
        return time.perf_counter() - started


def fill(folder: Path) -> Store:
    file = folder / "run.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for i in range(N + 1):
            row = {
                "run": "bench",
                "sample_id": f"s{i}",
                "question": f"Question {i}: which bridge was closed, and why?",
                "answer": PARAGRAPH * 30,
            }
            out.write(json.dumps(row) + "\n")
    store, _ = ensure_store(folder / "store.duckdb")
    import_file(store, file, Options())
    return store


def judged(store: Store, address: str) -> tuple[float, Any]:
    """Seconds from the first request to the last verdict saved."""
    settings = LlmSettings("openai/fake", api_base=address, concurrency=CONCURRENCY)
    metrics = ("answer_relevance_rubric",)
    judge_run(store, "bench", Request(metrics, sample_ids=(f"s{N}",)), settings)
    ask(address, "/reset", b"")
    outcome = judge_run(store, "bench", Request(metrics), settings)
    return time.time() - float(ask(address, "/stats")["first_at"]), outcome


def main() -> None:
    server = subprocess.Popen(
        [sys.executable, str(SERVER), str(LATENCY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    print(f"{N} judgements, {LATENCY:g} s each, {CONCURRENCY} at a time: bound {BOUND:.1f} s")
    seconds = asyncio.run(bare(address))
    print(f"bare httpx client      {seconds:6.2f} s   {BOUND / seconds:6.1%} of the bound")
    with tempfile.TemporaryDirectory() as folder:
        seconds, outcome = judged(fill(Path(folder)), address)
        print(f"judge, verdicts saved  {seconds:6.2f} s   {BOUND / seconds:6.1%} of the bound")
        print(f"done {outcome.done}, failed {outcome.failed}, requests {outcome.calls}")
    server.stdin.close()
    server.wait()


if __name__ == "__main__":
    main()
