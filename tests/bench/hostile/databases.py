"""Conversations on disk that are large, damaged or deleted."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_text
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.bench.hostile.case import START_SECONDS, Case, Scene, Wrong
from tests.bench.hostile.turns import answered, history, opened

_LARGE = 500  # messages of 1 MB


def _home(scene: Scene) -> Path:
    home = scene.folder / "home"
    home.mkdir(exist_ok=True)
    return home


async def _fill(home: Path, messages: int, size: int) -> Path:
    """A conversation with that many messages; return its database file."""
    store = await SqliteStore.open(home / CONVERSATIONS_FILE)
    info = await store.create_conversation("a long one")
    text = "words and more " * (size // 15)
    for number in range(messages):
        role = Role.ASSISTANT if number % 2 else Role.USER
        block = Text(0, 0, f"{number} {text}")
        await store.add_message(
            info.id, Message(f"m{number}", role, (block,), MessageState.DONE, 0.0, 1.0)
        )
    await store.aclose()
    return home / CONVERSATIONS_FILE


async def _large(scene: Scene) -> str:
    """From the start to the last message shown."""
    file = await _fill(_home(scene), _LARGE, 1_000_000)
    size = file.stat().st_size / 1e6
    scene.begin()
    began = time.monotonic()
    with scene.aside():
        desk = await opened(scene)
    try:
        while "m" + str(_LARGE - 1) not in [head.id for head in desk.chat.view.column.heads]:
            if time.monotonic() - began > 60:
                raise Wrong("the conversation isn't shown")
            await asyncio.sleep(0.02)
        took = time.monotonic() - began
        await asyncio.sleep(3.0)
    finally:
        await desk.aclose()
    if took > START_SECONDS:
        raise Wrong(f"{took:.1f} s to the last message of {size:.0f} MB")
    return f"{took:.1f} s to the last message of {size:.0f} MB"


async def _bad_byte(scene: Scene) -> str:
    file = await _fill(_home(scene), 6, 200)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE blocks SET body = CAST(x'776f72ff6473' AS TEXT) WHERE rowid = 3")
    connection.close()
    desk = await opened(scene, ScriptedModel([scripted_text("Still here.")]))
    scene.begin()
    try:
        state = await answered(desk, "are you there?")
        kept = len(await history(desk))
    finally:
        await desk.aclose()
    if state is not MessageState.DONE or kept != 8:
        raise Wrong(f"the next turn is {state}, {kept} of 8 messages")
    return f"the next turn is {state}"


async def _damaged_page(scene: Scene) -> str:
    """One page in the middle is noise."""
    file = await _fill(_home(scene), 400, 3000)
    with file.open("r+b") as out:
        out.seek(file.stat().st_size // 2 // 4096 * 4096)
        out.write(b"\xa5" * 4096)
    scene.begin()
    with scene.aside():
        desk = await opened(scene)
        await desk.welcome.greet()  # reports errors found before the windows existed
    try:
        for _ in range(100):  # it is checked in the background
            await asyncio.sleep(0.1)
            if "damaged" in (told := desk.companion.bubble.page_text):
                break
        kept = len(await desk.engine.storage.store.heads(_id(desk.engine.chat.conversation)))
    finally:
        await desk.aclose()
    if kept < 350 or "damaged" not in told:
        raise Wrong(f"{kept} of 400 messages are left; told: {told!r}")
    return f"{kept} of 400 messages; told: {told!r}"


async def _deleted(scene: Scene) -> str:
    """It is deleted while the app runs."""
    desk = await opened(scene, ScriptedModel([scripted_text("One.")], [scripted_text("Two.")]))
    await asyncio.sleep(1.0)
    scene.begin()
    try:
        await answered(desk, "first")
        (_home(scene) / CONVERSATIONS_FILE).unlink()
        await answered(desk, "second")
    finally:
        await desk.aclose()
    with scene.aside():
        desk = await opened(scene)
    try:
        kept = len(await history(desk))
    finally:
        await desk.aclose()
    if kept < 4:
        raise Wrong(f"{kept} of 4 messages after a restart")
    return f"{kept} of 4 messages after a restart"


def _id(info: object) -> str:
    return str(getattr(info, "id", ""))


CASES = [
    Case("a database of 500 MB", _large),
    Case("one byte that is no UTF-8", _bad_byte),
    Case("one damaged page", _damaged_page),
    Case("the database is deleted meanwhile", _deleted),
]
