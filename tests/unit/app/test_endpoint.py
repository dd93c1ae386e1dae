"""A service on a real engine, one of the catalogue or that of the simple settings: its key, its
models, its test.
"""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine
from neodeskpet.app.service_settings import CatalogAdapter, masked_key
from neodeskpet.core.errors import LlmError
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.core.wire import ToolsDropped
from neodeskpet.llm.catalog.catalog_editing import (
    EditRefused,
    add_endpoint,
    add_model,
    change_endpoint,
)
from neodeskpet.llm.catalog.model_catalog import Endpoint
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.ui.settings.settings_ports import EndpointTestFinding, EndpointTestVerdict
from tests.support.sseserver import (
    Reply,
    Request,
    ScriptedServer,
    done,
    finish,
    text,
    tool_call,
    usage,
)
from tests.unit.app.engines import with_engine


def answer(request: Request) -> Reply:
    tools = request.body.get("tools")
    if not tools:
        return Reply([text("one "), text("red"), finish(), done()])
    return Reply([tool_call(tools[0]["function"]["name"], {"word": "x"}), finish(), done()])


def put(engine: Engine, name: str, url: str, **fields: object) -> CatalogAdapter:
    desk = CatalogAdapter(engine)
    endpoint = Endpoint(name=name, protocol="openai", base_url=url)
    desk.edit(lambda catalog: add_endpoint(catalog, endpoint))
    if fields:
        desk.edit(lambda catalog: change_endpoint(catalog, name, **fields))
    return desk


def test_each_service_has_its_own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEODESKPET_API_KEY", "sk-of-the-environment-1111")
    monkeypatch.setenv("MY_KEY", "sk-of-my-variable-2222")

    async def work(engine: Engine) -> None:
        desk = put(engine, "one", "http://one.example")
        state = await desk.endpoint("one").key()
        assert (state.tail, state.place) == ("1111", SecretPlace.ENVIRONMENT)

        put(engine, "two", "http://two.example")
        assert (await desk.endpoint("one").key()).tail == "", "it is only for one service"
        await desk.endpoint("two").store_key("sk-of-the-second-3333")
        state = await desk.endpoint("two").key()
        assert (state.tail, state.place is SecretPlace.ENVIRONMENT) == ("3333", False)
        endpoint = desk.catalog.endpoint("two")
        assert endpoint is not None
        assert await engine.models.turn_factory.key(endpoint) == "sk-of-the-second-3333"
        await desk.endpoint("two").delete_key()
        assert (await desk.endpoint("two").key()).tail == ""

        desk.edit(lambda catalog: change_endpoint(catalog, "two", key_variable="MY_KEY"))
        state = await desk.endpoint("two").key()
        assert (state.tail, state.place, state.where) == ("2222", SecretPlace.ENVIRONMENT, "MY_KEY")
        with pytest.raises(EditRefused):
            await desk.endpoint("gone").key()

    with_engine(tmp_path, work)


def test_a_short_key_is_hidden_completely() -> None:
    assert [masked_key(key) for key in ("", "12345678", "123456789")] == ["", "•", "6789"]


