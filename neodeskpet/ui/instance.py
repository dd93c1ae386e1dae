"""One NeoDeskPet for each person and data folder: a second start shows the first.

The first holds a lock from before it does anything else, and writes into the locked file where it
can be reached, as soon as it listens. Both lie in folders that nobody else can write.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from neodeskpet.files import take_lock

FILE_NAME = "neodeskpet.lock"
WORDS = ("show", "chat", "settings")

_PATIENCE_MS = 500
_PAUSE = 0.1  # seconds between two tries to reach the first
_LONGEST = 90  # bytes: a socket's path must fit into 104, here and there less


class Seat:
    """The right to be the one that runs with `home`, from now until `close()` or the process's
    death. `taken`: whether we have it.
    """

    def __init__(self, home: Path) -> None:
        self._handle = -1
        try:
            self._handle = os.open(home / FILE_NAME, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:  # nothing can be written there, so there is nothing to quarrel about
            self.taken = True
            return
        self.taken = take_lock(self._handle)
        if self.taken:
            _write_address(home, "")  # that of one who died

    def close(self) -> None:
        """Idempotent."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def wake_other(home: Path, word: str = "show", patience: float = 0.0) -> bool:
    """Ask the NeoDeskPet that runs with `home`, if any, to show itself; whether there is one. One
    that is about to start is waited for, `patience` seconds.
    """
    end = time.monotonic() + patience
    while not _ring(_read_address(home), word):
        if time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
    return True


def _ring(address: str, word: str) -> bool:
    if not address:
        return False
    socket = QLocalSocket()
    socket.connectToServer(address)
    if not socket.waitForConnected(_PATIENCE_MS):
        return False
    socket.write(word.encode())
    socket.waitForBytesWritten(_PATIENCE_MS)
    socket.disconnectFromServer()
    return True


class Doorbell(QObject):
    """Hears second starts. `rung(word)`: one of WORDS. Only this person's processes may ring."""

    rung = Signal(str)

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self._callers: list[QLocalSocket] = []
        self._server = QLocalServer(self)
        self._server.newConnection.connect(self._answer)
        self._address, self._made = door_address(home)
        QLocalServer.removeServer(self._address)  # left behind by one that was killed
        if self._server.listen(self._address):
            _write_address(home, self._address)

    def close(self) -> None:
        """Hear no more. Sockets belong to the server and go with it."""
        self._callers.clear()
        self._server.close()
        _write_address(self._home, "")
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def _answer(self) -> None:
        self._callers.append(self._server.nextPendingConnection())
        self._callers[-1].readyRead.connect(self._read)
        self._read()

    def _read(self) -> None:
        """Take what the callers said; who has spoken is let go."""
        for caller in [c for c in self._callers if c.bytesAvailable()]:
            word = bytes(caller.readAll().data()).decode("utf-8", "replace")
            self._callers.remove(caller)
            caller.close()
            if word in WORDS:
                self.rung.emit(word)


def door_address(home: Path) -> tuple[str, Path | None]:
    """Where to listen: in the runtime folder, else below the data folder, else (when its path is
    too long for a socket) in a new folder, which is the second value.
    """
    digest = hashlib.sha256(str(home).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    name = f"neodeskpet-{digest}"
    if sys.platform == "win32":
        return name, None  # a pipe, which has no folder
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    own = home / "run"
    with contextlib.suppress(OSError):
        own.mkdir(mode=0o700, exist_ok=True)
    for folder in (*([Path(runtime)] if runtime else []), own):
        path = str(folder / name)
        if len(os.fsencode(path)) <= _LONGEST and is_private(folder):
            return path, None
    made = Path(tempfile.mkdtemp(prefix="neodeskpet-"))
    return str(made / "door"), made


def is_private(folder: Path) -> bool:
    """Whether it is a folder, ours, and nobody else can do anything in it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = sys.platform == "win32" or found.st_uid == os.getuid()
    return (
        folder.is_absolute() and stat.S_ISDIR(found.st_mode) and ours and not found.st_mode & 0o077
    )


def _write_address(home: Path, address: str) -> None:
    """The file's first byte is the one that is locked: Windows lets nobody else read it."""
    with contextlib.suppress(OSError):
        handle = os.open(home / FILE_NAME, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            os.lseek(handle, 1, os.SEEK_SET)
            os.write(handle, address.encode("utf-8", "surrogateescape") + b"\n")
            os.ftruncate(handle, os.lseek(handle, 0, os.SEEK_CUR))
        finally:
            os.close(handle)


def _read_address(home: Path) -> str:
    try:
        with (home / FILE_NAME).open("rb") as file:
            file.seek(1)
            return file.read().decode("utf-8", "surrogateescape").strip("\n")
    except OSError:
        return ""
