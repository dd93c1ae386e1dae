"""The memory of processes, and settings of the C allocator that return freed memory to
the system.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_BYTES = 1 << 20
_ARENAS = 2


def tune_allocator() -> None:
    """Configure the allocator. Call it early: running threads keep their heaps. Does nothing
    without glibc.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _BYTES)
        mallopt(_M_TRIM_THRESHOLD, _BYTES)
        mallopt(_M_ARENA_MAX, _ARENAS)


def trim_heap() -> None:
    """Return free memory inside the heap to the system: about 2 ms for a heap of 120 MB. Does
    nothing without glibc.
    """
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


_PROC = Path("/proc")


def process_memory(pid: int, proc: Path = _PROC) -> int | None:
    """Return the resident bytes of a process, None if unknown. With /proc it blocks for
    milliseconds at most; other systems run `ps`, so call it in a thread.
    """
    try:
        text = (proc / str(pid) / "status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None if proc.is_dir() else _asked(pid)
    return _field(text, "VmRSS")


def _field(text: str, name: str) -> int | None:
    for line in text.splitlines():
        title, _, rest = line.partition(":")
        number = rest.split()
        if title == name and number and number[0].isdigit():
            return int(number[0]) * 1024
    return None


def _asked(pid: int) -> int | None:
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return int(done.stdout) * 1024 if done.stdout.strip().isdigit() else None
