"""What the index does grows with what is asked of it, not with what it holds."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from neodeskpet.memory.recall.memory_index import add_items, item_ids
from neodeskpet.memory.recall.memory_schema import prepare_memory
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem


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
