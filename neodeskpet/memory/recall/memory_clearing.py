"""The time until which the user cleared the memory: nothing said before it is remembered again, on
this or other computers. All functions run inside the caller's transaction.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

from neodeskpet.core.blocks import LATEST_TIME
from neodeskpet.memory.recall import memory_index
from neodeskpet.memory.recall.recall_types import MemoryItem
from neodeskpet.storage.database_schema import from_column

CLEARED_RECORDS = "SELECT 'memory' AS id, until AS at FROM cleared"
"""The only record for sync, and when it was last written (Unix seconds)."""


def read_cleared_until(connection: sqlite3.Connection) -> float:
    """Return the time (Unix seconds) until which the memory was cleared; 0 if never."""
    row = connection.execute("SELECT until FROM cleared").fetchone()
    return 0.0 if row is None else float(row[0])


def clear_until(connection: sqlite3.Connection, until: float) -> list[str]:
    """Remove all items that were said until this time (Unix seconds); return their ids."""
    connection.execute(
        "INSERT INTO cleared VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET until = excluded.until "
        "WHERE excluded.until > until",
        (until,),
    )
    limit = datetime.fromtimestamp(until).replace(tzinfo=UTC).timestamp()  # as in items
    rows = connection.execute("SELECT id FROM items WHERE time <= ?", (limit,))
    gone = [from_column(one) for (one,) in rows.fetchall()]
    memory_index.remove_items(connection, gone)
    return gone


def items_after_clearing(
    connection: sqlite3.Connection, items: Sequence[MemoryItem]
) -> list[MemoryItem]:
    """Return those of `items` that were said after the clearing."""
    until = read_cleared_until(connection)
    limit = datetime.fromtimestamp(until) if until else datetime.min
    return [one for one in items if one.time > limit]


def apply_remote_clearing(connection: sqlite3.Connection, value: object) -> list[str]:
    """Apply a clearing from another computer; return the ids of the removed items. Raises
    ValueError.
    """
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not math.isfinite(value) or not 0 < value <= LATEST_TIME:  # type: ignore[arg-type, operator]
        raise ValueError("it is not a time")
    return clear_until(connection, float(value))  # type: ignore[arg-type]
