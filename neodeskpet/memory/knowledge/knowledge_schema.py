"""The schema of the knowledge database.

`sources` are the user's sources, `files` the files found there (or why they were refused), `items`
the passages with their terms, in the form that the memory index reads; `places` their positions in
the files. `forgotten` has digests of lines that must never return, `recalled` the passages in the
context of each reply, by ids. Everything except `sources` and `forgotten` can be read again from
the files. Never change a released migration; add a new one below it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from neodeskpet.core.i18n import N_
from neodeskpet.memory.recall.memory_index import (
    INDEX_TABLES,
    ITEM_TABLE_START,
    prepare_index,
    rebuild_index,
)
from neodeskpet.storage.database import DatabaseContent
from neodeskpet.storage.database_salvage import attached_damaged, copy_table
from neodeskpet.storage.database_schema import migrate
from neodeskpet.storage.storage_errors import SalvageCount, create_faults

KNOWLEDGE_FILE = "knowledge.db"

KNOWLEDGE_MIGRATIONS: dict[str, str] = {
    "001-knowledge": f"""
        CREATE TABLE sources (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            address TEXT NOT NULL UNIQUE,
            added REAL NOT NULL,
            title TEXT NOT NULL DEFAULT '',
            fault TEXT NOT NULL DEFAULT '',
            looked REAL NOT NULL DEFAULT 0
        );
        CREATE TABLE files (
            id TEXT PRIMARY KEY,
            source TEXT NOT NULL,
            path TEXT NOT NULL,
            name TEXT NOT NULL,
            stamp TEXT NOT NULL,
            size INTEGER NOT NULL DEFAULT 0,
            pages INTEGER NOT NULL DEFAULT 0,
            cut INTEGER NOT NULL DEFAULT 0,
            why TEXT NOT NULL DEFAULT '',
            detail TEXT NOT NULL DEFAULT '',
            UNIQUE (source, path)
        );
        {ITEM_TABLE_START}
            corrects INTEGER NOT NULL DEFAULT 0,
            asks INTEGER NOT NULL DEFAULT 0,
            pinned INTEGER NOT NULL DEFAULT 0,
            corrected TEXT NOT NULL DEFAULT ''
        );
        CREATE INDEX items_by_file ON items (message);
        CREATE INDEX items_by_source ON items (conversation);
        {INDEX_TABLES}
        CREATE TABLE places (
            item TEXT PRIMARY KEY,
            start INTEGER NOT NULL,
            line INTEGER NOT NULL,
            page INTEGER NOT NULL,
            heading TEXT NOT NULL
        );
        CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    """,
    # These letters are now normalized without strokes and accents: their files are read again.
    "002-letters": """
        UPDATE files SET stamp = '' WHERE id IN (
            SELECT message FROM items WHERE text GLOB '*[øØłŁđĐðÐħĦıæÆœŒþÞḀ-ỿ]*'
        );
    """,
    # Files of these kinds were read with unreported omissions: they are read again.
    "003-omissions": """
        ALTER TABLE files ADD COLUMN omitted TEXT NOT NULL DEFAULT '[]';
        ALTER TABLE files ADD COLUMN encoding TEXT NOT NULL DEFAULT '';
        ALTER TABLE sources ADD COLUMN encoding TEXT NOT NULL DEFAULT '';
        ALTER TABLE sources ADD COLUMN skipped TEXT NOT NULL DEFAULT '[]';
        UPDATE files SET stamp = '' WHERE cut = 1 OR why <> '' OR lower(path) GLOB '*.pdf'
            OR lower(path) GLOB '*.docx' OR lower(path) GLOB '*.epub'
            OR lower(path) GLOB '*.htm*' OR lower(path) GLOB '*.rtf';
    """,
    # As in the memory database. All documents are untrusted, whatever this column contains.
    "004-origins": "ALTER TABLE items ADD COLUMN untrusted INTEGER NOT NULL DEFAULT 0;",
    # The memory index reads this column. Documents are not synced between computers.
    "005-synced": "ALTER TABLE items ADD COLUMN synced INTEGER NOT NULL DEFAULT 0;",
}

KNOWLEDGE_FAULTS = create_faults(
    "knowledge",
    damaged=N_("The knowledge base file was damaged, so a new one was created."),
    salvaged=N_(
        "The knowledge base file was damaged. {saved} of {known} entries could be recovered."
    ),
    deleted=N_("The knowledge base file was deleted while NeoDeskPet was running."),
    replaced=N_(
        "The knowledge base file was replaced by another one while NeoDeskPet was running."
    ),
    overwritten=N_("The knowledge base file was replaced by something else."),
)
_SALVAGED_TABLES = ("sources", "files", "places", "forgotten", "recalled", "state")


def prepare_knowledge(connection: sqlite3.Connection, path: Path | None) -> None:
    migrate(connection, path, KNOWLEDGE_MIGRATIONS)
    prepare_index(connection)


def salvage_knowledge(damaged: Path, fresh: sqlite3.Connection) -> SalvageCount:
    """Copy the readable content of `damaged`; incomplete files are read again."""
    with attached_damaged(fresh, damaged) as readable:
        if not readable:
            return SalvageCount()
        for table in _SALVAGED_TABLES:
            copy_table(fresh, table)
        whole = copy_table(fresh, "items")
    if not whole:
        fresh.execute("UPDATE files SET stamp = ''")
    fresh.execute("DELETE FROM items WHERE message NOT IN (SELECT id FROM files)")
    count, last = rebuild_index(fresh)
    return SalvageCount(count, count if whole else max(count, last))


KNOWLEDGE_CONTENT = DatabaseContent(prepare_knowledge, salvage_knowledge, faults=KNOWLEDGE_FAULTS)
