"""Data that was stored before labels existed: what is untrusted, and what is the user's."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from neodeskpet.core.blocks import Text, ToolUse
from neodeskpet.core.data_labels import EARLIER_LABELS, DataSource, SourceKind
from neodeskpet.memory.recall.memory_schema import MEMORY_MIGRATIONS as MEMORY
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notebook_tables import MIGRATIONS as NOTEBOOK
from neodeskpet.notebook.notes import SqliteNotes
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.storage.conversation_migrations import MIGRATIONS as STORE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.database_schema import migrate

OWN = "6216e8f7-0223-44c2-9c35-947aeee90430"
OF_AN_ARCHIVE = "6216e8f7-0223-54c2-9c35-947aeee90430"


def before(migrations: dict[str, str]) -> dict[str, str]:
    """The migrations before the last one about origins."""
    names = list(migrations)
    last = next(at for at, name in enumerate(names) if name.endswith("-origins"))
    return {name: migrations[name] for name in names[:last]}


def test_entries_of_other_programs_are_untrusted_and_the_others_are_not(tmp_path: Path) -> None:
    path = tmp_path / "notebook.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrate(old, None, before(NOTEBOOK))
        for text in ("mine", "by coder"):
            old.execute(
                "INSERT INTO notes (text, tags, folded, created) VALUES (?, '[]', '', 1)", (text,)
            )
            old.execute("INSERT INTO todos (text, created) VALUES (?, 1)", (text,))
        for actor, summary in (("program coder", "by coder"), ("companion", "mine")):
            for app in ("notes", "todo"):
                old.execute(
                    "INSERT INTO acts (at, actor, app, action, success, summary, undo) "
                    "VALUES (1, ?, ?, 'add', 1, ?, '')",
                    (actor, app, summary),
                )

    async def live() -> None:
        notebook = await Notebook.open(path)
        notes = await SqliteNotes(notebook).search((), 5)
        todos = await TodoStore(notebook).todos()
        program = (DataSource(SourceKind.PROGRAM),)
        for found in (notes, todos):
            assert {one.text: one.untrusted for one in found} == {"mine": (), "by coder": program}
        await notebook.aclose()

    asyncio.run(live())


def test_messages_of_archives_and_tool_results_are_untrusted(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrate(old, None, before(STORE))
        old.execute(
            "INSERT INTO conversations (id, title, created, updated) VALUES ('c', 't', 1, 1)"
        )
        for number, name in enumerate((OWN, OF_AN_ARCHIVE), 1):
            old.execute(
                "INSERT INTO messages (number, id, conversation, role, state, created, rounds, "
                "model, touched, parent, chosen) VALUES (?, ?, 'c', 'assistant', 'done', 1, 0, "
                "'', 1, ?, 1)",
                (number, name, "" if number == 1 else OWN),
            )
            for position, kind, fields in (
                (0, "text", '{"round": 0, "refusal": false}'),
                (1, "tool_use", '{"round": 0, "call_id": "a", "name": "x", "status": "success"}'),
            ):
                old.execute(
                    "INSERT INTO blocks VALUES (?, ?, ?, 0, ?, 'words')",
                    (number, position, kind, fields),
                )

    async def live() -> None:
        store = await SqliteStore.open(path)
        own, imported = await store.messages([OWN, OF_AN_ARCHIVE])
        for message, sources in ((own, ()), (imported, (DataSource(SourceKind.ARCHIVE),))):
            text, call = message.blocks
            assert isinstance(text, Text) and isinstance(call, ToolUse)
            assert (text.untrusted, call.labels) == (sources, EARLIER_LABELS)
        await store.aclose()

    asyncio.run(live())


def test_memories_of_archives_and_of_tools_are_untrusted(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    rows = {"mine": (OWN, "person"), "old": (OF_AN_ARCHIVE, "person"), "read": (OWN, "tool")}
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrate(old, None, before(MEMORY))
        for text, (message, side) in rows.items():
            old.execute(
                "INSERT INTO items (id, message, side, speaker, time, text, terms, length, "
                "corrects, asks) VALUES (?1, ?2, ?3, 'user', 0, ?1, '', 0, 0, 0)",
                (text, message, side),
            )

    async def live() -> None:
        book = await MemoryStore.open(path)
        found = {one.text: one.untrusted for one in await book.get([*rows])}
        assert found == {"mine": False, "old": True, "read": True}
        await book.aclose()

    asyncio.run(live())
