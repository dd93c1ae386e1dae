"""Where the windows of other programs are, for the person to point at one. Known on X11 alone, by a
connection of our own, because Qt gives its own to nobody; elsewhere none are known.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import POINTER, byref, c_int, c_long, c_uint, c_ulong, c_void_p

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication

from neodeskpet.ui.desktop.own_windows import own_window_ids

_MIN_SIDE = 32
_VIEWABLE = 2
_INPUT_OUTPUT = 1
_MAX_WINDOWS = 1_000


class _Attributes(ctypes.Structure):
    _fields_ = (
        *((name, c_int) for name in ("x", "y", "width", "height", "border", "depth")),
        *(("visual", c_void_p), ("root", c_ulong)),
        *((name, c_int) for name in ("kind", "bit_gravity", "win_gravity", "backing_store")),
        *((name, c_ulong) for name in ("planes", "pixel")),
        *(("save_under", c_int), ("colormap", c_ulong)),
        *((name, c_int) for name in ("map_installed", "map_state")),
        # Event masks and the screen follow; the library writes all of it.
        ("padding", c_long * 8),
    )


# A window may go while it is asked about; the library's own answer to that ends the process.
_ignore_error = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)(lambda _display, _error: 0)


def window_rects() -> list[QRect]:
    """Those that can be seen, topmost first, in the pixels of the desktop; none of our own."""
    if QGuiApplication.platformName() != "xcb":
        return []
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return []
    x11.XOpenDisplay.restype = x11.XSetErrorHandler.restype = c_void_p
    x11.XDefaultRootWindow.restype = x11.XInternAtom.restype = c_ulong
    display = c_void_p(x11.XOpenDisplay(None))
    if not display:
        return []
    before = c_void_p(x11.XSetErrorHandler(_ignore_error))
    own = own_window_ids()
    try:
        root = c_ulong(x11.XDefaultRootWindow(display))
        windows = _listed(x11, display, root) or _children(x11, display, root)
        return [
            place
            for window in reversed(windows)
            if window not in own
            for place in _place(x11, display, root, c_ulong(window))
        ]
    finally:
        x11.XSetErrorHandler(before)
        x11.XCloseDisplay(display)


def _listed(x11: ctypes.CDLL, display: c_void_p, root: c_ulong) -> list[int]:
    """What the window manager names, from the bottom up."""
    name = c_ulong(x11.XInternAtom(display, b"_NET_CLIENT_LIST_STACKING", 0))
    kind, shape, count, rest = c_ulong(), c_int(), c_ulong(), c_ulong()
    found = POINTER(c_ulong)()
    failed = x11.XGetWindowProperty(
        *(display, root, name, c_long(0), c_long(_MAX_WINDOWS), c_int(0), c_ulong(0)),
        *(byref(kind), byref(shape), byref(count), byref(rest), byref(found)),
    )
    return [] if failed or not found else _freed(x11, found, count.value)


def _children(x11: ctypes.CDLL, display: c_void_p, root: c_ulong) -> list[int]:
    """All there are, where no window manager runs."""
    top, parent, count = c_ulong(), c_ulong(), c_uint()
    found = POINTER(c_ulong)()
    done = x11.XQueryTree(display, root, byref(top), byref(parent), byref(found), byref(count))
    return _freed(x11, found, count.value) if done and found else []


def _freed(x11: ctypes.CDLL, found: ctypes._Pointer[c_ulong], count: int) -> list[int]:
    windows = [int(found[at]) for at in range(count)]
    x11.XFree(found)
    return windows


def _place(x11: ctypes.CDLL, display: c_void_p, root: c_ulong, window: c_ulong) -> Iterator[QRect]:
    known = _Attributes()
    if not x11.XGetWindowAttributes(display, window, byref(known)):
        return
    left, top, inner = c_int(), c_int(), c_ulong()
    x11.XTranslateCoordinates(
        *(display, window, root, c_int(0), c_int(0)), *(byref(left), byref(top), byref(inner))
    )
    seen = known.map_state == _VIEWABLE and known.kind == _INPUT_OUTPUT
    if seen and min(known.width, known.height) >= _MIN_SIDE:
        yield QRect(left.value, top.value, known.width, known.height)
