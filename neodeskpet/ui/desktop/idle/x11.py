"""The screen saver's extension of an X server."""

from __future__ import annotations

import ctypes


class _ScreenSaverInfo(ctypes.Structure):
    """XScreenSaverInfo."""

    _fields_ = (
        ("window", ctypes.c_ulong),
        ("state", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("til_or_since", ctypes.c_ulong),
        ("idle", ctypes.c_ulong),
        ("event_mask", ctypes.c_ulong),
    )


class X11IdleTime:
    """An `IdleTime`. Raises OSError where there is no such server, or it has no such extension."""

    def __init__(self) -> None:
        self._x11 = ctypes.CDLL("libX11.so.6")
        self._saver = ctypes.CDLL("libXss.so.1")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XDefaultRootWindow.restype = ctypes.c_ulong
        display = self._x11.XOpenDisplay(None)
        if not display:
            raise OSError("no X server")
        self._display = ctypes.c_void_p(display)
        self._root = ctypes.c_ulong(self._x11.XDefaultRootWindow(self._display))
        first = ctypes.c_int()
        known = self._saver.XScreenSaverQueryExtension(
            self._display, ctypes.byref(first), ctypes.byref(first)
        )
        if not known:
            self._x11.XCloseDisplay(self._display)
            raise OSError("the X server doesn't tell how long it is idle")

    def seconds(self) -> float:
        info = _ScreenSaverInfo()
        self._saver.XScreenSaverQueryInfo(self._display, self._root, ctypes.byref(info))
        return int(info.idle) / 1000

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)
