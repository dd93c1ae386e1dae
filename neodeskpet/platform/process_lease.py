"""Who is alive: each open store holds a locked file, which the system lets go when it dies.

Unlike a heartbeat or a process number this is exact at once, also after `kill -9`, and needs no
clock. The app and the terminal share a data folder this way without taking each other's running
turns for dead ones.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from pathlib import Path

from neodeskpet.platform.private_files import lock_file

_STALE_SECONDS = (
    60.0  # seconds; a file without a lock is younger than this only while it is being made
)


class ProcessLease:
    """A sign of life under `folder`, named `id`, from now until `end()` or the process's death."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError when the folder can't be written."""
        self.id = uuid.uuid4().hex
        self._path = folder / self.id
        self._handle = self._sign()

    def renew(self) -> None:
        """Give the sign again when somebody deleted it. Raises OSError."""
        if self._handle >= 0 and not self._path.exists():
            before, self._handle = self._handle, self._sign()
            os.close(before)

    def _sign(self) -> int:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        lock_file(handle)
        return handle

    def release(self) -> None:
        """Idempotent."""
        if self._handle < 0:
            return
        os.close(self._handle)
        self._handle = -1
        with contextlib.suppress(OSError):
            self._path.unlink()


def is_alive(folder: Path, lease_id: str) -> bool:
    """Whether the store that named itself `lease_id` still runs, in whichever process."""
    try:
        handle = os.open(folder / lease_id, os.O_RDWR)
    except OSError:
        return False
    try:
        return not lock_file(handle)
    finally:
        os.close(handle)


def remove_dead_leases(folder: Path) -> None:
    """Remove what dead processes left. A new file stays: it may not be locked yet."""
    for path in folder.iterdir() if folder.is_dir() else ():
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS and not is_alive(
                folder, path.name
            ):
                path.unlink()
