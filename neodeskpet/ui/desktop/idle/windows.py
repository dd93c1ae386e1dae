"""Windows: GetLastInputInfo."""

from __future__ import annotations

import ctypes
from typing import Any


class LastInputInfo(ctypes.Structure):
    """LASTINPUTINFO; times are milliseconds that begin anew after 49 days."""

    _fields_ = (("cbSize", ctypes.c_uint32), ("dwTime", ctypes.c_uint32))


class WindowsIdleTime:
    """An `IdleTime`. Raises AttributeError on another system."""

    def __init__(self, libraries: Any = None) -> None:
        found: Any = libraries or vars(ctypes).get("windll")
        self._last = found.user32.GetLastInputInfo
        self._now = found.kernel32.GetTickCount

    def seconds(self) -> float | None:
        info = LastInputInfo(ctypes.sizeof(LastInputInfo), 0)
        if not self._last(ctypes.byref(info)):
            return None
        return float((int(self._now()) - int(info.dwTime)) % 2**32) / 1000

    def close(self) -> None:
        """Nothing is held."""
