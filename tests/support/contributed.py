"""Checks whether the additions of CONTRIBUTING.md work: `python -m tests.support.contributed
FOLDER`, where FOLDER holds a copy of the package with all of them. Prints a word for each that
works.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

import neodeskpet
from neodeskpet.app import settings_pages
from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core import blocks
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ResultPart, ToolResults, UserTurn
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolCallReady,
    ToolCallStarted,
)
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.protocols.stream.sse import SseEvent
from neodeskpet.llm.scripted_model import ScriptedModel
from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.ui.chat.view.accessibility import MessageNode
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.window_registry import WindowRegistry


async def check_engine(home: Path) -> None:
    engine = await open_engine(home)
    try:
        await check_tool(engine)
        await check_app(engine)
        check_setting(engine)
        check_page(engine)
    finally:
        await engine.aclose()


async def check_tool(engine: Engine) -> None:
    snapshot = engine.models.turn_factory.create_setup().toolbox.offer()
    assert "dice.roll" in [spec.name for spec in snapshot.specs]
    result = await snapshot.run("dice.roll", {"sides": 2}, lambda fraction, text: None)
    assert result.text in ("1", "2")
    print("tool")


async def check_app(engine: Engine) -> None:
    await engine.tools.apps.host.open("dice")
    call = {"window_id": "dice", "action_id": "throw", "params": {"sides": 2}}
    result = await engine.tools.apps.caller.run_calls(call, lambda fraction, text: None)
    assert not result.failed, result.text
    steady, changing, *_rest = await engine.tools.apps.host.render(10_000)
    assert "<content>On the table: [" in steady + changing
    print("app")


def check_setting(engine: Engine) -> None:
    (section,) = [one for one in describe_sections() if one.name == "appearance"]
    assert "confetti" in [one.name for one in section.settings]
    assert engine.settings.settings.appearance.confetti is False  # type: ignore[attr-defined]
    print("setting")


def check_page(engine: Engine) -> None:
    (section,) = [one for one in describe_sections() if one.name == "appearance"]
    ports = settings_pages.PageServices(engine, None, None, LIGHT, *[None] * 6)  # type: ignore[arg-type]
    page = settings_pages.PAGE_MAKERS["appearance"](section, ports)
    made: Any = page
    assert "confetti" in made.fields
    assert made.preview.text()
    print("page")


def check_window() -> None:
    from neodeskpet.app.side_windows import SideWindows

    windows = WindowRegistry()
    windows.window_created.connect(lambda made: made.set_theme(LIGHT))
    untouched: Any = object()
    SideWindows(windows, untouched, untouched, untouched, untouched)
    assert "Dice" in [entry.title for entry in windows.in_menu()]
    window = windows["dice"]
    window.show()
    assert window.isVisible()
    window.close()
    print("window")


async def check_block(home: Path) -> None:
    heading = blocks.Heading(1, 0, "Chapter One")  # type: ignore[attr-defined]
    said = (Text(0, 0, "before"), heading)
    message = Message("m", Role.ASSISTANT, said, MessageState.DONE, 1.0, 2.0)
    store = await SqliteStore.open(home / "headings.db")
    try:
        conversation = await store.create_conversation()
        await store.add_message(conversation.id, message)
        (kept,) = await store.messages(["m"])
    finally:
        await store.aclose()
    assert kept.blocks == said
    view = ChatView(LIGHT)
    view.resize(400, 300)
    view.add_message(kept)
    assert "Chapter One" in MessageNode(view.access, "m").text
    view.close()
    print("block")


def check_protocol() -> None:
    lines = PROTOCOLS["lines"]
    request = lines.build_request(ModelOptions("https://a.test", "m"), ModelRequest("s", ()))
    assert request.url == "https://a.test/v1/lines"
    decoder = lines.new_decoder()
    read = [event for text in ("Hel", "lo", ".") for event in decoder.feed(SseEvent("", text))]
    read += decoder.end()
    assert "".join(event.text for event in read if isinstance(event, TextDelta)) == "Hello"
    assert isinstance(read[-1], ResponseFinished)
    print("protocol")


def check_dialect() -> None:
    shouting = DIALECTS["shouting"]
    assert "dice.roll" in shouting.announce([ToolSpec("dice.roll", "Roll.")])
    heard = list(shouting.reader().read(TextDelta(0, "!dice.roll\n")))
    assert isinstance(heard[0], ToolCallStarted) and heard[0].name == "dice.roll"
    (worded,) = shouting.render([ToolResults((ResultPart("c", "dice.roll", "4", True),))])
    assert isinstance(worded, UserTurn)
    print("dialect")


def check_leaked() -> None:
    reader = LeakReader(DIALECTS["native"].reader(), [ToolSpec("dice.roll", "Roll.")])
    text = '<|parrot|>{"name": "dice.roll", "arguments": {}}'
    heard = [*reader.read(TextDelta(0, text)), *reader.read(ResponseFinished(StopReason.END, None))]
    assert any(isinstance(event, ToolCallReady) for event in heard), heard
    print("leaked")


async def check_source() -> None:
    setup = TurnSetup(ScriptedModel(), Toolbox(AppTools(())))
    message = Message("m", Role.ASSISTANT, (), MessageState.RUNNING, 1.0)
    request = await setup.request((), message, (), ())
    assert "It rains." in request.system
    print("source")


async def main(folder: Path) -> None:
    assert Path(neodeskpet.__file__).is_relative_to(folder), "not the copy"
    home = folder / "home"
    home.mkdir()
    await check_engine(home)
    check_window()
    await check_block(folder)
    check_protocol()
    check_dialect()
    check_leaked()
    await check_source()


if __name__ == "__main__":
    application = QApplication([])
    asyncio.run(main(Path(sys.argv[1])))
