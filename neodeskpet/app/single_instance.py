"""Ensures that one app runs with a data folder: the app that holds the lock on the endpoint file.

The module needs neither Qt nor its network: a start requests the lock before anything else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from neodeskpet.app.hang_child import HARD
from neodeskpet.external_api.local_endpoint import ENDPOINT_FILE, write_endpoint_file
from neodeskpet.platform.private_files import lock_file


class SingleInstanceLock:
    """The lock of the app that runs with `home`, held until `close()` or the end of the process.
    `acquired`: whether this process has it.
    """

    def __init__(self, home: Path) -> None:
        self._handle = -1
        try:
            self._handle = os.open(home / ENDPOINT_FILE, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:  # the folder is not writable, so two apps can't conflict
            self.acquired = True
            return
        self.acquired = lock_file(self._handle)
        if self.acquired:
            write_endpoint_file(home, None)  # the file of an app that crashed

    def close(self) -> None:
        """Idempotent."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


_TERMINATE_TIMEOUT = 2.0  # seconds between SIGTERM and SIGKILL
_KILL_TIMEOUT = 5.0


def is_lock_free(home: Path) -> bool:
    """Return whether the lock is free at the moment. Unlike `SingleInstanceLock` this writes
    nothing.
    """
    try:
        handle = os.open(home / ENDPOINT_FILE, os.O_RDWR)
    except OSError:
        return True
    try:
        return lock_file(handle)
    finally:
        os.close(handle)


def end_process(pid: int, ended: Callable[[], bool]) -> bool:
    """End a process, first with SIGTERM; return whether it has `ended`."""
    for number, timeout in ((signal.SIGTERM, _TERMINATE_TIMEOUT), (HARD, _KILL_TIMEOUT)):
        with contextlib.suppress(OSError):
            os.kill(pid, number)
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if ended():
                return True
            time.sleep(0.05)
    return False
