"""Who may run with a data folder: the one that holds the lock on the file of its door.

Without Qt and its network: a start asks for it before anything else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from neodeskpet.files import take_lock
from neodeskpet.hang_child import HARD
from neodeskpet.visitors.door import FILE_NAME, write_door


class Seat:
    """The right to be the one that runs with `home`, from now until `close()` or the process's
    death. `taken`: whether we have it.
    """

    def __init__(self, home: Path) -> None:
        self._handle = -1
        try:
            self._handle = os.open(home / FILE_NAME, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:  # nothing can be written there, so two starts can't get in each other's way
            self.taken = True
            return
        self.taken = take_lock(self._handle)
        if self.taken:
            write_door(home, None)  # that of one who died

    def close(self) -> None:
        """Idempotent."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


_POLITE = 2.0  # seconds between SIGTERM and SIGKILL
_DYING = 5.0


def seat_is_free(home: Path) -> bool:
    """Whether nobody holds the lock just now. Unlike a `Seat` it writes nothing."""
    try:
        handle = os.open(home / FILE_NAME, os.O_RDWR)
    except OSError:
        return True
    try:
        return take_lock(handle)
    finally:
        os.close(handle)


def end_process(pid: int, ended: Callable[[], bool]) -> bool:
    """End a process, first by asking; whether it has `ended`."""
    for number, patience in ((signal.SIGTERM, _POLITE), (HARD, _DYING)):
        with contextlib.suppress(OSError):
            os.kill(pid, number)
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if ended():
                return True
            time.sleep(0.05)
    return False
