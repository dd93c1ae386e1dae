"""Who may run with a data folder: the one that holds the lock on the file of its door.

Without Qt and its network: a start asks for it before anything else.
"""

from __future__ import annotations

import os
from pathlib import Path

from neodeskpet.files import take_lock
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
