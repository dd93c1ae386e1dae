"""The database's history: ordered, named, append only.

Never change a migration that was released; add one below it. Before new ones run on a database
that already holds something, the file is copied to `<name>.before-<migration>.db` beside it.
"""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from neodeskpet.memory.store_errors import StoreTooNew

BACKUPS_KEPT = 3

MIGRATIONS: dict[str, str] = {
    "001-conversations": """
        CREATE TABLE conversations (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            created REAL NOT NULL,
            updated REAL NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE messages (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            role TEXT NOT NULL,
            state TEXT NOT NULL,
            created REAL NOT NULL,
            ended REAL,
            usage TEXT,
            rounds INTEGER NOT NULL,
            model TEXT NOT NULL,
            replaced INTEGER NOT NULL DEFAULT 0,
            writer TEXT,
            touched REAL NOT NULL,
            chars INTEGER NOT NULL DEFAULT 0,
            blocks INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX message_heads
            ON messages (conversation, replaced, number, id, role, chars, blocks);
        CREATE INDEX running_messages ON messages (state) WHERE state = 'running';
        CREATE TABLE blocks (
            message INTEGER NOT NULL REFERENCES messages(number) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            kind TEXT NOT NULL,
            chars INTEGER NOT NULL,
            fields TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (message, position)
        );
        CREATE TABLE segments (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            message INTEGER NOT NULL,
            position INTEGER NOT NULL,
            text TEXT NOT NULL,
            FOREIGN KEY (message, position) REFERENCES blocks(message, position) ON DELETE CASCADE
        );
        CREATE INDEX segments_of_block ON segments (message, position, number);
        CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    """,
    "002-pictures": """
        CREATE TABLE descriptions (
            digest TEXT PRIMARY KEY,
            text TEXT NOT NULL,
            created REAL NOT NULL
        );
        CREATE INDEX picture_blocks ON blocks (message) WHERE kind = 'image';
    """,
    # A call's fields hold what its result shows, its data and its pictures; older ones have none.
    "003-tool-results": """
        CREATE INDEX picture_results ON blocks (message)
            WHERE kind = 'tool_use' AND instr(fields, '"images": [{') > 0;
    """,
}


def migrate(
    connection: sqlite3.Connection, path: Path | None, migrations: dict[str, str] = MIGRATIONS
) -> list[str]:
    """Bring the database up to date; the names of what ran. `path` is None for one in memory.

    Each migration is one transaction. Raises StoreTooNew and sqlite3.Error.
    """
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied REAL NOT NULL)"
    )
    done = _applied(connection)
    unknown = sorted(done - migrations.keys())
    if unknown:
        raise StoreTooNew(", ".join(unknown))
    new = [name for name in migrations if name not in done]
    if new and done and path is not None:
        _back_up(connection, path, new[0])
    return [name for name in new if _apply(connection, name, migrations[name])]


def _applied(connection: sqlite3.Connection) -> set[str]:
    return {str(name) for (name,) in connection.execute("SELECT name FROM migrations")}


def _apply(connection: sqlite3.Connection, name: str, script: str) -> bool:
    """False when another process was faster."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if name in _applied(connection):
            return False
        for statement in statements(script):
            connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return True


def statements(script: str) -> list[str]:
    """`script` cut into its statements (`executescript` would commit between them)."""
    found: list[str] = []
    piece = ""
    for part in script.split(";"):
        piece += part + ";"
        if sqlite3.complete_statement(piece):
            found.append(piece.strip())
            piece = ""
    return [statement for statement in found if statement != ";"]


def _back_up(connection: sqlite3.Connection, path: Path, before: str) -> None:
    """A consistent copy for the person alone, whole or not at all; only the newest are kept."""
    target = path.with_name(f"{path.stem}.before-{before}{path.suffix}")
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_WRONLY, 0o600))
    copy = sqlite3.connect(part)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    part.replace(target)
    copies = sorted(
        path.parent.glob(f"{path.stem}.before-*{path.suffix}"), key=lambda old: old.stat().st_mtime
    )
    for old in copies[:-BACKUPS_KEPT]:
        old.unlink()
