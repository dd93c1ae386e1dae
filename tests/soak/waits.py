"""The time that other programs of the machine took from the UI thread, as the kernel reports it.

A ready thread without a processor waits; Linux counts for how long. While the interface's thread
itself sleeps it usually waits for another one: one that rasterises, one that holds the
interpreter's lock, the X server. Their waits for a processor aren't caused by the app either,
unless the app itself, its child processes or the X server used the processors: at most the time
that the others computed meanwhile can have been taken by them.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from pathlib import Path

from tests.soak.process import descendants

_REFRESH = 1.0  # seconds between two readings of the list of threads
_TICK = 1000.0 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 10.0
"""What the kernel's clock of all processors is exact to, in milliseconds."""
_IDLE = frozenset((3, 4))  # idle and waiting for a disk, of the columns of /proc/stat
_COUNTED = 8  # the columns that add up: the guests' time is reported twice


class Waits:
    """`milliseconds()` since the last call, on the thread that creates it; 0 if the kernel doesn't
    report it. Of the app's other threads, which wait in parallel, only the one that waited longest
    counts; the same for the X server's.
    """

    def __init__(self) -> None:
        self._own = threading.get_native_id()
        self._server = _display_server()
        self._files: dict[tuple[str, str], int] = {}
        self._before: dict[tuple[str, str], tuple[float, float]] = {}
        self._computed, self._machine = _computed(), _machine()
        self._looked = float("-inf")
        self.milliseconds()

    def milliseconds(self) -> float:
        if time.monotonic() - self._looked > _REFRESH:
            self._look()
        now = {task: seen for task, file in self._files.items() if (seen := _ran_and_waited(file))}
        ran, waited = {}, {}
        for task, (runs, waits) in now.items():
            runs_before, waits_before = self._before.get(task, (runs, waits))
            ran[task], waited[task] = runs - runs_before, waits - waits_before
        self._before = now
        own = waited.pop(("self", str(self._own)), 0.0)
        least = own + sum(
            max((ms for (name, _), ms in waited.items() if name == process), default=0.0)
            for process in ("self", self._server)
        )
        return bounded(
            least, self._others(sum(ms for (name, _), ms in ran.items() if name != "self"))
        )

    def _others(self, apart: float) -> float:
        """Return the time of other programs; `apart` is the time of ours outside this process."""
        computed, machine = _computed(), _machine()
        ours, all_of_it = computed - self._computed + apart, machine - self._machine
        self._computed, self._machine = computed, machine
        return all_of_it - ours

    def close(self) -> None:
        for file in self._files.values():
            os.close(file)
        self._files.clear()

    def _look(self) -> None:
        """Read which threads exist: ours, our children's and the X server's."""
        self._looked = time.monotonic()
        there = {
            (process, task.name): task / "schedstat"
            for process in ("self", self._server, *map(str, descendants(os.getpid())))
            for task in (Path("/proc") / process / "task").glob("*")
        }
        for gone in self._files.keys() - there.keys():
            os.close(self._files.pop(gone))
        for task in there.keys() - self._files.keys():
            try:
                self._files[task] = os.open(there[task], os.O_RDONLY)
            except OSError:  # it ended just now, or the kernel doesn't count
                continue


def bounded(waited: float, others: float) -> float:
    """Return how much of `waited` milliseconds others can have taken, who computed for `others`."""
    return min(waited, max(0.0, others) + _TICK)


def _ran_and_waited(file: int) -> tuple[float, float] | None:
    """Milliseconds; None when the thread has ended."""
    try:
        ran, waited, *_ = os.pread(file, 100, 0).split()
        return int(ran) / 1e6, int(waited) / 1e6
    except (OSError, ValueError):
        return None


def _computed() -> float:
    """This process."""
    return time.process_time() * 1000


def _machine() -> float:
    """The time of all processors for all programs; also the time taken by this machine's host."""
    try:
        with Path("/proc/stat").open("rb") as file:
            columns = file.readline().split()[1 : 1 + _COUNTED]
    except OSError:
        return 0.0
    return sum(int(one) for at, one in enumerate(columns) if at not in _IDLE) * _TICK


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
