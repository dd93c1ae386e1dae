"""The part of each screen that taskbars leave free.

With one screen Qt reports it. With several, X11's `_NET_WORKAREA` is one rectangle for all of them
and Qt ignores it, so the space that taskbars reserve (`_NET_WM_STRUT_PARTIAL` of the Extended
Window Manager Hints 1.5) is read here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QMargins, QRect, QSize
from PySide6.QtGui import QGuiApplication, QScreen

_MAX_WINDOWS = 1_000
_STALE_S = 2.0
"""Seconds after which reserved space is read again: reading takes a query for each window."""
_MOST_SHARE = 0.5
"""A taskbar that takes more of a screen's height or width belongs to another screen behind it."""


def work_areas() -> list[QRect]:
    """Return the free part of each screen, in device-independent pixels."""
    return [work_area(screen) for screen in QGuiApplication.screens()]


def work_area(screen: QScreen) -> QRect:
    """Return the part of `screen` that taskbars leave free, in device-independent pixels."""
    place = screen.geometry()
    if len(QGuiApplication.screens()) == 1 or screen.availableGeometry() != place:
        return screen.availableGeometry()
    ratio = screen.devicePixelRatio()
    # Qt keeps a screen's corner and scales the positions inside it.
    free = free_part(QRect(place.topLeft(), place.size() * ratio), _reserved.strips())
    inside = (free.topLeft() - place.topLeft()) / ratio
    return QRect(place.topLeft() + inside, free.size() / ratio)


def reserved_strips(root: QSize, strut: Sequence[int]) -> list[tuple[str, QRect]]:
    """Return the strips along the edges of the desktop that one window reserves: the edge, and the
    strip. `strut` are the 12 values of `_NET_WM_STRUT_PARTIAL`.
    """
    if len(strut) != 12:
        return []
    left, right, top, bottom = strut[:4]
    (y0, y1), (y2, y3), (x0, x1), (x2, x3) = zip(strut[4::2], strut[5::2], strict=True)
    strips = (
        ("left", QRect(0, y0, left, y1 - y0 + 1)),
        ("right", QRect(root.width() - right, y2, right, y3 - y2 + 1)),
        ("top", QRect(x0, 0, x1 - x0 + 1, top)),
        ("bottom", QRect(x2, root.height() - bottom, x3 - x2 + 1, bottom)),
    )
    return [(edge, strip) for edge, strip in strips if strip.isValid()]


def free_part(screen: QRect, strips: Sequence[tuple[str, QRect]]) -> QRect:
    """Return what the strips leave free of `screen`, all in screen pixels."""
    taken = {"left": 0, "top": 0, "right": 0, "bottom": 0}
    most = {
        edge: _MOST_SHARE * (screen.width() if edge in ("left", "right") else screen.height())
        for edge in taken
    }
    for edge, strip in strips:
        if not strip.intersects(screen):
            continue
        width = {
            "left": strip.right() - screen.left() + 1,
            "top": strip.bottom() - screen.top() + 1,
            "right": screen.right() - strip.left() + 1,
            "bottom": screen.bottom() - strip.top() + 1,
        }[edge]
        if width <= most[edge]:
            taken[edge] = max(taken[edge], width)
    return screen.marginsRemoved(QMargins(*taken.values()))


class _ReservedSpace:
    """What taskbars reserve, kept for `_STALE_S` seconds."""

    def __init__(self) -> None:
        self._strips: list[tuple[str, QRect]] = []
        self._read_at: float | None = None

    def strips(self) -> list[tuple[str, QRect]]:
        now = time.monotonic()
        if self._read_at is None or now - self._read_at > _STALE_S:
            self._read_at, self._strips = now, reserved_space()
        return self._strips


_reserved = _ReservedSpace()


def reserved_space() -> list[tuple[str, QRect]]:
    """Return the strips that windows of all programs reserve. The list is empty without X11."""
    if QGuiApplication.platformName() != "xcb":
        return []
    from neodeskpet.ui.desktop.xcb_connection import XcbConnection  # not loaded with one screen

    try:
        server = XcbConnection()
    except (OSError, AttributeError):
        return []
    try:
        size = server.geometry(server.root)
        strut = server.atom(b"_NET_WM_STRUT_PARTIAL")
        listed = server.property_values(
            server.root, server.atom(b"_NET_CLIENT_LIST_STACKING"), _MAX_WINDOWS
        )
        root = QSize(*size[2:]) if size is not None else QSize()
        return [
            strip
            for window in listed or ()
            for strip in reserved_strips(root, server.property_values(window, strut) or ())
        ]
    except OSError:
        return []
    finally:
        server.close()
