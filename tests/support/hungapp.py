"""A program with the app's heartbeat and socket that stops responding: a C function keeps the
interpreter's lock. `python -m tests.support.hungapp HOME RESTARTED LIMIT [timer]`: its restart
command makes the file RESTARTED; after LIMIT seconds it counts as hung; with `timer` its stacks are
written as on Windows.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from neodeskpet.app.crash_reports import CrashReports
from neodeskpet.app.hang_child import WatchedProcess
from neodeskpet.app.hang_watch import Heartbeat
from neodeskpet.app.single_instance import SingleInstanceLock
from neodeskpet.ui.local_server import LocalServer


def hang() -> None:
    print("hangs", flush=True)
    keep_lock()


def keep_lock() -> None:
    """Never returns, and keeps the interpreter's lock."""
    library = ctypes.PyDLL(None)  # which doesn't release the lock
    mutex = ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)  # waits for ever, and no signal interrupts it


def main(home: str, restarted: str, limit: str, stacks: str = "") -> None:
    app = QApplication(["hungapp"])
    seat = SingleInstanceLock(Path(home))
    door = LocalServer(Path(home))
    book = CrashReports(Path(home))
    book.start_record()
    heartbeat = Heartbeat(book.arm_stacks)
    signal.signal(signal.SIGTERM, lambda *_: app.quit())
    again = [sys.executable, "-c", f"open({restarted!r}, 'w')"]
    pid, record = os.getpid(), book.hang_record
    watched = WatchedProcess(pid, record, again, "en", "light", float(limit))
    heartbeat.start(watched._replace(by_timer=stacks == "timer"))
    QTimer.singleShot(200, hang)
    app.exec()
    door.close()
    seat.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
