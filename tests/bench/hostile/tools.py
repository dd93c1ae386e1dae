"""Runs each tool of the app once with a large task in the real window: none blocks the UI
thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.conversation.chat_events import ChatEvent, TurnAdvanced
from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.turn.turn_events import BlockChanged
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_call, scripted_text
from neodeskpet.notebook.notes import MOST_NOTE_CHARACTERS
from neodeskpet.platform.async_tasks import spawn_task
from tests.bench.hostile.case import HOLD_MS, Case, Scene, Wrong
from tests.bench.hostile.turns import answered, history, opened
from tests.soak.holds import Hold, HoldWatch
from tests.support.desk import Values
from tests.support.sseserver import ScriptedServer

_LONG = "word and 字 " * 90_000
"""About a million characters."""
_LINES = "".join(f"line {number} of many, with 中文\n" for number in range(36_000))

Arguments = Mapping[str, object]

_BIG: dict[str, Arguments] = {
    "live2d.expression": {"name": "x" * 100_000},
    "live2d.motion": {"group": "x" * 100_000},
    "live2d.parameters": {
        "script": [{"do": "sequence", "steps": [{"do": "wait", "seconds": 0.001}] * 60}] * 60
    },
    "time.now": {"timezone": "Asia/Shanghai"},
    "timer.set": {"label": "w" * 490, "minutes": 600},
    "timer.list": {},
    "timer.cancel": {"id": "x" * 40},
    "note.add": {"text": _LONG[:MOST_NOTE_CHARACTERS]},
    "note.search": {"query": "word"},
    "note.delete": {"id": 1},
    "calc.evaluate": {"expression": "+".join(["12345.678"] * 40)},
    "file.list": {"path": "many"},
    "file.read": {"path": "lines.txt", "lines": 2_000},
    "file.search": {"text": "nowhere in it"},
    "file.write": {"path": "new.txt", "text": _LINES},
    "file.edit": {"path": "lines.txt", "old": "of many", "new": "of all", "which": "all"},
    "file.move": {"path": "many", "to": "more"},
    "file.trash": {"path": "more"},
    "web.fetch": {"url": "http://127.0.0.1/" + "x" * 1_900},
    "web_search": {"query": "weather"},
    "clipboard.write": {"text": _LONG},
    "clipboard.read": {},
    "screen.capture": {"area": "screen"},
    "screen.read": {"area": "region"},
    "app.open": {"name": "no such program"},
    "system.info": {},
    "url.open": {"url": "javascript:" + "x" * 1_900},
    "shell.run": {"command": "seq 1 300000"},
    "output.read": {"id": "x" * 40, "offset": 0},
}
_REFUSED = (
    "live2d.expression",
    "live2d.motion",
    "live2d.parameters",
    "timer.cancel",
    "web.fetch",
    "app.open",
    "url.open",
    "output.read",
)
"""Refused calls: nothing is opened or downloaded here, there is no such name, or it is too much."""


def _fill(folder: Path) -> None:
    (folder / "many").mkdir(parents=True)
    for number in range(3_000):
        (folder / "many" / f"{number} 文件.txt").write_text("a few words\n")
    (folder / "lines.txt").write_text(_LINES, "utf-8")


class _Person:
    """Allows everything, and chooses the whole screen."""

    def __init__(self, desk: DesktopApp) -> None:
        self._desk = desk
        desk.engine.chat.subscribe(self)

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case TurnAdvanced(message_id=message, event=BlockChanged(block=ToolUse() as call)):
                if call.status is ToolStatus.ASKING:
                    once = ConsentAnswer.ONCE
                    later = asyncio.get_running_loop().call_later
                    later(0.3, self._desk.approval.answer, message, call.index, once)

    async def choose(self) -> None:
        while True:
            await asyncio.sleep(0.05)
            for sheet in QApplication.topLevelWidgets():
                if "Esc" in sheet.accessibleName() and sheet.isVisible():
                    QTest.keyClick(sheet, Qt.Key.Key_Return)


async def _each(scene: Scene) -> str:
    """All of them in one conversation; the longest block and its CPU time, by tool."""
    folder = scene.folder / "allowed"
    await asyncio.to_thread(_fill, folder)
    with ScriptedServer() as server:
        rows = [{"title": "t" * 200, "url": "https://a.example/", "content": _LONG[:5_000]}] * 200
        server.pages["/search"] = {"results": rows}
        settings: Values = {
            "files": {"folders": [str(folder)]},
            "web": {"search": "searxng", "searxng": server.url.removesuffix("/v1")},
            "mode": {"shell": True, "mode": "native"},
        }
        replies = ([[scripted_call(name, _BIG[name])], [scripted_text("Done.")]] for name in _BIG)
        desk = await opened(scene, ScriptedModel(*chain(*replies)), settings)
        choosing = spawn_task(_Person(desk).choose(), name="a person")
        try:
            QGuiApplication.clipboard().setText(_LONG)
            await asyncio.sleep(2.0)
            scene.begin()
            return ", ".join([await _one(desk, name) for name in _BIG])
        finally:
            choosing.cancel()
            await desk.aclose()


async def _one(desk: DesktopApp, name: str) -> str:
    holds: list[Hold] = []
    watch = HoldWatch(holds.append)
    try:
        ended = await answered(desk, "go")
    finally:
        watch.end()
    calls = [block for block in (await history(desk))[-1].blocks if isinstance(block, ToolUse)]
    if ended is not MessageState.DONE or len(calls) != 1 or calls[0].name != name:
        raise Wrong(f"{name}: {ended}, {len(calls)} calls")
    if name not in _REFUSED and calls[0].status is not ToolStatus.SUCCESS:
        raise Wrong(f"{name}: {calls[0].error[:80]}")
    worst = max(holds, key=lambda hold: hold.milliseconds, default=None)
    longest = max([watch.take_longest(), *(hold.milliseconds for hold in holds)])
    cpu = f" ({worst.cpu:.0f} of it CPU)" if worst is not None else ""
    place = f", {worst.place}" if worst is not None and worst.cpu > HOLD_MS else ""
    return f"{name} {longest:.0f}{cpu}{place}"


CASES = [Case("every tool of the app", _each)]
