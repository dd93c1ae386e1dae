"""A child: does the companion take clicks exactly where it is seen, on two screens of these scales?

python -m tests.support.touchprobe CACHE LEFT RIGHT     # prints one line of JSON

Its display is an Xvfb of its own, cut into two screens. What is seen is read from the X server, not
from the window: the pixels that its drawable has. Points nearer to an outline than the pointer's
own grain (one device-independent pixel) are left out.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QSurfaceFormat
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from neodeskpet.ui.desktop.session import prevent_bus_autostart
from neodeskpet.ui.pet.click_through import BAND
from neodeskpet.ui.pet.gl_surface import default_format
from neodeskpet.ui.pet.pet_window import PetWindow
from tests.unit.figure.models import NEO

WIDE, HIGH = 1300, 1100
PROBES = 110
"""Of each placement."""
ARRIVALS = 40
_SEEN = 24


class _Monitor(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_ulong),
        ("primary", ctypes.c_int),
        ("automatic", ctypes.c_int),
        ("outputs", ctypes.c_int),
        ("x", ctypes.c_int),
        ("y", ctypes.c_int),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("wide_mm", ctypes.c_int),
        ("high_mm", ctypes.c_int),
        ("output", ctypes.c_void_p),
    )


class _Resources(ctypes.Structure):
    _fields_ = (
        ("time", ctypes.c_ulong),
        ("configured", ctypes.c_ulong),
        ("crtc_count", ctypes.c_int),
        ("crtcs", ctypes.c_void_p),
        ("output_count", ctypes.c_int),
        ("outputs", ctypes.POINTER(ctypes.c_ulong)),
    )


class _Image(ctypes.Structure):
    """The beginning of XImage."""

    _fields_ = (
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("offset", ctypes.c_int),
        ("format", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("byte_order", ctypes.c_int),
        ("unit", ctypes.c_int),
        ("bit_order", ctypes.c_int),
        ("pad", ctypes.c_int),
        ("depth", ctypes.c_int),
        ("row", ctypes.c_int),
        ("bits", ctypes.c_int),
    )


class _Rectangle(ctypes.Structure):
    _fields_ = (
        ("x", ctypes.c_short),
        ("y", ctypes.c_short),
        ("width", ctypes.c_ushort),
        ("height", ctypes.c_ushort),
    )


class Server:
    """A second connection to the display: monitors, and the pointer in its own pixels."""

    def __init__(self) -> None:
        self._x11, self._randr = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXrandr.so.2")
        self._ext = ctypes.CDLL("libXext.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XDefaultRootWindow.restype = self._x11.XInternAtom.restype = ctypes.c_ulong
        self._randr.XRRGetScreenResources.restype = ctypes.POINTER(_Resources)
        self._display = ctypes.c_void_p(self._x11.XOpenDisplay(None))
        self._root = ctypes.c_ulong(self._x11.XDefaultRootWindow(self._display))

    def monitor(self, name: str, x: int, width: int, *, first: bool = False) -> None:
        """Add a monitor; the first has the display's only output."""
        atom = self._x11.XInternAtom(self._display, name.encode(), 0)
        found = self._randr.XRRGetScreenResources(self._display, self._root).contents
        output = (ctypes.c_ulong * 1)(found.outputs[0])
        place = (x, 0, width, HIGH, 300, 200)
        mine = _Monitor(atom, first, 0, int(first), *place, ctypes.addressof(output))
        self._randr.XRRSetMonitor(self._display, self._root, ctypes.byref(mine))
        self._x11.XSync(self._display, 0)

    def remove(self, name: str) -> None:
        atom = ctypes.c_ulong(self._x11.XInternAtom(self._display, name.encode(), 0))
        self._randr.XRRDeleteMonitor(self._display, self._root, atom)
        self._x11.XSync(self._display, 0)

    def place(self, window: int) -> tuple[int, int, int, int]:
        """Return a window's corner and size."""
        numbers = [ctypes.c_int() for _ in range(6)]
        child, root = ctypes.c_ulong(), ctypes.c_ulong()
        refs = [ctypes.byref(number) for number in numbers]
        shown = ctypes.c_ulong(window)
        self._x11.XGetGeometry(self._display, shown, ctypes.byref(root), *refs)
        wide, high = numbers[2].value, numbers[3].value
        self._x11.XTranslateCoordinates(
            self._display, shown, self._root, 0, 0, *refs[:2], ctypes.byref(child)
        )
        return numbers[0].value, numbers[1].value, wide, high

    def alphas(self, window: int, width: int, height: int) -> bytes:
        """The alpha values of everything that a window of 32 bits shows, row by row."""
        self._x11.XGetImage.restype = ctypes.POINTER(_Image)
        shown, every = ctypes.c_ulong(window), ctypes.c_ulong(0xFFFFFFFF)
        found = self._x11.XGetImage(self._display, shown, 0, 0, width, height, every, 2).contents
        assert (found.bits, found.row) == (32, 4 * width)
        return ctypes.string_at(found.data, 4 * width * height)[3::4]

    def takes(self, window: int, x: int, y: int) -> bool:
        """Return whether this pixel of a window is within the shape that gets input."""
        self._ext.XShapeGetRectangles.restype = ctypes.POINTER(_Rectangle)
        count, order, shown = ctypes.c_int(), ctypes.c_int(), ctypes.c_ulong(window)
        refs = (ctypes.byref(count), ctypes.byref(order))
        found = self._ext.XShapeGetRectangles(self._display, shown, 2, *refs)
        taking = any(
            one.x <= x < one.x + one.width and one.y <= y < one.y + one.height
            for one in found[: count.value]
        )
        self._x11.XFree(found)
        return taking

    def point(self, x: int, y: int) -> None:
        self._x11.XWarpPointer(self._display, 0, self._root, 0, 0, 0, 0, x, y)
        self._x11.XSync(self._display, 0)


