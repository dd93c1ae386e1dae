"""Where a window that lets clicks through takes them nevertheless, on X11.

The figure is looked at where the pointer is known to be, which is late for a pointer that has just
arrived. The X server needn't be told where it is: it gets the figure's inside as the shape that
takes input, a few times a second. Elsewhere there is no such thing, and nothing is done.
"""

from __future__ import annotations

import ctypes
import re
from array import array
from collections.abc import Sequence
from itertools import chain

from PySide6.QtGui import QGuiApplication, QNativeInterface, QWindow

from neodeskpet.ui.pet.surface import AlphaMap

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
