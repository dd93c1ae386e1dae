"""The app's side of the hang watch: starts the process that watches, and gives it a heartbeat."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer

from neodeskpet.app.hang_child import HEARTBEAT, PAUSE, WatchedProcess
from neodeskpet.platform.child_process import child_command, child_environment

_log = logging.getLogger(__name__)

_HEARTBEAT_MS = 2_000
_MOST_WAITING = 8
_CLOSE_SECONDS = 2.0


class Heartbeat(QObject):
    """The heartbeat of one process, through all restarts in safe mode and back. `arm` starts the
    timer after which the stacks are written, again at each heartbeat; None stops it. It is used
    with `WatchedProcess.by_timer`.
    """

    def __init__(self, arm: Callable[[float | None], None]) -> None:
        super().__init__()
        self._arm = arm
        self._limit: float | None = None
        self._watch: _Pipe | None = None
        self._timer = QTimer(self, interval=_HEARTBEAT_MS, timerType=Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self._beat)

    def start(self, watched: WatchedProcess) -> None:
        """Start watching. `watched` is used at the first call only."""
        if self._watch is not None and self._watch.broken:
            self.close()
        if self._watch is None:
            try:
                self._watch = _Pipe(watched)
            except OSError as error:
                _log.warning("The hang watch can't be started: %s", error)
                return
            self._limit = watched.limit if watched.by_timer else None
        self._beat()
        self._timer.start()

    def pause(self) -> None:
        """Send no heartbeat until `start`; a process that was asked to end must still end
        in time.
        """
        self._stop()
        if self._watch is not None:
            self._watch.write(PAUSE)

    def close(self) -> None:
        self._stop()
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()

    def _beat(self) -> None:
        if self._watch is not None:
            self._watch.write(HEARTBEAT)
        if self._limit is not None:
            self._arm(self._limit)

    def _stop(self) -> None:
        self._timer.stop()
        if self._limit is not None:
            self._arm(None)


class _Pipe:
    """The watcher and the pipe to it. A thread writes, so the interface never waits for a watcher
    that does not read: Windows has no pipes that refuse instead of blocking.
    """

    def __init__(self, watched: WatchedProcess) -> None:
        self.broken = False
        self._process = subprocess.Popen(
            [*child_command("watch"), watched.to_argument()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._process.stdin is not None
        self._file = self._process.stdin.fileno()
        if sys.platform != "win32":
            os.set_blocking(self._file, False)
            # Written from C, so it works even while Python's signal handlers can't run.
            signal.set_wakeup_fd(self._file, warn_on_full_buffer=False)
        self._words: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def write(self, word: bytes) -> None:
        with contextlib.suppress(queue.Full):
            self._words.put_nowait(word)

    def close(self) -> None:
        if sys.platform != "win32":
            signal.set_wakeup_fd(-1)
        with contextlib.suppress(queue.Full):
            self._words.put_nowait(None)
        self._thread.join(_CLOSE_SECONDS)
        if self._thread.is_alive():
            self._process.kill()
            self._thread.join()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def _run(self) -> None:
        while (word := self._words.get()) is not None:
            try:
                os.write(self._file, word)
            except BlockingIOError:
                pass
            except OSError:  # the watcher has ended
                _log.warning("The hang watch has ended")
                self.broken = True
                return
