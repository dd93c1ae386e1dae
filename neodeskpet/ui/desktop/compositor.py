"""Whether the desktop blends windows. On X11 a compositor does, and there may be none; then what is
transparent is black, and windows have to be cut to their shape.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_int, c_long, c_ulong, c_void_p
from functools import cache

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal
from PySide6.QtGui import QGuiApplication

_POLL_MS = 2_000
"""How often to look where nothing tells when a compositor comes or goes."""
_OWNER_CHANGES = 0b111
"""Another one owns the selection, its window is destroyed, its program ended."""


class _CompositorSelection:
    """A connection of our own. Raises OSError without the library or a server."""

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
        """Whether a compositor has its selection."""
        return bool(self._x11.XGetSelectionOwner(self._display, self._atom))

    def subscribe(self) -> int:
        """The socket that can be read when that changes. Raises OSError where nothing tells it."""
        fixes = ctypes.CDLL("libXfixes.so.3")
        if not fixes.XFixesQueryExtension(self._display, byref(c_int()), byref(c_int())):
            raise OSError
        root = c_ulong(self._x11.XDefaultRootWindow(self._display))
        fixes.XFixesSelectSelectionInput(self._display, root, self._atom, c_ulong(_OWNER_CHANGES))
        self._x11.XSync(self._display, 0)
        return int(self._x11.XConnectionNumber(self._display))

    def read(self) -> None:
        """Take what the server has told."""
        event = (c_long * 24)()
        while self._x11.XPending(self._display):
            self._x11.XNextEvent(self._display, byref(event))

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)


@cache
def _connect_x11() -> Callable[[], bool]:
    """What asks the X server."""
    try:
        return _CompositorSelection().has_owner
    except OSError:
        return lambda: True


def is_composited() -> bool:
    """Whether a compositor runs; True where there always is one, or nobody can tell."""
    return QGuiApplication.platformName() != "xcb" or _connect_x11()()


class Compositor(QObject):
    """`changed(present)` tells when it comes or goes. The X server tells us: a look now and then
    would wake an app that nobody sees.
    """

    changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.present = is_composited()
        self._x11: _CompositorSelection | None = None
        if QGuiApplication.platformName() == "xcb" and not self._listen():
            timer = QTimer(self, interval=_POLL_MS)
            timer.timeout.connect(self.refresh)
            timer.start()

    def refresh(self) -> None:
        """Look now."""
        present = is_composited()
        if present is not self.present:
            self.present = present
            self.changed.emit(present)

    def _listen(self) -> bool:
        """On a connection that is read here alone. False where nothing tells it."""
        try:
            x11 = _CompositorSelection()
        except OSError:
            return False
        try:
            number = x11.subscribe()
        except OSError:
            x11.close()
            return False
        self._x11 = x11
        notifier = QSocketNotifier(number, QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._told)
        self.destroyed.connect(lambda: x11.close())
        return True

    def _told(self) -> None:
        assert self._x11 is not None
        self._x11.read()
        self.refresh()