@contextmanager
def display() -> Iterator[Server]:
    reader, writer = os.pipe()
    size = f"{2 * WIDE}x{HIGH}x24"
    command = ["Xvfb", "-displayfd", str(writer), "-noreset", "-screen", "0", size]
    server = subprocess.Popen([*command, "-nolisten", "tcp"], pass_fds=(writer,), stderr=-3)
    os.close(writer)
    try:
        with os.fdopen(reader) as told:
            os.environ["DISPLAY"] = f":{told.readline().strip()}"
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        made = Server()
        made.monitor("LEFT", 0, WIDE, first=True)
        made.monitor("RIGHT", WIDE, WIDE)
        yield made
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    cache, left, right = sys.argv[1:]
    os.environ["QT_SCREEN_SCALE_FACTORS"] = f"LEFT={left};RIGHT={right}"
    with display() as server:
        print(json.dumps(_run(Path(cache), server)))


def _run(cache: Path, server: Server) -> dict[str, int]:
    prevent_bus_autostart(os.environ)
    QSurfaceFormat.setDefaultFormat(default_format())
    app = QApplication([])
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    try:
        with loop:
            counts: dict[str, int] = loop.run_until_complete(Probing(cache, server).run())
            return counts
    finally:
        shiboken6.delete(app)  # before its display ends


def _await_server() -> None:
    """Wait until everything that Qt sent to the display is done: data of another connection may
    overtake it.
    """
    app = QGuiApplication.instance()
    assert isinstance(app, QGuiApplication)
    xcb = ctypes.CDLL("libxcb.so.1")
    native: Any = app.nativeInterface()
    connection = ctypes.c_void_p(int(native.connection()))
    xcb.xcb_get_input_focus.restype = ctypes.c_uint
    xcb.xcb_get_input_focus_reply.restype = ctypes.c_void_p
    asked = ctypes.c_uint(xcb.xcb_get_input_focus(connection))
    answer = xcb.xcb_get_input_focus_reply(connection, asked, None)
    ctypes.CDLL(None).free(ctypes.c_void_p(answer))


class Clock:
    """A monotonic clock that can be stopped: then the figure doesn't move, whatever is painted."""

    def __init__(self) -> None:
        self._held_at: float | None = None
        self._behind = 0.0

    def __call__(self) -> float:
        now = time.monotonic() if self._held_at is None else self._held_at
        return now - self._behind

    def hold(self, held: bool) -> None:
        if held:
            self._held_at = time.monotonic()
        elif self._held_at is not None:
            self._behind += time.monotonic() - self._held_at
            self._held_at = None


