"""What the index does grows with what is asked of it, not with what it holds."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_MIGRATIONS
from neodeskpet.memory.recall.memory_index import add_items, item_ids
from neodeskpet.memory.recall.memory_schema import MEMORY_MIGRATIONS, prepare_memory
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.storage.database_schema import migrate


def test_the_items_of_a_message_are_found_without_looking_at_others() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare_memory(connection, None)
    steps: list[int] = []
    connection.set_progress_handler(lambda: steps.append(1), 20)  # each twenty steps of SQLite

    def look() -> int:
        steps.clear()
        assert item_ids(connection, "m1") == ["m1", "m1/0"]
        return len(steps)

    add_items(connection, [_item("m1", "m1"), _item("m1/0", "m1")])
    few = look()
    add_items(connection, [_item(f"n{at}", f"n{at}") for at in range(500)])
    assert look() == few
    connection.close()


def _item(name: str, message: str) -> MemoryItem:
    return MemoryItem(name, "user", ItemSide.PERSON, datetime(2026, 1, 4), "a kettle", message)


_TABLE_SQL = "SELECT sql FROM sqlite_master WHERE name = ?"


def test_both_files_with_an_index_have_the_same_items() -> None:
    """One index reads both: a column that only one of them has would be missed in the other."""
    found = []
    for migrations in (MEMORY_MIGRATIONS, KNOWLEDGE_MIGRATIONS):
        connection = sqlite3.connect(":memory:")
        migrate(connection, None, migrations)
        names = [row[1:3] for row in connection.execute("PRAGMA table_info (items)")]
        tables = {
            name: connection.execute(_TABLE_SQL, (name,)).fetchone()
            for name in ("sums", "found", "forgotten", "recalled")
        }
        found.append((sorted(names), tables))
        connection.close()
    assert found[0] == found[1]