def test_a_test_leaves_its_state_and_its_measurements_can_be_applied(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.fallback = answer
        server.pages["/v1/models"] = {"data": [{"id": "m"}, {"id": "n"}]}
        found: list[EndpointTestFinding] = []

        async def work(engine: Engine) -> None:
            desk = put(engine, "one", server.url, headers={"X-Mine": "yes"})
            desk.edit(lambda catalog: add_model(catalog, "one", "m"))
            port = desk.endpoint("one", "m")
            assert await port.models() == ["m", "n"]
            assert server.requests == [] or server.requests[0].headers["x-mine"] == "yes"
            assert desk.tested("one") is None
            proposal = await port.test(found.append)
            assert proposal is not None
            assert (proposal.mode, proposal.model) == ("auto", "m")
            assert desk.tested("one") is EndpointTestVerdict.GOOD
            later = CatalogAdapter(engine)
            await later.restore()
            assert later.tested("one") is EndpointTestVerdict.GOOD, "it is loaded at the next start"
            port.take(proposal)
            (entry,) = desk.catalog.models
            assert (entry.tools, entry.vision, entry.streaming) == (True, True, True)
            assert all(request.headers["x-mine"] == "yes" for request in server.requests)

        with_engine(tmp_path, work)
    assert found[-1].verdict in (EndpointTestVerdict.GOOD, EndpointTestVerdict.SKIPPED)


def test_its_finding_about_tools_is_shown_in_the_chat(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.fallback = lambda _: Reply([text("Hello."), finish(), done()])

        async def work(engine: Engine) -> None:
            desk = put(engine, "one", server.url)
            desk.edit(lambda catalog: add_model(catalog, "one", "m"))
            await desk.endpoint("one", "m").test(lambda _: None)
            asked = ModelRequest("", [UserTurn((TextPart("hi"),))], tools=(ToolSpec("f", ""),))
            heard = [event async for event in engine.models.turn_factory.model().stream(asked)]
            assert [one.error.code for one in heard if isinstance(one, ToolsDropped)] == [
                "tools_ignored"
            ]

        with_engine(tmp_path, work)


def test_an_unreachable_service_is_marked(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        desk = put(engine, "one", "http://127.0.0.1:9/v1")
        assert await desk.endpoint("one", "m").test(lambda _: None) is None
        assert desk.tested("one") is EndpointTestVerdict.FAILED
        desk.edit(lambda catalog: change_endpoint(catalog, "one", name="uno"))
        assert desk.tested("uno") is EndpointTestVerdict.FAILED
        desk.edit(lambda catalog: change_endpoint(catalog, "uno", base_url="http://other"))
        assert desk.tested("uno") is None, "nothing is known about another address"
        desk.edit(lambda catalog: change_endpoint(catalog, "uno", base_url="http://127.0.0.1:9"))
        with pytest.raises(LlmError):
            await desk.endpoint("uno").models()

    with_engine(tmp_path, work)


# The service of the simple settings


def test_a_key_is_stored_for_its_host_and_shown_by_its_end(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        desk = CatalogAdapter(engine).endpoint("")
        assert (await desk.key()).tail == ""
        await desk.store_key("sk-0123456789abcdef")
        state = await desk.key()
        assert state.tail == "cdef"
        assert state.place in (SecretPlace.MEMORY, SecretPlace.KEYRING)
        await desk.delete_key()
        assert (await desk.key()).tail == ""

    with_engine(tmp_path, work, "http://127.0.0.1:9/v1")


def test_the_models_of_the_endpoint(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.pages["/v1/models"] = {"data": [{"id": "b"}, {"id": "a"}]}

        async def work(engine: Engine) -> None:
            assert await CatalogAdapter(engine).endpoint("").models() == ["a", "b"]

        with_engine(tmp_path, work, server.url)


def test_a_good_endpoint_gets_a_proposal(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.pages["/v1/models"] = {"data": [{"id": "m"}]}
        streamed = (text("one "), text("two"), finish(), usage(), done())

        def answer(request: object) -> object:
            tools = (request.body or {}).get("tools")  # type: ignore[attr-defined]
            name = tools[0]["function"]["name"] if tools else ""
            called = (tool_call(name, {"word": "neo"}), finish("tool_calls"), done())
            return Reply(called if tools else streamed)

        server.fallback = answer  # type: ignore[assignment]
        found: list[EndpointTestFinding] = []

        async def work(engine: Engine) -> None:
            proposal = await CatalogAdapter(engine).endpoint("").test(found.append)
            assert proposal is not None
            assert proposal.mode == "auto"

        with_engine(tmp_path, work, server.url)
    last = {finding.id: finding.verdict for finding in found}
    assert last["connection"] is EndpointTestVerdict.GOOD
    assert last["streaming"] is EndpointTestVerdict.GOOD


def test_an_unreachable_endpoint_says_so(tmp_path: Path) -> None:
    found: list[EndpointTestFinding] = []

    async def work(engine: Engine) -> None:
        assert await CatalogAdapter(engine).endpoint("").test(found.append) is None
        with pytest.raises(LlmError):
            await CatalogAdapter(engine).endpoint("").models()

    with_engine(tmp_path, work, "http://127.0.0.1:9/v1")
    assert found[-1].verdict is EndpointTestVerdict.FAILED
    assert found[-1].text


def test_the_chat_offers_all_models_that_the_service_reported(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.fallback = answer
        server.pages["/v1/models"] = {
            "data": [{"id": "m"}, {"id": "n"}, {"id": "o"}, {"id": "text-embedding-3-small"}]
        }

        async def work(engine: Engine) -> None:
            desk = put(engine, "one", server.url)
            desk.edit(lambda catalog: add_model(catalog, "one", "m"))
            assert list(engine.models.turn_factory.offered_models()) == ["m"]
            await desk.endpoint("one", "m").models()
            assert engine.models.turn_factory.offered_models() == {
                "m": ("one",),
                "n": ("one",),
                "o": ("one",),
            }

        async def next_day(engine: Engine) -> None:
            assert list(engine.models.turn_factory.offered_models()) == ["m", "n", "o"]
            await engine.models.choices.choose("here", "n")
            model = engine.models.turn_factory.model(conversation="here")
            request = ModelRequest("", (UserTurn((TextPart("hello"),)),))
            async with aclosing(model.stream(request)) as events:
                async for _ in events:
                    pass
            assert server.requests[-1].body["model"] == "n"
            assert engine.models.turn_factory.model().label == "m", (
                "other conversations keep the common model"
            )

        with_engine(tmp_path, work)
        with_engine(tmp_path, next_day)
