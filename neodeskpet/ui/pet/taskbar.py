"""Keep a window out of the taskbar on X11, where Qt's `Tool` flag doesn't.

The window manager is asked (`_NET_WM_STATE`) after the window was mapped, over a connection of our
own, because Qt gives its own to nobody. Elsewhere `Tool` is enough.
"""

from __future__ import annotations

import ctypes
import logging

from PySide6.QtGui import QGuiApplication, QWindow

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
        # An XEvent is a union padded to 24 longs; the library reads all of it.
        ("padding", ctypes.c_long * 24),
    )


def skip_taskbar(window: QWindow) -> bool:
    """Ask the window manager; tells whether it could be asked. `window` is mapped."""
    if QGuiApplication.platformName() != "xcb":
        return False
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        _log.info("No libX11: the companion may show in the taskbar")
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
