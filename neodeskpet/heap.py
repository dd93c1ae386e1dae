"""What is freed goes back to the system.

Left alone, glibc raises the size from which it maps memory of its own to the largest block that was
ever freed (up to 32 MB). From then on pictures, textures and requests come from the common heap,
small things settle between them, and what is freed stays with us: 160 MB after ten lively minutes.
By itself it gives back only what lies at the end of the heap; `trim_heap` asks for the rest.
"""

from __future__ import annotations

import ctypes
import sys

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_BYTES = 1 << 20
_ARENAS = 2


def tune_allocator() -> None:
    """Call it early: threads that run already keep their heaps. Does nothing without glibc."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _BYTES)
        mallopt(_M_TRIM_THRESHOLD, _BYTES)
        mallopt(_M_ARENA_MAX, _ARENAS)


def trim_heap() -> None:
    """What lies free between other things: some 2 ms for a heap of 120 MB. Does nothing without
    glibc.
    """
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
