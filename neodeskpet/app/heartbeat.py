"""The app's side of the hang watch: starts the process that watches, and gives it a heartbeat."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys

from PySide6.QtCore import QObject, Qt, QTimer

from neodeskpet.children import child_command, child_environment
from neodeskpet.hang_child import BEAT, PAUSE, Watched

_log = logging.getLogger(__name__)

_BEAT_MS = 2_000


class Heartbeat(QObject):
    """One for a run of the app, through all its restarts in safe mode and back."""

    def __init__(self) -> None:
        super().__init__()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1
        self._timer = QTimer(self, interval=_BEAT_MS, timerType=Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(lambda: self._write(BEAT))

    def start(self, watched: Watched) -> None:
        """Watch from now on. `watched` counts the first time."""
        if sys.platform == "win32":
            return  # the child waits for a pipe by select, which Windows has for sockets only
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    [*child_command("watch"), watched.to_argument()],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=child_environment(),
                    start_new_session=True,
                )
            except OSError as error:
                _log.warning("Nothing watches for hangs: %s", error)
                return
            assert self._process.stdin is not None
            self._pipe = self._process.stdin.fileno()
            os.set_blocking(self._pipe, False)
            # Written from C, so also while Python's own handlers can't run.
            signal.set_wakeup_fd(self._pipe, warn_on_full_buffer=False)
        self._write(BEAT)
        self._timer.start()

    def pause(self) -> None:
        """No heartbeat comes until `start`; what was asked to end has still to end."""
        self._timer.stop()
        self._write(PAUSE)

    def close(self) -> None:
        self._timer.stop()
        process, self._process, self._pipe = self._process, None, -1
        if process is None:
            return
        signal.set_wakeup_fd(-1)
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()

    def _write(self, word: bytes) -> None:
        if self._pipe < 0:
            return
        try:
            os.write(self._pipe, word)
        except BlockingIOError:
            pass
        except OSError:  # the watch has ended
            _log.warning("The hang watch has ended")
            self.close()
