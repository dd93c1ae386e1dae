from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.core.wire import (
    LoadingAnnounced,
    ResponseFinished,
    RetryAnnounced,
    TextDelta,
    WireEvent,
)
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, catalog_of_service
from neodeskpet.llm.chain.fallback_model import FallbackModel
from neodeskpet.llm.chain.model_wrappers import RetryPolicy
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.local.local_errors import ModelFileMissing
from neodeskpet.llm.local.local_host import LocalHost
from neodeskpet.llm.model_builder import ModelBuilder, keys_from
from tests.support.sseserver import ScriptedServer, done, finish, text, usage

REQUEST = ModelRequest("", [UserTurn((TextPart("hi"),))])


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


async def no_key(endpoint: Endpoint) -> str:
    return ""


async def listen(model: FallbackModel | None) -> list[WireEvent]:
    assert model is not None
    async with aclosing(model.stream(REQUEST)) as events:
        return [event async for event in events]


def run(catalog: Catalog, key: Any = no_key, times: int = 1) -> list[WireEvent]:
    async def main() -> list[WireEvent]:
        client = HttpClient()
        pauses: list[float] = []

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)

        builder = ModelBuilder(
            lambda proxy: client, key, retry=RetryPolicy(sleep=sleep, chance=lambda: 1.0)
        )
        try:
            events: list[WireEvent] = []
            for _ in range(times):
                events += await listen(builder.build(catalog, "chat"))
            return events
        finally:
            await client.aclose()

    return asyncio.run(main())


def said(events: list[WireEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_without_a_model_there_is_none() -> None:
    builder = ModelBuilder(lambda proxy: HttpClient(), no_key)
    assert builder.build(Catalog(), "chat") is None


def test_the_simple_settings_are_used(server: ScriptedServer) -> None:
    server.reply(text("hi"), finish(), done())
    assert said(run(catalog_of_service("openai", server.url, "m"))) == "hi"
    assert server.requests[0].body["model"] == "m"


def two(first: str, second: str, **entry: Any) -> Catalog:
    return Catalog.model_validate(
        {
            "endpoints": [
                {"name": "a", "protocol": "openai", "base_url": first, "key_variable": "A_KEY"},
                {"name": "b", "protocol": "openai", "base_url": second, "headers": {"X-T": "1"}},
            ],
            "models": [
                {"endpoint": "a", "id": "m", **entry},
                {"endpoint": "b", "id": "n", "extra": {"top_p": 0.5}},
            ],
            "tiers": {"complex": ["m", "n"]},
        }
    )


def test_the_next_endpoint_is_used_with_its_own_key_and_headers(server: ScriptedServer) -> None:
    async def key(endpoint: Endpoint) -> str:
        return f"key-of-{endpoint.name}"

    with ScriptedServer() as other:
        server.reply({"error": {"message": "wrong key"}}, status=401)
        other.reply(text("hi"), finish(), done())
        events = run(two(server.url, other.url), key)
        first, second = server.requests[0], other.requests[0]
    assert said(events) == "hi"
    assert events[0] == RetryAnnounced(1, 0.0, "unauthorized")
    assert first.headers["authorization"] == "Bearer key-of-a"
    assert second.headers["authorization"] == "Bearer key-of-b"
    assert second.headers["x-t"] == "1"
    assert second.body["top_p"] == 0.5


def test_a_model_that_can_not_stream_is_asked_for_the_whole_reply(server: ScriptedServer) -> None:
    whole = {
        "choices": [{"message": {"role": "assistant", "content": "all"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }
    server.reply(whole)
    events = run(two(server.url, server.url, streaming=False))
    assert said(events) == "all"
    assert sum(isinstance(event, ResponseFinished) for event in events) == 1
    assert server.requests[0].body["stream"] is False


def test_a_parameter_that_an_endpoint_refused_is_remembered(server: ScriptedServer) -> None:
    server.reply({"error": {"message": "unknown field stream_options"}}, status=400)
    for _ in range(2):
        server.reply(text("a"), finish(), usage(), done())
    assert said(run(catalog_of_service("openai", server.url, "m"), times=2)) == "aa"
    assert len(server.requests) == 3


def test_a_changed_catalogue_resets_that(server: ScriptedServer) -> None:
    async def main() -> None:
        client = HttpClient()
        builder = ModelBuilder(lambda proxy: client, no_key)
        for name in ("one", "two"):
            server.reply(text(name), finish(), done())
            model = builder.build(catalog_of_service("openai", server.url, name), "chat")
            assert said(await listen(model)) == name
        await client.aclose()

    asyncio.run(main())
    assert [request.body["model"] for request in server.requests] == ["one", "two"]


def test_an_endpoint_is_reached_through_its_proxy() -> None:
    asked: list[str] = []

    def connect(proxy: str) -> HttpClient:
        asked.append(proxy)
        return HttpClient()

    catalog = catalog_of_service("openai", "http://x", "m")
    proxied = catalog.endpoints[0].model_copy(update={"proxy": "http://127.0.0.1:9"})
    ModelBuilder(connect, no_key).build(
        catalog.model_copy(update={"endpoints": (proxied,)}), "chat"
    )
    assert asked == ["http://127.0.0.1:9"]


def test_keys_come_from_the_named_variable_or_the_keyring() -> None:
    registered: list[str] = []

    async def read(name: str) -> str:
        return f"kept under {name}"

    key = keys_from(read, str.upper, registered.append, {"A_KEY": " from-env ", "EMPTY": ""})
    endpoint = Endpoint(name="a", protocol="openai", base_url="http://a", key_variable="A_KEY")
    assert asyncio.run(key(endpoint)) == "from-env"
    assert registered == ["from-env"]
    for variable in ("", "EMPTY", "MISSING"):
        other = endpoint.model_copy(update={"key_variable": variable})
        assert asyncio.run(key(other)) == "kept under HTTP://A"


def test_if_a_model_file_can_not_be_loaded_the_next_of_the_chain_is_used(
    server: ScriptedServer,
) -> None:
    server.reply(text("hi"), finish(), done())

    async def main() -> list[WireEvent]:
        client = HttpClient()
        host = LocalHost(Path("/nowhere"), installed=lambda: True)
        builder = ModelBuilder(lambda proxy: client, no_key, host=host)
        try:
            return await listen(builder.build(two("local:tiny.gguf", server.url), "chat"))
        finally:
            await client.aclose()

    events = asyncio.run(main())
    assert events[:2] == [LoadingAnnounced("m"), RetryAnnounced(1, 0.0, ModelFileMissing.code)]
    assert said(events) == "hi"


def test_a_model_file_is_requested_from_its_host() -> None:
    """This host has no such file; tests/stories/test_real_model.py uses one."""

    async def main() -> list[str]:
        client = HttpClient()
        host = LocalHost(Path("/nowhere"), installed=lambda: True)
        builder = ModelBuilder(lambda proxy: client, no_key, host=host)
        model = builder.build(catalog_of_service("anthropic", "local:tiny.gguf", "tiny"), "chat")
        assert model is not None
        assert model.label == "tiny"
        async with aclosing(model.stream(REQUEST)) as events:
            heard = [type(await anext(events)).__name__]
            with pytest.raises(ModelFileMissing) as caught:
                await anext(events)
        await client.aclose()
        return [*heard, caught.value.params["file"]]

    assert asyncio.run(main()) == ["LoadingAnnounced", str(Path("/nowhere/tiny.gguf"))]
