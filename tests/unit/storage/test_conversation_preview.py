"""The preview of the last conversation is read without the store, and changes nothing."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.storage.conversation_preview import read_preview, read_previewed_messages
from neodeskpet.storage.conversation_store import SqliteStore


def said(name: str, role: Role = Role.USER) -> Message:
    return Message(name, role, (Text(0, 0, f"words of {name}"),), MessageState.DONE, 1.0, 1.0)


def fill(file: Path) -> dict[str, str]:
    """A store with two conversations and one of a further companion, which is the latest; ids by
    name.
    """

    async def work() -> dict[str, str]:
        now = [100.0]
        store = await SqliteStore.open(file, clock=lambda: now[0])
        ids = {}
        for name in ("old", "new", "guest", "archived"):
            now[0] += 10
            ids[name] = (await store.create_conversation(name)).id
            for number in range(2):
                await store.add_message(ids[name], said(f"{name}{number}"))
        await store.archive_conversations([ids["archived"]], True)
        guests = {"owners": {ids["guest"]: "figure"}, "talks": {}, "here": []}
        await store.set_state("guests", json.dumps(guests))
        await store.set_state("chat.place", "1,2,300,400")
        await store.aclose()
        return ids

    return asyncio.run(work())


def test_the_first_companions_last_conversation_is_read(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    ids = fill(file)
    before = file.read_bytes()
    preview = read_preview(file, ("chat.place", "chat.name"))
    assert preview is not None
    assert preview.conversation_id == ids["new"]
    assert [head.id for head in preview.heads] == ["new0", "new1"]
    assert [message.text for message in preview.newest] == ["words of new0", "words of new1"]
    assert preview.state == {"chat.place": "1,2,300,400"}
    assert [m.id for m in read_previewed_messages(file, ["new1", "none"])] == ["new1"]
    assert file.read_bytes() == before


def test_a_file_that_must_be_migrated_or_repaired_has_no_preview(tmp_path: Path) -> None:
    assert read_preview(tmp_path / "missing.db", ()) is None
    assert not (tmp_path / "missing.db").exists()
    file = tmp_path / "store.db"
    fill(file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM migrations WHERE name LIKE '014%'")
    assert read_preview(file, ()) is None
    file.write_bytes(b"no database " * 1000)
    assert read_preview(file, ()) is None
    assert read_previewed_messages(file, ["new1"]) == []


def test_a_store_without_conversations_has_no_preview(tmp_path: Path) -> None:
    async def work() -> None:
        await (await SqliteStore.open(tmp_path / "store.db")).aclose()

    asyncio.run(work())
    assert read_preview(tmp_path / "store.db", ()) is None
