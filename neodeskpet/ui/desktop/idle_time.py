"""Measures the time since the last key press or pointer movement: on X11, Wayland, Windows and
macOS. No keys, positions or times are stored.
"""

from __future__ import annotations

import ctypes
import logging
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from neodeskpet.ui.desktop.session import is_wayland


class IdleTime(Protocol):
    """The time since the last input. No keys, positions or times of them are read or stored."""

    def seconds(self) -> float | None:
        """Return the seconds since the user's last input to any program; None if unknown. Called
        every few seconds in the window's thread: it doesn't block.
        """
        ...

    def close(self) -> None: ...


_PATH = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"
_SESSION, _ANY_INPUT = 0, 0xFFFFFFFF


class MacIdleTime:
    """An `IdleTime`. Raises OSError on other systems."""

    def __init__(self, library: Any = None) -> None:
        found = library or ctypes.CDLL(_PATH)
        self._since = found.CGEventSourceSecondsSinceLastEventType
        self._since.restype = ctypes.c_double
        self._since.argtypes = (ctypes.c_int32, ctypes.c_uint32)

    def seconds(self) -> float:
        return max(0.0, float(self._since(_SESSION, _ANY_INPUT)))

    def close(self) -> None:
        """Do nothing."""


class LastInputInfo(ctypes.Structure):
    """LASTINPUTINFO; times are milliseconds that wrap around after 49 days."""

    _fields_ = (("cbSize", ctypes.c_uint32), ("dwTime", ctypes.c_uint32))


class WindowsIdleTime:
    """An `IdleTime`. Raises AttributeError on other systems."""

    def __init__(self, libraries: Any = None) -> None:
        found: Any = libraries or vars(ctypes).get("windll")
        self._last = found.user32.GetLastInputInfo
        self._now = found.kernel32.GetTickCount

    def seconds(self) -> float | None:
        info = LastInputInfo(ctypes.sizeof(LastInputInfo), 0)
        if not self._last(ctypes.byref(info)):
            return None
        return float((int(self._now()) - int(info.dwTime)) % 2**32) / 1000

    def close(self) -> None:
        """Do nothing."""


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
    """An `IdleTime`. Raises OSError without an X server or its extension."""

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
            raise OSError("the X server doesn't report its idle time")

    def seconds(self) -> float:
        info = _ScreenSaverInfo()
        self._saver.XScreenSaverQueryInfo(self._display, self._root, ctypes.byref(info))
        return int(info.idle) / 1000

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)


_log = logging.getLogger(__name__)

IDLE_AFTER = 5.0
"""Seconds without input after which the compositor reports."""
_DISPLAY, _REGISTRY, _SEAT, _NOTIFIER, _NOTICE = 1, 2, 3, 4, 5
_GET_REGISTRY, _BIND = 1, 0
_GET_NOTICE, _GET_INPUT_NOTICE = 1, 2
_HEAD = struct.Struct("=II")
_MAX_MESSAGE = 4096


