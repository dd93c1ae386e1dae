"""Wayland: ext-idle-notify. The compositor says when nobody did anything for five seconds, and when
somebody does again; between the two the time is ours.

KDE, Sway, Hyprland and others have it; GNOME hasn't, and there nobody knows. The few messages are
written and read here, on a connection of our own: Qt's isn't for others. Nothing is waited for:
what has come is read when somebody asks.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

_log = logging.getLogger(__name__)

IDLE_AFTER = 5.0
"""Seconds without input after which the compositor tells."""
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
        self._globals: dict[str, tuple[int, int]] = {}  # by interface: its number and version
        self._asked = False
        self._known = False
        self._idle_since: float | None = None
        wire.setblocking(False)
        self._send(_DISPLAY, _GET_REGISTRY, struct.pack("=I", _REGISTRY))

    def seconds(self) -> float | None:
        try:
            self._take()
        except (OSError, ValueError, struct.error) as error:
            _log.info("The compositor tells no idle time: %s", error)
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
                raise OSError("it is gone")
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
            raise ValueError("it refuses")
        if sender == _REGISTRY and event == 0:
            number, length = struct.unpack_from("=II", body)
            name = body[8 : 8 + length - 1].decode("ascii", "replace")
            (version,) = struct.unpack_from("=I", body, 8 + _padded(length))
            self._globals.setdefault(name, (number, version))
            self._ask()
        elif sender == _NOTICE:
            self._idle_since = self._clock() - IDLE_AFTER if event == 0 else None

    def _ask(self) -> None:
        """To be told, once both are known that are needed for it."""
        seat = self._globals.get("wl_seat")
        notifier = self._globals.get("ext_idle_notifier_v1")
        if self._asked or seat is None or notifier is None:
            return
        self._asked = self._known = True
        version = min(notifier[1], 2)
        self._bind(seat[0], "wl_seat", 1, _SEAT)
        self._bind(notifier[0], "ext_idle_notifier_v1", version, _NOTIFIER)
        # The later way also counts while a film keeps the screen awake.
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
    """Raises OSError where no compositor answers."""
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
