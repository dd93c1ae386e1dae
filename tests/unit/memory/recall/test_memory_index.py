"""The cost of the index depends on the question, not on its size."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_MIGRATIONS
from neodeskpet.memory.recall.memory_index import add_items, correct_item, item_ids
from neodeskpet.memory.recall.memory_schema import MEMORY_MIGRATIONS, prepare_memory
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.storage.database_schema import migrate


def test_the_items_of_a_message_are_found_without_reading_others() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare_memory(connection, None)
    steps: list[int] = []
    connection.set_progress_handler(lambda: steps.append(1), 20)  # every twenty steps of SQLite

    def look() -> int:
        steps.clear()
        assert item_ids(connection, ["m1"]) == {"m1": ["m1", "m1/0"]}
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
    """One index reads both: a column that only one of them has would be missing in the other."""
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


def test_adding_many_items_asks_no_more_than_adding_each() -> None:
    """One item twice, one that is there already, one that the user corrected."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare_memory(connection, None)
    add_items(connection, [_item("a", "m"), _item("b", "m")])
    correct_item(connection, "b", "a teapot")
    many = [_item("a", "m"), _item("b", "m"), _item("c", "n"), _item("c", "n")]
    assert add_items(connection, many) == 4
    texts = dict(connection.execute("SELECT id, corrected FROM items ORDER BY number"))
    assert texts == {"a": "", "b": "a teapot", "c": ""}
    assert connection.execute("SELECT rows FROM sums").fetchone() == (3,)
    (length,) = connection.execute("SELECT total(length) FROM items").fetchone()
    assert connection.execute("SELECT length FROM sums").fetchone() == (length,)
    connection.execute("INSERT INTO found (found) VALUES ('integrity-check')")
    connection.close()


def test_many_items_are_added_with_few_statements() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare_memory(connection, None)
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    add_items(connection, [_item(f"n{at}", f"n{at}") for at in range(200)])
    own = [one for one in asked if one.startswith(("SELECT", "INSERT INTO items", "UPDATE"))]
    assert len(own) < 2 * 200
    connection.close()
