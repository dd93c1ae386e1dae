"""Notes in the notebook. They are few, so the folded text is searched by substring."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from time import time
from typing import TypeVar

from neodeskpet.core.labels import DataSource, read_sources, write_sources
from neodeskpet.database.columns import StoredText, from_column, to_column
from neodeskpet.database.database import Work
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.tables import KEPT_SECONDS
from neodeskpet.notes.notes import Note, changed_note, folded_note
from neodeskpet.observers import Observers

_COLUMNS = "id, text, tags, created, pinned, untrusted"
_Row = tuple[int, StoredText, StoredText, float, int, str]

T = TypeVar("T")


class SqliteNotes:
    """A `NoteStore` in the notebook."""

    def __init__(self, notebook: Notebook, clock: Callable[[], float] = time) -> None:
        self._notebook = notebook
        self._clock = clock
        self._changed: Observers[[]] = Observers()

    async def add(
        self, text: str, tags: Sequence[str] = (), untrusted: Sequence[DataSource] = ()
    ) -> Note:
        now = self._clock()

        def work(connection: sqlite3.Connection) -> int:
            cursor = connection.execute(
                "INSERT INTO notes (text, tags, folded, created, untrusted) VALUES (?, ?, ?, ?, ?)",
                (*_written(text, tags), now, write_sources(untrusted)),
            )
            return int(cursor.lastrowid or 0)

        number = await self._change(work)
        return Note(number, text, tuple(tags), now, untrusted=tuple(untrusted))

    async def search(self, words: Sequence[str], limit: int) -> list[Note]:
        wanted = "".join(" AND instr(folded, ?)" for _ in words)
        query = (
            f"SELECT {_COLUMNS} FROM notes WHERE deleted IS NULL{wanted} "
            "ORDER BY pinned DESC, id DESC LIMIT ?"
        )
        values = (*(to_column(word.casefold()) for word in words), limit)
        rows = await self._notebook.read(lambda db: db.execute(query, values).fetchall())
        return [_note(row) for row in rows]

    async def update(
        self,
        note_id: int,
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        pinned: bool | None = None,
        untrusted: Sequence[DataSource] = (),
    ) -> Note | None:
        def work(connection: sqlite3.Connection) -> Note | None:
            row = _one(
                connection,
                f"SELECT {_COLUMNS} FROM notes WHERE id = ? AND deleted IS NULL",
                (note_id,),
            )
            if row is None:
                return None
            note = changed_note(_note(row), text, tags, pinned, untrusted)
            origin = write_sources(note.untrusted)
            connection.execute(
                "UPDATE notes SET text = ?, tags = ?, folded = ?, pinned = ?, untrusted = ? "
                "WHERE id = ?",
                (*_written(note.text, note.tags), int(note.pinned), origin, note_id),
            )
            return note

        return await self._change(work)

    async def delete(self, note_id: int) -> Note | None:
        return await self._mark(note_id, self._clock(), "deleted IS NULL")

    async def restore(self, note_id: int) -> Note | None:
        oldest = self._clock() - KEPT_SECONDS
        return await self._mark(note_id, None, f"deleted >= {oldest}")

    async def _mark(self, note_id: int, deleted: float | None, those: str) -> Note | None:
        def work(connection: sqlite3.Connection) -> Note | None:
            row = _one(
                connection,
                f"UPDATE notes SET deleted = ? WHERE id = ? AND {those} RETURNING {_COLUMNS}",
                (deleted, note_id),
            )
            return None if row is None else _note(row)

        return await self._change(work)

    def notify_changed(self) -> None:
        """Another process may have changed what is kept: observers read it anew."""
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self._changed.subscribe(observer)

    async def _change(self, work: Work[T]) -> T:
        """None means that nothing was changed."""
        result = await self._notebook.change(work)
        if result is not None:
            self._changed.notify()
        return result


def _one(connection: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> _Row | None:
    row: _Row | None = connection.execute(statement, values).fetchone()
    return row


def _written(text: str, tags: Sequence[str]) -> tuple[StoredText, StoredText, StoredText]:
    listed = json.dumps(list(tags), ensure_ascii=False)
    return to_column(text), to_column(listed), to_column(folded_note(text, tags))


def _note(row: _Row) -> Note:
    number, text, tags, created, pinned, untrusted = row
    sources = read_sources(untrusted)
    return Note(number, from_column(text), _tags(tags), created, bool(pinned), sources)


def _tags(stored: StoredText) -> tuple[str, ...]:
    """Damaged ones cost themselves alone."""
    try:
        listed = json.loads(from_column(stored))
    except ValueError:
        return ()
    return tuple(str(tag) for tag in listed) if isinstance(listed, list) else ()
