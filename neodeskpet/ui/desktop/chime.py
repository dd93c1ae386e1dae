"""A short sound, by the first player of the desktop that plays it; else the application's beep."""

from __future__ import annotations

import logging
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess
from PySide6.QtWidgets import QApplication

_log = logging.getLogger(__name__)

PLAYERS: Sequence[Sequence[str]] = (
    ("pw-play",),
    ("paplay",),
    ("aplay", "-q"),
    ("afplay",),
)


class Chime(QObject):
    """`play` begins it, unless it is being played; `stop` ends it. `players` are commands that
    take a sound file, in the order of trying; those that fail aren't tried again.
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
        self._process: QProcess | None = None

    def play(self) -> None:
        """Returns at once."""
        if sys.platform == "win32":
            import winsound

            winsound.PlaySound(str(self._sound), winsound.SND_FILENAME | winsound.SND_ASYNC)
            return
        if self._process is None:
            self._try()

    def stop(self) -> None:
        """Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.waitForFinished(1000)
            process.deleteLater()

    def _try(self) -> None:
        if not self._players:
            self._beep()
            return
        program, *arguments = self._players[0]
        process = self._process = QProcess(self)
        process.finished.connect(lambda code, status: self._played(process, code, status))
        process.errorOccurred.connect(lambda error: self._missed(process, error))
        process.start(program, [*arguments, str(self._sound)])

    def _played(self, process: QProcess, code: int, status: QProcess.ExitStatus) -> None:
        if process is not self._process:
            return
        self._process = None
        process.deleteLater()
        if code or status is not QProcess.ExitStatus.NormalExit:
            self._next()

    def _missed(self, process: QProcess, error: QProcess.ProcessError) -> None:
        if process is self._process and error is QProcess.ProcessError.FailedToStart:
            self._process = None
            process.deleteLater()
            self._next()

    def _next(self) -> None:
        _log.info("%s plays no sound here", self._players[0][0])
        del self._players[0]
        self._try()
