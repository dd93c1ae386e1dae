"""A model file as a model: its loading and its end as the turn sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from neodeskpet.core.errors import LlmError, StreamBroken
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.core.wire import LoadingAnnounced, RetryAnnounced, TextDelta, WireEvent
from neodeskpet.llm.chain.model_wrappers import RetryingModel, RetryPolicy
from neodeskpet.llm.http_client import HttpClient, HttpModel
from neodeskpet.llm.local.local_errors import LocalModelCrashed
from neodeskpet.llm.local.local_host import LocalHost, LocalServerModel, llama_options
from neodeskpet.llm.local.model_file import ModelFile
from neodeskpet.llm.local.server_process import (
    ModelTuning,
    ServerEnded,
    ServerEvent,
    ServerLaunch,
    ServerReady,
)
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.sseserver import CUT, ScriptedServer, done, finish, text

REQUEST = ModelRequest("", [UserTurn((TextPart("hi"),))])
ADDRESS = "local:/tiny.gguf"


class Process:
    """A process that is ready at once, at the scripted server; `die` ends it."""

    pid = 1

    def __init__(self, url: str, tell: Callable[[ServerEvent], None]) -> None:
        self.tell = tell
        self._loop = asyncio.get_running_loop()
        self._loop.call_soon(tell, ServerReady(url, "the-key"))

    def stop(self) -> None:
        self._loop.call_soon(self.tell, ServerEnded(0))

    def die(self) -> None:
        self.tell(ServerEnded(-11))


async def check(file: Path) -> ModelFile:
    return ModelFile(file, 1, "tiny")


class Bench:
    def __init__(self, url: str) -> None:
        self.processes: list[Process] = []
        self.client = HttpClient()

        def start(launch: ServerLaunch, tell: Callable[[ServerEvent], None]) -> Process:
            self.processes.append(Process(url, tell))
            return self.processes[-1]

        self.host = LocalHost(
            Path("/"),
            start=start,
            check=check,
            installed=lambda: True,
            tuning=lambda: ModelTuning(reply=77),
        )
        options = ModelOptions(ADDRESS, "tiny", extra={"enable_thinking": False})
        self.model = LocalServerModel(self.host, options, self.ask, "tiny")

    def ask(self, options: ModelOptions) -> HttpModel:
        return HttpModel(self.client, PROTOCOLS["openai"], options, key=options.key)

    async def close(self) -> None:
        await self.host.aclose()
        await self.client.aclose()


async def hear(
    model: Model, heard: Callable[[WireEvent], None] = lambda _: None
) -> tuple[list[WireEvent], LlmError | None]:
    out: list[WireEvent] = []
    try:
        async with aclosing(model.stream(REQUEST)) as events:
            async for event in events:
                heard(event)
                out.append(event)
    except LlmError as error:
        return out, error
    return out, None


def test_loading_is_reported_only_if_it_happens() -> None:
    async def scene(url: str) -> None:
        bench = Bench(url)
        first, _ = await hear(bench.model)
        second, _ = await hear(bench.model)
        assert first[0] == LoadingAnnounced("tiny")
        assert LoadingAnnounced("tiny") not in second
        assert first[1] == second[0] == LoadingAnnounced("tiny", ready=True)
        await bench.close()

    with ScriptedServer() as server:
        server.reply(text("a"), finish(), done())
        server.reply(text("b"), finish(), done())
        asyncio.run(scene(server.url))
        sent = server.requests[0]
    assert sent.headers["authorization"] == "Bearer the-key"
    assert sent.body["max_tokens"] == 77
    assert sent.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "enable_thinking" not in sent.body


def test_a_crash_in_the_middle_is_reported_as_one() -> None:
    async def scene(url: str) -> None:
        bench = Bench(url)

        def die(event: WireEvent) -> None:
            if isinstance(event, TextDelta):
                bench.processes[0].die()

        heard, error = await hear(bench.model, die)
        assert [event for event in heard if isinstance(event, TextDelta)]
        assert isinstance(error, LocalModelCrashed)
        await bench.close()

    with ScriptedServer() as server:
        server.reply(text("a"), CUT)
        asyncio.run(scene(server.url))


def test_a_crash_before_any_output_restarts_it() -> None:
    async def scene(url: str) -> None:
        bench = Bench(url)
        pauses: list[float] = []

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)

        def die(event: WireEvent) -> None:
            if isinstance(event, LoadingAnnounced) and not bench.processes:
                asyncio.get_running_loop().call_later(0.05, lambda: bench.processes[0].die())

        heard, error = await hear(RetryingModel(bench.model, RetryPolicy(sleep=sleep)), die)
        assert error is None
        states = [event.ready for event in heard if isinstance(event, LoadingAnnounced)]
        assert states == [False, True, False, True]
        (again,) = [event for event in heard if isinstance(event, RetryAnnounced)]
        assert again.code == LocalModelCrashed.code
        assert len(bench.processes) == 2
        assert len(pauses) == 1
        await bench.close()

    with ScriptedServer() as server:
        server.reply(CUT)
        server.reply(text("a"), finish(), done())
        asyncio.run(scene(server.url))


def test_a_broken_stream_of_a_running_process_is_unchanged() -> None:
    async def scene(url: str) -> None:
        bench = Bench(url)
        _, error = await hear(bench.model)
        assert type(error) is StreamBroken
        await bench.close()

    with ScriptedServer() as server:
        server.reply(text("a"), CUT)
        asyncio.run(scene(server.url))


@pytest.mark.parametrize("on", [True, False])
def test_the_switch_for_thinking_is_that_of_the_server(on: bool) -> None:
    given = ModelOptions("x", "m", extra={"enable_thinking": on, "thinking_budget": 9, "a": 1})
    assert llama_options(given).extra == {"chat_template_kwargs": {"enable_thinking": on}, "a": 1}
    assert llama_options(ModelOptions("x", "m")).extra == {}
