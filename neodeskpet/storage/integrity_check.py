"""Checks the database file: for damage (slow, on a thread of its own), and how often to look
whether the file is still in its place.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from neodeskpet.storage.database_file import read_only_uri
from neodeskpet.storage.storage_errors import is_damage

_MAX_FACTOR = 4
"""So many times the first pause at most."""


class CheckInterval:
    """The pauses between two looks. `pause` is the present one, in seconds."""

    def __init__(self, first: float) -> None:
        self.pause = self._first = first

    def note_work(self) -> None:
        """Something is done with the file, which was looked at for it."""
        self.pause = self._first

    def note_idle(self) -> None:
        """Nothing was done for a pause: the next one is twice as long."""
        self.pause = min(2 * self.pause, _MAX_FACTOR * self._first)


_log = logging.getLogger(__name__)
_STOP_TIMEOUT = 0.5  # seconds


class IntegrityCheck:
    """Begins at once, on a connection and a thread of its own. `found` is called there when the
    file is damaged.
    """

    def __init__(self, path: Path, found: Callable[[], None]) -> None:
        self._found = found
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = sqlite3.connect(
            read_only_uri(path), uri=True, check_same_thread=False
        )
        self._thread = threading.Thread(target=self._main, name="database check", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it, done or not. An older SQLite can't be interrupted while it looks at one table:
        then the thread is left to itself, and the journal is put into the file next time.
        """
        with self._lock:
            if self._connection is not None:
                self._connection.interrupt()
        self._thread.join(_STOP_TIMEOUT)

    def _main(self) -> None:
        assert self._connection is not None
        verdict = "ok"
        try:
            (verdict,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            if is_damage(error):
                verdict = str(error)
            else:
                _log.info("The database was not checked to its end: %s", error)
        finally:
            with self._lock, contextlib.suppress(sqlite3.Error):
                self._connection.close()
                self._connection = None
        if verdict != "ok":
            _log.error("The check of the database says: %s", verdict)
            self._found()
