"""How much CPU a stream costs, over loopback: ours, the official SDKs, and `httpx` lines with
`json.loads` alone.

    ./run bench decode

For each protocol 20,000 text deltas, and 51,000 argument deltas in one call, from the same server
in the same run. CPU seconds of this process's client thread are compared (`time.thread_time`, the
best of several runs). The bare loop builds nothing. The SDKs are asked for their plain event
streams; they come with the extra `bench`, and those that aren't installed are left out. "double" is
what twice the deltas cost: 2.0 is linear. "leaks_to_ours" is what decoding and looking for leaked
calls costs, to decoding alone.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from importlib.util import find_spec
from typing import Any

import httpx

from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.llm.http_client import HttpClient, HttpModel
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.sseserver import Reply, ScriptedServer, chunk, done, event, finish, tool_call

TEXTS = 20_000
ARGUMENTS = 51_000
RUNS = 3
_EVENTS_A_WRITE = 4
_TOOLS = [ToolSpec(name, "") for name in ("time.now", "note.add", "live2d.motion", "web.search")]

Run = Callable[[str], Awaitable[int]]
Streams = dict[str, Callable[[int], Iterable[bytes]]]

# The streams, as the providers frame them


def _openai_chunk(delta: dict[str, Any]) -> bytes:
    return chunk(delta, created=1754432618, model="gpt-4o", system_fingerprint="fp_ff25b2783a")


def _openai_text(count: int) -> Iterable[bytes]:
    yield from (_openai_chunk({"content": f"word{n} "}) for n in range(count))
    yield finish()
    yield done()


def _openai_arguments(count: int) -> Iterable[bytes]:
    piece = _openai_chunk({"tool_calls": [{"index": 0, "function": {"arguments": "ab "}}]})
    yield tool_call("f", '{"text": "', "call_1")
    yield from (piece for _ in range(count))
    yield tool_call("", '"}')
    yield finish("tool_calls")
    yield done()


def _typed(kind: str, **fields: object) -> bytes:
    return event({"type": kind, **fields}, kind)


def _responses_stream(item: dict[str, Any], kind: str, pieces: Iterable[str]) -> Iterable[bytes]:
    place = {"item_id": item["id"], "output_index": 0}
    yield _typed("response.output_item.added", output_index=0, item=item, sequence_number=1)
    for number, piece in enumerate(pieces, 2):
        yield _typed(kind, **place, content_index=0, delta=piece, sequence_number=number)
    yield _typed("response.output_item.done", output_index=0, item=item, sequence_number=99)
    counts = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    ended = {"id": "resp_1", "status": "completed", "output": [], "usage": counts}
    yield _typed("response.completed", response=ended, sequence_number=99)


def _responses_text(count: int) -> Iterable[bytes]:
    item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [], "status": "x"}
    return _responses_stream(item, "response.output_text.delta", _words(count))


def _responses_arguments(count: int) -> Iterable[bytes]:
    item = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": ""}
    kind = "response.function_call_arguments.delta"
    return _responses_stream(item, kind, _pieces(count))


def _words(count: int) -> Iterable[str]:
    return (f"word{n} " for n in range(count))


def _pieces(count: int) -> Iterable[str]:
    yield '{"text": "'
    yield from ("ab " for _ in range(count))
    yield '"}'


def _anthropic_stream(block: dict[str, Any], deltas: Iterable[dict[str, str]]) -> Iterable[bytes]:
    counts = {"input_tokens": 1, "output_tokens": 1}
    begun: dict[str, object] = {"id": "msg_1", "type": "message", "role": "assistant"}
    begun |= {
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": counts,
    }
    yield _typed("message_start", message=begun)
    yield _typed("content_block_start", index=0, content_block=block)
    yield from (_typed("content_block_delta", index=0, delta=delta) for delta in deltas)
    yield _typed("content_block_stop", index=0)
    yield _typed("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 9})
    yield _typed("message_stop")


def _anthropic_text(count: int) -> Iterable[bytes]:
    deltas = ({"type": "text_delta", "text": word} for word in _words(count))
    return _anthropic_stream({"type": "text", "text": ""}, deltas)


def _anthropic_arguments(count: int) -> Iterable[bytes]:
    deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in _pieces(count))
    return _anthropic_stream({"type": "tool_use", "id": "t", "name": "f", "input": {}}, deltas)


def _gemini_stream(parts: Iterable[dict[str, Any]]) -> Iterable[bytes]:
    counts = {"promptTokenCount": 8, "candidatesTokenCount": 5, "totalTokenCount": 13}
    frame = {"usageMetadata": counts, "modelVersion": "gemini-2.5-flash", "responseId": "x8kNaPv"}
    for part in parts:
        content = {"content": {"parts": [part], "role": "model"}, "index": 0}
        yield event({"candidates": [content], **frame})
    last = {"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": "STOP"}
    yield event({"candidates": [{**last, "index": 0}], **frame})


def _gemini_text(count: int) -> Iterable[bytes]:
    return _gemini_stream({"text": word} for word in _words(count))


def _gemini_arguments(count: int) -> Iterable[bytes]:
    piece = {"jsonPath": "$.text", "stringValue": "ab ", "willContinue": True}
    more = {"functionCall": {"partialArgs": [piece], "willContinue": True}}

    def parts() -> Iterable[dict[str, Any]]:
        yield {"functionCall": {"name": "f", "willContinue": True}}
        yield from (more for _ in range(count))
        yield {"functionCall": {}}

    return _gemini_stream(parts())


STREAMS: dict[str, Streams] = {
    "openai": {"text": _openai_text, "arguments": _openai_arguments},
    "openai-responses": {"text": _responses_text, "arguments": _responses_arguments},
    "anthropic": {"text": _anthropic_text, "arguments": _anthropic_arguments},
    "gemini": {"text": _gemini_text, "arguments": _gemini_arguments},
}

# The readers of the streams


def _ours(protocol: str, *, leaks: bool = False) -> Run:
    async def run(url: str) -> int:
        client = HttpClient()
        model = HttpModel(client, PROTOCOLS[protocol], ModelOptions(url, "m"))
        reader = LeakReader(NATIVE.reader(), _TOOLS) if leaks else NATIVE.reader()
        count = 0
        async with aclosing(
            model.stream(ModelRequest("", [UserTurn((TextPart("hi"),))]))
        ) as events:
            async for event in events:
                for _ in reader.read(event):
                    count += 1
        await client.aclose()
        return count

    return run


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


async def _count(stream: AsyncIterator[object]) -> int:
    count = 0
    async for _ in stream:
        count += 1
    return count


async def _openai_sdk(url: str) -> int:
    import openai

    said: Any = [{"role": "user", "content": "hi"}]
    async with openai.AsyncOpenAI(base_url=url, api_key="x") as client:
        stream = await client.chat.completions.create(model="m", messages=said, stream=True)
        return await _count(stream)


async def _responses_sdk(url: str) -> int:
    import openai

    async with openai.AsyncOpenAI(base_url=url, api_key="x") as client:
        stream = await client.responses.create(model="m", input="hi", stream=True)
        return await _count(stream)


async def _anthropic_sdk(url: str) -> int:
    import anthropic

    said: Any = [{"role": "user", "content": "hi"}]
    base = url.removesuffix("/v1")
    async with anthropic.AsyncAnthropic(base_url=base, api_key="x") as client:
        stream = await client.messages.create(model="m", max_tokens=9, messages=said, stream=True)
        return await _count(stream)


async def _gemini_sdk(url: str) -> int:
    from google import genai

    base: Any = {"base_url": url.removesuffix("/v1")}
    client = genai.Client(api_key="x", http_options=base)
    stream = await client.aio.models.generate_content_stream(model="m", contents="hi")
    count = await _count(stream)
    await client.aio.aclose()
    return count


_SDKS: dict[str, tuple[str, Run]] = {
    "openai": ("openai", _openai_sdk),
    "openai-responses": ("openai", _responses_sdk),
    "anthropic": ("anthropic", _anthropic_sdk),
    "gemini": ("google.genai", _gemini_sdk),
}


def _grouped(events: Iterable[bytes]) -> list[bytes]:
    """In groups as a server writes them: a few events at a time."""
    whole, size = list(events), _EVENTS_A_WRITE
    return [b"".join(whole[at : at + size]) for at in range(0, len(whole), size)]


def _cost(run: Run, parts: list[bytes], least: int, runs: int = RUNS) -> float:
    """CPU seconds of the client, the best of `runs`; it must report at least `least` events."""
    best = float("inf")
    with ScriptedServer() as server:
        server.fallback = lambda request: Reply(parts)

        async def once() -> float:
            began = time.thread_time()
            count = await run(server.url)
            ended = time.thread_time()
            assert count >= least, f"only {count} of {least}"
            return ended - began

        for _ in range(runs):
            best = min(best, asyncio.run(once()))
    return best


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _compare(protocol: str, kind: str, count: int) -> dict[str, float]:
    stream = STREAMS[protocol][kind]
    parts = _grouped(stream(count))
    # Pieces of arguments that come as values at paths are reported as one.
    least = 3 if (protocol, kind) == ("gemini", "arguments") else count
    name = f"{protocol}_{kind}"
    ours = _cost(_ours(protocol), parts, least)
    out = {
        f"{name}_ours_s": ours,
        f"{name}_ours_to_bare": ours / _cost(_bare, parts, count),
        f"{name}_double": _cost(_ours(protocol), _grouped(stream(2 * count)), least) / ours,
    }
    if kind == "text":
        out[f"{name}_leaks_to_ours"] = _cost(_ours(protocol, leaks=True), parts, least) / ours
    module, sdk = _SDKS[protocol]
    if _installed(module):
        out[f"{name}_sdk_to_ours"] = _cost(sdk, parts, count, 1) / ours
    return out


def measure(protocols: Iterable[str] = tuple(STREAMS)) -> dict[str, float]:
    """For each protocol and stream: seconds, and how many times as much each peer needs."""
    out: dict[str, float] = {}
    for protocol in protocols:
        out |= _compare(protocol, "text", TEXTS)
        out |= _compare(protocol, "arguments", ARGUMENTS)
    return out


def main(protocols: list[str]) -> None:
    for name, value in measure(protocols or tuple(STREAMS)).items():
        print(f"{value:8.3f}  {name}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
