"""Detects whether the desktop composites windows. X11 may have no compositor; transparent areas are
black then, and windows must be clipped to their shape.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_int, c_long, c_ulong, c_void_p
from functools import cache

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal
from PySide6.QtGui import QGuiApplication

_POLL_MS = 2_000
"""Polling interval if the X server doesn't report changes of the compositor."""
_OWNER_CHANGES = 0b111
"""New owner of the selection, its window destroyed, its client closed."""


class CompositorSelection:
    """Our own connection to the X server. Raises OSError without the library or a server."""

    def __init__(self) -> None:
        x11 = self._x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = c_void_p
        for name in ("XInternAtom", "XGetSelectionOwner", "XDefaultRootWindow"):
            getattr(x11, name).restype = c_ulong
        display = x11.XOpenDisplay(None)
        if not display:
            raise OSError
        self._display = c_void_p(display)
        selection = f"_NET_WM_CM_S{x11.XDefaultScreen(self._display)}".encode()
        self._atom = c_ulong(x11.XInternAtom(self._display, selection, 0))

    def has_owner(self) -> bool:
        """Whether a compositor owns its selection."""
        return bool(self._x11.XGetSelectionOwner(self._display, self._atom))

    def subscribe(self) -> int:
        """Subscribe to changes; return the socket that becomes readable then. Raises OSError
        without support.
        """
        fixes = ctypes.CDLL("libXfixes.so.3")
        if not fixes.XFixesQueryExtension(self._display, byref(c_int()), byref(c_int())):
            raise OSError
        root = c_ulong(self._x11.XDefaultRootWindow(self._display))
        fixes.XFixesSelectSelectionInput(self._display, root, self._atom, c_ulong(_OWNER_CHANGES))
        self._x11.XSync(self._display, 0)
        return int(self._x11.XConnectionNumber(self._display))

    def read(self) -> None:
        """Read the server's events. After `close` it does nothing: the socket's last report may
        still be on its way, and Xlib would crash.
        """
        event = (c_long * 24)()
        while self._display and self._x11.XPending(self._display):
            self._x11.XNextEvent(self._display, byref(event))

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)
        self._display = c_void_p(None)


@cache
def _connect_x11() -> Callable[[], bool]:
    """Return the function that queries the X server."""
    try:
        return CompositorSelection().has_owner
    except OSError:
        return lambda: True


def is_composited() -> bool:
    """Whether a compositor runs; True if the platform always has one or it is unknown."""
    return QGuiApplication.platformName() != "xcb" or _connect_x11()()


class Compositor(QObject):
    """Emits `changed(present)` when a compositor starts or ends. The X server reports it: polling
    would wake an app that isn't visible.
    """

    changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.present = is_composited()
        self._x11: CompositorSelection | None = None
        if QGuiApplication.platformName() == "xcb" and not self._listen():
            timer = QTimer(self, interval=_POLL_MS)
            timer.timeout.connect(self.refresh)
            timer.start()

    def refresh(self) -> None:
        """Query the state now."""
        present = is_composited()
        if present is not self.present:
            self.present = present
            self.changed.emit(present)

    def _listen(self) -> bool:
        """Subscribe with our own connection. Return False without support."""
        try:
            x11 = CompositorSelection()
        except OSError:
            return False
        try:
            number = x11.subscribe()
        except OSError:
            x11.close()
            return False
        self._x11 = x11
        notifier = QSocketNotifier(number, QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._on_selection_changed)
        self.destroyed.connect(lambda: x11.close())
        return True

    def _on_selection_changed(self) -> None:
        assert self._x11 is not None
        self._x11.read()
        self.refresh()
