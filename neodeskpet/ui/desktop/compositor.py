"""Whether the desktop blends windows. On X11 a compositor does, and there may be none; then what is
transparent is black, and windows have to be cut to their shape.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

_LOOK_MS = 2_000
"""It may come later than we do, and go: until that is seen there are black boxes. One question to
the X server, on a connection that stays open.
"""


def is_composited() -> bool:
    """Whether a compositor runs; True where there always is one, or nobody can tell."""
    return QGuiApplication.platformName() != "xcb" or _look_at_x11()()


@cache
def _look_at_x11() -> Callable[[], bool]:
    """What asks the X server."""
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return lambda: True
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = x11.XGetSelectionOwner.restype = ctypes.c_ulong
    display = x11.XOpenDisplay(None)
    if not display:
        return lambda: True
    handle = ctypes.c_void_p(display)
    name = f"_NET_WM_CM_S{x11.XDefaultScreen(handle)}".encode()
    atom = ctypes.c_ulong(x11.XInternAtom(handle, name, 0))
    return lambda: bool(x11.XGetSelectionOwner(handle, atom))


class Compositor(QObject):
    """`changed(present)` tells when it comes or goes, within seconds."""

    changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.present = is_composited()
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Look now."""
        present = is_composited()
        if present is not self.present:
            self.present = present
            self.changed.emit(present)
