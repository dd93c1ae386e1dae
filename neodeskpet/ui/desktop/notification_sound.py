"""Plays a short sound with the first player of the desktop that works; otherwise the application's
beep.
"""

from __future__ import annotations

import logging
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Slot
from PySide6.QtWidgets import QApplication

_log = logging.getLogger(__name__)

PLAYERS: Sequence[Sequence[str]] = (
    ("pw-play",),
    ("paplay",),
    ("aplay", "-q"),
    ("afplay",),
)


class NotificationSound(QObject):
    """`play` starts the sound unless it is playing; `stop` ends it. `players` are commands that
    accept a sound file, in order of preference; those that fail aren't tried again.
    """

    def __init__(
        self,
        sound: Path,
        *,
        players: Sequence[Sequence[str]] = PLAYERS,
        beep: Callable[[], None] = QApplication.beep,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._sound = sound
        self._players = [list(command) for command in players if shutil.which(command[0])]
        self._beep = beep
        # A single process object: creating and deleting them in their own signals crashes.
        self._process = QProcess(self)
        self._process.finished.connect(self._ended)
        self._process.errorOccurred.connect(self._failed)
        self._stopped = False

    def play(self) -> None:
        """Start playing without blocking."""
        if sys.platform == "win32":
            import winsound

            winsound.PlaySound(str(self._sound), winsound.SND_FILENAME | winsound.SND_ASYNC)
            return
        if self._process.state() is QProcess.ProcessState.NotRunning:
            self._stopped = False
            self._try()

    def stop(self) -> None:
        """Stop playing. Idempotent."""
        self._stopped = True
        if self._process.state() is not QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(1000)

    @Slot()
    def _try(self) -> None:
        if self._stopped:
            return
        if not self._players:
            self._beep()
            return
        program, *arguments = self._players[0]
        self._process.start(program, [*arguments, str(self._sound)])

    @Slot(int, QProcess.ExitStatus)
    def _ended(self, code: int, status: QProcess.ExitStatus) -> None:
        if not self._stopped and (code or status is not QProcess.ExitStatus.NormalExit):
            self._next()

    @Slot(QProcess.ProcessError)
    def _failed(self, error: QProcess.ProcessError) -> None:
        if not self._stopped and error is QProcess.ProcessError.FailedToStart:
            self._next()

    def _next(self) -> None:
        _log.info("%s plays no sound here", self._players[0][0])
        del self._players[0]
        QTimer.singleShot(0, self, self._try)
