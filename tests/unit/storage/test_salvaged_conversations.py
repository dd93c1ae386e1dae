"""A damaged page loses only its rows."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from pathlib import Path

import pytest

from neodeskpet.core.blocks import Message, MessageState, Notice, Role, Text
from neodeskpet.core.errors import StoreError
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_repair import BlockLost
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.storage_errors import StoreSalvaged

PAGE = 4096
COUNT = 300
LONG = 600  # characters: several messages on a page


async def fill(path: Path) -> None:
    """Two conversations with COUNT messages each."""
    store = await SqliteStore.open(path)
    for title in ("first", "second"):
        made = await store.create_conversation(title)
        for number in range(COUNT):
            role = Role.USER if number % 2 == 0 else Role.ASSISTANT
            text = f"{title} {number} ".ljust(LONG, "x")
            await store.add_message(
                made.id,
                Message(f"{title}-{number}", role, (Text(0, 0, text),), MessageState.DONE, number),
            )
    await store.set_state("window", "here")
    await store.aclose()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / CONVERSATIONS_FILE
    asyncio.run(fill(path))
    return path.read_bytes()


def pages(content: bytes, folder: Path) -> dict[str, list[int]]:
    """The pages of each table and index, counted from 0, leaves and inner ones, found from the
    root.
    """
    path = folder / "layout.db"
    path.write_bytes(content)
    connection = sqlite3.connect(path)
    roots = connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage").fetchall()
    connection.close()
    path.unlink()
    return {name: sorted(_reached(content, root)) for name, root in roots}


def _reached(content: bytes, number: int) -> set[int]:
    start = (number - 1) * PAGE
    header = start + (100 if number == 1 else 0)
    found = {number - 1}
    if content[header] in (2, 5):  # an inner page: each cell begins with a child
        cells = int.from_bytes(content[header + 3 : header + 5], "big")
        spots = [header + 12 + 2 * cell for cell in range(cells)]
        offsets = [int.from_bytes(content[spot : spot + 2], "big") for spot in spots]
        children = [int.from_bytes(content[start + o : start + o + 4], "big") for o in offsets]
        children.append(int.from_bytes(content[header + 8 : header + 12], "big"))
        for child in children:
            found |= _reached(content, child)
    return found


def tear(content: bytes, *torn: int) -> bytes:
    changed = bytearray(content)
    for number in torn:
        changed[number * PAGE : (number + 1) * PAGE] = b"\xff" * PAGE
    return bytes(changed)


async def look(path: Path) -> tuple[list[Message], SqliteStore, list[StoreError]]:
    """Return all messages as the app reads them, and the reported errors."""
    told: list[StoreError] = []
    store = await SqliteStore.open(path, on_fault=told.append)
    found: list[Message] = []
    for info in await store.conversations():
        found += await store.history(info.id, 10_000)
    await asyncio.sleep(0)
    return found, store, [*([store.fault] if store.fault else []), *told]


def check_sound(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_one_damaged_page_of_texts(tmp_path: Path, whole: bytes) -> None:
    async def scene() -> None:
        path = tmp_path / CONVERSATIONS_FILE
        torn = pages(whole, tmp_path)["blocks"][40]
        path.write_bytes(tear(whole, torn))
        messages, store, told = await look(path)
        assert len(messages) == 2 * COUNT
        lost = [m for m in messages if any(isinstance(b, Notice) for b in m.blocks)]
        assert 1 <= len(lost) <= PAGE // LONG + 1
        for message in lost:
            (notice,) = message.blocks
            assert isinstance(notice, Notice)
            assert notice.code == BlockLost.code
        (error,) = told
        assert isinstance(error, StoreSalvaged)
        assert error.params["known"] == str(2 * COUNT)
        assert error.params["saved"] == str(2 * COUNT - len(lost))
        assert await store.get_state("window") == "here"
        assert store.recovered_from is not None
        assert (tmp_path / error.params["file"]).read_bytes() == tear(whole, torn)
        await store.aclose()
        check_sound(path)

    asyncio.run(scene())


@pytest.mark.parametrize("table", ["messages", "conversations", "state", "message_heads"])
def test_lost_rows_of_other_tables_are_derived_from_the_rest(
    tmp_path: Path, whole: bytes, table: str
) -> None:
    async def scene() -> None:
        path = tmp_path / CONVERSATIONS_FILE
        path.write_bytes(tear(whole, pages(whole, tmp_path)[table][-1]))
        messages, store, _ = await look(path)
        await store.get_state("window")
        assert {m.id for m in messages} >= {f"first-{n}" for n in range(COUNT)}
        assert len(messages) == 2 * COUNT
        roles = {m.id: m.role for m in messages}
        assert roles["first-10"] is Role.USER
        assert roles["second-11"] is Role.ASSISTANT
        assert [m.id for m in messages if m.text == ""] == []
        await store.aclose()
        check_sound(path)

    asyncio.run(scene())


@pytest.mark.parametrize("seed", range(12))
def test_any_three_pages(tmp_path: Path, whole: bytes, seed: int) -> None:
    """Whatever is damaged, it can be opened, reports that, and contains no invented text."""

    async def scene() -> None:
        chance = random.Random(seed)
        path = tmp_path / CONVERSATIONS_FILE
        path.write_bytes(tear(whole, *chance.sample(range(len(whole) // PAGE), 3)))
        messages, store, _ = await look(path)
        for message in messages:
            title, number = message.id.split("-")
            assert message.text in ("", f"{title} {number} ".ljust(LONG, "x"))
        await store.create_conversation("goes on")
        await store.aclose()
        check_sound(path)

    asyncio.run(scene())
