"""A connection's pages in memory: given back now and then.

They fill all the room that they may take, however seldom they are wanted again, and the system
keeps them too. With several connections to several files that looks like a leak for half an hour.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time

RELEASE_INTERVAL = 60.0


class CacheRelease:
    """Of one connection, on its thread."""

    def __init__(self, every: float = RELEASE_INTERVAL) -> None:
        """`every`: seconds, at least, from one time to the next."""
        self._every = every
        self._due = time.monotonic() + every

    def release_if_due(self, connection: sqlite3.Connection) -> None:
        """Something was done with it: give back, if it is time."""
        now = time.monotonic()
        if now >= self._due:
            self._due = now + self._every
            with contextlib.suppress(sqlite3.Error):
                connection.execute("PRAGMA shrink_memory")
