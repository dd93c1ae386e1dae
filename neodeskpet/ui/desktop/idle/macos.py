"""macOS: CGEventSourceSecondsSinceLastEventType, which needs no permission."""

from __future__ import annotations

import ctypes
from typing import Any

_PATH = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"
_SESSION, _ANY_INPUT = 0, 0xFFFFFFFF


class MacIdleTime:
    """An `IdleTime`. Raises OSError on another system."""

    def __init__(self, library: Any = None) -> None:
        found = library or ctypes.CDLL(_PATH)
        self._since = found.CGEventSourceSecondsSinceLastEventType
        self._since.restype = ctypes.c_double
        self._since.argtypes = (ctypes.c_int32, ctypes.c_uint32)

    def seconds(self) -> float:
        return max(0.0, float(self._since(_SESSION, _ANY_INPUT)))

    def close(self) -> None:
        """Nothing is held."""
