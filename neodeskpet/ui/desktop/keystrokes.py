"""Reports that keys or pointer buttons were pressed, never which: counts raw events of X11 (XInput)
without reading their contents.
"""

from __future__ import annotations

import ctypes
import logging
import os
from collections.abc import Callable, Mapping
from typing import Protocol

from PySide6.QtCore import QSocketNotifier

from neodeskpet.ui.desktop.session import is_wayland


class KeystrokeCounter(Protocol):
    """Counts keystrokes, or clicks, between `start` and `stop`. Which ones is unknown."""

    def start(self, tell: Callable[[int], None]) -> bool:
        """Call `tell` with the number of presses since the last call, soon after each. Return
        False if that isn't supported.
        """
        ...

    def stop(self) -> None: ...


class ScriptedKeystrokeCounter:
    """A `KeystrokeCounter`."""

    def __init__(self, *, able: bool = True) -> None:
        self._able = able
        self._tell: Callable[[int], None] | None = None

    @property
    def is_listening(self) -> bool:
        return self._tell is not None

    def start(self, tell: Callable[[int], None]) -> bool:
        if self._able:
            self._tell = tell
        return self._able

    def stop(self) -> None:
        self._tell = None

    def press(self, count: int = 1) -> None:
        """Simulate keystrokes, reported between `start` and `stop`."""
        if self._tell is not None:
            self._tell(count)


_log = logging.getLogger(__name__)

RAW_KEY_PRESS, RAW_BUTTON_PRESS = 13, 15
_ALL_MASTERS = 1
_GENERIC = 35


class _Mask(ctypes.Structure):
    """XIEventMask."""

    _fields_ = (
        ("device", ctypes.c_int),
        ("length", ctypes.c_int),
        ("mask", ctypes.POINTER(ctypes.c_ubyte)),
    )


class _Cookie(ctypes.Structure):
    """XGenericEventCookie, whose `data` isn't fetched."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("sent", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("extension", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("cookie", ctypes.c_uint),
        ("data", ctypes.c_void_p),
    )


class _Event(ctypes.Union):
    """XEvent."""

    _fields_ = (("cookie", _Cookie), ("pad", ctypes.c_long * 24))


class X11KeystrokeCounter:
    """A `KeystrokeCounter` with its own connection. `event` is what it counts: RAW_KEY_PRESS or
    RAW_BUTTON_PRESS, which includes the wheel.
    """

    def __init__(
        self, environ: Mapping[str, str] = os.environ, *, event: int = RAW_KEY_PRESS
    ) -> None:
        self._environ = environ
        self._event = event
        self._x11: ctypes.CDLL | None = None
        self._display: ctypes.c_void_p | None = None
        self._notifier: QSocketNotifier | None = None
        self._extension = 0
        self._tell: Callable[[int], None] = lambda count: None

    def start(self, tell: Callable[[int], None]) -> bool:
        if self._display is not None:
            return True
        if is_wayland(self._environ):
            return False  # its X server only knows the input of its own windows
        try:
            self._open()
        except (OSError, AttributeError) as error:
            _log.info("Keystrokes can't be counted: %s", error)
            self.stop()
            return False
        self._tell = tell
        self._count()  # events already read don't wake the notifier
        return True

    def stop(self) -> None:
        notifier, self._notifier = self._notifier, None
        if notifier is not None:
            notifier.setEnabled(False)
            notifier.deleteLater()
        display, self._display = self._display, None
        if display is not None and self._x11 is not None:
            self._x11.XCloseDisplay(display)

    def _open(self) -> None:
        x11 = self._x11 = ctypes.CDLL("libX11.so.6")
        xi = ctypes.CDLL("libXi.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XDefaultRootWindow.restype = ctypes.c_ulong
        opened = x11.XOpenDisplay(None)
        if not opened:
            raise OSError("no X server")
        display = self._display = ctypes.c_void_p(opened)
        code, first, error = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        by = ctypes.byref
        if not x11.XQueryExtension(display, b"XInputExtension", by(code), by(first), by(error)):
            raise OSError("the X server has no XInput")
        self._extension = code.value
        major, minor = ctypes.c_int(2), ctypes.c_int(0)
        if xi.XIQueryVersion(display, by(major), by(minor)):
            raise OSError("the X server has no XInput 2")
        bits = (ctypes.c_ubyte * 4)()
        bits[self._event >> 3] |= 1 << (self._event & 7)
        mask = _Mask(_ALL_MASTERS, len(bits), bits)
        root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
        xi.XISelectEvents(display, root, by(mask), 1)
        x11.XSync(display, 0)  # what is pressed after `start` is counted
        number = x11.XConnectionNumber(display)
        self._notifier = QSocketNotifier(number, QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._count)

    def _count(self) -> None:
        """Read the events, and report their number."""
        if self._x11 is None or self._display is None:
            return
        keys, event = 0, _Event()
        while self._display is not None and self._x11.XPending(self._display):
            self._x11.XNextEvent(self._display, ctypes.byref(event))
            cookie = event.cookie
            if cookie.type == _GENERIC and cookie.extension == self._extension:
                keys += cookie.kind == self._event
        if keys:
            self._tell(keys)


def create_keystroke_counter(platform: str) -> KeystrokeCounter:
    """Return the counter for `platform` (Qt's name); only X11 is supported."""
    return X11KeystrokeCounter() if platform == "xcb" else ScriptedKeystrokeCounter(able=False)


def create_click_counter(platform: str) -> KeystrokeCounter:
    """Return the counter of clicks for `platform` (Qt's name); only X11 is supported."""
    if platform == "xcb":
        return X11KeystrokeCounter(event=RAW_BUTTON_PRESS)
    return ScriptedKeystrokeCounter(able=False)
