"""The file with the notes and timers, as other programs see it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from neodeskpet.notebook.notebook import FILE_NAME
from neodeskpet.notebook.notebook_tables import MIGRATIONS
from neodeskpet.storage.database_schema import migrate


def noted(home: Path) -> list[str]:
    """Return the stored notes, the oldest first."""
    path = home / FILE_NAME
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as notebook:
        rows = notebook.execute("SELECT text FROM notes WHERE deleted IS NULL ORDER BY id")
        return [text for (text,) in rows]


@contextmanager
def notes_busy(home: Path) -> Iterator[None]:
    """Another program writes to the notes without an end: a tool that changes them waits."""
    with closing(sqlite3.connect(home / FILE_NAME, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        migrate(other, None, MIGRATIONS)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
