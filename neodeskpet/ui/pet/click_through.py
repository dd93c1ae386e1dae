"""Lets clicks beside the figure fall through to what lies below, by the alpha value under the
pointer, and on X11 also by the window's input shape.
"""

from __future__ import annotations

import ctypes
import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

from PySide6.QtCore import QElapsedTimer, QObject, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QCursor, QGuiApplication, QNativeInterface, QPaintDeviceWindow, QWindow

from neodeskpet.ui.pet.gl_surface import AlphaMap, FramebufferReader, device_size

Band = tuple[int, int, int, int]
"""Left, top, width and height, in device pixels of the window."""

BAND = 4
"""How high a band is: so much of a slanting outline isn't within any."""
_RUN = re.compile(rb"\x01+")
_INPUT = 2


def opaque_bands(alphas: AlphaMap, least: int) -> list[Band]:
    """What is at least so opaque, in bands from the top; no pixel of them is less."""
    width, height = alphas.size
    data, stride = alphas.rows()
    data = data.translate(bytes(value >= least for value in range(256)))
    found = []
    for top in range(0, height - BAND + 1, BAND):
        common = -1
        for y in range(height - top - BAND, height - top):
            common &= int.from_bytes(data[y * stride : y * stride + width])
        runs = _RUN.finditer(common.to_bytes(width))
        found += [(run.start(), top, run.end() - run.start(), BAND) for run in runs]
    return found


def contains(bands: Sequence[Band], x: int, y: int) -> bool:
    """Whether the pixel is within one of them."""
    return any(
        left <= x < left + width and top <= y < top + height for left, top, width, height in bands
    )


class InputShape:
    """The shape of one window, on Qt's own connection: so it comes after what Qt says of it."""

    def __init__(self, window: QWindow) -> None:
        self._window = window
        self._told: tuple[int, Sequence[Band]] | None = None
        self._connection = _connection()
        if self._connection is not None:
            self._xcb = ctypes.CDLL("libxcb.so.1")
            self._fixes = ctypes.CDLL("libxcb-xfixes.so.0")

    @property
    def is_supported(self) -> bool:
        """Whether this desktop has such shapes."""
        return self._connection is not None

    def reset(self) -> None:
        """Qt has just given the window another shape."""
        self._told = None

    def set(self, bands: Sequence[Band]) -> None:
        """Only these take input."""
        if self._connection is None or not (bands or self._told):
            return  # with none of ours it has Qt's, which is empty
        window = int(self._window.winId())
        if (window, bands) == self._told:
            return
        self._told = (window, bands) if bands else None
        display = ctypes.c_void_p(self._connection)
        region = ctypes.c_uint32(self._xcb.xcb_generate_id(display))
        listed = array("h", chain.from_iterable(bands))  # as four numbers of 16 bits each
        rectangles = (ctypes.c_int16 * len(listed)).from_buffer(listed)
        self._fixes.xcb_xfixes_create_region(display, region, len(bands), rectangles)
        shaped = ctypes.c_uint32(window)
        self._fixes.xcb_xfixes_set_window_shape_region(display, shaped, _INPUT, 0, 0, region)
        self._fixes.xcb_xfixes_destroy_region(display, region)
        self._xcb.xcb_flush(display)


def _connection() -> int | None:
    """Qt's connection to the X server; None without one, or without the library."""
    app = QGuiApplication.instance()
    native = app.nativeInterface() if isinstance(app, QGuiApplication) else None
    if not isinstance(native, QNativeInterface.QX11Application):
        return None
    try:
        ctypes.CDLL("libxcb-xfixes.so.0")
    except OSError:
        return None
    return int(native.connection())


_OPAQUE = 24
_NEAR, _NEAR_MS = 160, 30
"""Pixels around the window in which the pointer is watched closely, and how often it is."""
_FAR_MS, _FAR_UNSHAPED_MS = 300, 120
"""How often elsewhere: where the X server has a shape, a quick click needs no look."""
_SHAPE_MS, _SHAPE_FRAMES = 300, 12
"""How old the shape may be that the X server has, while the figure moves, and in calm frames. To
read a frame back waits for its drawing: a quarter of what a calm one costs.
"""
_ROUGHLY = 3
"""So many pixels a pointer may be off where screens have different scales."""
_CALM_MS = 120
"""Frames that come further apart than this show a figure that hardly moves."""


