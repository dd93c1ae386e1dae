"""The file in which words are found: the readable texts of the messages, and their index.

It is made anew of the conversations whenever it is missing or damaged, so nothing of it is saved.
A row's number is made of the time at which it was said: the index gives the latest ones first.
Never change a migration that was released; add one below it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from neodeskpet.database.database import DatabaseContent
from neodeskpet.database.migration import migrate

SEARCH_FILE = "find.db"

SEARCH_MIGRATIONS: dict[str, str] = {
    "001-find": """
        CREATE TABLE texts (
            number INTEGER PRIMARY KEY,
            message TEXT NOT NULL UNIQUE,
            conversation TEXT NOT NULL,
            person INTEGER NOT NULL,
            time REAL NOT NULL,
            touched REAL NOT NULL,
            text TEXT NOT NULL
        );
        CREATE INDEX texts_of_conversation ON texts (conversation);
        CREATE VIRTUAL TABLE found USING fts5 (
            terms, content = '', columnsize = 0, prefix = '2 3',
            tokenize = "unicode61 remove_diacritics 2"
        );
    """,
    # The index was made of texts with their signs: it is made anew of the conversations.
    "002-without-signs": """
        DELETE FROM texts;
        DROP TABLE found;
        CREATE VIRTUAL TABLE found USING fts5 (
            terms, content = '', columnsize = 0, prefix = '2 3',
            tokenize = "unicode61 remove_diacritics 2"
        );
    """,
}


def prepare_search(connection: sqlite3.Connection, path: Path | None) -> None:
    migrate(connection, path, SEARCH_MIGRATIONS)
    if sqlite3.sqlite_version_info >= (
        3,
        42,
    ):  # else a whole `optimize` does it (`index.overwrite_deleted_text`)
        connection.execute("INSERT INTO found (found, rank) VALUES ('secure-delete', 1)")


SEARCH_CONTENT = DatabaseContent(prepare_search)
