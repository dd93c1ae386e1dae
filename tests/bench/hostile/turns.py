"""Whole turns in the real window, with a model that sends invalid or extreme data."""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.startup import StartOptions, open_app
from neodeskpet.core.blocks import Message, MessageState
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_call, scripted_text
from tests.bench.hostile.case import Case, Scene, Wrong
from tests.support.desk import Values, settle

_TIMEOUT = 60.0


async def opened(
    scene: Scene, model: ScriptedModel | None = None, settings: Values | None = None
) -> DesktopApp:
    """The desk in the case's data folder, the figure hidden."""
    home = scene.folder / "home"
    settle(home, {"mode": {"mode": "native"}, **(settings or {})})
    options = StartOptions(home, single_instance=False, hidden=True, model=model or ScriptedModel())
    desk = await open_app(scene.app, options)
    desk.chat.window.present()
    return desk


async def history(desk: DesktopApp) -> list[Message]:
    info = desk.engine.chat.conversation
    assert info is not None
    await desk.engine.storage.store.flush()
    return await desk.engine.storage.store.history(info.id)


async def answered(desk: DesktopApp, words: str) -> MessageState:
    """Send `words`; return how the reply ended. Raises Wrong if it didn't."""
    desk.engine.chat.send(words)
    try:
        await asyncio.wait_for(desk.engine.chat.wait_idle(), _TIMEOUT)
    except TimeoutError:
        raise Wrong("the turn doesn't end") from None
    await asyncio.sleep(0.5)
    return (await history(desk))[-1].state


async def _turn(items: Sequence[ScriptItem], scene: Scene) -> str:
    """The reply, the next one, and both again after a restart."""
    answer: Sequence[ScriptItem] = [scripted_text("Well then.")]
    desk = await opened(scene, ScriptedModel(items, *[answer] * 4))
    await asyncio.sleep(2.0)
    scene.begin()
    try:
        first = await answered(desk, "go")
        second = await answered(desk, "and now?")
    finally:
        await desk.aclose()
    with scene.aside():
        desk = await opened(scene, ScriptedModel(answer))
    try:
        await asyncio.sleep(1.0)
        third = await answered(desk, "still there?")
    finally:
        await desk.aclose()
    if MessageState.RUNNING in (first, second, third) or third is not MessageState.DONE:
        raise Wrong(f"{first}, then {second}, after a restart {third}")
    return f"{first}, then {second}"


def _nested(depth: int) -> Sequence[ScriptItem]:
    return [scripted_call("note.add", '{"text":' + "[" * depth + "]" * depth + "}")]


def _eight_pictures(folder: Path) -> list[Path]:
    """Of 121 million pixels each, in a small file."""
    made = []
    for number in range(8):
        file = folder / f"{number}.png"
        file.write_bytes(flat_png(11_000, 11_000, number))
        made.append(file)
    return made


def flat_png(width: int, height: int, shade: int = 0) -> bytes:
    """A picture of one colour (RGB), made without holding it in memory."""
    packer = zlib.compressobj(9)
    row = b"\0" + bytes([shade * 20, 90, 160]) * width
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)

    def piece(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head) + piece(b"IDAT", data) + piece(b"IEND", b"")


async def _pictures(scene: Scene) -> str:
    files = _eight_pictures(scene.folder)
    desk = await opened(scene, ScriptedModel([scripted_text("I see.")], [scripted_text("I see.")]))
    await asyncio.sleep(2.0)
    scene.begin()
    try:
        source = QMimeData()
        source.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
        desk.chat.window.composer.content_dropped.emit(source)
        for _ in range(600):
            await asyncio.sleep(0.1)
            if (
                len(desk.chat.window.composer.attachments.items())
                == desk.chat.window.composer.attachments.count
            ):
                break
        taken = len(desk.chat.window.composer.attachments.items())
        desk.chat.window.composer.insert("Look")
        desk.chat.window.composer.submit()
        await asyncio.sleep(0.5)
        await asyncio.wait_for(desk.engine.chat.wait_idle(), _TIMEOUT)
        await asyncio.sleep(2.0)
    finally:
        await desk.aclose()
    return f"{taken} of 8 taken"


_ITEMS: dict[str, Sequence[ScriptItem]] = {
    "arguments nested 960 deep": _nested(960),
    "arguments nested 972 deep": _nested(972),
    "arguments nested 100,000 deep": _nested(100_000),
    "arguments of 2 MB": [scripted_call("note.add", {"text": "word " * 399_990}, pieces=60)],
    "arguments of 4 MB": [scripted_call("note.add", {"text": "word " * 800_000}, pieces=60)],
    'timer.set at="1", 100,000 blanks, "h"': [
        scripted_call("timer.set", {"at": "1" + " " * 100_000 + "h"})
    ],
    'timer.set at="9999-12-31"': [scripted_call("timer.set", {"at": "9999-12-31 23:59"})],
    "calc of 9**9**9**9": [scripted_call("calc.evaluate", {"expression": "9**9**9**9"})],
    "calc nested 5,000 deep": [
        scripted_call("calc.evaluate", {"expression": "(" * 5_000 + "1" + ")" * 5_000})
    ],
    "a reply of 1 MB in one delta": [scripted_text("Words, and **more** of them.\n\n" * 32_000)],
    "500 calls at once": [scripted_call("time.now", {}) for _ in range(500)],
    "a script of the body, 60 steps of 60": [
        scripted_call(
            "live2d.parameters",
            {"script": [{"do": "sequence", "steps": [{"do": "wait", "seconds": 0.1}] * 60}] * 60},
        )
    ],
}

CASES = [
    *(Case(name, partial(_turn, items)) for name, items in _ITEMS.items()),
    Case("eight pictures of 121 megapixels", _pictures),
]
