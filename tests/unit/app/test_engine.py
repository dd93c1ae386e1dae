"""The engine without a window: which model answers, with which tools, and the options of the
command line.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.run_options import RunOptions
from neodeskpet.core.blocks import MessageState, Role
from neodeskpet.core.dialects import NATIVE, TOOL_REQUEST
from neodeskpet.core.errors import KeyUnencrypted, LlmError
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.language import tool_title
from neodeskpet.llm.protocols.protocol import HttpRequest
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_call, scripted_text
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.shutdown import Closer
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.toolkit.schema_tool import SchemaTool, schema_tool
from neodeskpet.tools.builtin.live2d import FigureControls
from tests.support.sseserver import ScriptedServer


def with_engine(
    home: Path,
    work: Callable[[Engine], Awaitable[None]],
    options: RunOptions | None = None,
    **more: object,
) -> None:
    async def live() -> None:
        engine = await open_engine(home, options=options, **more)  # type: ignore[arg-type]
        try:
            await work(engine)
        finally:
            await engine.aclose()

    asyncio.run(live())


def test_without_a_service_the_offline_helper_answers(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        assert "Offline" in engine.models.turn_factory.create_setup().model.label

    with_engine(tmp_path, work)


def test_the_command_line_holds_for_this_run_only(tmp_path: Path) -> None:
    async def named(engine: Engine) -> None:
        brain = engine.models.turn_factory.create_setup()
        assert brain.model.label == "some-model"
        assert brain.dialect is TOOL_REQUEST

    async def later(engine: Engine) -> None:
        assert engine.settings.settings.service.base_url == ""
        assert engine.models.turn_factory.create_setup().dialect is NATIVE

    with_engine(tmp_path, named, RunOptions("http://127.0.0.1:9", "some-model", mode="text"))
    with_engine(tmp_path, later)


def test_the_request_to_a_local_model_fits_into_its_context(tmp_path: Path) -> None:
    async def local(engine: Engine) -> None:
        engine.settings.change("local", "context", 4096)
        assert engine.models.turn_factory.create_setup().context < 4096 // 2

    async def other(engine: Engine) -> None:
        assert engine.models.turn_factory.create_setup().context > 4096

    with_engine(tmp_path, local, RunOptions("local:/tiny.gguf", "tiny"))
    with_engine(tmp_path, other, RunOptions("http://127.0.0.1:9", "m"))


def test_a_turn_runs_with_real_tools_and_is_stored(tmp_path: Path) -> None:
    model = ScriptedModel(
        [
            scripted_call("calc.evaluate", {"expression": "6*7"}),
            scripted_call("note.add", {"text": "hello"}),
        ],
        [scripted_text("42, noted.")],
    )

    async def work(engine: Engine) -> None:
        await engine.chat.open()
        engine.chat.send("do it")
        await engine.chat.wait_idle()
        info = engine.chat.conversation
        assert info is not None
        assert info.title == "do it"
        question, reply = await engine.storage.store.history(info.id)
        assert question.role is Role.USER
        assert reply.state is MessageState.DONE
        assert reply.text == "42, noted."

    with_engine(tmp_path, work, model=model)
    assert "42" in str(model.requests[1].messages)


@pytest.mark.parametrize("mode", ["native", "text"])
def test_requests_say_the_user(tmp_path: Path, mode: str) -> None:
    """Prompts, descriptions of tools and results have no other word for the user."""
    calls = [scripted_call(name, {}) for name in ("file.list", "clipboard.read")]
    model = ScriptedModel(calls, [scripted_text("Done.")])

    async def work(engine: Engine) -> None:
        engine.settings.change("mode", "mode", mode)
        await engine.chat.open()
        engine.chat.send("do it")
        await engine.chat.wait_idle()

    with_engine(tmp_path, work, model=model)
    assert len(model.requests) == 2
    sent = str([(one.system, one.messages, one.tools) for one in model.requests])
    assert "Read the user" in sent
    assert "Tell the user." in sent
    assert re.search(r"\bthe persons?\b", sent, re.IGNORECASE) is None


def test_the_tools_have_the_names_of_the_bundled_figure(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        specs = {spec.name: spec for spec in engine.tools.toolbox.specs()}
        assert {"live2d.expression", "live2d.motion", "time.now", "timer.set"} <= set(specs)
        assert "smile" in str(specs["live2d.expression"].parameters)
        assert [name for name, spec in specs.items() if tool_title(spec) == name] == []

    with_engine(tmp_path, work)


def test_a_missing_figure_leaves_the_other_tools(tmp_path: Path) -> None:
    async def first(engine: Engine) -> None:
        engine.settings.change("companion", "model", str(tmp_path / "nothing"))

    async def second(engine: Engine) -> None:
        names = {spec.name for spec in engine.tools.toolbox.specs()}
        assert "calc.evaluate" in names
        assert "live2d.expression" not in names

    with_engine(tmp_path, first)
    with_engine(tmp_path, second)


def test_a_key_is_sent_unencrypted_only_if_the_user_allowed_it(tmp_path: Path) -> None:
    request = HttpRequest("POST", "http://box.lan/v1", {"Authorization": "Bearer a-key"}, {})

    async def work(engine: Engine) -> None:
        through = engine.models.connections(
            server.url.removesuffix("/v1")
        )  # As a proxy it stands for all hosts.
        for client in (engine.models.client, through):
            with pytest.raises(KeyUnencrypted):
                await client.fetch(request, key="a-key")
        engine.settings.change("service", "plain_hosts", "other.lan")
        with pytest.raises(KeyUnencrypted):
            await through.fetch(request, key="a-key")
        assert server.requests == []
        engine.settings.change("service", "plain_hosts", "other.lan, box.lan")
        with suppress(LlmError):
            await through.fetch(request, key="a-key")
        assert len(server.requests) == 1

    with ScriptedServer() as server:
        with_engine(tmp_path, work)


def test_a_broken_settings_file_is_reported_and_everything_starts(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{ broken", encoding="utf-8")

    async def work(engine: Engine) -> None:
        assert [fault.code for fault in engine.storage.startup.faults] == ["settings"]

    with_engine(tmp_path, work)


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [
        ({"id": "some-model"}, 24_000),
        ({"id": "some-model", "context": 8_192}, 4_096),
        ({"id": "gpt-4o"}, 64_000),
        ({"id": "gemini-3-pro"}, 128_000),
    ],
)
def test_how_much_of_a_conversation_is_sent_depends_on_the_model(
    tmp_path: Path, entry: dict[str, object], tokens: int
) -> None:
    place = {"name": "e", "protocol": "openai", "base_url": "http://127.0.0.1:9"}
    document = {"endpoints": [place], "models": [{"endpoint": "e", **entry}]}
    (tmp_path / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")

    async def work(engine: Engine) -> None:
        assert engine.models.turn_factory.create_setup().context == tokens

    with_engine(tmp_path, work)


class Server:
    """Tools of others that may become more."""

    name = "x"
    label = "A server"

    def __init__(self) -> None:
        self.names = ["early"]
        self.changed: Observers[[]] = Observers()

    def tools(self) -> list[SchemaTool]:
        return [
            schema_tool(ToolSpec(name, name), lambda given, progress: "") for name in self.names
        ]

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self.changed.subscribe(observer)


def test_tools_that_a_source_adds_later_are_new_and_a_rule_decides(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        server = Server()
        engine.tools.toolbox.add(server)
        server.names.append("late")
        server.changed.notify()
        assert engine.settings.settings.mode.met_tools == {"x": ("x/early",)}
        asks = engine.models.turn_factory.create_setup().policy.asks
        foreign = {one.name: one for one in engine.tools.toolbox.specs() if one.foreign}
        assert [asks(foreign[name], {}) for name in server.names] == [False, True]
        engine.settings.change("mode", "new_tools", "off")
        assert [one.name for one in engine.tools.toolbox.specs() if one.foreign] == ["early"]
        engine.settings.change("mode", "source_rules", {"x": {"on": False}})
        assert not [one.name for one in engine.tools.toolbox.specs() if one.foreign]

    with_engine(tmp_path, work)


def test_the_services_decide_which_model_makes_vectors(tmp_path: Path) -> None:
    async def scene() -> None:
        engine = await open_engine(tmp_path)
        assert engine.models.turn_factory.embedder() is None
        await engine.aclose()
        document = {
            "endpoints": [{"name": "e", "protocol": "openai", "base_url": "http://127.0.0.1:9"}],
            "models": [
                {"endpoint": "e", "id": "talker"},
                {"endpoint": "e", "id": "text-embedding-3-small"},
            ],
        }
        for purposes in ({}, {"embedding": "text-embedding-3-small"}):
            (tmp_path / "llm-config.json").write_text(
                json.dumps({**document, "purposes": purposes}), encoding="utf-8"
            )
            engine = await open_engine(tmp_path)
            embedder = engine.models.turn_factory.embedder()
            if not purposes:  # The user has not allowed that it reads remembered text.
                assert embedder is None
            else:
                assert embedder is not None
                assert embedder.label == embedder.model == "text-embedding-3-small"
                engine.settings.change("memory", "meaning", False)
                assert engine.models.turn_factory.embedder() is None
            await engine.aclose()

    asyncio.run(scene())


async def close_with_a_failure(engine: Engine, failing: int) -> None:
    """The closer with this number fails; what it should have closed is closed afterwards."""
    failed: list[Closer] = []

    def wrapped(number: int, closer: Closer) -> Closer:
        def fail() -> None:
            failed.append(closer)
            raise RuntimeError("on purpose")

        return fail if number == failing else closer

    engine.exits.wrap(wrapped)
    with pytest.raises(RuntimeError, match="on purpose"):
        await engine.aclose()
    with suppress(RuntimeError):  # Its dependencies may be closed by now.
        result = failed[0]()
        if inspect.isawaitable(result):
            await result


def test_conversations_are_kept_whichever_closer_fails(tmp_path: Path) -> None:
    async def live(home: Path, failing: int) -> int:
        hold = asyncio.Event()
        engine = await open_engine(
            home, model=ScriptedModel([scripted_text("Once upon a time"), hold])
        )
        count = len(engine.exits)
        await engine.chat.open()
        engine.chat.send("tell me")
        async with asyncio.timeout(20):
            while "Once" not in await said(engine):  # noqa: ASYNC110 - the journal is looked at
                await asyncio.sleep(0.01)
        await close_with_a_failure(engine, failing)
        store = await SqliteStore.open(home / STORE_FILE)
        try:
            assert engine.chat.conversation is not None
            *_, reply = await store.history(engine.chat.conversation.id)
            assert reply.text == "Once upon a time", failing
        finally:
            await store.aclose()
        return count

    async def said(engine: Engine) -> str:
        if engine.chat.conversation is None:
            await engine.chat.open()
        assert engine.chat.conversation is not None
        messages = await engine.storage.store.history(engine.chat.conversation.id)
        return messages[-1].text if messages else ""

    count, failing = 1, 0
    while failing < count:
        count = asyncio.run(live(tmp_path / str(failing), failing))
        failing += 1
    assert count > 15


def test_opened_parts_are_closed_when_the_next_one_can_not_be_opened(tmp_path: Path) -> None:
    async def live() -> None:
        before = set(threading.enumerate())
        with pytest.raises(AttributeError):
            await open_engine(tmp_path, body=cast("FigureControls", object()))
        left = set(threading.enumerate()) - before
        assert not [one for one in left if one.name == "database"]

    asyncio.run(live())