class ClickThrough(QObject):
    """Decides whether its window takes input."""

    def __init__(self, window: QPaintDeviceWindow) -> None:
        super().__init__(window)
        self._window = window
        self._always = False
        self._over = False
        self._covered: tuple[QRect, ...] = ()
        self._copy: AlphaMap | None = None
        self._pointer = QPoint()
        self._here = QCursor.pos()
        self._held = False
        self._shape = InputShape(window)
        self._bands: list[Band] = []
        self._bands_of: AlphaMap | None = None
        self._formed = QElapsedTimer()
        self._formed_size = (0, 0)
        self._formed_calm = False
        self._frames = 0
        self._felt = QElapsedTimer()
        self._far_ms = _FAR_MS if self._shape.is_supported else _FAR_UNSHAPED_MS
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.check_pointer)
        self._let_through()

    def set_always(self, on: bool) -> None:
        """Clicks fall through the figure too."""
        self._always = on
        self._let_through()

    def set_avoided_areas(self, covered: Iterable[QRect]) -> None:
        """Another window of the app that lies here gets the clicks (global coordinates)."""
        self._covered = tuple(covered)
        self._pointer = QPoint()
        self._tell_shape()

    def set_held(self, held: bool) -> None:
        """A button is held on the figure: what it takes doesn't change meanwhile."""
        if held:
            self._decide(True)
        self._held = held

    def set_visible(self, seen: bool) -> None:
        """Whether the window is to be seen: else nothing is watched, and it takes nothing."""
        self._copy = self._bands_of = None
        self._formed.invalidate()
        if seen:
            self._timer.start(self._far_ms)
            return
        self._timer.stop()
        self._bands = []
        self._tell_shape()
        self._held = False
        self._decide(False)

    def set_pointer(self, pointer: QPoint) -> None:
        """The pointer is there. Asking for it waits for the X server: a frame does it once."""
        self._here = pointer

    def frame_drawn(self, pixels: FramebufferReader) -> None:
        """A frame was just drawn (GL is current)."""
        pointer = self._here
        near = self._is_near(pointer)
        calm = self._felt.isValid() and self._felt.hasExpired(_CALM_MS)
        self._felt.start()
        self._frames += 1
        due = self._shape_is_due(calm)
        drawn = pixels.alphas(*device_size(self._window)) if near or due else None
        if due and drawn is not None:
            self._form(drawn)
            self._formed_calm = calm
        self._copy = drawn if near else None
        self._pointer = pointer
        self._judge(pointer)

    def check_pointer(self) -> None:
        """Where is the pointer now?"""
        pointer = self._here = QCursor.pos()
        near = self._is_near(pointer)
        wanted = _NEAR_MS if near else self._far_ms
        if self._timer.interval() != wanted:
            self._timer.setInterval(wanted)
        if pointer == self._pointer:
            return
        self._pointer = pointer
        self._judge(pointer)

    def _judge(self, pointer: QPoint) -> None:
        spot = self._spot(pointer)
        if spot is None:
            self._decide(False)
        elif self._copy is None or self._copy.size != device_size(self._window):
            self._window.update()  # the next frame tells
        else:
            over = self._copy.at(*spot) >= _OPAQUE
            if not over and self._bands_of is not self._copy and self._is_by_a_band(*spot):
                self._form(self._copy)  # it has moved since
            self._decide(over)

    def _shape_is_due(self, calm: bool) -> bool:
        """The first calm frame always gives one: that before it was taken on the way there."""
        if not (self._shape.is_supported and self._timer.isActive()):
            return False
        if not self._formed.isValid() or self._formed_size != device_size(self._window):
            return True
        kept = calm and self._formed_calm and self._frames < _SHAPE_FRAMES
        return not kept and self._formed.hasExpired(_SHAPE_MS)

    def _is_by_a_band(self, x: int, y: int) -> bool:
        near = (-_ROUGHLY, 0, _ROUGHLY)
        return any(contains(self._bands, x + dx, y + dy) for dx in near for dy in near)

    def _form(self, drawn: AlphaMap) -> None:
        self._bands_of = drawn
        self._bands = opaque_bands(drawn, _OPAQUE)
        self._formed.start()
        self._frames = 0
        self._formed_size = drawn.size
        self._tell_shape()

    def _spot(self, pointer: QPoint) -> tuple[int, int] | None:
        """The device pixel of the window under the pointer; None beside it, or where another
        window has it.
        """
        # By Qt's own way: on a screen of another scale than the window's a difference would be off.
        local = self._window.mapFromGlobal(QPointF(_on_a_screen(pointer)))
        ratio = self._window.devicePixelRatio()
        width, height = device_size(self._window)
        x, y = int(local.x() * ratio), int(local.y() * ratio)
        if not (0 <= x < width and 0 <= y < height) or self._is_covered(pointer):
            return None
        return x, y

    def _is_covered(self, pointer: QPoint) -> bool:
        return any(one.contains(pointer) for one in self._covered)

    def _is_near(self, pointer: QPoint) -> bool:
        return self._window.geometry().adjusted(-_NEAR, -_NEAR, _NEAR, _NEAR).contains(pointer)

    def _decide(self, over: bool) -> None:
        if over is not self._over and not self._held:
            self._over = over
            self._let_through()

    def _let_through(self) -> None:
        through = self._through()
        if through is not bool(self._window.flags() & Qt.WindowType.WindowTransparentForInput):
            self._window.setFlag(Qt.WindowType.WindowTransparentForInput, through)
            self._shape.reset()
        self._tell_shape()

    def _through(self) -> bool:
        return self._always or not self._over

    def _tell_shape(self) -> None:
        """For Qt the window lets all through; the X server lets the figure's inside take clicks."""
        if self._through():
            here = self._window.geometry()
            bare = self._always or any(one.intersects(here) for one in self._covered)
            self._shape.set([] if bare else self._bands)


def _on_a_screen(pointer: QPoint) -> QPoint:
    """Rounded to whole device-independent pixels, the pointer may lie just beyond the right or
    lower end of its screen, where there is none: then it is the pixel before.
    """
    tried = (pointer - QPoint(dx, dy) for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)))
    return next((one for one in tried if QGuiApplication.screenAt(one) is not None), pointer)
