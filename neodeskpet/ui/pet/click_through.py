"""Lets clicks beside the figure pass to the windows below, by the alpha value under the pointer,
and on X11 also by the window's input shape.
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
"""Left, top, width and height in device pixels of the window."""

BAND = 4
"""Height of a band in pixels. A slanted outline isn't covered within this height."""
_RUN = re.compile(rb"\x01+")
_INPUT = 2


def opaque_bands(alphas: AlphaMap, least: int) -> list[Band]:
    """Return the areas that are at least this opaque, as bands from the top; none of their pixels
    is less opaque.
    """
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
    """Whether the pixel is in one of the bands."""
    return any(
        left <= x < left + width and top <= y < top + height for left, top, width, height in bands
    )


class InputShape:
    """The input shape of one window, set on Qt's own X11 connection, so that it is applied after
    Qt's requests.
    """

    def __init__(self, window: QWindow) -> None:
        self._window = window
        self._last_shape: tuple[int, Sequence[Band]] | None = None
        self._connection = _connection()
        if self._connection is not None:
            self._xcb = ctypes.CDLL("libxcb.so.1")
            self._fixes = ctypes.CDLL("libxcb-xfixes.so.0")

    @property
    def is_supported(self) -> bool:
        """Whether the desktop supports input shapes."""
        return self._connection is not None

    def reset(self) -> None:
        """Forget our shape: Qt has just set another one."""
        self._last_shape = None

    def set(self, bands: Sequence[Band]) -> None:
        """Accept input in these bands only."""
        if self._connection is None or not (bands or self._last_shape):
            return  # without ours the window has Qt's shape, which is empty
        window = int(self._window.winId())
        if (window, bands) == self._last_shape:
            return
        self._last_shape = (window, bands) if bands else None
        display = ctypes.c_void_p(self._connection)
        region = ctypes.c_uint32(self._xcb.xcb_generate_id(display))
        listed = array("h", chain.from_iterable(bands))  # four 16-bit numbers each
        rectangles = (ctypes.c_int16 * len(listed)).from_buffer(listed)
        self._fixes.xcb_xfixes_create_region(display, region, len(bands), rectangles)
        shaped = ctypes.c_uint32(window)
        self._fixes.xcb_xfixes_set_window_shape_region(display, shaped, _INPUT, 0, 0, region)
        self._fixes.xcb_xfixes_destroy_region(display, region)
        self._xcb.xcb_flush(display)


def _connection() -> int | None:
    """Return Qt's connection to the X server; None without one, or without the library."""
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
"""Pixels around the window in which the pointer is polled often, and the interval in ms."""
_FAR_MS, _FAR_UNSHAPED_MS = 300, 120
"""Polling interval in ms elsewhere, with and without an input shape: with a shape a quick click
needs no polling.
"""
_SHAPE_MS, _SHAPE_FRAMES = 300, 12
"""Maximum age of the input shape in ms while the figure moves, and in frames while it is calm.
Reading back a frame waits for its drawing, which costs a quarter of a calm frame.
"""
_ROUGHLY = 3
"""Pixels by which the pointer may be off on screens with different scales."""
_CALM_MS = 120
"""Milliseconds between frames above which the figure hardly moves."""


class ClickThrough(QObject):
    """Decides whether its window accepts input."""

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
        """Set whether clicks pass through the figure too."""
        self._always = on
        self._let_through()

    def set_avoided_areas(self, covered: Iterable[QRect]) -> None:
        """Set the areas of other windows of the app, which get the clicks (global coordinates)."""
        self._covered = tuple(covered)
        self._pointer = QPoint()
        self._tell_shape()

    def set_held(self, held: bool) -> None:
        """Note whether a button is held on the figure; the decision doesn't change meanwhile."""
        if held:
            self._decide(True)
        self._held = held

    def set_visible(self, seen: bool) -> None:
        """Set whether the window is visible; otherwise the pointer isn't polled and no input
        accepted.
        """
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
        """Set the pointer position, queried once per frame since the query waits for the
        X server.
        """
        self._here = pointer

    def frame_drawn(self, pixels: FramebufferReader) -> None:
        """Update after a frame was drawn (GL is current)."""
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
        """Poll the pointer position."""
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
            self._window.update()  # decided with the next frame
        else:
            over = self._copy.at(*spot) >= _OPAQUE
            if not over and self._bands_of is not self._copy and self._is_by_a_band(*spot):
                self._form(self._copy)  # the figure has moved since
            self._decide(over)

    def _shape_is_due(self, calm: bool) -> bool:
        """Whether the shape must be updated. The first calm frame always updates it: the shape
        before was taken during the movement.
        """
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
        """Return the window's device pixel below the pointer; None beside the window, or where
        another window covers it.
        """
        # Mapped by Qt: on a screen with another scale than the window's, a difference would be
        # wrong.
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
        """Set the input shape: Qt makes the window transparent for input, the shape accepts clicks
        on the figure.
        """
        if self._through():
            here = self._window.geometry()
            bare = self._always or any(one.intersects(here) for one in self._covered)
            self._shape.set([] if bare else self._bands)


def _on_a_screen(pointer: QPoint) -> QPoint:
    """Return a position on a screen: a rounded position may be just outside the right or lower end
    of a screen; the pixel before is used then.
    """
    tried = (pointer - QPoint(dx, dy) for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)))
    return next((one for one in tried if QGuiApplication.screenAt(one) is not None), pointer)
