"""The real app in a process of its own, which sends a message and is then blocked by a C function
that keeps the interpreter's lock. `python -m tests.support.heldapp HOME URL`: it sends when the
hang watch runs; after a line on stdin it prints "held" and blocks.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, make_application, run_app
from neodeskpet.ui.chat.chat_window import ChatWindow
from tests.support.desk import settle
from tests.support.hungapp import keep_lock

_ACCESSIBLE = "QT_LINUX_ACCESSIBILITY_ALWAYS_ON"
_INTERVAL_MS = 10
_LIMIT = 2.0


class Held:
    def __init__(self) -> None:
        self._sent = False
        self._told = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def look(self) -> None:
        """Often, on the interface's thread."""
        if self._told.is_set():
            print("held", flush=True)
            keep_lock()
        if not self._sent and _is_watched():
            for window in QApplication.topLevelWidgets():
                if isinstance(window, ChatWindow) and window.isVisible():
                    self._sent = True
                    window.composer.insert("Tell me a long story.")
                    QTest.keyClick(window.composer.field, Qt.Key.Key_Return)

    def _listen(self) -> None:
        sys.stdin.readline()
        self._told.set()


def _is_watched() -> bool:
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    lines = (Path(f"/proc/{child}/cmdline").read_bytes() for child in children)
    return any(b"neodeskpet.app.hang_child" in line for line in lines)


def main(home: str, url: str) -> int:
    settle(Path(home), {})
    # The screen reader of the test would wait for the blocked app; it asks the other processes
    # only.
    accessible = os.environ.pop(_ACCESSIBLE, None)
    make_application()
    if accessible is not None:
        os.environ[_ACCESSIBLE] = accessible
    held = Held()
    timer = QTimer(interval=_INTERVAL_MS)
    timer.timeout.connect(held.look)
    timer.start()
    service = RunOptions(base_url=url, model="test-model")
    options = StartOptions(Path(home), service, chat=True, hidden=True, hang_limit=_LIMIT)
    return run_app(options)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
