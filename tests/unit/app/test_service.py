"""The settings' ports on a real engine: key, models, test, data."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from neodeskpet.app.service import DataAdapter, ServiceAdapter
from neodeskpet.core.errors import LlmError
from neodeskpet.engine import Engine, Options, open_engine
from neodeskpet.llm.scripted import ScriptedModel, say
from neodeskpet.settings.secrets import Place
from neodeskpet.ui.settings.ports import Finding, Verdict
from tests.support.sseserver import ScriptedServer, done, finish, text, tool_call, usage


def with_engine(
    home: Path,
    work: Callable[[Engine], Awaitable[None]],
    url: str = "",
    model: ScriptedModel | None = None,
) -> None:
    async def live() -> None:
        options = Options(url or None, "m" if url else None)
        engine = await open_engine(home, options=options, model=model)
        try:
            await work(engine)
        finally:
            await engine.close()

    asyncio.run(live())


def test_a_key_is_kept_for_its_host_and_shown_by_its_end(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        desk = ServiceAdapter(engine)
        assert (await desk.key()).tail == ""
        await desk.store_key("sk-0123456789abcdef")
        state = await desk.key()
        assert state.tail == "cdef"
        assert state.place in (Place.MEMORY, Place.KEYRING)
        await desk.delete_key()
        assert (await desk.key()).tail == ""

    with_engine(tmp_path, work, "http://127.0.0.1:9/v1")


def test_the_models_of_the_endpoint(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.pages["/v1/models"] = {"data": [{"id": "b"}, {"id": "a"}]}

        async def work(engine: Engine) -> None:
            assert await ServiceAdapter(engine).models() == ["a", "b"]

        with_engine(tmp_path, work, server.url)


def test_a_good_endpoint_gets_a_proposal(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.pages["/v1/models"] = {"data": [{"id": "m"}]}
        streamed = (text("one "), text("two"), finish(), usage(), done())

        def answer(request: object) -> object:
            tools = (request.body or {}).get("tools")  # type: ignore[attr-defined]
            name = tools[0]["function"]["name"] if tools else ""
            called = (tool_call(name, {"word": "neo"}), finish("tool_calls"), done())
            from tests.support.sseserver import Reply

            return Reply(called if tools else streamed)

        server.fallback = answer  # type: ignore[assignment]
        found: list[Finding] = []

        async def work(engine: Engine) -> None:
            proposal = await ServiceAdapter(engine).test(found.append)
            assert proposal is not None
            assert proposal.mode == "auto"

        with_engine(tmp_path, work, server.url)
    last = {finding.id: finding.verdict for finding in found}
    assert last["connection"] is Verdict.GOOD
    assert last["streaming"] is Verdict.GOOD


def test_a_dead_endpoint_says_so(tmp_path: Path) -> None:
    found: list[Finding] = []

    async def work(engine: Engine) -> None:
        assert await ServiceAdapter(engine).test(found.append) is None
        with pytest.raises(LlmError):
            await ServiceAdapter(engine).models()

    with_engine(tmp_path, work, "http://127.0.0.1:9/v1")
    assert found[-1].verdict is Verdict.FAILED
    assert found[-1].text


def test_all_conversations_can_be_deleted(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        await engine.chat.open()
        engine.chat.send("hello")
        await engine.chat.wait()
        desk = DataAdapter(engine)
        assert desk.folder == tmp_path
        assert await desk.delete_conversations() == 1
        info = engine.chat.conversation
        assert info is not None
        assert await engine.store.history(info.id) == []

    with_engine(tmp_path, work, model=ScriptedModel([say("hi")]))