class Probing:
    def __init__(self, cache: Path, server: Server) -> None:
        self._server = server
        self._random = Random(1)
        self._clock = Clock()
        self.pet = PetWindow(cache, random=Random(1), clock=self._clock, hour=lambda: 12)
        self.render: Counter[str] = Counter()

    async def run(self) -> dict[str, int]:
        pet = self.pet
        ready = asyncio.Event()
        pet.ready.connect(lambda _: ready.set())
        pet.show()
        pet.load(NEO)
        await ready.wait()
        left, right = (screen.geometry() for screen in QGuiApplication.screens())
        between = QPoint(left.right() + 1, left.bottom() - 20)
        for scale in (1.0, 0.6):
            pet.placement.set_scale(scale)
            for feet in (left.center(), right.center()):
                pet.placement.move_feet_to(QPoint(feet.x(), feet.y() + 200))
                await self._probe("within")
            await self._arrive()
            pet.setPosition(between - QPoint(pet.width() // 3, pet.height()))
            await self._probe("between")
        await self._change_screens()
        pet.release_model()
        return dict(self.render)

    async def _change_screens(self) -> None:
        """Its screen is removed, added again, and the companion is hidden and shown."""
        pet, server = self.pet, self._server
        right = QGuiApplication.screens()[1].geometry()
        pet.placement.move_feet_to(QPoint(right.center().x(), right.bottom() - 50))
        server.remove("RIGHT")
        await _until(lambda: len(QGuiApplication.screens()) == 1)
        await self._probe("one screen fewer")
        pet.hide()
        server.monitor("RIGHT", WIDE, WIDE)
        await _until(lambda: len(QGuiApplication.screens()) == 2)
        await asyncio.sleep(0.1)
        self.render["hidden"] += int(
            not pet.isVisible() and not self._takes(self.pet.width() // 2, self.pet.height() // 2)
        )
        pet.show()
        await self._probe("shown again")

    async def _probe(self, kind: str) -> None:
        """Read the current state; nothing is painted meanwhile."""
        self.render.update(self._ask(kind, *await self._settle()))

    def _ask(
        self, kind: str, corner: tuple[int, int], size: tuple[int, int], alpha: bytes
    ) -> Counter[str]:
        pet, told = self.pet, Counter({f"wrong {kind}": 0})
        ratio = pet.devicePixelRatio()
        grain = ceil(max(screen.devicePixelRatio() for screen in QGuiApplication.screens()))
        outline = _outline(alpha, size)
        while told["probes"] < PROBES:
            if self._random.random() < 0.6:
                x, y = self._random.choice(outline)
                far = 10 * ratio
                x += round(self._random.uniform(-far, far))
                y += round(self._random.uniform(-far, far))
            else:
                x = self._random.randrange(-40, size[0] + 40)
                y = self._random.randrange(-40, size[1] + 40)
            at = (corner[0] + x, corner[1] + y)
            seen = _seen(alpha, size, x, y, grain)
            if seen is None or not (0 <= at[0] < 2 * WIDE and 0 <= at[1] < HIGH):
                continue
            self._server.point(*at)
            pet.update_click_through()
            told["probes"] += 1
            told["opaque"] += seen
            told[f"wrong {kind}"] += self._takes(x, y) is not seen
        return told

    async def _arrive(self) -> None:
        """The pointer comes from afar and clicks at once, before its position was read."""
        _, size, alpha = await self._settle()
        self._server.point(0, 0)
        self.pet.update_click_through()
        _await_server()
        self.render["far"] += int(bool(self.pet.flags() & Qt.WindowType.WindowTransparentForInput))
        grain = 2 * BAND
        spots = [
            (x, y, seen)
            for x in range(0, size[0], 7)
            for y in range(0, size[1], 7)
            if (seen := _seen(alpha, size, x, y, grain)) is not None
        ]
        window = int(self.pet.winId())
        tried = [
            spot
            for wanted in (True, False)
            for spot in self._random.sample([s for s in spots if s[2] is wanted], ARRIVALS)
        ]
        for x, y, seen in tried:
            self.render["arrivals"] += seen
            self.render["wrong arrivals"] += self._server.takes(window, x, y) is not seen

    async def _settle(self) -> tuple[tuple[int, int], tuple[int, int], bytes]:
        """Return its place and size in the display's pixels, and the alpha of each pixel."""
        pet, shown = self.pet, asyncio.Event()
        self._clock.hold(False)
        pet.frameSwapped.connect(shown.set)
        pet.frames.set_visible(True)
        await asyncio.sleep(0.15)
        geometry = self._server.place(int(pet.winId()))
        self._server.point(geometry[0] + geometry[2] // 2, geometry[1] + geometry[3] // 2)
        for _ in range(4):
            shown.clear()
            pet.update()
            await asyncio.wait_for(shown.wait(), 20)
        pet.frames.set_visible(False)
        await asyncio.sleep(0.4)  # the shape is as old as it may be: one of these frames renews it
        self._clock.hold(True)
        for _ in range(6):
            shown.clear()
            pet.update()
            await asyncio.wait_for(shown.wait(), 20)
        while shown.is_set():  # pending frames are painted, and reach the server
            shown.clear()
            await asyncio.sleep(0.08)
        pet.frameSwapped.disconnect(shown.set)
        corner, size = geometry[:2], geometry[2:]
        return corner, size, self._server.alphas(int(pet.winId()), *size)

    def _takes(self, x: int, y: int) -> bool:
        QCursor.pos()  # waits for the server: the data of the window has arrived there
        whole = not self.pet.flags() & Qt.WindowType.WindowTransparentForInput
        return whole or self._server.takes(int(self.pet.winId()), x, y)


def _outline(alpha: bytes, size: tuple[int, int]) -> list[tuple[int, int]]:
    width, height = size
    return [
        (x, y)
        for y in range(0, height, 3)
        for x in range(1, width)
        if (alpha[y * width + x] >= _SEEN) is not (alpha[y * width + x - 1] >= _SEEN)
    ]


def _seen(alpha: bytes, size: tuple[int, int], x: int, y: int, grain: int) -> bool | None:
    """Return None at an outline."""
    width, height = size
    found = {
        0 <= a < width and 0 <= b < height and alpha[b * width + a] >= _SEEN
        for a in range(x - grain, x + grain + 1)
        for b in range(y - grain, y + grain + 1)
    }
    return found.pop() if len(found) == 1 else None


async def _until(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


if __name__ == "__main__":
    main()
