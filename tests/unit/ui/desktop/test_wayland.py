"""A compositor of a few lines, at the other end of a socket."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from neodeskpet.ui.desktop.idle_time import IDLE_AFTER, WaylandIdleTime, open_wayland_idle_time


class Compositor:
    """Speaks the wire protocol, and records the requests."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire = wire
        self.now = 100.0

    def asked(self) -> list[tuple[int, int, bytes]]:
        data, found = self.wire.recv(65536), []
        while data:
            to, word = struct.unpack_from("=II", data)
            found.append((to, word & 0xFFFF, data[8 : word >> 16]))
            data = data[word >> 16 :]
        return found

    def tell(self, sender: int, event: int, body: bytes = b"") -> None:
        self.wire.sendall(struct.pack("=II", sender, (8 + len(body)) << 16 | event) + body)

    def offer(self, number: int, interface: str, version: int) -> None:
        name = interface.encode() + b"\0"
        padded = name.ljust((len(name) + 3) & ~3, b"\0")
        self.tell(2, 0, struct.pack("=II", number, len(name)) + padded + struct.pack("=I", version))


@pytest.fixture
def pair() -> Iterator[tuple[Compositor, WaylandIdleTime]]:
    here, there = socket.socketpair()
    compositor = Compositor(there)
    idle = WaylandIdleTime(here, lambda: compositor.now)
    assert compositor.asked() == [(1, 1, struct.pack("=I", 2))]
    yield compositor, idle
    idle.close()
    there.close()


@pytest.mark.parametrize(("version", "request_code"), [(1, 1), (2, 2), (3, 2)])
def test_idle_and_back(
    pair: tuple[Compositor, WaylandIdleTime], version: int, request_code: int
) -> None:
    compositor, idle = pair
    assert idle.seconds() is None
    compositor.offer(1, "wl_compositor", 6)
    compositor.offer(7, "wl_seat", 9)
    compositor.offer(9, "ext_idle_notifier_v1", version)
    assert idle.seconds() == 0.0
    seat, notifier, notice = compositor.asked()
    assert seat[:2] == notifier[:2] == (2, 0)
    assert seat[2] == struct.pack("=II8sII", 7, 8, b"wl_seat\0", 1, 3)
    assert notifier[2][-8:] == struct.pack("=II", min(version, 2), 4)
    assert notice == (4, request_code, struct.pack("=III", 5, 5000, 3))
    compositor.tell(5, 0)
    assert idle.seconds() == IDLE_AFTER
    compositor.now += 60.0
    assert idle.seconds() == IDLE_AFTER + 60.0
    compositor.tell(5, 1)
    assert idle.seconds() == 0.0


def test_a_message_in_two_parts(pair: tuple[Compositor, WaylandIdleTime]) -> None:
    compositor, idle = pair
    compositor.offer(7, "wl_seat", 9)
    compositor.offer(9, "ext_idle_notifier_v1", 1)
    assert idle.seconds() == 0.0
    message = struct.pack("=II", 5, 8 << 16)
    compositor.wire.sendall(message[:5])
    assert idle.seconds() == 0.0
    compositor.wire.sendall(message[5:])
    assert idle.seconds() == IDLE_AFTER


@pytest.mark.parametrize("fault", ["refuses", "nonsense", "gone"])
def test_after_an_error_nothing_is_reported(
    pair: tuple[Compositor, WaylandIdleTime], fault: str
) -> None:
    compositor, idle = pair
    compositor.offer(7, "wl_seat", 9)
    compositor.offer(9, "ext_idle_notifier_v1", 1)
    assert idle.seconds() == 0.0
    if fault == "refuses":
        compositor.tell(1, 0, struct.pack("=III", 4, 0, 0))
    elif fault == "nonsense":
        compositor.wire.sendall(struct.pack("=II", 5, 0))
    else:
        compositor.wire.close()
    assert idle.seconds() is None
    assert idle.seconds() is None


def test_without_the_extension_nothing_is_known(pair: tuple[Compositor, WaylandIdleTime]) -> None:
    compositor, idle = pair
    compositor.offer(7, "wl_seat", 9)
    assert idle.seconds() is None


def test_opening(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no compositor"):
        open_wayland_idle_time({})
    with pytest.raises(OSError):
        open_wayland_idle_time({"XDG_RUNTIME_DIR": str(tmp_path), "WAYLAND_DISPLAY": "wayland-9"})
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "w"))
        door.listen()
        idle = open_wayland_idle_time(
            {"XDG_RUNTIME_DIR": "/none", "WAYLAND_DISPLAY": str(tmp_path / "w")}
        )
        idle.close()
    assert idle.seconds() is None
