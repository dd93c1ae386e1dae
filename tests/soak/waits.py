"""What the machine's other programs took from the interface's thread, as the kernel tells it.

A thread that is ready and gets no processor waits; Linux counts for how long. While the interface's
thread itself sleeps it usually waits for another: one that rasterises, one that holds the
interpreter's lock, the X server. What these wait for a processor isn't the app's doing either.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from pathlib import Path

_REFRESH = 1.0  # seconds between two looks at which threads there are


class Waits:
    """`milliseconds()` since it was last asked, on the thread that makes it; 0 where the kernel
    doesn't say. Of the app's other threads, which wait beside each other, only the one that waited
    longest counts; the same for the X server's.
    """

    def __init__(self) -> None:
        self._own = threading.get_native_id()
        self._server = _display_server()
        self._files: dict[tuple[str, str], int] = {}
        self._before: dict[tuple[str, str], float] = {}
        self._looked = float("-inf")
        self.milliseconds()

    def milliseconds(self) -> float:
        if time.monotonic() - self._looked > _REFRESH:
            self._look()
        now = {task: _waited(file) for task, file in self._files.items()}
        grown = {task: ms - self._before.get(task, ms) for task, ms in now.items()}
        self._before = now
        own = grown.pop(("self", str(self._own)), 0.0)
        return own + sum(
            max((ms for (name, _), ms in grown.items() if name == process), default=0.0)
            for process in ("self", self._server)
        )

    def close(self) -> None:
        for file in self._files.values():
            os.close(file)
        self._files.clear()

    def _look(self) -> None:
        """Which threads there are now: ours and the X server's."""
        self._looked = time.monotonic()
        there = {
            (process, task.name): task / "schedstat"
            for process in ("self", self._server)
            for task in (Path("/proc") / process / "task").glob("*")
        }
        for gone in self._files.keys() - there.keys():
            os.close(self._files.pop(gone))
        for task in there.keys() - self._files.keys():
            try:
                self._files[task] = os.open(there[task], os.O_RDONLY)
            except OSError:  # it ended just now, or the kernel doesn't count
                continue


def _waited(file: int) -> float:
    try:
        return int(os.pread(file, 100, 0).split()[1]) / 1e6
    except (OSError, IndexError, ValueError):  # the thread has ended
        return 0.0


def _display_server() -> str:
    """The process behind a local DISPLAY; "-" if that isn't known."""
    number = os.environ.get("DISPLAY", "").partition(":")[2].partition(".")[0]
    try:
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(f"/tmp/.X11-unix/X{number}")
            peer = door.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return str(struct.unpack("3i", peer)[0])
    except (OSError, AttributeError):
        return "-"
