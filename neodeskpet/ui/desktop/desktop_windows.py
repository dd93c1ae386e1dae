"""The windows on the desktop: our own, those of other programs (X11), and how to keep a window out
of the taskbar (X11).
"""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Iterator
from ctypes import POINTER, byref, c_int, c_long, c_uint, c_ulong, c_void_p

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QWidget

FLOATING_FLAGS = (
    Qt.WindowType.Tool
    | Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.NoDropShadowWindowHint
    | Qt.WindowType.WindowDoesNotAcceptFocus
)
"""Flags of windows above the desktop that never take the keyboard focus."""


def own_window_ids(*, frameless: bool = False) -> set[int]:
    """Return the ids of our visible windows; with `frameless` only of those without a window
    manager's frame: companions and transient windows.
    """
    return {
        int(window.winId())
        for window in QGuiApplication.topLevelWindows()
        if window.isVisible()
        and (not frameless or window.flags() & Qt.WindowType.FramelessWindowHint)
    }


_MIN_SIDE = 32
_VIEWABLE = 2
_INPUT_OUTPUT = 1
_MAX_WINDOWS = 1_000


class _Attributes(ctypes.Structure):
    _fields_ = (
        *((name, c_int) for name in ("x", "y", "width", "height", "border", "depth")),
        ("visual", c_void_p),
        ("root", c_ulong),
        *((name, c_int) for name in ("kind", "bit_gravity", "win_gravity", "backing_store")),
        *((name, c_ulong) for name in ("planes", "pixel")),
        ("save_under", c_int),
        ("colormap", c_ulong),
        *((name, c_int) for name in ("map_installed", "map_state")),
        # Event masks and the screen follow; the library writes the whole structure.
        ("padding", c_long * 8),
    )


# A window may be closed while it is queried; the library's default handler ends the process then.
_ignore_error = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)(lambda _display, _error: 0)


def window_rects() -> list[QRect]:
    """Return the visible windows of other programs, topmost first, in desktop pixels."""
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
    """Return the windows listed by the window manager, bottom to top."""
    name = c_ulong(x11.XInternAtom(display, b"_NET_CLIENT_LIST_STACKING", 0))
    kind, shape, count, rest = c_ulong(), c_int(), c_ulong(), c_ulong()
    found = POINTER(c_ulong)()
    failed = x11.XGetWindowProperty(
        display,
        root,
        name,
        c_long(0),
        c_long(_MAX_WINDOWS),
        c_int(0),
        c_ulong(0),
        byref(kind),
        byref(shape),
        byref(count),
        byref(rest),
        byref(found),
    )
    return [] if failed or not found else _freed(x11, found, count.value)


def _children(x11: ctypes.CDLL, display: c_void_p, root: c_ulong) -> list[int]:
    """Return all windows, for desktops without a window manager."""
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
        display, window, root, c_int(0), c_int(0), byref(left), byref(top), byref(inner)
    )
    seen = known.map_state == _VIEWABLE and known.kind == _INPUT_OUTPUT
    if seen and min(known.width, known.height) >= _MIN_SIDE:
        yield QRect(left.value, top.value, known.width, known.height)


_log = logging.getLogger(__name__)

_ADD = 1
_CLIENT_MESSAGE = 33
_SUBSTRUCTURE = (1 << 19) | (1 << 20)
_FROM_APPLICATION = 1


class _ClientMessage(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        # An XEvent is a union padded to 24 longs; the library reads the whole union.
        ("padding", ctypes.c_long * 24),
    )


def skip_taskbar(window: QWindow) -> bool:
    """Ask the window manager to keep a mapped `window` out of the taskbar; return whether it could
    be asked.
    """
    if QGuiApplication.platformName() != "xcb":
        return False
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        _log.info("No libX11: the companion may appear in the taskbar")
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = x11.XInternAtom.restype = ctypes.c_ulong
    display = x11.XOpenDisplay(None)
    if not display:
        return False
    handle = ctypes.c_void_p(display)
    try:
        _ask(x11, handle, int(window.winId()))
    finally:
        x11.XCloseDisplay(handle)
    return True


def skip_taskbar_once_shown(widget: QWidget) -> None:
    """Do the same for a window that is being shown: it is mapped after its `showEvent`."""

    def ask() -> None:
        window = widget.windowHandle()
        if window is not None and widget.isVisible():
            skip_taskbar(window)

    QTimer.singleShot(0, widget, ask)


def _ask(x11: ctypes.CDLL, display: ctypes.c_void_p, window: int) -> None:
    def atom(name: bytes) -> int:
        return int(x11.XInternAtom(display, name, 0))

    data = (ctypes.c_long * 5)(
        _ADD,
        atom(b"_NET_WM_STATE_SKIP_TASKBAR"),
        atom(b"_NET_WM_STATE_SKIP_PAGER"),
        _FROM_APPLICATION,
        0,
    )
    message = _ClientMessage(
        type=_CLIENT_MESSAGE,
        send_event=1,
        display=display,
        window=window,
        message_type=atom(b"_NET_WM_STATE"),
        format=32,
        data=data,
    )
    root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
    x11.XSendEvent(display, root, 0, ctypes.c_long(_SUBSTRUCTURE), ctypes.byref(message))
    x11.XFlush(display)
