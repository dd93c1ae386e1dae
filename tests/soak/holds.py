"""Measures how long the UI thread was blocked, and by which line of our code.

A timer on that thread beats; a late beat means that nothing else was on time either: no key, no
paint. A second thread reads the stack of a thread whose beat is late. C code that keeps the
interpreter's lock stops that thread too, but it gets the lock at the first chance afterwards, which
is still next to the calling line.

The time taken by other programs isn't counted, if the kernel reports it (Linux): neither from this
thread nor from the one it waited for (`waits`). The time that this thread computed itself always
is. Time in which they kept the disk busy is counted too: the CPU time of a block shows such cases.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from PySide6.QtCore import Qt, QTimer

import neodeskpet
from tests.soak.waits import Waits

BEAT_MS = 5
LATE_MS = 50.0
"""From here on a block is reported, with its place."""
_LOOK_SECONDS = 0.01
_ROOT = str(Path(neodeskpet.__file__).parents[1]) + os.sep
_OURS = str(Path(neodeskpet.__file__).parent) + os.sep


@dataclass(frozen=True, slots=True)
class Hold:
    """`milliseconds` without the time of other programs, `wall` with it; `cpu` is the processor
    time of all threads of this process meanwhile. `place` is our line that was seen most often, and
    what it had called.
    """

    milliseconds: float
    wall: float
    cpu: float
    place: str


class HoldWatch:
    """Watches the thread that creates it, which must be Qt's. `told` gets each block of more than
    `LATE_MS`; `take_longest` returns the longest since the last call.
    """

    def __init__(self, told: Callable[[Hold], None]) -> None:
        self._told = told
        self._longest = 0.0
        self._thread = threading.get_ident()
        self._waits = Waits()
        self._beat_at = time.perf_counter()
        self._used, self._computed = time.process_time(), time.thread_time()
        self._seen: Counter[str] = Counter()
        self._ended = threading.Event()
        self._timer = QTimer(interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._looker = threading.Thread(target=self._look, name="hold watch", daemon=True)
        self._looker.start()

    def take_longest(self) -> float:
        longest, self._longest = self._longest, 0.0
        return longest

    def forget(self) -> None:
        """The measurement itself blocked the thread just now."""
        self._waits.milliseconds()
        self._beat_at = time.perf_counter()
        self._used, self._computed = time.process_time(), time.thread_time()
        self._seen.clear()

    def end(self) -> None:
        self._timer.stop()
        self._ended.set()
        self._looker.join(5)
        self._waits.close()

    def _beat(self) -> None:
        now, waited = time.perf_counter(), self._waits.milliseconds()
        used, computed = time.process_time(), time.thread_time()
        wall = (now - self._beat_at) * 1000 - BEAT_MS
        held = min(wall, max(wall - waited, (computed - self._computed) * 1000))
        cpu = (used - self._used) * 1000
        # From here on: each of some forty files that are read releases the interpreter, and the
        # work of the app's other threads meanwhile is only a block because of the measurement.
        self._beat_at, self._used = time.perf_counter(), time.process_time()
        self._computed = time.thread_time()
        self._longest = max(self._longest, held)
        if held > LATE_MS:
            most = self._seen.most_common(1)
            self._told(Hold(held, wall, cpu, most[0][0] if most else "not seen"))
        if self._seen:
            self._seen = Counter()

    def _look(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            if (time.perf_counter() - self._beat_at) * 1000 > LATE_MS:
                frame = sys._current_frames().get(self._thread)
                self._seen[place_of(frame)] += 1


def place_of(frame: FrameType | None) -> str:
    """Return our innermost line above Qt's loop, and the innermost of all if that is another."""
    inner = ""
    while frame is not None and frame.f_code.co_name != "run_forever":
        code = frame.f_code
        line = f"{_short(code.co_filename)}:{frame.f_lineno} {code.co_qualname}"
        if code.co_filename.startswith(_OURS):
            return f"{line} → {inner}" if inner else line
        inner = inner or line
        frame = frame.f_back
    return inner or "Qt itself (paint, layout, OpenGL)"


def _short(path: str) -> str:
    for start in (
        _OURS,
        _ROOT,
        f"site-packages{os.sep}",
        f"python3.{sys.version_info.minor}{os.sep}",
    ):
        _, found, rest = path.rpartition(start)
        if found and "site-packages" not in rest:
            return rest
    return path
