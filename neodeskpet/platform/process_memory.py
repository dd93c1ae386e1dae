"""The memory of processes, and what lowers that of this one: settings of the C allocator that
return freed memory to the system, and methods that dataclasses share.
"""

from __future__ import annotations

import ctypes
import dataclasses
import subprocess
import sys
from pathlib import Path
from reprlib import recursive_repr
from typing import Any

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


def share_dataclass_methods() -> None:
    """Have all later dataclasses share `__repr__`, and frozen ones `__setattr__` and `__delattr__`.
    Python compiles them for each class: 5 MiB for the whole app. Python 3.13 and later build them
    differently and are left alone.
    """
    made = vars(dataclasses)
    if sys.version_info < (3, 13) and {"_repr_fn", "_frozen_get_del_attr"} <= made.keys():
        made["_repr_fn"] = lambda _fields, _globals: _repr_of_fields
        made["_frozen_get_del_attr"] = lambda _cls, _fields, _globals: (_set_frozen, _delete_frozen)


@recursive_repr()
def _repr_of_fields(self: Any) -> str:
    shown = (one.name for one in dataclasses.fields(self) if one.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({values})"


def _set_frozen(self: Any, name: str, value: object) -> None:
    if _is_frozen(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    _inherited(self, "__setattr__", _set_frozen)(self, name, value)


def _delete_frozen(self: Any, name: str) -> None:
    if _is_frozen(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
    _inherited(self, "__delattr__", _delete_frozen)(self, name)


def _is_frozen(self: Any, name: str) -> bool:
    """A subclass that isn't a dataclass may have attributes of its own."""
    return "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__


def _inherited(self: Any, name: str, shared: object) -> Any:
    found = (vars(base).get(name, shared) for base in type(self).__mro__)
    return next(method for method in found if method is not shared)


# Dataclasses set the methods under these names.
_repr_of_fields.__name__ = "__repr__"
_set_frozen.__name__ = "__setattr__"
_delete_frozen.__name__ = "__delattr__"

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
