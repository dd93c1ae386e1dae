"""Notes that the companion keeps for the user: the value, the interface of a store, and the stores
in memory and in the notebook.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import time
from typing import Protocol, TypeVar

from neodeskpet.core.data_labels import DataSource, add_sources, read_sources, write_sources
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notebook_tables import KEPT_SECONDS
from neodeskpet.platform.observers import Observers
from neodeskpet.storage.database import Work
from neodeskpet.storage.database_schema import StoredText, from_column, to_column

MOST_NOTE_CHARACTERS = 20_000
"""The largest number of characters of a note."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note. `created` is in Unix seconds. Pinned notes come first. `untrusted` are the untrusted
    sources of its text.
    """

    id: int
    text: str
    tags: tuple[str, ...]
    created: float
    pinned: bool = False
    untrusted: tuple[DataSource, ...] = ()

    def holds(self, words: Sequence[str]) -> bool:
        """Return whether each of `words` is in the text or in a tag, ignoring case."""
        hay = folded_note(self.text, self.tags)
        return all(word.casefold() in hay for word in words)


def folded_note(text: str, tags: Sequence[str]) -> str:
    """Return the text for the search, which works for Chinese and English."""
    return "\n".join((text, *tags)).casefold()


class NoteStore(Protocol):
    """Stores notes. Used on the loop; work on files is done on another thread. All coroutines raise
    StoreError.
    """

    async def add(
        self, text: str, tags: Sequence[str] = (), untrusted: Sequence[DataSource] = ()
    ) -> Note: ...

    async def search(self, words: Sequence[str], limit: int) -> list[Note]:
        """Return up to `limit` notes that contain every word, the pinned first, then the newest;
        without words, any notes.
        """
        ...

    async def update(
        self,
        note_id: int,
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        pinned: bool | None = None,
        untrusted: Sequence[DataSource] = (),
    ) -> Note | None:
        """Change a note and return it; None leaves a part unchanged, `untrusted` is added. Return
        None if the id is unknown.
        """
        ...

    async def delete(self, note_id: int) -> Note | None:
        """Delete a note; it can be restored for 30 days. None if the id is unknown."""
        ...

    async def restore(self, note_id: int) -> Note | None:
        """Restore a deleted note. None if it was deleted permanently, or never deleted."""
        ...

    def notify_changed(self) -> None:
        """Notify observers, which read again: another process may have changed notes."""
        ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each change by this process; return the function that ends the
        subscription.
        """
        ...


class NotesInMemory:
    """The store for tests and for runs that store nothing."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._notes: dict[int, Note] = {}
        self._deleted: dict[int, Note] = {}
        self._changed: Observers[[]] = Observers()

    async def add(
        self, text: str, tags: Sequence[str] = (), untrusted: Sequence[DataSource] = ()
    ) -> Note:
        number = len(self._notes) + len(self._deleted) + 1
        note = Note(number, text, tuple(tags), self._clock(), untrusted=tuple(untrusted))
        self._notes[number] = note
        self._changed.notify()
        return note

    async def search(self, words: Sequence[str], limit: int) -> list[Note]:
        found = [note for note in self._notes.values() if note.holds(words)]
        return sorted(found, key=lambda note: (not note.pinned, -note.id))[:limit]

    async def update(
        self,
        note_id: int,
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        pinned: bool | None = None,
        untrusted: Sequence[DataSource] = (),
    ) -> Note | None:
        note = self._notes.get(note_id)
        if note is None:
            return None
        note = self._notes[note_id] = changed_note(note, text, tags, pinned, untrusted)
        self._changed.notify()
        return note

    async def delete(self, note_id: int) -> Note | None:
        return self._move(note_id, self._notes, self._deleted)

    async def restore(self, note_id: int) -> Note | None:
        return self._move(note_id, self._deleted, self._notes)

    def _move(self, note_id: int, source: dict[int, Note], target: dict[int, Note]) -> Note | None:
        note = source.pop(note_id, None)
        if note is not None:
            target[note_id] = note
            self._changed.notify()
        return note

    def notify_changed(self) -> None:
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self._changed.subscribe(observer)


def changed_note(
    note: Note,
    text: str | None,
    tags: Sequence[str] | None,
    pinned: bool | None,
    untrusted: Sequence[DataSource] = (),
) -> Note:
    """Return `note` with the parts that aren't None, and with these sources added."""
    return replace(
        note,
        text=note.text if text is None else text,
        tags=note.tags if tags is None else tuple(tags),
        pinned=note.pinned if pinned is None else pinned,
        untrusted=add_sources(note.untrusted, untrusted),
    )


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
        """Notify observers, which read again: another process may have changed the data."""
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self._changed.subscribe(observer)

    async def _change(self, work: Work[T]) -> T:
        """Run a change; the result None means that nothing was changed."""
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
    """Return the readable tags."""
    try:
        listed = json.loads(from_column(stored))
    except ValueError:
        return ()
    return tuple(str(tag) for tag in listed) if isinstance(listed, list) else ()
