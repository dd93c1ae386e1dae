"""The store of to-dos in the notebook: the open ones by due date, then the done ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import time
from typing import TypeVar

from neodeskpet.core.data_labels import DataSource, add_sources, read_sources, write_sources
from neodeskpet.core.schedule.due import Due, parse_due
from neodeskpet.notebook.ics_entries import IcsTodo
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notebook_tables import KEPT_SECONDS
from neodeskpet.platform.observers import Observers
from neodeskpet.storage.database import Work
from neodeskpet.storage.database_schema import StoredText, from_column, to_column

MOST_TODO_CHARACTERS = 1_000
"""The largest number of characters of a to-do."""

_COLUMNS = "id, text, created, done, untrusted, due"
_Row = tuple[int, StoredText, float, float | None, str, str]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Todo:
    """A to-do. `created` and `done` are in Unix seconds; `done` is None while it is open.
    `untrusted` are the untrusted sources of its text. `due`: its due date; nothing rings then.
    """

    id: int
    text: str
    created: float
    done: float | None = None
    untrusted: tuple[DataSource, ...] = ()
    due: Due | None = None


class TodoStore:
    """Stores to-dos. Used on the loop. All coroutines raise StoreError."""

    def __init__(self, notebook: Notebook, clock: Callable[[], float] = time) -> None:
        self._notebook = notebook
        self._clock = clock
        self._changed: Observers[[]] = Observers()

    def now(self) -> float:
        return self._clock()

    def notify_changed(self) -> None:
        """Notify observers, which read again: another process may have changed the data."""
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each change by this process; return the function that ends the
        subscription.
        """
        return self._changed.subscribe(observer)

    async def todos(self) -> list[Todo]:
        """Return the open to-dos by due date, then the oldest first; then the done ones, the last
        first.
        """
        query = (
            f"SELECT {_COLUMNS} FROM todos WHERE deleted IS NULL "
            "ORDER BY done IS NOT NULL, done DESC, id"
        )
        rows = await self._notebook.read(lambda db: db.execute(query).fetchall())
        return sorted((_todo(row) for row in rows), key=urgency)

    async def find(self, todo_id: int) -> Todo | None:
        return await self._notebook.read(lambda db: _find(db, todo_id))

    async def add(
        self, text: str, untrusted: Sequence[DataSource] = (), *, due: Due | None = None
    ) -> Todo:
        now = self._clock()

        def work(connection: sqlite3.Connection) -> int:
            cursor = connection.execute(
                "INSERT INTO todos (text, created, untrusted, due) VALUES (?, ?, ?, ?)",
                (to_column(text), now, write_sources(untrusted), _due_column(due)),
            )
            return int(cursor.lastrowid or 0)

        return Todo(await self._change(work), text, now, untrusted=tuple(untrusted), due=due)

    async def known_uids(self) -> dict[str, int]:
        """The ids of the to-dos by their id of all computers."""
        query = "SELECT uid, id FROM todos WHERE deleted IS NULL AND uid <> ''"
        return dict(await self._notebook.read(lambda db: db.execute(query).fetchall()))

    async def add_imported(
        self, entries: Sequence[IcsTodo], untrusted: Sequence[DataSource]
    ) -> list[int]:
        """Add those that aren't there; one that was deleted comes back. Returns their ids."""
        now, sources = self._clock(), write_sources(untrusted)
        statement = (
            "INSERT INTO todos (text, created, untrusted, due, uid) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (uid) WHERE uid <> '' DO UPDATE SET text = excluded.text, "
            "due = excluded.due, untrusted = excluded.untrusted, done = NULL, deleted = NULL "
            "WHERE deleted IS NOT NULL RETURNING id"
        )

        def work(connection: sqlite3.Connection) -> list[int]:
            added = []
            for one in entries:
                values = (to_column(one.text), now, sources, _due_column(one.due), one.uid)
                row = connection.execute(statement, values).fetchone()
                added += [int(row[0])] if row is not None else []
            return added

        return await self._change(work)

    async def delete_all(self, todo_ids: Sequence[int]) -> None:
        """Take all of these away; they can be restored for 30 days."""
        await self._mark(todo_ids, self._clock(), "deleted IS NULL")

    async def update(
        self, todo_id: int, text: str, due: Due | None, untrusted: Sequence[DataSource] = ()
    ) -> Todo | None:
        """Change a to-do and return it, with these sources added; None if the id is unknown."""

        def work(connection: sqlite3.Connection) -> Todo | None:
            found = _find(connection, todo_id)
            if found is None:
                return None
            sources = add_sources(found.untrusted, untrusted)
            connection.execute(
                "UPDATE todos SET text = ?, due = ?, untrusted = ? WHERE id = ?",
                (to_column(text), _due_column(due), write_sources(sources), todo_id),
            )
            return replace(found, text=text, due=due, untrusted=sources)

        return await self._change(work)

    async def set_done(self, todo_id: int, *, done: bool) -> Todo | None:
        """Set whether a to-do is done. None if the id is unknown."""
        at = self._clock() if done else None

        def work(connection: sqlite3.Connection) -> Todo | None:
            found = _find(connection, todo_id)
            if found is None:
                return None
            connection.execute("UPDATE todos SET done = ? WHERE id = ?", (at, todo_id))
            return replace(found, done=at)

        return await self._change(work)

    async def delete(self, todo_id: int) -> Todo | None:
        """Delete a to-do; it can be restored for 30 days. None if the id is unknown."""
        gone = await self._mark([todo_id], self._clock(), "deleted IS NULL")
        return gone[0] if gone else None

    async def clear_done(self) -> list[Todo]:
        """Delete all done to-dos."""
        now = self._clock()

        def work(connection: sqlite3.Connection) -> list[Todo] | None:
            rows = connection.execute(
                "UPDATE todos SET deleted = ? WHERE deleted IS NULL AND done IS NOT NULL "
                f"RETURNING {_COLUMNS}",
                (now,),
            ).fetchall()
            return [_todo(row) for row in rows] or None

        return await self._change(work) or []

    async def restore(self, todo_ids: Sequence[int]) -> list[Todo]:
        """Restore deleted to-dos; return the restored ones."""
        oldest = self._clock() - KEPT_SECONDS
        return await self._mark(todo_ids, None, f"deleted >= {oldest}")

    async def _mark(self, todo_ids: Sequence[int], deleted: float | None, those: str) -> list[Todo]:
        def work(connection: sqlite3.Connection) -> list[Todo] | None:
            statement = (
                f"UPDATE todos SET deleted = ? WHERE id = ? AND {those} RETURNING {_COLUMNS}"
            )
            rows = [connection.execute(statement, (deleted, one)).fetchone() for one in todo_ids]
            return [_todo(row) for row in rows if row is not None] or None

        return await self._change(work) or []

    async def _change(self, work: Work[T]) -> T:
        """Run a change; the result None means that nothing was changed."""
        result = await self._notebook.change(work)
        if result is not None:
            self._changed.notify()
        return result


def _find(connection: sqlite3.Connection, todo_id: int) -> Todo | None:
    query = f"SELECT {_COLUMNS} FROM todos WHERE id = ? AND deleted IS NULL"
    row: _Row | None = connection.execute(query, (todo_id,)).fetchone()
    return None if row is None else _todo(row)


def _todo(row: _Row) -> Todo:
    number, text, created, done, untrusted, due = row
    sources = read_sources(untrusted)
    return Todo(number, from_column(text), created, done, sources, parse_due(due))


def _due_column(due: Due | None) -> str:
    return "" if due is None else str(due)


def urgency(todo: Todo) -> tuple[bool, datetime]:
    """Return the sort key: done to-dos come last."""
    last = datetime.max
    return todo.done is not None, last if todo.due is None or todo.done else todo.due.end
