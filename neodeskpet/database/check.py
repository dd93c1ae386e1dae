"""Looks through the whole database for damage, behind everything else: it takes seconds for each
hundred megabytes.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from neodeskpet.database.errors import is_damage
from neodeskpet.database.file import read_only_uri

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
