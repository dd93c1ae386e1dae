"""What the index does grows with what is asked of it, not with what it holds."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from neodeskpet.memory.recall.index import add, ids_of
from neodeskpet.memory.recall.tables import prepare
from neodeskpet.memory.recollection import Item, Side


def test_the_items_of_a_message_are_found_without_looking_at_others() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare(connection, None)
    steps: list[int] = []
    connection.set_progress_handler(lambda: steps.append(1), 20)  # each twenty steps of SQLite

    def look() -> int:
        steps.clear()
        assert ids_of(connection, "m1") == ["m1", "m1/0"]
        return len(steps)

    add(connection, [_item("m1", "m1"), _item("m1/0", "m1")])
    few = look()
    add(connection, [_item(f"n{at}", f"n{at}") for at in range(500)])
    assert look() == few
    connection.close()


def _item(name: str, message: str) -> Item:
    return Item(name, "user", Side.PERSON, datetime(2026, 1, 4), "a kettle", message)