class WaylandIdleTime:
    """An `IdleTime` on a connected `wire`."""

    def __init__(self, wire: socket.socket, clock: Callable[[], float] = time.monotonic) -> None:
        self._wire = wire
        self._clock = clock
        self._read = b""
        self._globals: dict[str, tuple[int, int]] = {}  # number and version by interface
        self._asked = False
        self._known = False
        self._idle_since: float | None = None
        wire.setblocking(False)
        self._send(_DISPLAY, _GET_REGISTRY, struct.pack("=I", _REGISTRY))

    def seconds(self) -> float | None:
        try:
            self._take()
        except (OSError, ValueError, struct.error) as error:
            _log.info("The compositor reports no idle time: %s", error)
            self.close()
        if not self._known:
            return None
        return 0.0 if self._idle_since is None else self._clock() - self._idle_since

    def close(self) -> None:
        self._known = False
        self._wire.close()

    def _take(self) -> None:
        if self._wire.fileno() < 0:
            return
        while True:
            try:
                got = self._wire.recv(_MAX_MESSAGE)
            except BlockingIOError:
                break
            if not got:
                raise OSError("the connection was closed")
            self._read += got
        for sender, event, body in self._messages():
            self._hear(sender, event, body)

    def _messages(self) -> Iterator[tuple[int, int, bytes]]:
        while len(self._read) >= _HEAD.size:
            sender, word = _HEAD.unpack_from(self._read)
            size = word >> 16
            if size < _HEAD.size:
                raise ValueError("a message without a size")
            if len(self._read) < size:
                return
            body, self._read = self._read[_HEAD.size : size], self._read[size:]
            yield sender, word & 0xFFFF, body

    def _hear(self, sender: int, event: int, body: bytes) -> None:
        if sender == _DISPLAY and event == 0:
            raise ValueError("the compositor reports an error")
        if sender == _REGISTRY and event == 0:
            number, length = struct.unpack_from("=II", body)
            name = body[8 : 8 + length - 1].decode("ascii", "replace")
            (version,) = struct.unpack_from("=I", body, 8 + _padded(length))
            self._globals.setdefault(name, (number, version))
            self._ask()
        elif sender == _NOTICE:
            self._idle_since = self._clock() - IDLE_AFTER if event == 0 else None

    def _ask(self) -> None:
        """Subscribe to idle notifications once both required objects are known."""
        seat = self._globals.get("wl_seat")
        notifier = self._globals.get("ext_idle_notifier_v1")
        if self._asked or seat is None or notifier is None:
            return
        self._asked = self._known = True
        version = min(notifier[1], 2)
        self._bind(seat[0], "wl_seat", 1, _SEAT)
        self._bind(notifier[0], "ext_idle_notifier_v1", version, _NOTIFIER)
        # Version 2 also counts while an application inhibits the screen saver.
        how = _GET_INPUT_NOTICE if version >= 2 else _GET_NOTICE
        self._send(_NOTIFIER, how, struct.pack("=III", _NOTICE, round(IDLE_AFTER * 1000), _SEAT))

    def _bind(self, number: int, interface: str, version: int, made: int) -> None:
        name = interface.encode("ascii") + b"\0"
        text = struct.pack("=I", len(name)) + name.ljust(_padded(len(name)), b"\0")
        body = struct.pack("=I", number) + text + struct.pack("=II", version, made)
        self._send(_REGISTRY, _BIND, body)

    def _send(self, to: int, request: int, body: bytes) -> None:
        self._wire.sendall(_HEAD.pack(to, (_HEAD.size + len(body)) << 16 | request) + body)


def open_wayland_idle_time(environ: Mapping[str, str] = os.environ) -> WaylandIdleTime:
    """Connect to the compositor. Raises OSError if none answers."""
    display = environ.get("WAYLAND_DISPLAY", "")
    path = Path(environ.get("XDG_RUNTIME_DIR", ""), display)
    if sys.platform == "win32" or not display or not path.is_absolute():
        raise OSError("no compositor")
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        wire.connect(str(path))
    except OSError:
        wire.close()
        raise
    return WaylandIdleTime(wire)


def _padded(length: int) -> int:
    return (length + 3) & ~3


BACKENDS: Mapping[str, Callable[[], IdleTime]] = {
    "xcb": X11IdleTime,
    "wayland": open_wayland_idle_time,
    "windows": WindowsIdleTime,
    "cocoa": MacIdleTime,
}


def create_idle_time(
    platform: str,
    environ: Mapping[str, str] = os.environ,
    makers: Mapping[str, Callable[[], IdleTime]] = BACKENDS,
) -> IdleTime | None:
    """Return the source for `platform` (Qt's name); None if there is none."""
    if platform == "xcb" and is_wayland(environ):
        platform = "wayland"  # its X server only knows the input of its own windows
    maker = makers.get(platform)
    try:
        return maker() if maker is not None else None
    except (OSError, AttributeError) as error:
        _log.info("The presence of the user can't be detected: %s", error)
        return None
