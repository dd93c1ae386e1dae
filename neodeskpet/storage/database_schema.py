"""Ordered migrations of a database, and how text is stored in its columns.

A migration is never changed after its release. The file is copied to `<name>.before-<migration>.db`
before new ones run.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from neodeskpet.platform.private_files import sync_file, sync_folder
from neodeskpet.storage.storage_errors import StoreTooNew

StoredText = str | bytes


def to_column(text: str) -> StoredText:
    """Return `text` in a form that SQLite can store. A lone surrogate (half an emoji, where a
    gateway may cut a reply) has no UTF-8 form: such a text becomes a BLOB.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_column(value: StoredText) -> str:
    """Return the text of a column; an invalid byte becomes one replacement character."""
    if isinstance(value, str):
        return value
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace")


def decode_lenient(content: bytes) -> str:
    """Decode a stored text; an invalid byte must not make the whole conversation unreadable."""
    return content.decode("utf-8", "replace")


_AUTOMERGE = 4
"""SQLite's default for FTS5: segments of one level that are merged."""


def set_automerge(connection: sqlite3.Connection, table: str, *, on: bool) -> None:
    """Set whether the full-text index `table` merges its segments after each transaction. SQLite
    stores it in the file.
    """
    level = _AUTOMERGE if on else 0
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', ?)", (level,))


def restore_automerge(connection: sqlite3.Connection, table: str) -> None:
    """Switch the merging on if a process ended while it was off."""
    query = f"SELECT v FROM {table}_config WHERE k = 'automerge'"
    row = connection.execute(query).fetchone()
    if row is not None and row[0] == 0:
        set_automerge(connection, table, on=True)


BACKUPS_KEPT = 3


def migrate(
    connection: sqlite3.Connection, path: Path | None, migrations: Mapping[str, str]
) -> list[str]:
    """Run the missing migrations and return their names. `path` is None for a database in memory.

    Each migration is one transaction. Raises StoreTooNew and sqlite3.Error.
    """
    if path is None and _is_empty(connection):
        _new_databases.copy_to(connection, migrations)
        return list(migrations)
    return _migrate(connection, path, migrations)


def _migrate(
    connection: sqlite3.Connection, path: Path | None, migrations: Mapping[str, str]
) -> list[str]:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied REAL NOT NULL)"
    )
    done = _applied_migrations(connection)
    unknown = sorted(done - migrations.keys())
    if unknown:
        raise StoreTooNew(steps=", ".join(unknown))
    new = [name for name in migrations if name not in done]
    if new and done and path is not None:
        _back_up_before(connection, path, new[0])
    return [name for name in new if _apply_migration(connection, name, migrations[name])]


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


class _NewDatabases:
    """New databases, migrated once for each process: a copy takes a fortieth of the time. Only for
    databases in memory, which no other process opens at the same time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[tuple[tuple[str, str], ...], sqlite3.Connection] = {}

    def copy_to(self, connection: sqlite3.Connection, migrations: Mapping[str, str]) -> None:
        """Migrate an empty database."""
        key = tuple(migrations.items())
        with self._lock:
            if key not in self._made:
                self._made[key] = self._make(migrations)
            self._made[key].backup(connection)
        connection.execute("UPDATE migrations SET applied = ?", (time.time(),))
        if connection.in_transaction:
            connection.commit()

    def _make(self, migrations: Mapping[str, str]) -> sqlite3.Connection:
        made = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            _migrate(made, None, migrations)
        except BaseException:
            made.close()
            raise
        return made


_new_databases = _NewDatabases()


def _applied_migrations(connection: sqlite3.Connection) -> set[str]:
    return {str(name) for (name,) in connection.execute("SELECT name FROM migrations")}


def _apply_migration(connection: sqlite3.Connection, name: str, script: str) -> bool:
    """Run a migration; return False if another process has run it already."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if name in _applied_migrations(connection):
            return False
        for statement in split_statements(script):
            connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return True


def split_statements(script: str) -> list[str]:
    """Split `script` into its statements (`executescript` would commit between them)."""
    found: list[str] = []
    piece = ""
    for part in script.split(";"):
        piece += part + ";"
        if sqlite3.complete_statement(piece):
            found.append(piece.strip())
            piece = ""
    return [statement for statement in found if statement != ";"]


def _back_up_before(connection: sqlite3.Connection, path: Path, before: str) -> None:
    """Make a consistent private copy, complete or not at all; only the newest copies are kept."""
    target = path.with_name(f"{path.stem}.before-{before}{path.suffix}")
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_WRONLY, 0o600))
    copy = sqlite3.connect(part)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    sync_file(part)
    part.replace(target)
    sync_folder(path.parent)
    copies = sorted(
        path.parent.glob(f"{path.stem}.before-*{path.suffix}"), key=lambda old: old.stat().st_mtime
    )
    for old in copies[:-BACKUPS_KEPT]:
        old.unlink()
