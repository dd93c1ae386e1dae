"""Checks the database file for damage (slow, on a thread of its own), and decides how often to
check that the file still exists.
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
"""The longest pause, as a multiple of the first."""


class CheckInterval:
    """The pauses between checks; `pause` is the current one, in seconds."""

    def __init__(self, first: float) -> None:
        self.pause = self._first = first

    def note_work(self) -> None:
        """Reset the pause, because the file is in use and was just checked."""
        self.pause = self._first

    def note_idle(self) -> None:
        """Double the pause after an idle one."""
        self.pause = min(2 * self.pause, _MAX_FACTOR * self._first)


_log = logging.getLogger(__name__)
_STOP_TIMEOUT = 0.5  # seconds


class IntegrityCheck:
    """A running check, on a connection and a thread of its own. `found` is called there if the file
    is damaged.
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
        """Stop the check. An older SQLite can't be interrupted while it checks one table: then the
        thread is abandoned, and the journal is merged at the next start.
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
                _log.info("The check of the database was not completed: %s", error)
        finally:
            with self._lock, contextlib.suppress(sqlite3.Error):
                self._connection.close()
                self._connection = None
        if verdict != "ok":
            _log.error("The check of the database found: %s", verdict)
            self._found()
