"""Notes in a small SQLite file of their own.

The folded text is searched by substring, which serves Chinese as well as English; notes are few.
A connection is opened for each call: calls come from any worker thread, and are rare.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import time

from neodeskpet.core.errors import StoreError
from neodeskpet.files import make_private
from neodeskpet.notes.notes import KEPT_SECONDS, Note
from neodeskpet.observers import Observers

_SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    tags TEXT NOT NULL,
    folded TEXT NOT NULL,
    created REAL NOT NULL,
    deleted REAL
)
"""
_COLUMNS = "id, text, tags, created"


class SqliteNotes:
    """A `NoteStore` in the file `path`. Raises StoreError."""

    def __init__(self, path: Path, clock: Callable[[], float] = time) -> None:
        self._path = path
        self._clock = clock
        self._changed: Observers[[]] = Observers()

    def add(self, text: str, tags: Sequence[str]) -> Note:
        now = self._clock()
        folded = "\n".join((text, *tags)).casefold()
        with self._open() as database:
            row = database.execute(
                "INSERT INTO notes (text, tags, folded, created) VALUES (?, ?, ?, ?) RETURNING id",
                (text, json.dumps(list(tags), ensure_ascii=False), folded, now),
            ).fetchone()
        self._changed.tell()
        return Note(row[0], text, tuple(tags), now)

    def search(self, words: Sequence[str], limit: int) -> list[Note]:
        wanted = "".join(" AND instr(folded, ?)" for _ in words)
        query = (
            f"SELECT {_COLUMNS} FROM notes WHERE deleted IS NULL{wanted} ORDER BY id DESC LIMIT ?"
        )
        with self._open() as database:
            rows = database.execute(query, (*(word.casefold() for word in words), limit))
            return [_note(row) for row in rows]

    def delete(self, note_id: int) -> Note | None:
        now = self._clock()
        with self._open() as database:
            row = database.execute(
                "UPDATE notes SET deleted = ? WHERE id = ? AND deleted IS NULL "
                f"RETURNING {_COLUMNS}",
                (now, note_id),
            ).fetchone()
        return self._told(row)

    def restore(self, note_id: int) -> Note | None:
        with self._open() as database:
            row = database.execute(
                "UPDATE notes SET deleted = NULL WHERE id = ? AND deleted IS NOT NULL "
                f"RETURNING {_COLUMNS}",
                (note_id,),
            ).fetchone()
        return self._told(row)

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change that was made through this object, on the thread that
        made it; returns what ends it.
        """
        return self._changed.add(observer)

    def _told(self, row: tuple[int, str, str, float] | None) -> Note | None:
        if row is None:
            return None
        self._changed.tell()
        return _note(row)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A transaction on a connection of its own; what was deleted long ago is gone by then."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(self._path)
            database = sqlite3.connect(self._path, timeout=10)
            try:
                with database:
                    database.execute(_SCHEMA)
                    long_ago = self._clock() - KEPT_SECONDS
                    database.execute("DELETE FROM notes WHERE deleted < ?", (long_ago,))
                    yield database
            finally:
                database.close()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self._path.name}: {error}") from error


def _note(row: tuple[int, str, str, float]) -> Note:
    number, text, tags, created = row
    return Note(number, text, tuple(json.loads(tags)), created)
