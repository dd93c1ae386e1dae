"""One NeoDeskPet for each person and data folder: a second start shows the first."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_PATIENCE_MS = 500
WORDS = ("show", "chat", "settings")


def server_name(home: Path) -> str:
    """The name of the local socket; different for every data folder."""
    digest = hashlib.sha256(str(home).encode()).hexdigest()[:16]
    return f"neodeskpet-{digest}"


def wake_other(home: Path, word: str = "show") -> bool:
    """Ask the NeoDeskPet that runs with `home`, if any, to show itself; whether there is one."""
    socket = QLocalSocket()
    socket.connectToServer(server_name(home))
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
        self._callers: list[QLocalSocket] = []
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)
        name = server_name(home)
        if not self._server.listen(name):
            QLocalServer.removeServer(name)  # left behind by one that was killed
            self._server.listen(name)

    def close(self) -> None:
        """Hear no more. Sockets belong to the server and go with it."""
        self._callers.clear()
        self._server.close()

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
