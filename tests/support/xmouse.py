"""The real pointer of the X server. Unlike QTest's events, it starts drags between widgets."""

from __future__ import annotations

import ctypes
import time

from PySide6.QtCore import QPoint

_LEFT = 1
_STEPS = 8
_PAUSE = 0.05
"""Seconds between two movements, so that Qt sees each of them."""


def drag(start: QPoint, end: QPoint) -> None:
    """Drag with the left button between two points of the screen. Call it in a thread: the drag
    needs the event loop.
    """
    x11, xtest = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))

    def sync() -> None:
        x11.XSync(display, 0)
        time.sleep(_PAUSE)

    try:
        for number in range(_STEPS + 1):
            spot = start + (end - start) * number / _STEPS
            xtest.XTestFakeMotionEvent(display, -1, spot.x(), spot.y(), ctypes.c_ulong(0))
            sync()
            if number == 0:
                xtest.XTestFakeButtonEvent(display, _LEFT, 1, ctypes.c_ulong(0))
                sync()
        sync()
        xtest.XTestFakeButtonEvent(display, _LEFT, 0, ctypes.c_ulong(0))
        sync()
    finally:
        x11.XCloseDisplay(display)
