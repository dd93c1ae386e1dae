"""What keeps a tool waiting."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def notes_busy(home: Path) -> Iterator[None]:
    """Another program holds the notes: a tool that wants them waits."""
    other = sqlite3.connect(home / "notes.db")
    try:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.rollback()
    finally:
        other.close()
