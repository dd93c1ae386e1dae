"""To-dos are stored over a restart, a damaged file and a deletion."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import ExitStack, closing
from datetime import date, time
from pathlib import Path

from neodeskpet.core.schedule.due import Due
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notebook_tables import KEPT_SECONDS, NOTEBOOK_CONTENT
from neodeskpet.notebook.todos import TodoStore


def test_they_are_stored_ticked_changed_and_removed(tmp_path: Path) -> None:
    now = 1_000.0

    async def run() -> None:
        nonlocal now
        notebook = await Notebook.open(tmp_path / "notebook.db")
        book = TodoStore(notebook, lambda: now)
        heard: list[None] = []
        end = book.subscribe(lambda: heard.append(None))
        for text in ("milk", "bread", "\ud800oats"):
            await book.add(text)
        now += 1
        await book.set_done(1, done=True)
        await book.update(2, "rye bread", None)
        assert len(heard) == 5
        assert await book.set_done(9, done=True) is None
        assert await book.update(9, "x", None) is None
        assert await book.delete(9) is None
        assert await book.restore([1]) == []
        assert len(heard) == 5
        end()
        await notebook.aclose()

        notebook = await Notebook.open(tmp_path / "notebook.db")
        book = TodoStore(notebook, lambda: now)
        assert [(one.id, one.done) for one in await book.todos()] == [
            (2, None),
            (3, None),
            (1, 1_001.0),
        ]
        assert [one.text for one in await book.clear_done()] == ["milk"]
        assert await book.clear_done() == []
        gone = await book.delete(2)
        assert gone is not None
        assert gone.text == "rye bread"
        assert [one.id for one in await book.restore([1, 2])] == [1, 2]
        await book.delete(2)
        now += KEPT_SECONDS + 1
        await book.set_done(1, done=False)
        assert await book.restore([2]) == []
        assert [one.id for one in await book.todos()] == [1, 3]
        found = await book.find(1)
        assert found is not None
        assert found.done is None
        await notebook.aclose()

    asyncio.run(run())


def test_due_ones_come_first_and_stay_due(tmp_path: Path) -> None:
    async def run() -> None:
        notebook = await Notebook.open(tmp_path / "notebook.db")
        book = TodoStore(notebook, lambda: 1_000.0)
        await book.add("some day")
        await book.add("on Friday", due=Due(date(2026, 12, 4)))
        await book.add("on Friday at five", due=Due(date(2026, 12, 4), time(17)))
        await book.add("on Tuesday", due=Due(date(2026, 12, 1)))
        await book.add("done", due=Due(date(2026, 11, 1)))
        await book.set_done(5, done=True)
        await notebook.aclose()
        notebook = await Notebook.open(tmp_path / "notebook.db")
        book = TodoStore(notebook, lambda: 1_000.0)
        found = [(one.id, str(one.due or "")) for one in await book.todos()]
        assert found == [
            (4, "2026-12-01"),
            (3, "2026-12-04 17:00"),
            (2, "2026-12-04"),
            (1, ""),
            (5, "2026-11-01"),
        ]
        await book.update(4, "no more", None)
        await book.delete(3)
        assert [one.due for one in await book.restore([3])] == [Due(date(2026, 12, 4), time(17))]
        assert [one.id for one in await book.todos()] == [3, 2, 1, 4, 5]
        await notebook.aclose()

    asyncio.run(run())


def test_a_list_from_before_due_dates_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "notebook.db"

    async def run() -> None:
        notebook = await Notebook.open(path)
        await TodoStore(notebook).add("milk")
        await notebook.aclose()
        with closing(sqlite3.connect(path)) as older, older:
            older.executescript(
                "DROP TRIGGER shared_todo_changed; ALTER TABLE todos DROP COLUMN due;"
                "DELETE FROM migrations WHERE name = '008-todo-due';"
                "CREATE TRIGGER shared_todo_changed AFTER UPDATE OF uid, text ON todos "
                "BEGIN SELECT 1; END;"
            )
        notebook = await Notebook.open(path)
        book = TodoStore(notebook)
        await book.update(1, "milk", Due(date(2026, 12, 4)))
        (kept,) = await book.todos()
        assert (kept.text, kept.due) == ("milk", Due(date(2026, 12, 4)))
        await notebook.aclose()

    asyncio.run(run())


def test_due_dates_are_copied_to_another_file_and_saved_from_a_damaged_one(
    tmp_path: Path,
) -> None:
    merge, salvage = NOTEBOOK_CONTENT.merge, NOTEBOOK_CONTENT.salvage
    assert merge is not None and salvage is not None
    paths = [tmp_path / name for name in ("ours.db", "theirs.db", "saved.db")]
    with ExitStack() as stack:
        ours, theirs, saved = (stack.enter_context(closing(sqlite3.connect(one))) for one in paths)
        for connection, path in zip((ours, theirs, saved), paths, strict=True):
            connection.isolation_level = None
            NOTEBOOK_CONTENT.prepare(connection, path)
        ours.execute("INSERT INTO todos (text, created, due) VALUES ('form', 1, '2026-12-04')")
        assert merge(ours, theirs) == 1
        salvage(paths[1], saved)
        for connection in (theirs, saved):
            found = connection.execute("SELECT text, due FROM todos").fetchall()
            assert found == [("form", "2026-12-04")]
