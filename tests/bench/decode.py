"""How much CPU a stream costs: ours against `httpx` lines + `json.loads`, over loopback.

    .venv/bin/python -m tests.bench.decode

20,000 text deltas, and 51,000 argument deltas in one call. CPU seconds of this process's client
thread are compared (`time.thread_time`), the best of several runs; 1.0 is the bare loop, which
builds nothing. Official SDKs are measured too where they are installed. Exit code 1 if ours costs
more than twice the bare loop.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from importlib.util import find_spec

import httpx

from neodeskpet.conversation.ports import ModelRequest
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.llm.adapters import PROTOCOLS
from neodeskpet.llm.client import HttpClient, HttpModel
from neodeskpet.llm.protocol import ModelOptions
from tests.support.sseserver import Reply, ScriptedServer, chunk, done, finish, text, tool_call

RUNS = 5
LIMIT = 2.0
_EVENTS_A_WRITE = 4
_FRAME = {"created": 1754432618, "model": "gpt-4o", "system_fingerprint": "fp_ff25b2783a"}


def _text_stream() -> list[bytes]:
    return [*(chunk({"content": f"word{n} "}, **_FRAME) for n in range(20_000)), finish(), done()]


def _argument_stream() -> list[bytes]:
    pieces = (
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "ab "}}]}, **_FRAME)
        for _ in range(51_000)
    )
    opened = tool_call("f", '{"text": "', "call_1")
    return [text("Hm."), opened, *pieces, tool_call("", '"}'), finish("tool_calls"), done()]


def _grouped(events: list[bytes]) -> list[bytes]:
    """As a server writes them: a few events at a time."""
    size = _EVENTS_A_WRITE
    return [b"".join(events[at : at + size]) for at in range(0, len(events), size)]


async def _ours(url: str) -> int:
    client = HttpClient()
    model = HttpModel(client, PROTOCOLS["openai"], ModelOptions(url, "m"))
    request = ModelRequest("", [UserTurn((TextPart("hi"),))])
    count = 0
    async with aclosing(model.stream(request)) as events:
        async for _ in events:
            count += 1
    await client.close()
    return count


async def _bare(url: str) -> int:
    count = 0
    async with (
        httpx.AsyncClient() as client,
        client.stream("POST", f"{url}/chat/completions", json={"stream": True}) as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                json.loads(line[6:])
                count += 1
    return count


async def _openai_sdk(url: str) -> int:
    import openai

    count = 0
    async with openai.AsyncOpenAI(base_url=url, api_key="x") as client:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hi"}], stream=True
        )
        async for _ in stream:
            count += 1
    return count


def _cost(run: Callable[[str], Awaitable[int]], parts: list[bytes]) -> float:
    """CPU seconds of the client, the best of RUNS."""
    best = float("inf")
    with ScriptedServer() as server:
        server.fallback = lambda request: Reply(parts)

        async def once() -> float:
            began = time.thread_time()
            await run(server.url)
            return time.thread_time() - began

        for _ in range(RUNS):
            best = min(best, asyncio.run(once()))
    return best


def measure() -> dict[str, float]:
    """CPU of each peer / CPU of the bare loop, for both streams."""
    peers: dict[str, Callable[[str], Awaitable[int]]] = {"ours": _ours}
    if find_spec("openai") is not None:
        peers["openai_sdk"] = _openai_sdk
    out: dict[str, float] = {}
    for name, events in (("text_20000", _text_stream()), ("arguments_51000", _argument_stream())):
        parts = _grouped(events)
        out[f"{name}_bare_s"] = bare = _cost(_bare, parts)
        for peer, run in peers.items():
            out[f"{name}_{peer}_ratio"] = _cost(run, parts) / bare
    return out


def main() -> int:
    figures = measure()
    for name, value in figures.items():
        print(f"{value:8.2f}  {name}")
    return 0 if all(v <= LIMIT for k, v in figures.items() if k.endswith("ours_ratio")) else 1


if __name__ == "__main__":
    sys.exit(main())
