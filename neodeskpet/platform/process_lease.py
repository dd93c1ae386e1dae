"""Shows which processes are alive: each open store holds a locked file, which the system unlocks
when the process dies.

Unlike a heartbeat or a process id this is exact at once, also after `kill -9`, and needs no clock.
The app and the terminal can share a data folder without treating each other's running turns as
interrupted.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from pathlib import Path

from neodeskpet.platform.private_files import lock_file

_STALE_SECONDS = 60.0  # seconds; a younger file without a lock may still be in creation


class ProcessLease:
    """A lease in `folder` with the name `id`, until `release()` or the death of the process."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError if the folder isn't writable."""
        self.id = uuid.uuid4().hex
        self._path = folder / self.id
        self._handle = self._sign()

    def renew(self) -> None:
        """Create the lease again if its file was deleted. Raises OSError."""
        if self._handle >= 0 and not self._path.exists():
            before, self._handle = self._handle, self._sign()
            os.close(before)

    def _sign(self) -> int:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        lock_file(handle)
        return handle

    def release(self) -> None:
        """Release the lease. Idempotent."""
        if self._handle < 0:
            return
        os.close(self._handle)
        self._handle = -1
        with contextlib.suppress(OSError):
            self._path.unlink()


def is_alive(folder: Path, lease_id: str) -> bool:
    """Return whether the store with the lease `lease_id` still runs, in any process."""
    try:
        handle = os.open(folder / lease_id, os.O_RDWR)
    except OSError:
        return False
    try:
        return not lock_file(handle)
    finally:
        os.close(handle)


def remove_dead_leases(folder: Path) -> None:
    """Remove the leases of dead processes. A new file stays, because it may not be locked yet."""
    for path in folder.iterdir() if folder.is_dir() else ():
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS and not is_alive(
                folder, path.name
            ):
                path.unlink()
