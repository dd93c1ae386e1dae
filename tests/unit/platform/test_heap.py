"""Memory of large objects is returned to the system, whatever was allocated among them."""

from __future__ import annotations

import subprocess
import sys

import pytest

_LIVE = """
import ctypes, sys
from pathlib import Path
from neodeskpet.platform.process_memory import tune_allocator

glibc = ctypes.CDLL(None)
glibc.malloc.restype, glibc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
glibc.free.argtypes = [ctypes.c_void_p]

def take(size):
    block = glibc.malloc(size)
    ctypes.memset(block, 1, size)
    return block

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

if sys.argv[1] == "given back":
    tune_allocator()
glibc.free(take(30 << 20))  # from here on glibc would take all that is smaller from its heap
before = resident()
large = []
for _ in range(40):
    large.append(take(3 << 20))
    take(100_000)
for block in large:
    glibc.free(block)
print((resident() - before) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_large_blocks_are_returned_although_small_ones_stay() -> None:
    def kept(how: str) -> int:
        command = [sys.executable, "-c", _LIVE, how]
        return int(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)

    assert kept("given back") < 20
    assert kept("left alone") > 100


_HOLES = """
import ctypes
from pathlib import Path
from neodeskpet.platform.process_memory import trim_heap

glibc = ctypes.CDLL(None)
glibc.malloc.restype, glibc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
glibc.free.argtypes = [ctypes.c_void_p]
blocks = [glibc.malloc(50_000) for _ in range(1_000)]
for block in blocks:
    ctypes.memset(block, 1, 50_000)
for block in blocks[::2]:
    glibc.free(block)

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

before = resident()
trim_heap()
print((before - resident()) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_holes_are_returned_too() -> None:
    command = [sys.executable, "-c", _HOLES]
    assert int(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout) > 15
